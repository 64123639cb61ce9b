package informer

import (
	"maps"
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness/history"
)

// snapshot is a complete state that an informer was sent: a list with all its pages, or a streaming list up to the
// bookmark that ends its initial events.
type snapshot struct {
	begun, done int32 // events
	items       map[string]state
	streamed    bool
	doubtful    bool // it may not have come: doubts
}

// findLists finds the snapshots of an informer, in the order in which they were complete, with the objects of its namespace.
func (v *observed) findLists() {
	incomplete := map[string]*snapshot{} // by continue token
	add := func(l *snapshot, x *rig.Exchange) {
		if l != nil {
			l.doubtful = v.w.doubts(x, l.done)
			maps.DeleteFunc(l.items, func(key string, s state) bool { return !v.inNamespace(key) || !v.chooses(s) })
			v.lists = append(v.lists, l)
		}
	}
	for _, x := range v.exchanges {
		switch {
		case answeredList(x):
			l := addPage(x, incomplete)
			if next := continueToken(x.Answer); next != "" {
				incomplete[next] = l
			} else {
				add(l, x)
			}
		case x.IsStream():
			add(streamedSnapshot(x), x)
		}
	}
}

// doubts reports whether the answer to a list, or the end of a streaming list's initial events, may not have come: the connection
// of the list ended early, or the network went down right after that event.
func (w *world) doubts(x *rig.Exchange, num int32) bool {
	return x.IsList() && (x.How == "broken" || x.How == "stopped") || slices.ContainsFunc(w.downs, func(down int32) bool {
		return down > num && time.Duration(w.h.Event(down).At-w.h.Event(num).At) < noPause
	})
}

// answeredList reports whether x is a list, or a page of one, whose answer reached the client.
func answeredList(x *rig.Exchange) bool {
	return x.IsList() && x.Answer != nil && x.Refused() == nil && !x.Lost()
}

// addPage returns the list that a page continues with that page; nil: that list is not known.
func addPage(x *rig.Exchange, incomplete map[string]*snapshot) *snapshot {
	l := &snapshot{begun: x.Call.Num, items: map[string]state{}}
	if token := x.Options.Continue; token != "" {
		before := incomplete[token]
		if before == nil {
			return nil
		}
		l.begun, l.items = before.begun, maps.Clone(before.items)
	}
	l.done = x.Answer.Num
	for _, o := range history.Items(x.Answer) {
		l.items[o.Key] = stateOf(&o)
	}
	return l
}

// continueToken returns the token of a page that is not the last; "": it is the last.
func continueToken(answer *history.Event) string {
	return history.BodyOf[rig.ListBody](answer).Continue
}

// streamedSnapshot returns what a streaming list sent up to the end of its initial events; nil: that did not come.
func streamedSnapshot(x *rig.Exchange) *snapshot {
	l := &snapshot{begun: x.Call.Num, items: map[string]state{}, streamed: true}
	for _, e := range x.Sent {
		switch {
		case e.Kind == "ADDED" || e.Kind == "MODIFIED":
			l.items[e.Obj.Key] = stateOf(&e.Obj)
		case e.Kind == "DELETED":
			delete(l.items, e.Obj.Key)
		case e == x.Mark:
			l.done = e.Num
			return l
		}
	}
	return nil
}
