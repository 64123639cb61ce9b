package store

import (
	"context"
	"slices"
	"strconv"
	"sync/atomic"
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
	rv    *atomic.Int64 // the resourceVersion given last
	stuck bool          // a Pop waits, and should not
	shut  bool          // the queue is closed

	pushed *atomic.Int64 // pushes, so far
	yields bool          // its calls let others go on amid them
}

func newDriver(t *harness.T) *driver {
	d := &driver{t: t, actor: "c1", rv: &atomic.Int64{}, pushed: &atomic.Int64{}}
	d.rv.Store(100)
	return d
}

// next returns a resourceVersion, each once.
func (d *driver) next() string { return strconv.FormatInt(d.rv.Add(1), 10) }

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
	for n := int64(-1); n != d.pushed.Load(); {
		n = d.pushed.Load()
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
		d.pushed.Add(1)
		d.t.Seen("push", evPush, 0, answer{Items: refs(d.t.Set, all)})
	}
	var failed error
	d.do(evOpen, history.Ref{}, args{Indexers: o.Indexers, TTL: int64(o.TTL)}, func() (answer, error) {
		d.s, failed = open(o)
		return answer{}, failed
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
	return d.promised()
}

// as is the same store for another actor.
func (d *driver) as(actor string) *driver {
	c := *d
	c.actor = actor
	return &c
}

// do records one call.
func (d *driver) do(kind string, obj history.Ref, a args, f func() (answer, error)) {
	c := harness.Call{Actor: d.actor, Kind: kind, Obj: obj}
	if a.some() {
		c.Args = a
	}
	d.t.Do(c, func(context.Context) answer {
		d.yield()
		out, err := f()
		d.yield()
		if err != nil {
			return answer{Err: failure(err)}
		}
		return out
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
	rv := d.next()
	return Object{Namespace: ns, Name: name, ResourceVersion: rv, Values: values, Body: "v" + rv}
}

func (d *driver) change(c Change) {
	d.do(string(c.Verb), ref(d.t.Set, c.Object), args{Unknown: c.Unknown}, func() (answer, error) {
		return answer{}, d.s.Apply(c)
	})
}

// applyAll makes several changes at once.
func (d *driver) applyAll(changes ...Change) {
	ask(d, evApplyAll, history.Ref{}, args{Changes: changes}, func(b Batched) (answer, error) {
		return answer{}, b.ApplyAll(slices.Clone(changes))
	})
}

func (d *driver) replaceAt(rv string, list ...Object) {
	if list == nil {
		list = []Object{}
	}
	d.do(evReplace, history.Ref{RV: rv}, args{Objects: list}, func() (answer, error) {
		return answer{}, d.s.Replace(append([]Object(nil), list...), rv)
	})
}

func (d *driver) resync() {
	d.do(evResync, history.Ref{}, args{}, func() (answer, error) { return answer{}, d.s.Resync() })
}

// bookmarkAt gives a bookmark to a store that takes some.
func (d *driver) bookmarkAt(rv string) {
	b, ok := d.s.(Bookmarker)
	if !ok || !d.t.Has(Version) && !d.t.Has(Bookmarks) {
		return
	}
	d.do(evBookmark, history.Ref{RV: rv}, args{}, func() (answer, error) { return answer{}, b.Bookmark(rv) })
}

// promised reports whether the store has each part that its features promise.
func (d *driver) promised() bool {
	for f, has := range map[harness.Feature]func(Subject) bool{Map: is[Reader], Index: is[Indexed], Version: is[Versioned],
		Transactions: is[Batched], IsQueue: is[Queue], Batch: is[Batcher]} {
		if d.t.Has(f) && !has(d.s) {
			d.t.GiveUp("the store lacks what its features promise: %s", f)
			return false
		}
	}
	return true
}

func is[P any](s Subject) bool {
	_, ok := s.(P)
	return ok
}

// ask makes a call of a part of the store, and records it. A store without the part is not asked.
func ask[P any](d *driver, kind string, obj history.Ref, a args, f func(P) (answer, error)) {
	if p, ok := d.s.(P); ok {
		d.do(kind, obj, a, func() (answer, error) { return f(p) })
	}
}

// answer is what a call gave, as a history keeps it.
type answer = harness.Answer

func (d *driver) get(o Object) {
	ask(d, evGet, ref(d.t.Set, o), args{}, func(r Reader) (answer, error) { return d.found(r.Get(o)) })
}

func (d *driver) getByKey(key string) {
	ask(d, evGetByKey, history.Ref{Key: key}, args{}, func(r Reader) (answer, error) { return d.found(r.GetByKey(key)) })
}

func (d *driver) found(o *Object, err error) (answer, error) {
	if o == nil {
		return answer{}, err
	}
	return answer{Obj: ref(d.t.Set, *o)}, err
}

func (d *driver) list() {
	ask(d, evList, history.Ref{}, args{}, func(r Reader) (answer, error) { return d.listed(r.List()) })
}

func (d *driver) listed(list []Object, err error) (answer, error) {
	return answer{Items: refs(d.t.Set, list)}, err
}

func (d *driver) listKeys() {
	ask(d, evKeys, history.Ref{}, args{}, func(r Reader) (answer, error) { return keysAnswer(r.ListKeys()) })
}

func keysAnswer(keys []string, err error) (answer, error) { return answer{Items: keyRefs(keys)}, err }

// version asks for the version of a store that tells one.
func (d *driver) version() {
	ask(d, evVersion, history.Ref{}, args{}, func(v Versioned) (answer, error) {
		rv, err := v.Version()
		return answer{Obj: history.Ref{RV: rv}}, err
	})
}

// look reads everything in each way, so that one that is wrong shows; and some keys, also such as there may not be.
func (d *driver) look(some ...Object) {
	d.list()
	d.listKeys()
	for _, o := range some {
		d.get(o)
		d.getByKey(o.Key())
	}
}

func (d *driver) index(name string, o Object) {
	ask(d, evIndex, ref(d.t.Set, o), args{Index: name}, func(x Indexed) (answer, error) { return d.listed(x.Index(name, o)) })
}

// byIndex asks for the objects, the keys, and all values of an index.
func (d *driver) byIndex(name string, values ...string) {
	for _, v := range values {
		d.under(name, v)
	}
	d.indexValues(name)
}

func (d *driver) indexValues(name string) {
	ask(d, evIndexValues, history.Ref{}, args{Index: name}, func(x Indexed) (answer, error) {
		all, err := x.IndexValues(name)
		return answer{Body: body{Values: sorted(all)}}, err
	})
}

// under asks for the objects and the keys that an index has under one value.
func (d *driver) under(name, value string) {
	a := args{Index: name, Value: value}
	ask(d, evByIndex, history.Ref{}, a, func(x Indexed) (answer, error) { return d.listed(x.ByIndex(name, value)) })
	ask(d, evIndexKeys, history.Ref{}, a, func(x Indexed) (answer, error) { return keysAnswer(x.IndexKeys(name, value)) })
}

func (d *driver) addIndexers(names ...string) {
	ask(d, evAddIndexers, history.Ref{}, args{Indexers: names}, func(x Indexed) (answer, error) { return answer{}, x.AddIndexers(names) })
}
