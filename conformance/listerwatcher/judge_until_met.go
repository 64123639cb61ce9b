package listerwatcher

import (
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// meets is what the server sent that meets the condition: an event, or the end of a list that shows what a wait which
// goes on by lists has missed; nil: nothing did.
func (x *exchange) meets(c Condition) *history.Event {
	k := known{Condition: c}
	for _, r := range x.requests {
		if e := k.hears(r); e != nil {
			return e
		}
	}
	return nil
}

// known is what a wait knows of the object of its condition.
type known struct {
	Condition
	sure  bool // it has seen whether the object is there
	there bool
	seen  []sight // each time that it saw that, in order
	all   bool    // of a connection that broke it is taken to know what was sent
}

// sight is what an answer shows of an object: whether it is there.
type sight struct {
	by    *history.Event
	there bool
}

// sees is what it makes of that.
func (k *known) sees(by *history.Event, there bool) {
	k.sure, k.there, k.seen = true, there, append(k.seen, sight{by, there})
}

// hears gives what of an answer meets the condition; nil: nothing does.
func (k *known) hears(r *request) *history.Event {
	switch {
	case r.How == "broken" && !k.all:
		k.sure = false // nobody knows how much of it came
		return nil
	case r.listed() && !r.IsWatch():
		return k.lists(r)
	}
	initial, has := r.Options.SendInitialEvents != nil && *r.Options.SendInitialEvents, false
	for _, e := range k.reads(r) {
		switch {
		case initial && e == r.Mark:
			if initial = false; k.now(e, has, true) {
				return e
			}
		case !k.names(e.Obj) || e.Kind == "BOOKMARK":
		case initial:
			has = e.Kind != "DELETED"
		default:
			if k.sees(e, e.Kind != "DELETED"); e.Kind == k.Type {
				return e
			}
		}
	}
	if r.parted() || r.spoiledAt() >= 0 {
		k.sure = false // nor of this
	}
	return nil
}

// reads are the events of a watch that it knows. A frame that was replaced may be readable, and others may follow it.
func (k *known) reads(r *request) (out []*history.Event) {
	if !k.all {
		return r.readable()
	}
	for _, e := range r.Sent {
		switch {
		case spoiled(e) && spoiledHow(e) == replaced:
		case spoiled(e), e.Kind == errorType:
			return out
		default:
			out = append(out, e)
		}
	}
	return out
}

// lists is hears, of a list. One in pages says nothing of what is not in it.
func (k *known) lists(r *request) *history.Event {
	switch has := slices.ContainsFunc(history.Items(r.Answer), k.names); {
	case r.more() != "" || r.Options.Continue != "":
		k.sure = false
	case k.now(r.Answer, has, false):
		return r.Answer
	}
	return nil
}

// now says that it meets the condition that a list has the object, or has it not: one that comes as events says so to
// who knew nothing, too.
func (k *known) now(by *history.Event, has, told bool) bool {
	was := *k
	k.sees(by, has)
	if k.Type == "ADDED" {
		return has && (was.sure && !was.there || !was.sure && told)
	}
	return k.Type == "DELETED" && was.sure && was.there && !has
}

// sights are all that a wait was shown of an object: surely, or perhaps, by connections that broke (all).
func (x *exchange) sights(name string, all bool) []sight {
	k := known{Condition: Condition{Name: name}, all: all} // no event has no type
	for _, r := range x.requests {
		k.hears(r)
	}
	return k.seen
}

// holds is the list of which a precondition held, where all that came by then, or may have come, shows the same; nil: there
// is none.
func (x *exchange) holds(p Precondition, by *history.Event) *history.Event {
	shown := func(s sight) bool { return s.by.Num <= by.Num }
	if slices.ContainsFunc(x.sights(p.Name, true), func(s sight) bool { return shown(s) && s.there != p.There }) {
		return nil
	}
	if all := x.sights(p.Name, false); len(all) > 0 && shown(all[0]) {
		return all[0].by
	}
	return nil
}

// judgeHeld looks at a wait that returned as its precondition held: something must have shown that.
func (x *exchange) judgeHeld(j *harness.Judgement, p Precondition) {
	j.Tested++
	if !slices.ContainsFunc(x.sights(p.Name, true), func(s sight) bool { return s.there == p.There && s.by.Num < x.answer.Num }) {
		j.Fail("a wait: nothing that was sent shows that "+p.String(), "its precondition is said to hold", x.call.Num, x.answer.Num)
	}
}

// String says what it is about.
func (p Precondition) String() string {
	return fmt.Sprint(p.Name, map[bool]string{true: " is there", false: " is not there"}[p.There])
}
