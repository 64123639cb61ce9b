package replay

import (
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// DeleteCollection is a call that deletes what a list with its arguments has.
const DeleteCollection = "DELETECOLLECTION"

// Collection is one DELETECOLLECTION, and what it did to this run's keys.
type Collection struct {
	Call, Return int32 // Return 0: no answer in this history
	Outcome      Outcome
	Scope        Scope
	Keys         []Swept // those in its scope that this run had written before it was answered
	m            *Matcher
	plain        bool         // it asks for nothing but a scope
	pre          *history.Ref // its preconditions: uid, resourceVersion; nil: none
	// Conflict says that it was refused with 409: one of its preconditions did not
	// hold of some object. What came before that one may have been deleted.
	Conflict bool
}

// Swept is what a DELETECOLLECTION did to a key.
type Swept struct {
	K    int32
	UID  string
	Body string // after it
	Fate Fate
}

// Fate is what became of an object in a collection that was deleted.
type Fate uint8

const (
	Maybe  Fate = iota // it may have been deleted or not
	Ended              // it was there throughout, and is gone
	Marked             // it had finalizers
	Spared             // it was there throughout, and is not selected
	Absent             // it was not there, or was being deleted already
	Kept               // it was there throughout, and selected, and a precondition did not hold of it
)

func (b *builder) answeredSweep(call, num int32) {
	if b.swept == nil {
		b.swept = map[int32]int32{}
	}
	b.swept[call] = num
}

// covers says whether a key is in the scope, as far as its name tells.
func (s *Collection) covers(k int32) bool { return s.Outcome != Refused && s.m.MatchesKey(k) }

// Covers says that a key may be in a collection, as far as its name tells.
func (r *Replay) Covers(c *Collection, k int32) bool { return c.covers(k) }

// Swept says that a DELETECOLLECTION may have deleted objects of a key.
func (r *Replay) Swept(k int32) bool {
	return slices.ContainsFunc(r.Collections, func(s Collection) bool { return s.covers(k) })
}

// harmless are the codes of refusals that come before anything is deleted; any
// other may come in the midst.
var harmless = []int32{400, 401, 403, 405, 415, 429}

// readSweeps reads calls; one that cannot be read is of everything.
func (b *builder) readSweeps(nums []int32) (all []Collection) {
	for _, num := range nums {
		args, scope, err := request(b.H.Event(num))
		if err != nil {
			args, scope, _ = request(&history.Event{}) // cannot fail
		}
		s := Collection{Call: num, Outcome: Unknown, Scope: scope, m: NewMatcher(b.H, scope), plain: err == nil && plain(args)}
		if o := &b.H.Event(num).Obj; o.UID != "" || o.RV != "" {
			s.pre = o
		}
		if ret := b.swept[num]; ret != 0 {
			e := &b.briefs[ret-1]
			s.Return = ret
			switch {
			case e.Failed == history.NoFailure:
				s.Outcome = Done
			case s.pre != nil && e.Code == 409:
				s.Outcome, s.Conflict = Done, true
			case slices.Contains(harmless, int32(e.Code)):
				s.Outcome = Refused
			}
		}
		all = append(all, s)
	}
	return all
}

// plain says that a request asks for nothing but a scope: with some policies what it deletes need not go.
func plain(a Args) bool {
	o := &a.Options
	return o.Limit == 0 && o.Continue == "" && o.ResourceVersion == "" && o.ResourceVersionMatch == "" && o.ShardSelector == "" && !gives(a.PropagationPolicy)
}

// expand makes a write of each deletion that a DELETECOLLECTION may have done,
// for as long as the replay is built.
func (b *builder) expand() {
	b.Collections = b.readSweeps(b.sweeps)
	if len(b.sweeps) == 0 {
		return
	}
	var all []Write
	from := 0
	for i := range b.Collections {
		s := &b.Collections[i]
		for from < len(b.Writes) && b.Writes[from].Call < s.Call {
			all = append(all, b.Writes[from])
			from++
		}
		for _, k := range b.before(s) {
			all = append(all, Write{verb: kindDelete, acts: kindDelete, K: k, Call: s.Call, Return: s.Return, Outcome: s.Outcome, Version: None, traits: swept})
		}
	}
	b.Writes = append(all, b.Writes[from:]...)
	b.renumber()
}

// before are the keys that a collection covers, and that were written before it was answered.
func (b *builder) before(s *Collection) []int32 {
	var out []int32
	for i := range b.Writes {
		w := &b.Writes[i]
		if (s.Return == 0 || w.Call < s.Return) && w.counts() && w.Outcome != Refused && s.covers(w.K) && !slices.Contains(out, w.K) {
			out = append(out, w.K)
		}
	}
	return out
}

// collection is the one with this call.
func (b *builder) collection(call int32) *Collection {
	i, _ := slices.BinarySearchFunc(b.Collections, call, func(s Collection, call int32) int { return int(s.Call - call) })
	return &b.Collections[i]
}

// holds says whether the preconditions hold of an object.
func (s *Collection) holds(o *history.Ref) bool {
	return s.pre == nil || (s.pre.UID == "" || s.pre.UID == o.UID) && (s.pre.RV == "" || s.pre.RV == o.RV)
}

// sweepRole is what a collection's deletion did to one key.
func (b *builder) sweepRole(c *course, w *Write, alone bool) {
	s := b.collection(w.Call)
	fate, uid := Maybe, ""
	if c.obj != nil {
		uid = c.obj.UID
	}
	selected := s.m.everyLabels && s.m.everyFields || c.obj != nil && s.m.Matches(c.obj)
	switch {
	case !alone || !c.known || !s.plain || b.livesOn[w.K] || c.there && !s.m.everyFields && c.obj.Fields == nil:
		w.Outcome, c.known = Unknown, false
	case !c.there:
		fate, w.acts = Absent, otherKind
	case !selected:
		fate, w.acts = Spared, otherKind
	case s.pre != nil && s.pre.RV != "" && c.mark != nil: // no answer told the resourceVersion of the mark
		w.Outcome, c.known = Unknown, false
	case !s.holds(c.obj):
		fate, w.acts = Kept, otherKind
	case s.Conflict: // it may have come before the one that it was refused for
		w.Outcome, c.known = Unknown, false
	default:
		fate = b.remove(c, w)
	}
	s.Keys = append(s.Keys, Swept{w.K, uid, c.body, fate})
}

// renumber tells calls where their writes are: of several the first.
func (b *builder) renumber() {
	for i := len(b.Writes) - 1; i >= 0; i-- {
		b.nth[b.Writes[i].Call] = int32(i)
	}
}

// writeOf is the place of a write of a key among all, by the number of its call; of a deletion in two steps
// that of the first.
func (b *builder) writeOf(call, k int32) int32 {
	i := b.nth[call]
	for b.Writes[i].is(swept) && b.Writes[i].K != k {
		i++
	}
	return i
}

// madeBy is the place of the write that made a version.
func (b *builder) madeBy(v *Version) int32 {
	i := b.writeOf(v.Call, v.K)
	if s := &b.Writes[i]; s.is(step) && (v.Gone || s.acts == otherKind) {
		i++
	}
	return i
}

// contract takes those writes out again: nobody called them one by one.
func (b *builder) contract() {
	if len(b.sweeps) > 0 || b.graceful() {
		b.Writes = slices.DeleteFunc(b.Writes, func(w Write) bool { return w.is(swept) || w.is(step) })
	}
}

// disturbedBySweeps: of what overlaps a collection's deletion nothing is known.
func (b *builder) disturbedBySweeps() {
	for i := range b.Collections {
		s := &b.Collections[i]
		for _, k := range s.Keys {
			if k.Fate == Maybe {
				b.disturb(k.K, fmt.Sprintf("the DELETECOLLECTION #%d may have deleted %s or not", s.Call, b.H.Key(k.K)))
			}
		}
		if s.Outcome == Unknown {
			b.disturbAll(s)
		}
	}
}

func (b *builder) disturbAll(s *Collection) {
	for k := range b.own {
		if b.own[k] && s.covers(int32(k)) {
			b.disturb(int32(k), fmt.Sprintf("the DELETECOLLECTION #%d was not answered: it may have deleted %s", s.Call, b.H.Key(int32(k))))
		}
	}
}

func (r *scorer) collectionClass(c *Collection) string {
	outcome := "lost"
	if c.Return != 0 {
		outcome = "ok"
		if err := r.H.Event(c.Return).Err(); err != nil {
			outcome = refusal(err)
		}
	}
	a, _ := arguments(r.H.Event(c.Call)) // unreadable: of everything
	return fmt.Sprintf("DELETECOLLECTION %s outcome=%s", r.scopeClass(a), outcome)
}
