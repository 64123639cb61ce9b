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
	w := crowded{Subject: d.s, meet: meet}
	w.Reader, _ = d.s.(Reader)
	w.Indexed, _ = d.s.(Indexed)
	w.Versioned, _ = d.s.(Versioned)
	w.Batched, _ = d.s.(Batched)
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

func spinning[T any](c crowded, read func() (T, error)) (T, error) {
	c.meet()
	defer runtime.Gosched()
	return rereading(c, read)
}

// rereading reads again and again. Its answer is the last, which was given while the call lasted.
func rereading[T any](c crowded, read func() (T, error)) (x T, err error) {
	x, err = read()
	first := said(x)
	for n := 0; err == nil && n < c.spins && said(x) == first; n++ {
		x, err = read()
	}
	return x, err
}

// said is an answer as text. Lists come in any order.
func said(x any) string {
	switch x := x.(type) {
	case *Object:
		if x != nil {
			return text(*x)
		}
	case []Object:
		return joined(texts(x))
	case []string:
		return joined(x)
	case string:
		return x
	}
	return ""
}

// The calls of a crowded store, each of which meets others.

func (c crowded) Apply(x Change) error {
	return yielding(c, func() error { return c.Subject.Apply(x) })
}
func (c crowded) Replace(l []Object, rv string) error {
	return yielding(c, func() error { return c.Subject.Replace(l, rv) })
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
func (c crowded) List() ([]Object, error)       { return spinning(c, c.Reader.List) }
func (c crowded) ListKeys() ([]string, error)   { return spinning(c, c.Reader.ListKeys) }
func (c crowded) Get(o Object) (*Object, error) { return spinning(c, of(c.Reader.Get, o)) }

func (c crowded) GetByKey(key string) (*Object, error) {
	return spinning(c, of(c.Reader.GetByKey, key))
}
func (c crowded) Index(name string, o Object) ([]Object, error) {
	return spinning(c, of(of2(c.Indexed.Index, name), o))
}
func (c crowded) ByIndex(name, value string) ([]Object, error) {
	return spinning(c, of(of2(c.Indexed.ByIndex, name), value))
}
func (c crowded) IndexKeys(name, value string) ([]string, error) {
	return spinning(c, of(of2(c.Indexed.IndexKeys, name), value))
}
func (c crowded) IndexValues(name string) ([]string, error) {
	return spinning(c, of(c.Indexed.IndexValues, name))
}

// of and of2 return a read with its first argument.
func of[A, T any](read func(A) (T, error), a A) func() (T, error) {
	return func() (T, error) { return read(a) }
}

func of2[A, B, T any](read func(A, B) (T, error), a A) func(B) (T, error) {
	return func(b B) (T, error) { return read(a, b) }
}

// Version lets nobody go on when it has its answer: what was told must be there by then.
func (c crowded) Version() (string, error) {
	c.meet()
	return rereading(c, c.Versioned.Version)
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

// inCrowd has each of some actors make so many calls, of which the first are all under way before any goes on. The seeds of
// their choices come from rnd.
func (d *driver) inCrowd(rnd *rand.Rand, calls, together int, all ...func(u *driver, rnd *rand.Rand)) {
	met := make([]sync.WaitGroup, together)
	for i := range met {
		met[i].Add(len(all))
	}
	var parts []func()
	for i, call := range all {
		round := 0
		u := d.crowd(fmt.Sprintf("u%d", i+1), func() {
			if round < together {
				met[round].Done()
				met[round].Wait()
			}
			round++
			runtime.Gosched()
		})
		mine := rand.New(rand.NewPCG(rnd.Uint64(), rnd.Uint64()))
		parts = append(parts, func() {
			defer func() { // nobody waits for one whose call has panicked
				for ; round < together; round++ {
					met[round].Done()
				}
			}()
			for range calls {
				call(u, mine)
			}
		})
	}
	rnd.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	d.atOnce(parts...)
}

// race is what several actors do at once. Its steps are those of a story, but each reader's calls meet a writer's inside the
// store, which the order of steps in a story cannot ensure.
type race struct {
	Before, After steps
	Turns         int
	Readers       [][]steps // by reader: turns, again and again; only the first step of each meets a write
	Writes        []steps   // again and again, until all have read
}

func (r race) run(d *driver) {
	meet, done := make(chan struct{}), make(chan struct{})
	var readers sync.WaitGroup
	readers.Add(len(r.Readers))
	d.play(r.Before, d)
	var parts []func()
	for i, turns := range r.Readers {
		u := d.crowd(fmt.Sprintf("r%d", i+1), func() { meet <- struct{}{} })
		parts = append(parts, func() {
			defer readers.Done()
			for n := range r.Turns {
				u.play(turns[n%len(turns)], d.as(u.actor))
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
		for n := 0; !closed(done); n++ {
			w.play(r.Writes[n%len(r.Writes)], w)
		}
	}, func() { readers.Wait(); close(done) })...)
	d.play(r.After, d)
}

// play does those of some steps that apply: the first of them with d, and what follows with later.
func (d *driver) play(all steps, later *driver) {
	for _, s := range all {
		if vocabulary.Applies(d.t, s) {
			_ = vocabulary.Do(&world{driver: d, last: map[string]Object{}}, s) // what a store cannot do is left out
			d = later
		}
	}
}
