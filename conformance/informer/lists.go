package informer

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness/history"
)

// wholeList is a state that an informer was given as a whole: a list with all its pages, or a streaming list with its
// end bookmark.
type wholeList struct {
	begun, done int32 // events
	rv          string
	items       map[string]state
	pages       int // 0: it was streamed
}

// wholes are those of an informer, in the order in which they were whole, with what they have of its namespace.
func (v *observed) wholes() []*wholeList { return slices.Clone(v.lists) }

// gather finds them.
func (v *observed) gather() {
	v.lists = v.everywhere()
	for _, l := range v.lists {
		maps.DeleteFunc(l.items, func(key string, _ state) bool { return !v.holds(key) })
	}
}

// everywhere are the same, with all that they have.
func (v *observed) everywhere() []*wholeList {
	var out []*wholeList
	open := map[string]*wholeList{} // by continue token
	for _, x := range v.exchanges {
		switch {
		case x.IsList() && x.Answer != nil && x.Refused() == nil && !x.Lost():
			l := v.page(x, open)
			if next := continued(x.Answer); next != "" {
				open[next] = l
			} else if l != nil {
				out = append(out, l)
			}
		case x.IsStream():
			if l := streamed(x); l != nil {
				out = append(out, l)
			}
		}
	}
	return out
}

// page adds one to the list that it continues; nil: that is not known.
func (v *observed) page(x *rig.Exchange, open map[string]*wholeList) *wholeList {
	l := &wholeList{begun: x.Call.Num, items: map[string]state{}}
	if c := x.Options.Continue; c != "" {
		if open[c] == nil {
			return nil
		}
		before := *open[c]
		l.begun, l.pages = before.begun, before.pages
		for k, s := range before.items {
			l.items[k] = s
		}
	}
	l.pages++
	l.done, l.rv = x.Answer.Num, x.Answer.Obj.RV
	if x.Answer.X != nil {
		for i := range x.Answer.X.Items {
			s := stateOf(&x.Answer.X.Items[i])
			l.items[s.Key] = s
		}
	}
	return l
}

// continued is the token of a page that is not the last.
func continued(answer *history.Event) string {
	var b rig.ListBody
	if answer.X != nil && json.Unmarshal(answer.X.Body, &b) == nil {
		return b.Continue
	}
	return ""
}

// streamed is what a streaming list brought up to its end bookmark; nil: that did not come.
func streamed(x *rig.Exchange) *wholeList {
	l := &wholeList{begun: x.Call.Num, items: map[string]state{}}
	for _, e := range x.Sent {
		switch e.Kind {
		case "ADDED", "MODIFIED":
			l.items[e.Obj.Key] = stateOf(&e.Obj)
		case "DELETED":
			delete(l.items, e.Obj.Key)
		case "BOOKMARK":
			if endMark(e) {
				l.done, l.rv = e.Num, e.Obj.RV
				return l
			}
		}
	}
	return nil
}

// endMark says that a bookmark ends the initial events.
func endMark(e *history.Event) bool {
	return e.Kind == "BOOKMARK" && strings.Contains(e.Obj.Body, metav1.InitialEventsAnnotationKey)
}

// storeAfter is the reading of the store that goes with a reading at an index of the looks.
func (v *observed) storeAfter(i int) *reading {
	for _, l := range v.looks[i+1:] {
		switch l.kind {
		case listKind:
			return l
		case syncedKind:
			return nil
		}
	}
	return nil
}

// storeBefore is the last reading of the store before an event, if nothing was written between; nil: there is none.
func (v *observed) storeBefore(num int32) *reading {
	var out *reading
	for _, l := range v.looks {
		if l.kind == listKind && l.done.Num < num {
			out = l
		}
	}
	if out == nil || v.w.moved(out.call.Num, num) {
		return nil
	}
	return out
}
