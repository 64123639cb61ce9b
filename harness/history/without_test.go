package history

import "testing"

// Without drops events with what belongs to them, and leaves the history that it came from as it was.
func TestWithout(t *testing.T) {
	call := func(kind string) Event { return Event{Phase: Call, Actor: "c", Kind: kind} }
	h, err := New(Header{}, []Event{call("LIST"), {Phase: Return, Call: 1, Actor: "c", Kind: "LIST", X: &Ext{Items: []Ref{{Key: "a", RV: "3"}}}}, call("WATCH"),
		{Call: 3, Actor: "c", Kind: "ADDED", Obj: Ref{Key: "b", RV: "2"}}, {Phase: Return, Call: 3, Actor: "c", Kind: "WATCH"}})
	if err != nil {
		t.Fatal(err)
	}
	less, err := h.Without([]int32{3})
	if err != nil {
		t.Fatal(err)
	}
	if len(less.Events) != 2 || less.Events[1].Call != 1 || less.Events[1].X.Items[0].N != 1 {
		t.Errorf("the events are %+v", less.Events)
	}
	if h.Events[1].X.Items[0].N != 2 || len(h.Events) != 5 {
		t.Errorf("the history itself has changed: %+v", h.Events)
	}
}
