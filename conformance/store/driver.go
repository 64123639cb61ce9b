package store

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// driver is what the drives of this kind work with: each call of the store is
// recorded, under the actor that makes it.
type driver struct {
	t     *harness.T
	s     Subject
	actor string
	rv    *counter // of what is put
	stuck bool     // a Pop waits, and should not
	shut  bool     // the queue is closed

	pushed *counter // pushes, so far
	yields bool     // its calls let others go on amid them
}

// counter gives numbers, each once.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) next() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return strconv.Itoa(c.n)
}

func (c *counter) last() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func newDriver(t *harness.T) *driver {
	return &driver{t: t, actor: "c1", rv: &counter{n: 100}, pushed: &counter{}}
}

// drive makes a Drive of a function on a driver with a store of these options.
func drive(o Options, f func(*driver)) func(*harness.T, Open) {
	return func(t *harness.T, open Open) {
		d := newDriver(t)
		if d.open(open, o) {
			f(d)
			d.allPushed()
		}
	}
}

// allPushed waits until nothing more is pushed: a store may push from a goroutine of its own.
func (d *driver) allPushed() {
	if !d.t.Has(Undelta) {
		return
	}
	pause := 400 * time.Millisecond
	if d.t.Virtual() {
		pause = time.Minute
	}
	for n := -1; n != d.pushed.last(); {
		n = d.pushed.last()
		d.t.Sleep(pause)
	}
}

// open makes the store. Indexers and the TTL are left out if the store does not declare their feature.
func (d *driver) open(open Open, o Options) bool {
	if !d.t.Has(Index) {
		o.Indexers = nil
	}
	if !d.t.Has(Expiring) {
		o.TTL = 0
	}
	o.Push = func(all []Object) {
		d.pushed.next()
		d.t.Seen("push", evPush, 0, harness.Answer{Items: refs(d.t.Set, all)})
	}
	var failed error
	d.do(evOpen, history.Ref{}, args{Indexers: o.Indexers, TTL: int64(o.TTL)}, func() (harness.Answer, error) {
		d.s, failed = open(o)
		return harness.Answer{}, failed
	})
	if failed != nil || d.s == nil {
		d.t.GiveUp("the store could not be opened: %v", failed)
		return false
	}
	d.t.Cleanup(func() {
		if d.t.Has(IsQueue) && !d.shut {
			d.close() // a Pop that still waits returns
		}
	})
	return true
}

// as is the same store for another actor.
func (d *driver) as(actor string) *driver {
	c := *d
	c.actor = actor
	return &c
}

// do records one call.
func (d *driver) do(kind string, obj history.Ref, a args, f func() (harness.Answer, error)) {
	c := harness.Call{Actor: d.actor, Kind: kind, Obj: obj}
	if a.some() {
		c.Args = a
	}
	d.t.Do(c, func(context.Context) harness.Answer {
		d.yield()
		answer, err := f()
		d.yield()
		if err != nil {
			return harness.Answer{Err: failure(err)}
		}
		return answer
	})
}

// yield lets other goroutines go on, if the driver is to do so. In virtual time each then goes on at an instant of its own,
// so that a seed gives one history.
func (d *driver) yield() {
	if d.yields {
		d.t.Sleep(time.Nanosecond)
	}
}

func (a args) some() bool {
	return len(a.Indexers) > 0 || a.TTL != 0 || a.Index != "" || a.Value != "" || a.Unknown || a.Objects != nil || a.Changes != nil
}

// object is one that differs from all others of the run.
func (d *driver) object(ns, name string, values ...string) Object {
	rv := d.rv.next()
	return Object{Namespace: ns, Name: name, ResourceVersion: rv, Values: values, Body: "v" + rv}
}

func (d *driver) apply(v Verb, o Object) { d.change(Change{Verb: v, Object: o}) }

func (d *driver) change(c Change) {
	d.do(string(c.Verb), ref(d.t.Set, c.Object), args{Unknown: c.Unknown}, func() (harness.Answer, error) {
		return harness.Answer{}, d.s.Apply(c)
	})
}

// applyAll makes several changes at once.
func (d *driver) applyAll(changes ...Change) {
	if b, ok := part[Batched](d); ok {
		d.do(evApplyAll, history.Ref{}, args{Changes: changes}, func() (harness.Answer, error) {
			return harness.Answer{}, b.ApplyAll(append([]Change(nil), changes...))
		})
	}
}

func (d *driver) replace(list ...Object) { d.replaceAt(d.rv.next(), list...) }

func (d *driver) replaceAt(rv string, list ...Object) {
	if list == nil {
		list = []Object{}
	}
	d.do(evReplace, history.Ref{RV: rv}, args{Objects: list}, func() (harness.Answer, error) {
		return harness.Answer{}, d.s.Replace(append([]Object(nil), list...), rv)
	})
}

