package informer

import (
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// deleteState looks at what each delete shows.
func (l *listener) deleteState(j *harness.Judgement) {
	knows := map[string]*notice{}
	for _, n := range l.told() {
		was := knows[n.now.Key]
		knows[n.now.Key] = n
		if n.kind != Deleted || was == nil || was.kind == Deleted || l.v.blurred {
			continue
		}
		j.Tested++
		if want, got := l.deleteShows(n, was); want != "" {
			j.Fail(want, got, was.call.Num, n.call.Num)
		}
	}
}

// deleteShows says what is wrong with a delete; "": nothing.
func (l *listener) deleteShows(n, was *notice) (want, got string) {
	gone := was.now
	if l.v.w.lines[n.now.Key].follows(n.now.UID, was.now) {
		gone = n.now // it came and went, too, before the handler was told of anything
	}
	sent := l.v.deleted(gone, n.call.Num)
	got = "DELETE " + n.now.String()
	if n.Unknown {
		got += ", final state unknown"
	}
	switch {
	case n.Unknown && sent != nil && !l.v.listed(sent.Num, n.call.Num):
		return fmt.Sprintf("a delete with the final state, which came: DELETED %s", stateOf(&sent.Obj)), got
	case n.Unknown && (n.now.RV == "" || n.now == was.now || l.v.isLater(n.now, was.now)):
		return "", ""
	case n.Unknown:
		return "the state last known, " + was.now.String(), got
	case sent == nil:
		return "a delete whose final state is unknown: no event told of it", got
	case n.now.RV != sent.Obj.RV || n.now.UID != sent.Obj.UID:
		return fmt.Sprintf("a delete with the resourceVersion of the deletion: %s", stateOf(&sent.Obj)), got
	case !l.v.sameBody(n.now.Body, sent.Obj.Body):
		return fmt.Sprintf("the last state: %s", sent.Obj.Body), n.now.Body
	}
	return "", ""
}

// deleted is the DELETED event of an object, by its uid, that was sent before another event; nil: none.
func (v *observed) deleted(s state, num int32) *history.Event {
	for _, x := range v.exchanges {
		for _, e := range x.Sent {
			if e.Kind == "DELETED" && e.Obj.UID == s.UID && e.Num < num {
				return e
			}
		}
	}
	return nil
}

// listed says that a list, or streaming list, became whole between two events.
func (v *observed) listed(from, to int32) bool {
	return slices.ContainsFunc(v.wholes(), func(w *wholeList) bool { return w.done > from && w.done < to })
}

// follows says that a uid is of an object that had the name after a state.
func (l *line) follows(uid string, s state) bool {
	_, last := l.places(s)
	return last >= 0 && uid != s.UID && slices.IndexFunc(l.writes, func(w *write) bool { return w.now.UID == uid }) > last
}

// isLater says that a state is one that the object had after another.
func (v *observed) isLater(s, than state) bool {
	a, _ := v.w.lines[s.Key].places(s)
	b, _ := v.w.lines[s.Key].places(than)
	return a >= b && b >= 0 && v.same(v.w.lines[s.Key].writes[a], s)
}
