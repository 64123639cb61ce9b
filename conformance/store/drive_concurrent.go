package store

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
)

// In a burst actors take no turns: their order is the scheduler's. They wait for
// each other within their calls, so that calls overlap on one processor, too,
// and however busy the machine is.
const (
	burstActors = 4
	burstCalls  = 30 // of each
	burstLists  = 12 // of each reader
)

// crowded is a store whose calls wait for those of others after they have been recorded.
type crowded struct {
	Subject
	Reader
	meet func()
}

func (d *driver) crowd(actor string, meet func()) *driver {
	c := d.as(actor)
	r, _ := part[Reader](d)
	c.s = crowded{d.s, r, meet}
	return c
}

func yielding[T any](c crowded, f func() T) T {
	c.meet()
	defer runtime.Gosched()
	return f()
}

func (c crowded) Apply(x Change) error {
	return yielding(c, func() error { return c.Subject.Apply(x) })
}

func (c crowded) Replace(l []Object, rv string) error {
	return yielding(c, func() error { return c.Subject.Replace(l, rv) })
}

func (c crowded) Get(o Object) (x *Object, err error) {
	err = yielding(c, func() (err error) { x, err = c.Reader.Get(o); return err })
	return x, err
}

func (c crowded) List() (l []Object, err error) {
	err = yielding(c, func() (err error) { l, err = c.Reader.List(); return err })
	return l, err
}

func (c crowded) ListKeys() (l []string, err error) {
	err = yielding(c, func() (err error) { l, err = c.Reader.ListKeys(); return err })
	return l, err
}

// driveLinear has several actors write and read two objects at once.
func driveLinear(d *driver) {
	if _, ok := part[Reader](d); !ok {
		return
	}
	d.apply(Add, d.object("a", "x"))
	var all sync.WaitGroup
	all.Add(burstActors)
	for n := range burstActors {
		met := false
		c := d.crowd(fmt.Sprintf("u%d", n+1), func() {
			if !met { // the first calls overlap for certain
				all.Done()
				all.Wait()
			}
			met = true
			runtime.Gosched()
		})
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
// again, by lists of which each object and half of the keys differ. Each list
// meets a Replace.
func driveAtomic(d *driver) {
	if _, ok := part[Reader](d); !ok {
		return
	}
	d.replace(d.generation(0)...)
	meet, done := make(chan struct{}), make(chan struct{})
	var readers sync.WaitGroup
	for n := range burstActors - 1 {
		r := d.crowd(fmt.Sprintf("r%d", n+1), func() { meet <- struct{}{} })
		readers.Add(1)
		d.t.Go(func() {
			defer readers.Done()
			for range burstLists {
				r.list()
				r.listKeys()
			}
		})
	}
	w := d.crowd("w1", func() {
		select {
		case <-meet:
		case <-done: // nobody lists any more
		}
	})
	d.t.Go(func() {
		for n := range 2 * burstLists * (burstActors - 1) {
			w.replace(w.generation(n + 1)...)
		}
	})
	d.t.Go(func() { readers.Wait(); close(done) })
}

// generation is a list of which half of the keys are of every other one alone.
func (d *driver) generation(n int) []Object {
	var out []Object
	for i := range 4 {
		out = append(out, d.object("a", fmt.Sprintf("all%d", i)), d.object("a", fmt.Sprintf("some%d-%d", n%2, i)))
	}
	return out
}
