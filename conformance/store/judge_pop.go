package store

import (
	"fmt"
	"slices"
	"strings"
)

// pop judges one Pop; false: what comes after it cannot be judged.
func (q *queue) pop(ops []*op, i int) bool {
	o := ops[i]
	switch {
	case o.Waiting:
		return q.waits(o)
	case o.Err != nil && (!o.Crowded || len(q.units) == 0): // another may have what is left
		return q.refused(o)
	case o.Err != nil, q.blurred(o):
		q.of(ruleOrder).Undecided = fmt.Sprintf("what was queued when %s at #%d took it is open", o.Kind, o.Call)
		return false
	case q.closed && len(q.units) == 0:
		q.fail(ruleClose, "an error: the queue is closed and empty", deltaTexts(o.Popped.Deltas), o.Call, o.Return)
		return true
	case len(o.Popped.Deltas) == 0:
		q.fail(ruleOrder, "what is next", "nothing", o.Call, o.Return)
		return true
	}
	initial := q.initial
	var units []*unit
	if q.gathers {
		units = append(units, q.takeKey(ops, i))
	} else {
		for n := range o.Popped.Deltas {
			if q.vague && len(q.units) == 0 {
				q.ofFailed(o, o.Popped.Deltas[n:])
				break
			}
			units = append(units, q.takeOne(ops, i, n))
		}
	}
	q.flag(o, units, initial)
	if o.Kind == evPopBatch {
		q.batch(o, units)
	}
	q.consume(o.Popped.Deltas)
	q.end(o)
	return true
}

// ofFailed judges what popped behind all that was queued when a list failed: how much of the list is there is open,
// and what a list or a resync has queued since, but an Add, Update or Delete is one that was asked for.
func (q *queue) ofFailed(o *op, deltas []Delta) {
	for _, d := range deltas {
		switch what := d.String(); {
		case d.Type != Added && d.Type != Updated && (d.Type != Deleted || d.Unknown):
		case q.since[what] > 0:
			q.since[what]--
		default:
			q.fail(ruleOrder, "nothing of it: it was not queued, or has been popped", what, o.Call, o.Return)
		}
	}
}

// blurred says that of what was asked beside a Pop nobody knows what it came before, or of two Pops which took what.
func (q *queue) blurred(o *op) bool {
	return o.Crowded && len(q.units) > 1 ||
		o.Beside > 0 && (o.Beside > 1 || slices.ContainsFunc(q.units, func(u *unit) bool { return u.cause < o.Call }))
}

// waits judges a Pop that had not returned when everything was idle.
func (q *queue) waits(o *op) bool {
	if len(q.units) > 0 {
		u := q.units[0]
		q.fail(ofCause[u.deltas[0].kind], u.deltas[0].String(), "nothing: the Pop still waits", u.cause, o.Call, o.Return)
		return false
	}
	if q.closed {
		q.fail(ruleClose, "an error: the queue is closed", "nothing: the Pop still waits", o.Call, o.Return)
	}
	q.end(o)
	return true
}

func (q *queue) refused(o *op) bool {
	switch {
	case !q.closed:
		q.fail(ruleClose, "what is next: the queue is not closed", o.Err.String(), o.Call, o.Return)
	case len(q.units) > 0:
		q.fail(ruleClose, q.units[0].deltas[0].String()+": what is left pops", o.Err.String(), q.units[0].cause, o.Call, o.Return)
	default:
		q.tested(ruleClose)
		q.end(o)
		return true
	}
	return false
}

// candidates are the units that may be next.
func (q *queue) candidates() []*unit {
	return slices.DeleteFunc(slices.Clone(q.units), func(u *unit) bool {
		return slices.ContainsFunc(q.units, func(v *unit) bool { return v.before(u) })
	})
}

// remove takes a unit away; what must have come before it is to blame, or lost.
func (q *queue) remove(u *unit, o *op, later func() []Delta) {
	var early []*unit
	for _, v := range q.units {
		if v.before(u) {
			early = append(early, v)
		}
	}
	if len(early) > 0 {
		v := early[0]
		rule := ruleOrder
		if !slices.ContainsFunc(later(), v.deltas[0].is) {
			rule = q.lost(v)
			q.drop(v)
		} else if o.Kind == evPopBatch {
			rule = ruleBatch
		}
		q.fail(rule, v.deltas[0].String(), u.deltas[0].String(), v.cause, o.Call, o.Return)
	} else if len(q.units) > 1 {
		q.tested(ruleOrder)
	}
	q.drop(u)
}

func (q *queue) drop(u *unit) {
	if u.initial {
		q.initial--
	}
	q.units = slices.DeleteFunc(q.units, func(v *unit) bool { return u == v })
}

// lost is the rule for what never pops: it was merged with its neighbour of
// the same key, or it was not queued at all.
func (q *queue) lost(u *unit) string {
	rule := ofCause[u.deltas[0].kind]
	if rule == ruleOrder && slices.ContainsFunc(q.units, func(v *unit) bool { return v != u && v.key == u.key }) {
		return ruleDedup
	}
	return rule
}

// later are the deltas that pop after the nth of a call.
func later(ops []*op, i, n int) []Delta {
	out := slices.Clone(ops[i].Popped.Deltas[n+1:])
	for _, o := range ops[i+1:] {
		out = append(out, o.Popped.Deltas...)
	}
	return out
}

