package informer

import (
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeDeleteState looks at the state that each DELETE notification shows.
var judgeDeleteState = perHandler(func(l *listener, j *harness.Judgement) {
	l.eachNotice(func(n, before *notice) {
		if n.kind != Deleted || before == nil || before.kind == Deleted || l.v.uncertain {
			return
		}
		j.Tested++
		if want, got := l.deleteShows(n, before); want != "" {
			j.Fail(want, got, before.call.Num, n.call.Num)
		}
	})
})

// deleteShows says what is wrong with a DELETE; "": nothing.
func (l *listener) deleteShows(n, before *notice) (want, got string) {
	deleted := before.state
	if l.v.timelines[n.state.Key].createdAfter(n.state.UID, before.state) {
		deleted = n.state // it was created and deleted before the handler was called for it
	}
	sent := l.v.deletedEvent(deleted, n.call.Num)
	if later := l.v.deletedEvent(n.state, n.call.Num); later != nil && later.Obj.UID == deleted.UID {
		sent = later // it left the selection, came back, and left it again
	}
	got = n.String()
	if n.Unknown {
		got += ", final state unknown"
	}
	switch {
	case n.Unknown && sent != nil && !l.v.listed(sent.Num, n.call.Num):
		return fmt.Sprintf("a DELETE with the final state, which the informer received: DELETED %s", stateOf(&sent.Obj)), got
	case n.Unknown && (n.state.RV == "" || n.state == before.state || l.v.notOlder(n.state, before.state)):
		return "", ""
	case n.Unknown:
		return fmt.Sprintf("a DELETE with the last known state, %s", before.state), got
	case sent == nil:
		return "a DELETE with the final state unknown: the informer received no DELETED event", got
	case n.state.RV != sent.Obj.RV || n.state.UID != sent.Obj.UID:
		return fmt.Sprintf("a DELETE with the resourceVersion of the deletion: %s", stateOf(&sent.Obj)), got
	case !l.v.sameBody(n.state.Body, sent.Obj.Body):
		return "a DELETE with the last state: " + sent.Obj.Body, n.state.Body
	}
	return "", ""
}

// deletedEvent returns the DELETED event of an object, by its uid, that was sent after a state of it and before another event; nil: none.
func (v *observed) deletedEvent(s state, num int32) *history.Event {
	for _, x := range v.exchanges {
		for _, e := range x.Sent {
			if e.Kind == "DELETED" && e.Obj.UID == s.UID && e.Num < num && !older(e.Obj.RV, s.RV) {
				return e
			}
		}
	}
	return nil
}

// listed reports whether a list, or the initial events of a streaming list, became complete between two events.
func (v *observed) listed(from, to int32) bool {
	return slices.ContainsFunc(v.lists, func(l *snapshot) bool { return l.done > from && l.done < to })
}

// createdAfter reports whether a uid is of an object that was created with the same name after a state.
func (t *timeline) createdAfter(uid string, s state) bool {
	_, last := t.span(s)
	return last >= 0 && uid != s.UID && slices.IndexFunc(t.writes, func(w *write) bool { return w.state.UID == uid }) > last
}

// notOlder reports whether a is a state that the object had, at b or after it.
func (v *observed) notOlder(a, b state) bool {
	t := v.timelines[a.Key]
	i, _ := t.span(a)
	k, _ := t.span(b)
	return i >= k && k >= 0 && v.same(t.writes[i], a)
}
