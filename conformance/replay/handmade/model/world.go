// Package model makes histories of a correct server, at random: many writers,
// lost answers, watches of any scope and start, bookmarks, lists and pages, all
// interleaved. The same options give the same history. Tests use it: no rule
// may find anything wrong with what it makes.
package model

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// Options say what happens.
type Options struct {
	Seed     uint64
	Ops      int // writes
	Writers  int
	Watchers int
	Listers  int
	Names    int     // names in each of three namespaces
	Lost     float64 // part of the answers that are lost
	ByOrder  bool    // objects have no resourceVersion; writes do not overlap, none is lost
	NoUID    bool
	Long     bool // resourceVersions of more than 20 digits
	Foreign  bool // somebody else writes, too
	Steady   bool // watches are opened once, as scopes says, and bring nothing but events; no names are generated
	Holds    bool // some objects have finalizers
	Sweeps   bool // collections are deleted
	Mixed    bool // of a Steady run: the first and the third watch bring bookmarks, and there are lists
	Ends     bool // of a Steady run: the second watch ends now and then and goes on from its last event, the third from a list
	RealTime bool // others may reach the server
	// Features are those that the header declares; nil: it does not say. With replay.Grace some objects are on
	// nodes, and deletions are two steps; with replay.CreateOnUpdate updates create. Where others are declared
	// and Comparable is not, resourceVersions are in no order.
	Features []string
}

// Comparable is the feature of resourceVersions that are in order.
const Comparable = "comparable-rv"

func (o *Options) has(feature string) bool { return slices.Contains(o.Features, feature) }

// Busy is the history that benchmarks use: deletes, a tenth of the answers
// lost, 8 writers, and 5 watches: of all, by label, of a namespace, by field and
// of one name. Two of them have a bookmark for each 100 events, and each 1000
// writes there is a list of 100 items.
func Busy(ops int) Options {
	return Options{Seed: 1, Ops: ops, Writers: 8, Watchers: 5, Listers: 1, Names: 100, Lost: 0.1, Steady: true, Mixed: true}
}

const (
	perBookmark = 100  // events
	perList     = 1000 // writes
	perPage     = 100  // items
	perWatch    = 1000 // events, of those that end
)

// BusyEnding is Busy with two watches that end after each 1000 events: the one
// by label goes on from where it was, that of the namespace from a list.
func BusyEnding(ops int) Options {
	o := Busy(ops)
	o.Ends = true
	return o
}

// New makes a history.
func New(o Options) (*history.History, error) {
	return history.New(o.Header(), Events(o))
}

// Header is that of the history.
func (o *Options) Header() history.Header {
	h := history.Header{Kind: "watchcache", Time: history.VirtualTime, Features: o.Features}
	if o.RealTime {
		h.Time = history.RealTime
	}
	return h
}

// Events are those of the history, for those who want to break it first.
func Events(o Options) []history.Event {
	w := newWorld(o)
	for w.done < o.Ops {
		if o.Foreign && w.chance(0.05) {
			w.store.foreign(fmt.Sprint("~/f", w.rnd.IntN(3)))
		}
		w.ghost()
		w.actors[w.rnd.IntN(len(w.actors))].step()
	}
	w.finish()
	return w.events
}

type actor interface{ step() }

type world struct {
	Options
	rnd     *rand.Rand
	store   store
	events  []history.Event
	in      history.Interner
	apps    map[string]*history.Set
	on, off *history.Set
	keys    []key
	actors  []actor
	writers []*writer
	watches []*watcher
	listers []*lister
	ghosts  []*op // lost on the way: they may happen at any time
	creates bool  // an update makes what is not there
	done    int   // writes called
	bodies  int
}

type key struct{ ns, name, text string }

// first is the revision before any write: soon they have a digit more.
const first = 95

// namespaces begin alike.
var namespaces = []string{"a", "a-b", "ab"}

func newWorld(o Options) *world {
	w := &world{Options: o, rnd: rand.New(rand.NewPCG(o.Seed, 1))}
	w.store = store{rev: first, live: map[string]*object{}, quiet: o.ByOrder, noUID: o.NoUID, graceful: o.has(replay.Grace)}
	w.creates = o.has(replay.CreateOnUpdate)
	w.store.opaque = o.Features != nil && !o.ByOrder && !o.has(Comparable)
	if o.Long {
		w.store.prefix = "123456789012345678901"
	}
	w.apps = map[string]*history.Set{}
	for _, app := range []string{"one", "two"} {
		w.apps[app] = w.in.Set(map[string]string{"app": app})
	}
	w.on, w.off = w.in.Set(map[string]string{"status.phase": "on"}), w.in.Set(map[string]string{"status.phase": "off"})
	for _, ns := range namespaces {
		for i := range o.Names {
			name := fmt.Sprint("x", i)
			if i > 0 && i%2 == 0 {
				name = fmt.Sprint("x-", i)
			}
			w.keys = append(w.keys, key{ns, name, ns + "/" + name})
		}
	}
	for i := range o.Writers {
		w.writers = append(w.writers, &writer{world: w, name: fmt.Sprint("c", i+1)})
		w.actors = append(w.actors, w.writers[i])
	}
	for i := range o.Watchers {
		w.watches = append(w.watches, &watcher{world: w, name: fmt.Sprint("w", i+1), fixed: i})
		w.actors = append(w.actors, w.watches[i])
	}
	for i := range o.Listers {
		w.listers = append(w.listers, &lister{world: w, name: fmt.Sprint("l", i+1)})
		w.actors = append(w.actors, w.listers[i])
	}
	return w
}

func (w *world) chance(p float64) bool { return w.rnd.Float64() < p }

// call records a call and gives its number.
func (w *world) call(actor, kind string, obj history.Ref, args any) int32 {
	e := history.Event{Phase: history.Call, Actor: actor, Kind: kind, Obj: obj}
	if args != nil {
		b, err := json.Marshal(args)
		if err != nil {
			panic(err) // plain data
		}
		e.X = &history.Ext{Args: b}
	}
	w.events = append(w.events, e)
	return int32(len(w.events))
}

func (w *world) answer(actor, kind string, call int32, obj history.Ref, x *history.Ext) {
	w.events = append(w.events, history.Event{Phase: history.Return, Actor: actor, Kind: kind, Call: call, Obj: obj, X: x})
}

func (w *world) notice(actor, kind string, call int32, obj history.Ref) {
	w.events = append(w.events, history.Event{Actor: actor, Kind: kind, Call: call, Obj: obj})
}

// ghost applies, now and then, a write whose answer was lost long ago.
func (w *world) ghost() {
	if len(w.ghosts) > 0 && w.chance(0.05) {
		if w.ghosts[0].apply(w); w.ghosts[0].applied {
			w.ghosts = w.ghosts[1:]
		}
	}
}

// finish answers what is open and gives watches what is theirs; no watch is settled before that.
func (w *world) finish() {
	for _, c := range w.writers {
		for c.op != nil {
			c.step()
		}
	}
	for _, l := range w.listers {
		for l.call != 0 {
			l.step()
		}
	}
	for _, x := range w.watches {
		x.drain()
	}
}
