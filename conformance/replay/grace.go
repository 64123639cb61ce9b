package replay

import (
	"slices"
	"strconv"
	"strings"
)

// Grace is the feature of a kind of which an object on a node has a grace period when it is deleted, and of
// which every deletion is two steps: a change that marks the object, with no time left, and its end. Only the
// end is due where nothing has shown the mark.
const Grace = "grace"

// graceIs is what a content's word of the time left begins with, it has none where no time is left; nodeIs
// that of the node.
const (
	graceIs = "grace="
	nodeIs  = "node="
)

// graceful says that deletions are in two steps.
func (r *Replay) graceful() bool { return slices.Contains(r.H.Header.Features, Grace) }

// word is the value of a content's word that begins so.
func word(body, begin string) (value string, ok bool) {
	for p := range strings.FieldsSeq(body) {
		if v, ok := strings.CutPrefix(p, begin); ok {
			return v, true
		}
	}
	return "", false
}

// OnNode says that a content is of something on a node.
func OnNode(body string) bool {
	_, ok := word(body, nodeIs)
	return ok
}

// Left is how many seconds a content has left that is being deleted; 0: none, or nothing says so.
func Left(body string) int64 {
	v, _ := word(body, graceIs)
	n, _ := strconv.ParseInt(v, 10, 64) // what is no number is none
	return n
}

func hasGrace(body string) bool {
	_, ok := word(body, graceIs)
	return ok
}

// Unmarked is a content without the mark of a deletion.
func Unmarked(body string) string {
	if !IsDeleting(body) {
		return body
	}
	body = strings.TrimSuffix(strings.TrimSuffix(body, Deleting), " ")
	if at := strings.LastIndex(body, " ") + 1; strings.HasPrefix(body[at:], graceIs) {
		body = strings.TrimSuffix(body[:at], " ")
	}
	return body
}

// markedWith is a content with the mark of a deletion, and so many seconds left.
func markedWith(body string, left int64) string {
	body = Unmarked(body)
	if left != 0 {
		body += " " + graceIs + strconv.FormatInt(left, 10)
	}
	return strings.TrimPrefix(body+" "+Deleting, " ")
}

// AskedGrace returns the grace period that a delete of an object or of a collection asks for, in seconds, as servers read it:
// a negative one is a second. asks is false if the delete asks for none. num is the number of its call.
func (r *Replay) AskedGrace(num int32) (seconds int64, asks bool) {
	call := r.H.Event(num)
	if call.X == nil || call.X.Args == nil || call.Kind != Delete && call.Kind != DeleteCollection {
		return 0, false
	}
	a, err := readWriteArgs(call.X.Args)
	if err != nil || a.GracePeriodSeconds == nil {
		return 0, false
	}
	if *a.GracePeriodSeconds < 0 {
		return 1, true
	}
	return *a.GracePeriodSeconds, true
}

// addSteps puts before each deletion a write of its own for its first step, for as long as the replay is built.
func (b *builder) addSteps() {
	var all []Write
	for i := range b.Writes {
		w := &b.Writes[i]
		if w.verb == kindDelete && w.counts() && w.Outcome != Refused {
			all = append(all, Write{verb: kindDelete, acts: kindPatch, K: w.K, Call: w.Call, Return: w.Return, Outcome: w.Outcome, Version: None, traits: w.traits | step})
		}
		all = append(all, *w)
	}
	b.Writes = all
	b.renumber()
}

// steps says what the first step of a deletion leaves, where that is known.
func (b *builder) steps(c *course, w *Write) {
	if s := &b.Writes[b.writeOf(w.Call, w.K)]; s.is(step) {
		body := markedWith(c.body, 0)
		s.mark, s.pre = &body, c.last(w)
	}
}

// settleSteps: what only marked its object, or changed nothing, has no first step.
func (b *builder) settleSteps() {
	for i := range b.Writes {
		if s := &b.Writes[i]; s.is(step) {
			end := &b.Writes[i+1]
			if s.Outcome = end.Outcome; end.acts != kindDelete {
				s.acts = otherKind
			}
		}
	}
}

