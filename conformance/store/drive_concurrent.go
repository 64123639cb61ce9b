package store

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
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
	Indexed   // nil where it has no indexes
	Versioned // nil where it tells no version
	Batched   // nil where it has no transactions
	meet      func()
	spins     int // where a call is no more than a call
}

func (d *driver) crowd(actor string, meet func()) *driver {
	c := d.as(actor)
	r, _ := part[Reader](d)
	w := crowded{Subject: d.s, Reader: r, meet: meet}
	if d.t.Has(Index) {
		w.Indexed, _ = d.s.(Indexed)
	}
	if d.t.Has(Version) {
		w.Versioned, _ = d.s.(Versioned)
	}
	if d.t.Has(Transactions) {
		w.Batched, _ = d.s.(Batched)
	}
	if d.t.Virtual() {
		w.spins = spins
	}
	c.s = w
	return c
}

func yielding[T any](c crowded, f func() T) T {
	c.meet()
	defer runtime.Gosched()
	return f()
}

// spins is how often a reader asks at most until it is answered something else: between two locks of a write there is
// a moment only, and who asks all the time meets it.
const spins = 300

func spinning[T any](c crowded, what func(T) string, read func() (T, error)) (T, error) {
	c.meet()
	defer runtime.Gosched()
	return again(c, what, read)
}

// again is a read that asks again and again. Its answer is the last, which was given while the call lasted.
func again[T any](c crowded, what func(T) string, read func() (T, error)) (x T, err error) {
	x, err = read()
	if err != nil {
		return x, err
	}
	first := what(x)
	for range c.spins {
		if x, err = read(); err != nil || what(x) != first {
			return x, err
		}
	}
	return x, nil
}

func texts(all []Object) string {
	var out []string
	for _, o := range all {
		out = append(out, text(o))
	}
	return strings.Join(sorted(out), ",")
}

func words(all []string) string { return strings.Join(sorted(all), ",") }

func textOf(o *Object) string {
	if o == nil {
		return ""
	}
	return text(*o)
}

func (c crowded) Apply(x Change) error {
	return yielding(c, func() error { return c.Subject.Apply(x) })
}

func (c crowded) Replace(l []Object, rv string) error {
	return yielding(c, func() error { return c.Subject.Replace(l, rv) })
}

func (c crowded) Get(o Object) (*Object, error) {
	return spinning(c, textOf, func() (*Object, error) { return c.Reader.Get(o) })
}

func (c crowded) GetByKey(key string) (*Object, error) {
	return spinning(c, textOf, func() (*Object, error) { return c.Reader.GetByKey(key) })
}

func (c crowded) List() ([]Object, error) {
	return spinning(c, texts, c.Reader.List)
}

func (c crowded) ListKeys() ([]string, error) {
	return spinning(c, words, c.Reader.ListKeys)
}

func (c crowded) Index(name string, o Object) ([]Object, error) {
	return spinning(c, texts, func() ([]Object, error) { return c.Indexed.Index(name, o) })
}

func (c crowded) ByIndex(name, value string) ([]Object, error) {
	return spinning(c, texts, func() ([]Object, error) { return c.Indexed.ByIndex(name, value) })
}

func (c crowded) IndexKeys(name, value string) ([]string, error) {
	return spinning(c, words, func() ([]string, error) { return c.Indexed.IndexKeys(name, value) })
}

func (c crowded) IndexValues(name string) ([]string, error) {
	return spinning(c, words, func() ([]string, error) { return c.Indexed.IndexValues(name) })
}

func (c crowded) AddIndexers(names []string) error {
	return yielding(c, func() error { return c.Indexed.AddIndexers(names) })
}

func (c crowded) ApplyAll(l []Change) error {
	return yielding(c, func() error { return c.Batched.ApplyAll(l) })
}

func (c crowded) Bookmark(rv string) error {
	return yielding(c, func() error { return c.Versioned.Bookmark(rv) })
}

// Version lets nobody go on when it has its answer: what was told must be there by then.
func (c crowded) Version() (string, error) {
	c.meet()
	return again(c, strings.Clone, c.Versioned.Version)
}

// driveLinear has several actors write and read two objects at once. A third is there all the time.
func driveLinear(d *driver) {
	if _, ok := part[Reader](d); !ok {
		return
	}
	d.replace(d.object("a", "stays"), d.object("a", "x"))
	var all sync.WaitGroup
	all.Add(burstActors)
	var parts []func()
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
		parts = append(parts, func() {
			for range burstCalls {
				c.atRandom(rnd)
			}
		})
	}
	d.atOnce(parts...)
}

// atOnce runs parts beside each other, and returns when all have ended: none uses the store when it goes.
func (d *driver) atOnce(parts ...func()) {
	var all sync.WaitGroup
	all.Add(len(parts))
	for _, part := range parts {
		d.t.Go(func() {
			defer all.Done()
			part()
		})
	}
	all.Wait()
}

func (d *driver) atRandom(rnd *rand.Rand) {
	name := []string{"x", "y"}[rnd.IntN(2)]
	switch k := rnd.IntN(10); {
	case k < 3:
		d.apply(verbs[k], d.object("a", name))
	case k < 4:
		d.replace(d.object("a", "stays"), d.object("a", name))
	case k < 6:
		d.get(Object{Namespace: "a", Name: name})
	case k < 7:
		d.getByKey(Object{Namespace: "a", Name: name}.Key())
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
	d.beside(burstLists, 2, func(_, _ int, r *driver) {
		r.list()
		r.listKeys()
	}, func(n int, w *driver) { w.replace(w.generation(n + 1)...) })
}

// beside has readers read so often beside one that writes. Each reading makes
// so many calls that wait, at most, and each of these meets a write.
func (d *driver) beside(times, waits int, read func(i, n int, r *driver), write func(n int, w *driver)) {
	meet, done := make(chan struct{}), make(chan struct{})
	var readers sync.WaitGroup
	readers.Add(burstActors - 1)
	var parts []func()
	for i := range burstActors - 1 {
		r := d.crowd(fmt.Sprintf("r%d", i+1), func() { meet <- struct{}{} })
		parts = append(parts, func() {
			defer readers.Done()
			for n := range times {
				read(i, n, r)
			}
		})
	}
	w := d.crowd("w1", func() {
		select {
		case <-meet:
		case <-done: // nobody reads any more
		}
	})
	d.atOnce(append(parts, func() {
		for n := range waits * times * (burstActors - 1) {
			write(n, w)
		}
	}, func() { readers.Wait(); close(done) })...)
}

// generation is a list of which half of the keys are of every other one alone.
func (d *driver) generation(n int) []Object {
	var out []Object
	for i := range 20 {
		out = append(out, d.object("a", fmt.Sprintf("all%d", i)), d.object("a", fmt.Sprintf("some%d-%d", n%2, i)))
	}
	return out
}
