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
	told := make([]bool, b.H.Keys())
	if b.H.Header.Check != "" && !b.Shared() {
		return
	}
	for i := range b.Writes {
		w := &b.Writes[i]
		switch {
		case told[w.K] || w.is(swept):
			continue
		case w.Outcome == Unknown && w.verb == kindCreate:
			b.older[w.K] = b.older[w.K] || b.shownBefore(w) // until another tells
			continue
		case w.Outcome == Refused:
			code := b.briefs[w.Return-1].Code
			b.older[w.K] = code == 409 && !(w.verb == kindCreate && b.shownAbsent(w))
			if code != 404 && code != 409 || code == 404 && b.deletedDuring(i) {
				continue
			}
		default:
			b.older[w.K] = w.verb != kindCreate || b.deletedDuring(i)
		}
		told[w.K] = true
	}
	b.findShownOlder()
}

// findShownOlder finds the keys of which something shows what lies below the first write that was answered, if any was,
// and that no create without an answer has made.
func (b *builder) findShownOlder() {
	keys := b.H.Keys()
	first, answer := make([]int32, keys), make([]int32, keys) // by key: the smallest rank that a write was answered with; the first such answer
	lost, absent := make([]int32, keys), make([]int32, keys)  // calls of a create before that without an answer; of a dry run that says that it was not there
	for i := range b.Writes {
		switch w := &b.Writes[i]; {
		case w.is(dry) && w.verb == kindCreate && w.Outcome == Done && absent[w.K] == 0:
			absent[w.K] = w.Call
		case w.is(dry) || w.is(swept):
		case w.Outcome == Unknown && w.verb == kindCreate && lost[w.K] == 0 && (answer[w.K] == 0 || w.Call < answer[w.K]):
			lost[w.K] = w.Call
		case w.Outcome == Done && w.verb != kindDelete:
			if answer[w.K] == 0 {
				answer[w.K] = w.Return
			}
			if n := b.briefs[w.Return-1].N; first[w.K] == 0 || n < first[w.K] {
				first[w.K] = n
			}
		}
	}
	for _, g := range b.glimpses {
		if !b.older[g.k] && (g.n < first[g.k] || first[g.k] == 0 && (absent[g.k] == 0 || g.num < absent[g.k])) && (lost[g.k] == 0 || g.num < lost[g.k]) {
			b.older[g.k] = true
		}
	}
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

// shownBefore says that something showed the object of a write before that was called.
func (b *builder) shownBefore(w *Write) bool {
	return slices.ContainsFunc(b.glimpses, func(g glimpse) bool { return g.k == w.K && g.num < w.Call })
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
	case q.Kind != List || !q.Answered() || o.Limit != 0 || o.Continue != "" || o.LabelSelector != "" || o.FieldSelector != "" || o.ShardSelector != "":
		return false
	}
	covers := q.Args.Namespace == "" || q.Args.Namespace == namespace
	return covers && !slices.ContainsFunc(Objects(b.H.Event(q.Return)), func(r history.Ref) bool { return r.K == k })
}