// stepShown is the first step of a deletion that shows an object with nothing that keeps it, where nobody knows
// what had been there before; None if it is none's.
func (b *builder) stepShown(g glimpse) int32 {
	if !b.graceful() || !ends(b.object(g)) {
		return None
	}
	for _, of := range [][]int32{b.deletes.of(g.k), b.lost.deletes.of(g.k)} {
		for _, end := range of {
			if end == 0 { // it has no steps: see findRoles
				continue
			}
			if s := &b.Writes[end-1]; s.is(step) && (s.mark == nil || s.Outcome == Unknown) && s.Version == None && s.Call < g.num && b.mayBeOf(&b.Writes[end], g) && !b.writtenSince(end-1, g.n) {
				return end - 1
			}
		}
	}
	return None
}

// mayBeOf says that a delete does not name another object than the one that is shown.
func (b *builder) mayBeOf(w *Write, g glimpse) bool {
	uid := b.H.UIDOf(b.object(g).UID)
	if uid == 0 || w.uid != 0 && w.uid != uid {
		return uid == 0
	}
	i := b.placed(w.K, w.pre)
	return w.pre == 0 || i == None || b.temp[i].uid == 0 || b.temp[i].uid == uid
}

// hideSteps finds the first steps that nothing has shown.
func (b *builder) hideSteps() {
	if !b.graceful() {
		return
	}
	for i := range b.Writes {
		if s := &b.Writes[i]; s.is(step) && s.acts != otherKind && s.Version == None && s.Outcome != Refused {
			b.hiddenSteps = append(b.hiddenSteps, *s)
		}
	}
}

// mayBeStep says that a resourceVersion may have been that of the first step of a deletion that nothing has shown.
func (r *Replay) mayBeStep(k, n, num int32) bool {
	return slices.ContainsFunc(r.hiddenSteps, func(s Write) bool {
		return s.K == k && s.Call < num && r.acked[s.Call] < n
	})
}

// keeps says that a delete leaves an object on its node some time, and what then is left; known is false where
// nobody knows what was left before, or what the server gives.
func (b *builder) keeps(c *course, w *Write) (left int64, keeps, known bool) {
	if !b.graceful() || !OnNode(c.body) {
		return Left(c.body), false, true
	}
	asked, asks := b.AskedGrace(w.Call)
	switch {
	case asks && asked == 0:
		return 0, false, true
	case !IsDeleting(c.body) && asks:
		return asked, true, true
	case !IsDeleting(c.body):
		return b.given(c, w)
	case !hasGrace(c.body): // it waits for finalizers
		return 0, hasFinalizers(c.body), hasFinalizers(c.body)
	case asks:
		return min(asked, Left(c.body)), true, true
	}
	return Left(c.body), true, true
}

// given is the grace period that a delete which asked for none was given, as the first that shows it says; that
// may show what a later delete left, too.
func (b *builder) given(c *course, w *Write) (left int64, keeps, known bool) {
	var first glimpse
	for _, g := range b.glimpses {
		if g.k == w.K && g.n > c.n && (first.n == 0 || g.n < first.n) && !g.ends() {
			if o := b.object(g); IsDeleting(o.Body) {
				first, left = g, Left(o.Body)
			}
		}
	}
	switch {
	case first.n == 0:
		return 0, true, false
	case b.askedFor(w, first.num, left):
		return 0, false, false
	}
	return left, true, true
}

// askedFor says that a delete of its key which was called after a write, and before the event with this number,
// asked for so many seconds.
func (b *builder) askedFor(w *Write, num int32, left int64) bool {
	return slices.ContainsFunc(b.Writes, func(d Write) bool {
		if d.K != w.K || d.verb != kindDelete || d.Call <= w.Call || d.Call >= num {
			return false
		}
		asked, asks := b.AskedGrace(d.Call)
		return asks && asked == left
	})
}
