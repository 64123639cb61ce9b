package replay

import (
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// findOlder finds the keys that may have been there before the run: the first
// answer to a write of them does not say that they were not. Where only a check
// has written, and recorded all that it did, there are none: no answer of the
// subject can make one.
func (b *builder) findOlder() {
	b.older = make([]bool, b.H.Keys())
	if b.H.Header.Check != "" && !b.Shared() {
		return
	}
	glimpsed := b.firstGlimpses()
	keys := make([]beginning, b.H.Keys())
	for i := range b.Writes {
		w := &b.Writes[i]
		if at := &keys[w.K]; !w.is(swept) {
			if !at.told {
				b.older[w.K], at.told = b.firstTold(i, glimpsed[w.K], b.older[w.K])
			}
			at.add(w, b.briefs)
		}
	}
	for _, g := range b.glimpses {
		at := &keys[g.k]
		b.older[g.k] = b.older[g.k] || at.isAbove(g) && (at.lost == nil || !b.mayHaveMade(at.lost, g) && !b.absentBelow(g))
	}
}

// firstTold is what a write tells of whether its key was there before the run, and whether another need not be asked.
func (b *builder) firstTold(i int, glimpsed int32, older bool) (bool, bool) {
	w := &b.Writes[i]
	switch {
	case w.Outcome == Unknown && w.verb == kindCreate:
		return older || glimpsed != 0 && glimpsed < w.Call, false
	case w.Outcome == Refused:
		code := b.briefs[w.Return-1].Code
		older = code == 409 && !(w.verb == kindCreate && b.shownAbsent(w))
		return older, code == 409 || code == 404 && !b.deletedDuring(i)
	}
	return w.verb != kindCreate || b.deletedDuring(i), true
}

// firstGlimpses are by key the events that first show something that no write had answered with, 0 where there is none.
func (b *builder) firstGlimpses() []int32 {
	first := make([]int32, b.H.Keys())
	for _, g := range b.glimpses {
		if first[g.k] == 0 || g.num < first[g.k] {
			first[g.k] = g.num
		}
	}
	return first
}

// beginning is what the writes of a key tell of where its history begins.
type beginning struct {
	told          bool
	first, answer int32   // the smallest rank that a write was answered with; the first such answer
	absent        int32   // the call of a dry run of a create that says that it was not there
	lost          []int32 // the calls of creates before that without an answer
}

func (at *beginning) add(w *Write, briefs []history.Brief) {
	switch {
	case w.is(dry):
		if w.verb == kindCreate && w.Outcome == Done && at.absent == 0 {
			at.absent = w.Call
		}
	case w.Outcome == Unknown:
		if w.verb == kindCreate && (at.answer == 0 || w.Call < at.answer) {
			at.lost = append(at.lost, w.Call)
		}
	case w.Outcome == Done && w.verb != kindDelete:
		if at.answer == 0 {
			at.answer = w.Return
		}
		if n := briefs[w.Return-1].N; at.first == 0 || n < at.first {
			at.first = n
		}
	}
}

// isAbove says that what is shown lies below the first write that was answered, if any was.
func (at *beginning) isAbove(g glimpse) bool {
	return g.n < at.first || at.first == 0 && (at.absent == 0 || g.num < at.absent)
}

// mayHaveMade says that one of these creates may have made what is shown.
func (b *builder) mayHaveMade(creates []int32, g glimpse) bool {
	return slices.ContainsFunc(creates, func(call int32) bool {
		sent, shown := &b.H.Event(call).Obj, b.object(g)
		return call < g.num && Stored(sent.Body, shown.Body) && (sent.Labels == shown.Labels || shown.Labels == nil)
	})
}

// absentBelow says that a most recent list below what is shown has none of its key: it was made after that.
func (b *builder) absentBelow(g glimpse) bool {
	return slices.ContainsFunc(Asked(b.H), func(q Request) bool {
		return q.Return != 0 && q.Kind == List && b.tellsAbsent(&q, g.k) && b.briefs[q.Return-1].N != 0 && b.briefs[q.Return-1].N < g.n
	})
}

// lacks says that an answer is a whole list which covers a key, and does not have it.
func (b *builder) lacks(q *Request, k int32) bool {
	o := &q.Args.Options
	if !q.Answered() || o.Limit != 0 || o.Continue != "" || o.LabelSelector != "" || o.FieldSelector != "" || o.ShardSelector != "" {
		return false
	}
	namespace, _ := SplitKey(b.H.Key(k))
	covers := q.Args.Namespace == "" || q.Args.Namespace == namespace
	return covers && !slices.ContainsFunc(Objects(b.H.Event(q.Return)), func(r history.Ref) bool { return r.K == k })
}

// deletedDuring says that a delete called while the ith write was under way may have ended what was there at its call.
func (b *builder) deletedDuring(i int) bool {
	w := &b.Writes[i]
	for j := i + 1; j < len(b.Writes) && b.Writes[j].Call < w.Return; j++ {
		if d := &b.Writes[j]; d.K == w.K && d.verb == kindDelete && d.Outcome != Refused && !d.is(dry) {
			return true
		}
	}
	return false
}

// shownAbsent says that a most recent answer before a write showed that its
// object did not exist, where nobody else could have made it since.
func (b *builder) shownAbsent(w *Write) bool {
	return !b.Shared() && slices.ContainsFunc(Asked(b.H), func(q Request) bool {
		return q.Return != 0 && q.Return < w.Call && b.tellsAbsent(&q, w.K)
	})
}

// tellsAbsent says that an answer means that a key did not exist.
func (b *builder) tellsAbsent(q *Request, k int32) bool {
	key, o := b.H.Key(k), &q.Args.Options
	namespace, name := SplitKey(key)
	switch {
	case o.ResourceVersion != "":
		return false
	case q.Kind == Get:
		return q.Args.Namespace == namespace && q.Args.Name == name && q.Refused() && q.Err.Code == 404
	}
	return q.Kind == List && b.lacks(q, k)
}
