package store

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// Addresses of the rules of queues.
const (
	ruleOrder    = "queue/order"
	ruleDedup    = "queue/dedup"
	ruleUnknown  = "queue/unknown-delete"
	ruleReplace  = "queue/replace"
	ruleGhost    = "queue/no-ghost"
	ruleSynced   = "queue/synced"
	ruleInitial  = "queue/initial-flag"
	ruleResync   = "queue/resync"
	ruleBookmark = "queue/bookmark"
	ruleBatch    = "queue/batch"
	ruleClose    = "queue/close"
)

// ofCause is the rule that says what a call queues.
var ofCause = map[string]string{string(Add): ruleOrder, string(Update): ruleOrder, string(Delete): ruleOrder,
	evReplace: ruleReplace, evResync: ruleResync, evBookmark: ruleBookmark}

// queued is a delta that waits, and the call that queued it.
type queued struct {
	Delta
	kind   string   // of the call
	others []Object // of deletes that became one and know as much: it may have any of their objects
	merged bool     // of two deletes
}

// unit is what one Pop gives: all deltas of a key (delta), or one (log, atomic).
type unit struct {
	key     string
	deltas  []queued
	cause   int32 // number of the call that queued the first
	place   int   // among what that call queued; -1: any
	initial bool  // of the first Replace
	early   bool  // queued before anything that makes it synced: whether it counts as initial is open
}

func (u *unit) last() queued { return u.deltas[len(u.deltas)-1] }

// before says that u must pop before v.
func (u *unit) before(v *unit) bool {
	return u.cause < v.cause || u.cause == v.cause && u.place >= 0 && v.place >= 0 && u.place < v.place
}

// queue is a model of a queue: what its calls, one after the other, make true.
type queue struct {
	verdicts
	h       *history.History
	gathers bool // the sort delta
	whole   bool // the sort atomic
	units   []*unit
	known   map[string]Object // what the consumer has, by what was popped
	ghosts  map[string]int32  // keys that must not be there in the end, and the Replace that says so
	dropped map[string]int32  // keys of which a delete was dropped, and that delete

	marks int // bookmarks that were dropped

	vague     bool           // a list has failed: what is queued behind the rest is open
	since     map[string]int // changes asked for since then, by what they queue: nothing else is there of changes
	empty     bool           // all the same, a Pop has said that nothing is
	populated bool           // an Add, Update, Delete or Replace came
	unkeyed   bool           // a list has failed, and then a change: whether that counts as called first is open
	initial   int            // units of the first Replace that have not popped
	synced    bool           // HasSynced has said so
	closed    bool
	popped    string // the key of the last Pop
}

func judgeQueue(h *history.History) queueVerdicts {
	q := &queue{verdicts: verdicts{}, h: h, gathers: has(h, IsDelta), whole: has(h, IsAtomic),
		known: map[string]Object{}, since: map[string]int{}, ghosts: map[string]int32{}, dropped: map[string]int32{}}
	if !has(h, IsQueue) {
		return queueVerdicts{q.verdicts}
	}
	r := runOf(h)
	for i := range r.Ops {
		if !q.step(r.Ops, i) {
			break
		}
	}
	return queueVerdicts{q.verdicts}
}

// step is one call; false: what comes after it cannot be judged.
func (q *queue) step(ops []*op, i int) bool {
	o := ops[i]
	switch o.Kind {
	case evPop, evPopBatch:
		if q.vague && len(q.units) == 0 {
			q.empty = o.Err != nil
			q.ofFailed(o, o.Popped.Deltas)
			return true
		}
		return q.pop(ops, i)
	case evSynced:
		q.isSynced(o)
	case evClose:
		if q.closed = true; o.Err != nil {
			q.fail(ruleClose, "no error", o.Err.String(), o.Call, o.Return)
		}
	case string(Add), string(Update), string(Delete), evReplace, evResync, evBookmark:
		if q.closed { // whether it is queued is open
			return false
		}
		if q.vague {
			if o.changes() && o.Kind != evReplace {
				q.since[deltaOf(o).String()]++
			}
			change := o.Kind != evResync && o.Kind != evBookmark
			q.populated, q.unkeyed = q.populated || change && o.Err == nil, q.unkeyed || change && o.Err != nil
			return o.Kind != evReplace
		}
		if o.keyless() && (o.Err != nil || !q.whole) { // one that is atomic need not look at the keys of a list
			return q.refuses(o)
		}
		if o.Err != nil {
			q.fail(ofCause[o.Kind], "no error: it is what every queue takes", o.Err.String(), o.Call, o.Return)
			return false
		}
		q.put(o)
	}
	return true
}

// refuses judges a list with an object that has no key: it fails, and how much of it is queued is open.
func (q *queue) refuses(o *op) bool {
	if o.Kind != evReplace {
		return false
	}
	if o.Err == nil {
		q.fail(ruleReplace, "an error: an object has no key, and cannot be queued", "no error", o.Call, o.Return)
		return false
	}
	q.vague = true
	return true
}