// is says that what was popped is what was queued.
func (n queued) is(d Delta) bool {
	if n.Type == Replaced && d.Type == Synced {
		d.Type = Replaced
	}
	if n.String() == d.String() || n.Type == ReplacedAll && n.byKey().String() == d.byKey().String() {
		return true
	}
	return slices.ContainsFunc(n.others, func(o Object) bool {
		other := n.Delta
		other.Object = &o
		return other.String() == d.String()
	})
}

// byKey is a delta with its objects sorted by key: that of a list is no promise, but of one key the last is what is there.
func (d Delta) byKey() Delta {
	d.Objects = slices.Clone(d.Objects)
	slices.SortStableFunc(d.Objects, func(a, b Object) int { return strings.Compare(a.Key(), b.Key()) })
	return d
}

// takeOne takes one delta of a log.
func (q *queue) takeOne(ops []*op, i, n int) *unit {
	o, d := ops[i], ops[i].Popped.Deltas[n]
	matches := func(us []*unit) int {
		return slices.IndexFunc(us, func(u *unit) bool { return u.deltas[0].is(d) })
	}
	us := q.candidates()
	k := matches(us)
	if k < 0 {
		us = q.units
		k = matches(us)
	}
	if k < 0 {
		return q.unexpected(o, d)
	}
	u := us[k]
	q.credit(u)
	q.remove(u, o, func() []Delta { return later(ops, i, n) })
	return u
}

// unexpected is a delta of a log that was not queued: in the place of one of
// its key, or out of nowhere.
func (q *queue) unexpected(o *op, d Delta) *unit {
	for _, u := range q.candidates() {
		if w := u.deltas[0]; keyOf(w.Delta) == keyOf(d) && (w.Type == d.Type || keyOf(d) != "") {
			q.fail(ofCause[w.kind], w.String(), d.String(), u.cause, o.Call, o.Return)
			q.drop(u)
			return u
		}
	}
	q.fail(ofNowhere(d), "nothing of it: it was not queued, or has been popped", d.String(), o.Call, o.Return)
	return nil
}

func keyOf(d Delta) string {
	if d.Object == nil {
		return ""
	}
	return d.Object.Key()
}

// ofNowhere is the rule that says that a delta is not to be queued.
func ofNowhere(d Delta) string {
	switch {
	case d.Type == Synced, d.Type == SyncedAll:
		return ruleResync
	case d.Type == Replaced, d.Type == ReplacedAll, d.Type == Deleted && d.Unknown:
		return ruleReplace
	case d.Type == Bookmarked:
		return ruleBookmark
	}
	return ruleOrder
}

// credit counts what a unit that popped as it was queued has put to the test.
func (q *queue) credit(u *unit) {
	for _, n := range u.deltas {
		if rule := ofCause[n.kind]; rule != ruleOrder {
			q.tested(rule)
		}
		if n.merged {
			q.tested(ruleDedup)
		}
	}
	if len(u.deltas) > 1 || !q.gathers && u.key != "" && u.key == q.popped { // two of a key came as two
		q.tested(ruleDedup)
	}
	q.popped = u.key
}

// flag judges what Pop says of items of the first Replace.
func (q *queue) flag(o *op, units []*unit, initial int) {
	for _, u := range units {
		switch {
		case u == nil, u.early:
		case u.initial != o.Popped.Initial:
			q.fail(ruleInitial, fmt.Sprintf("initial: %t", u.initial), fmt.Sprintf("initial: %t", o.Popped.Initial), u.cause, o.Call, o.Return)
			return
		case initial > 0 || q.synced:
			q.tested(ruleInitial)
		}
	}
}

// batch judges what may be together.
func (q *queue) batch(o *op, units []*unit) {
	keys := map[string]bool{}
	for _, d := range o.Popped.Deltas {
		k := keyOf(d)
		if keys[k] || k == "" && len(o.Popped.Deltas) > 1 {
			q.fail(ruleBatch, "no key twice, and a list, resync or bookmark alone", deltaTexts(o.Popped.Deltas), o.Call, o.Return)
			return
		}
		keys[k] = true
	}
	for _, u := range units {
		if u != nil && units[0] != nil && u.initial != units[0].initial {
			q.fail(ruleBatch, "initial items, or later ones", "both: "+deltaTexts(o.Popped.Deltas), o.Call, o.Return)
			return
		}
	}
	if len(units) > 1 || len(q.units) > 0 { // one item of one says nothing
		q.tested(ruleBatch)
	}
}

// consume is what the consumer has afterwards.
func (q *queue) consume(deltas []Delta) {
	for _, d := range deltas {
		switch {
		case d.Type == ReplacedAll:
			clear(q.known)
			for _, x := range d.Objects {
				q.known[x.Key()] = x
			}
		case d.Object == nil:
		case d.Type == Deleted:
			delete(q.known, d.Object.Key())
		default:
			q.known[d.Object.Key()] = *d.Object
		}
	}
}

// end judges what the consumer has once nothing is queued any more.
func (q *queue) end(o *op) {
	if len(q.units) > 0 || q.vague {
		return
	}
	for key, at := range q.ghosts {
		if x, ok := q.known[key]; ok {
			q.fail(ruleGhost, key+" gone: it was not in the list", strings.TrimSpace("the consumer has "+text(x)), at, o.Return)
		} else {
			q.tested(ruleGhost)
		}
	}
	clear(q.ghosts)
	q.settleDropped()
	for range q.marks {
		q.tested(ruleBookmark)
	}
	q.marks = 0
}