func (d *driver) resync() {
	d.do(evResync, history.Ref{}, args{}, func() (harness.Answer, error) { return harness.Answer{}, d.s.Resync() })
}

// bookmark gives one to a store that takes some.
func (d *driver) bookmark() { d.bookmarkAt(d.rv.next()) }

func (d *driver) bookmarkAt(rv string) {
	b, ok := d.s.(Bookmarker)
	if !ok || !d.t.Has(Version) && !d.t.Has(Bookmarks) {
		return
	}
	d.do(evBookmark, history.Ref{RV: rv}, args{}, func() (harness.Answer, error) { return harness.Answer{}, b.Bookmark(rv) })
}

// part is an optional part of the store, which its features promise.
func part[P any](d *driver) (P, bool) {
	p, ok := d.s.(P)
	if !ok && !d.stuck {
		d.stuck = true
		d.t.GiveUp("the store lacks what its features promise: it is no %s", fmt.Sprintf("%T", new(P))[1:])
	}
	return p, ok
}

func (d *driver) get(o Object) {
	if r, ok := part[Reader](d); ok {
		d.do(evGet, ref(d.t.Set, o), args{}, func() (harness.Answer, error) { return d.found(r.Get(o)) })
	}
}

func (d *driver) getByKey(key string) {
	if r, ok := part[Reader](d); ok {
		d.do(evGetByKey, history.Ref{Key: key}, args{}, func() (harness.Answer, error) { return d.found(r.GetByKey(key)) })
	}
}

func (d *driver) found(o *Object, err error) (harness.Answer, error) {
	if o == nil {
		return harness.Answer{}, err
	}
	return harness.Answer{Obj: ref(d.t.Set, *o)}, err
}

func (d *driver) list() {
	if r, ok := part[Reader](d); ok {
		d.do(evList, history.Ref{}, args{}, func() (harness.Answer, error) { return d.listed(r.List()) })
	}
}

func (d *driver) listed(list []Object, err error) (harness.Answer, error) {
	return harness.Answer{Items: refs(d.t.Set, list)}, err
}

func (d *driver) listKeys() {
	if r, ok := part[Reader](d); ok {
		d.do(evKeys, history.Ref{}, args{}, func() (harness.Answer, error) { return keysAnswer(r.ListKeys()) })
	}
}

// lists reads everything in both ways, so that one that is wrong shows.
func (d *driver) lists() {
	d.list()
	d.listKeys()
}

func keysAnswer(keys []string, err error) (harness.Answer, error) {
	return harness.Answer{Items: keyRefs(keys)}, err
}

func (d *driver) version() {
	if !d.t.Has(Version) {
		return
	}
	if v, ok := part[Versioned](d); ok {
		d.do(evVersion, history.Ref{}, args{}, func() (harness.Answer, error) {
			rv, err := v.Version()
			return harness.Answer{Obj: history.Ref{RV: rv}}, err
		})
	}
}

// look reads everything, and some keys, also such as there may not be.
func (d *driver) look(some ...Object) {
	d.lists()
	for _, o := range some {
		d.get(o)
		d.getByKey(o.Key())
	}
}

func (d *driver) index(name string, o Object) {
	if x, ok := part[Indexed](d); ok {
		d.do(evIndex, ref(d.t.Set, o), args{Index: name}, func() (harness.Answer, error) { return d.listed(x.Index(name, o)) })
	}
}

// byIndex asks for the objects, the keys, and all values of an index.
func (d *driver) byIndex(name string, values ...string) {
	for _, v := range values {
		d.under(name, v)
	}
	d.indexValues(name)
}

func (d *driver) indexValues(name string) {
	if x, ok := part[Indexed](d); ok {
		d.do(evIndexValues, history.Ref{}, args{Index: name}, func() (harness.Answer, error) {
			all, err := x.IndexValues(name)
			return harness.Answer{Body: body{Values: sorted(all)}}, err
		})
	}
}

// under asks for the objects and the keys that an index has under one value.
func (d *driver) under(name, value string) {
	if x, ok := part[Indexed](d); ok {
		a := args{Index: name, Value: value}
		d.do(evByIndex, history.Ref{}, a, func() (harness.Answer, error) { return d.listed(x.ByIndex(name, value)) })
		d.do(evIndexKeys, history.Ref{}, a, func() (harness.Answer, error) { return keysAnswer(x.IndexKeys(name, value)) })
	}
}

func (d *driver) addIndexers(names ...string) {
	if x, ok := part[Indexed](d); ok {
		d.do(evAddIndexers, history.Ref{}, args{Indexers: names}, func() (harness.Answer, error) { return harness.Answer{}, x.AddIndexers(names) })
	}
}

func changeOf(v Verb, o Object) Change { return Change{Verb: v, Object: o} }
