package store

import (
	"fmt"
	"math/rand/v2"
	"runtime"
)

// In a burst actors take no turns: their order is the scheduler's. Each gives
// the processor away within its calls, so that calls overlap on one, too.
const (
	burstActors = 4
	burstCalls  = 15
	burstLists  = 24
)

// crowded is a store that others use between the record of a call and the call.
type crowded struct {
	Subject
	Reader
}

func crowd(d *driver) (crowded, bool) {
	r, ok := part[Reader](d)
	return crowded{d.s, r}, ok
}

func yielding[T any](f func() T) T {
	runtime.Gosched()
	defer runtime.Gosched()
	return f()
}

func (c crowded) Apply(x Change) error {
	return yielding(func() error { return c.Subject.Apply(x) })
}

func (c crowded) Replace(l []Object, rv string) error {
	return yielding(func() error { return c.Subject.Replace(l, rv) })
}

func (c crowded) Get(o Object) (x *Object, err error) {
	err = yielding(func() (err error) { x, err = c.Reader.Get(o); return err })
	return x, err
}

func (c crowded) List() (l []Object, err error) {
	err = yielding(func() (err error) { l, err = c.Reader.List(); return err })
	return l, err
}

func (c crowded) ListKeys() (l []string, err error) {
	err = yielding(func() (err error) { l, err = c.Reader.ListKeys(); return err })
	return l, err
}

// driveLinear has several actors write and read two objects at once.
func driveLinear(d *driver) {
	s, ok := crowd(d)
	if !ok {
		return
	}
	d.apply(Add, d.object("a", "x"))
	for n := range burstActors {
		c := d.as(fmt.Sprintf("u%d", n+1))
		c.s = s
		rnd := rand.New(rand.NewPCG(uint64(d.t.Seed()), uint64(n)))
		d.t.Go(func() {
			for range burstCalls {
				c.atRandom(rnd)
			}
		})
	}
}

func (d *driver) atRandom(rnd *rand.Rand) {
	name := []string{"x", "y"}[rnd.IntN(2)]
	switch k := rnd.IntN(10); {
	case k < 3:
		d.apply(verbs[k], d.object("a", name))
	case k < 4:
		d.replace(d.object("a", name))
	case k < 7:
		d.get(Object{Namespace: "a", Name: name})
	case k < 9:
		d.list()
	default:
		d.listKeys()
	}
}

// driveAtomic has readers list beside one that replaces everything, again and
// again, by lists of which each object and half of the keys differ.
func driveAtomic(d *driver) {
	s, ok := crowd(d)
	if !ok {
		return
	}
	d.replace(d.generation(0)...)
	w := d.as("w1")
	w.s = s
	d.t.Go(func() {
		for n := range burstLists {
			w.replace(w.generation(n + 1)...)
		}
	})
	for n := range burstActors - 1 {
		r := d.as(fmt.Sprintf("r%d", n+1))
		r.s = s
		d.t.Go(func() {
			for range burstLists / 2 {
				r.list()
				r.listKeys()
			}
		})
	}
}

// generation is a list of which half of the keys are of every other one alone.
func (d *driver) generation(n int) []Object {
	var out []Object
	for i := range 4 {
		out = append(out, d.object("a", fmt.Sprintf("all%d", i)), d.object("a", fmt.Sprintf("some%d-%d", n%2, i)))
	}
	return out
}
