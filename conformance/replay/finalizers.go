package replay

import (
	"math"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// Deleting ends the content of an object that a delete has only marked: it waits for its finalizers.
const Deleting = "deleting"

// IsDeleting says whether a content has that mark.
func IsDeleting(body string) bool {
	return body == Deleting || strings.HasSuffix(body, " "+Deleting)
}

// FinalizersOf are the finalizers in a content.
func FinalizersOf(body string) []string {
	for _, p := range strings.Fields(body) {
		if v, ok := strings.CutPrefix(p, finalizersAre); ok && v != "" {
			return strings.Split(v, ",")
		}
	}
	return nil
}

const finalizersAre = "finalizers="

func hasFinalizers(body string) bool { return strings.Contains(body, finalizersAre) }

// course is what is known of a key between two of its writes.
type course struct {
	known, there bool
	body         string
	obj          *history.Ref // as it was last answered
	n            int32        // rank of that
	end          int32        // the last answer so far
	held         bool         // it has had finalizers at some time
	open         bool         // a write whose answer was lost may change it at any time
	mark         *Write       // the delete that marked it, where nothing was written since
}

// last is the rank of the resourceVersion that a write found; that which it demanded itself, or 0, where no
// answer has told the mark of the delete before it.
func (c *course) last(w *Write) int32 {
	if c.mark != nil {
		return w.pre
	}
	return c.n
}

// waits says that it is being deleted, and waits for finalizers.
func (c *course) waits() bool {
	return c.known && c.there && IsDeleting(c.body) && hasFinalizers(c.body) && !hasGrace(c.body)
}

// findRoles finds out what writes did that are not what they are called: with
// finalizers a delete is a change, and who takes the last finalizer of what is
// being deleted deletes it. Where writes of a key overlap, or were lost, that is
// not known: then they stay what they are called, and findDisturbed says so.
func (b *builder) findRoles() {
	b.DrySweeps = b.readSweeps(b.drySweeps)
	if b.ByOrder && b.graceful() && b.deletesAny() {
		b.Unordered = "objects are deleted in two steps, and no resourceVersion tells which is which"
		return
	}
	if !b.holds && len(b.sweeps) == 0 && len(b.livesOn) == 0 {
		return
	}
	if b.ByOrder {
		b.Unordered = "objects have finalizers, or collections of them are deleted, and no resourceVersion tells what came of that"
		return
	}
	b.expand()
	if b.graceful() {
		b.addSteps()
		defer b.settleSteps()
	}
	of := make([][]int32, b.H.Keys())
	for i := range b.Writes {
		if w := &b.Writes[i]; w.counts() && !w.is(step) && w.Outcome != Refused {
			of[w.K] = append(of[w.K], int32(i))
		}
	}
	for k, all := range of {
		c := course{held: b.shownHeld[int32(k)] || slices.ContainsFunc(all, b.holding)}
		for n, i := range all {
			w := &b.Writes[i]
			next := int32(math.MaxInt32)
			if n+1 < len(all) {
				next = b.Writes[all[n+1]].Call
			}
			b.role(&c, w, !c.open && w.Call > c.end && w.Return != 0 && w.Return < next)
			c.end = max(c.end, w.Return)
		}
	}
}

// deletesAny says that something was deleted.
func (b *builder) deletesAny() bool {
	return slices.ContainsFunc(b.Writes, func(w Write) bool { return w.verb == kindDelete && w.counts() && w.Outcome != Refused })
}

// holding says that a write stored an object with finalizers, or on a node, or may have.
func (b *builder) holding(i int32) bool {
	w := &b.Writes[i]
	holds := func(body string) bool { return hasFinalizers(body) || b.graceful() && OnNode(body) }
	return holds(b.H.Event(w.Call).Obj.Body) || w.Outcome == Done && holds(b.H.Event(w.Return).Obj.Body)
}

// role is what a write did, where it was alone.
func (b *builder) role(c *course, w *Write, alone bool) {
	switch {
	case b.livesOn[w.K] && w.verb == kindDelete && !w.is(swept):
		c.known, c.open = false, true
		b.doubtRole(w)
	case w.Outcome == Unknown:
		if last := c.waits() && !hasFinalizers(b.H.Event(w.Call).Obj.Body); last && !c.open && w.Call > c.end && (w.verb == kindUpdate || w.verb == kindPatch) && !w.is(status) {
			w.acts = kindDelete // or it did nothing
		} else if c.held && w.verb == kindDelete {
			b.doubtRole(w)
		} else if w.verb == kindDelete && c.known && c.there && !c.open && w.Call > c.end {
			b.steps(c, w)
		}
		c.open, c.known = true, false
	case w.is(swept):
		b.sweepRole(c, w, alone)
	case w.verb == kindDelete:
		b.deleteRole(c, w, alone)
	default:
		b.storeRole(c, w, alone)
	}
}

// unclear is a key, and the call of a write of which it is not known what it did.
type unclear struct{ k, call int32 }

// doubtRole: the write may have marked the object, deleted it, or changed nothing.
func (b *builder) doubtRole(w *Write) {
	w.acts, w.Outcome = kindDelete, Unknown
	b.unclear = append(b.unclear, unclear{w.K, w.Call})
}

func (b *builder) deleteRole(c *course, w *Write, alone bool) {
	switch {
	case !alone || !c.known || b.Shared() && c.mark == nil && w.pre != 0 && w.pre != c.n: // somebody else may have written since
		if c.known = false; c.held {
			b.doubtRole(w)
		}
	case c.there:
		b.remove(c, w)
	}
}

// remove is what a delete does to what is there: it ends it, or marks it, or changes nothing.
func (b *builder) remove(c *course, w *Write) Fate {
	left, keeps, known := b.keeps(c, w)
	switch {
	case !known && !keeps:
		c.known = false
		b.doubtRole(w)
		return Maybe
	case !keeps && !hasFinalizers(c.body):
		b.steps(c, w)
		c.there = false
		return Ended
	}
	c.known = known
	return b.mark(c, w, left)
}

// mark makes a delete a change: of what has the mark already, and no more time left, it changes nothing.
func (b *builder) mark(c *course, w *Write, left int64) Fate {
	body := markedWith(c.body, left)
	if body == c.body && b.H.Header.Check == "" && b.asksMore(w) {
		c.known = false
		b.doubtRole(w)
		return Maybe
	}
	if body == c.body {
		w.acts = otherKind
		return Absent
	}
	c.body = body
	w.acts, w.mark, w.pre, c.mark = kindPatch, &body, c.last(w), w
	return Marked
}

// asksMore says that a delete asks for more than the kind has by itself: of what is being deleted already kube-apiserver
// may yet change the finalizers that a policy stands for, and the time of what nobody has said to have a period of grace.
func (b *builder) asksMore(w *Write) bool {
	call := b.H.Event(w.Call)
	if call.X == nil || call.X.Args == nil {
		return false
	}
	a, err := readWriteArgs(call.X.Args)
	return err != nil || a.PropagationPolicy != "" || a.GracePeriodSeconds != nil && !b.graceful()
}

// marked: where a write answers with just what a delete before it left, that
// write changed nothing, and it is the delete that made the version. But an apply may change who owns which field, and
// nothing else: only a version that was known before the apply is certain to be the delete's.
func (b *builder) marked(c *course, w *Write, e *history.Brief, got *history.Ref) {
	m := c.mark
	if m == nil || m.Outcome != Done || m.Version != None || w.Version == None || got.Body != *m.mark && !(b.graceful() && Stored(*m.mark, got.Body)) || got.Labels != c.obj.Labels ||
		slices.ContainsFunc(b.glimpses, func(g glimpse) bool { return g.k == w.K && g.n > c.n && g.n < e.N }) {
		return
	}
	if _, _, apply := AppliedBy(b.H.Event(w.Call)); apply && b.acked[w.Call] < e.N {
		return
	}
	v := &b.temp[w.Version]
	v.Call, v.since, v.By, v.pre, v.verb = m.Call, m.Call, m.Return, m.pre, m.acts
	m.Version, w.Version = w.Version, None
	b.acknowledge(m.Return, e.N)
}

func (b *builder) storeRole(c *course, w *Write, alone bool) {
	e := &b.briefs[w.Return-1]
	got := &b.H.Event(w.Return).Obj
	last := alone && c.waits() && w.verb != kindCreate
	switch {
	case ends(got) && last:
		w.acts, c.there = kindDelete, false
		return
	case ends(got) && b.graceful() && w.verb != kindCreate: // it came between a deletion's two steps, and took the second
		w.acts, c.there, c.known = kindDelete, false, false
		return
	case ends(got) && (c.held || c.n == 0 && w.verb != kindCreate): // its resourceVersion may be the old one
		c.known = false
		b.doubtRole(w)
		return
	case ends(got):
		b.placeWrite(w, e) // it waits for something else
	}
	if alone && (c.known || e.N <= b.acked[w.Call]) && w.verb != kindCreate {
		b.marked(c, w, e, got)
	}
	c.known, c.there, c.body, c.obj, c.n, c.mark = alone, true, got.Body, got, e.N, nil
}

// ends says that an object has nothing that keeps it: an answer that may be that
// to who took its last finalizer, with the resourceVersion that it had before.
func ends(got *history.Ref) bool {
	return IsDeleting(got.Body) && !hasFinalizers(got.Body) && !hasGrace(got.Body)
}

// Marks says that a delete did not end an object, which had finalizers.
func (w *Write) Marks() bool { return w.mark != nil }

// Mark is the content that a delete left which did not end its object.
func (w *Write) Mark() string {
	if w.mark == nil {
		return ""
	}
	return *w.mark
}

// Ends says that a write ended an object: a delete, or who took the last finalizer.
func (w *Write) Ends() bool { return w.acts == kindDelete }