func (q *queue) put(o *op) {
	switch o.Kind {
	case evReplace:
		q.replace(o)
	case evResync:
		q.resync(o)
	case evBookmark:
		if q.whole {
			q.push(o, "", 0, Delta{Type: Bookmarked, ResourceVersion: o.Obj.RV})
		} else {
			q.marks++
		}
	case string(Delete):
		q.populated = true
		q.delete(o)
	default:
		q.populated = true
		delete(q.ghosts, o.Obj.Key)
		q.push(o, o.Obj.Key, 0, deltaOf(o))
	}
}

func (q *queue) find(key string) *unit {
	for i := len(q.units) - 1; i >= 0; i-- {
		if q.units[i].key == key && key != "" {
			return q.units[i]
		}
	}
	return nil
}

// push queues a delta.
func (q *queue) push(o *op, key string, place int, d Delta) *unit {
	u := q.find(key)
	if u == nil || !q.gathers {
		u = &unit{key: key, cause: o.Call, place: place, early: !q.populated}
		q.units = append(q.units, u)
	}
	n := queued{Delta: d, kind: o.Kind}
	if len(u.deltas) > 0 && u.last().Type == Deleted && d.Type == Deleted {
		u.deltas[len(u.deltas)-1] = merged(u.last(), n)
		return u
	}
	u.deltas = append(u.deltas, n)
	return u
}

// merged is what becomes of two deletes: the one that knows more.
func merged(a, b queued) queued {
	a.merged, b.merged = true, true
	switch {
	case a.Unknown == b.Unknown:
		a.others = append(a.others, *b.Object)
		return a
	case a.Unknown:
		return b
	}
	return a
}

func (q *queue) delete(o *op) {
	_, known := q.known[o.Obj.Key]
	if q.gathers && !known && q.find(o.Obj.Key) == nil {
		q.dropped[o.Obj.Key] = o.Call
		return
	}
	q.push(o, o.Obj.Key, 0, deltaOf(o))
}

// replace queues the list, and a tombstone for each key that it lacks.
func (q *queue) replace(o *op) {
	first := !q.populated
	q.populated = true
	before := len(q.units)
	if q.whole {
		q.push(o, "", 0, Delta{Type: ReplacedAll, Objects: o.Args.Objects, ResourceVersion: o.Obj.RV})
	} else {
		q.lacking(o)
		for i, x := range o.Args.Objects {
			q.push(o, x.Key(), i, Delta{Type: Replaced, Object: &x})
		}
	}
	q.haunt(o, before)
	if first {
		for _, u := range q.units {
			u.initial = u.cause == o.Call
		}
		q.initial = len(q.units) - before
	}
}

// lacking queues the tombstones of a Replace.
func (q *queue) lacking(o *op) {
	gone := maps.Clone(q.known)
	for _, u := range q.units {
		if u.last().Type == Deleted {
			delete(gone, u.key)
		} else if u.last().Object != nil {
			gone[u.key] = *u.last().Object
		}
	}
	for _, x := range o.Args.Objects {
		delete(gone, x.Key())
	}
	for _, key := range slices.Sorted(maps.Keys(gone)) {
		x := gone[key]
		q.push(o, key, -1, Delta{Type: Deleted, Object: &x, Unknown: true})
	}
}

// haunt notes what was queued, is not known, and is not in the list.
func (q *queue) haunt(o *op, before int) {
	for _, u := range q.units[:before] {
		if _, known := q.known[u.key]; !known && u.key != "" && u.deltas[0].Type != Deleted {
			q.ghosts[u.key] = o.Call
		}
	}
	for _, x := range o.Args.Objects {
		delete(q.ghosts, x.Key())
	}
}

func (q *queue) resync(o *op) {
	if q.whole {
		q.push(o, "", 0, Delta{Type: SyncedAll})
		return
	}
	for _, key := range slices.Sorted(maps.Keys(q.known)) {
		if q.find(key) == nil {
			x := q.known[key]
			q.push(o, key, -1, Delta{Type: Synced, Object: &x})
		}
	}
}

// isSynced judges HasSynced.
func (q *queue) isSynced(o *op) {
	switch {
	case o.Err != nil || o.Body.Synced == nil:
		q.fail(ruleSynced, "an answer", fmt.Sprint(o.Err), o.Call, o.Return)
		return
	case q.vague && !q.synced && (q.populated && !q.empty || q.unkeyed && !q.populated): // what has failed may count until it has popped
		return
	}
	want := q.synced || q.populated && q.initial == 0
	if got := *o.Body.Synced; got != want {
		q.fail(ruleSynced, fmt.Sprint(want), fmt.Sprint(got), o.Call, o.Return)
		return
	}
	if q.synced = want; want { // "not yet" is what a queue that never is says, too
		q.tested(ruleSynced)
	}
}
