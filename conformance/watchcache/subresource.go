package watchcache

import (
	"context"
	"fmt"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

var writeSubresource = harness.Rule{
	Clause: harness.Clause{
		ID:      "write/subresource-create",
		Level:   harness.Must,
		Text:    "the create of a subresource, such as a binding or an eviction, stores no object of its own: no list, get or watch shows one, and the object keeps its uid",
		Sources: []harness.Source{sources.verbs, sources.singleResource, sources.uids},
		Why:     "a controller counts an object that nobody has created, or takes the object that it evicts for a new one; fakes that store whatever is created do that",
		Advice:  "Look at the subresource before you store what is created: do what a binding or an eviction asks for, and do not put its body among the objects.",
		Classes: []string{"LIST rv=unset outcome=items"},
	},
	Needs: []harness.Feature{SubresourceCreate},
	Judge: judgeSubresource,
}

var subresourceCheck = story.Check{
	Name:  "write/subresource-create",
	About: "A subresource of an object is created, without any effect on the object.",
	Needs: []harness.Feature{SubresourceCreate},
	Rules: []harness.Rule{writeSubresource},
	Steps: watched([]story.Step{
		{Op: "create", Obj: "x"},
		{Op: "create-subresource", Obj: "x"},
		{Op: "list"},
		{Op: "get", Obj: "x"},
		{Op: "update", Obj: "x", With: Change{Version: newestCopy}},
		{Op: "create-subresource", Obj: "x"},
		{Op: "list", With: List{Scope: Scope{Namespace: "all"}}},
	}),
}

func stepSubresource(w *world, s story.Step) error {
	ns, name := w.place(s.Obj)
	c, ok := w.in(ns).(SubresourceCreator)
	if !ok || w.cluster != nil {
		return fmt.Errorf("the feature %s is declared, but the client has no CreateSubresource", SubresourceCreate)
	}
	w.do(harness.Call{Actor: writer(s), Kind: replay.CreateSubresource, Obj: history.Ref{Key: ns + "/" + name}}, func(ctx context.Context) (harness.Answer, error) {
		return harness.Answer{}, c.CreateSubresource(ctx, name)
	})
	w.t.Wait()
	return nil
}

// judgeSubresource looks at what is shown after the create of a subresource was accepted. Where others may write, too, it
// may be theirs.
func judgeSubresource(h *history.History) (j harness.Judgement) {
	r := replay.Of(h)
	if r.Shared() {
		return j
	}
	made := creations(h)
	for i := range h.Events {
		e := &h.Events[i]
		if e.Kind == replay.CreateSubresource && e.Phase == history.Return && e.Err() == nil {
			made.judge(&j, h, e)
		}
	}
	return j
}

// makes is what is known of the objects of a history.
type makes struct {
	keys map[string]int32         // by key: the number of the event that first has it, but for creates of subresources
	uids map[history.Ref]struct{} // key and uid, of the answers to writes
	lost bool                     // somebody may have created something
}

func creations(h *history.History) makes {
	m := makes{map[string]int32{}, map[history.Ref]struct{}{}, false}
	for i := range h.Events {
		e := &h.Events[i]
		switch e.Kind {
		case replay.Create, replay.Update, replay.Patch:
			if m.keys[e.Obj.Key] == 0 {
				m.keys[e.Obj.Key] = e.Num
			}
			m.lost = m.lost || e.Phase == history.Return && e.Err() != nil && !e.Err().Definite
			if e.Phase == history.Return {
				m.uids[history.Ref{Key: e.Obj.Key, UID: e.Obj.UID}] = struct{}{}
			}
		}
	}
	return m
}

// judge looks at all that is shown after the create of a subresource was answered.
func (m makes) judge(j *harness.Judgement, h *history.History, answer *history.Event) {
	of := h.Event(answer.Call).Obj.Key
	tested := false
	for i := int(answer.Num); i < len(h.Events); i++ {
		e := &h.Events[i]
		if e.Phase == history.Call || e.Err() != nil || e.Kind == replay.Bookmark || e.Kind == replay.Deleted {
			continue
		}
		tested = tested || e.Kind == replay.List
		for _, o := range replay.Objects(e) {
			_, known := m.uids[history.Ref{Key: o.Key, UID: o.UID}]
			switch {
			case o.Key == "" || strings.HasPrefix(o.Key, replay.Foreign) || m.lost:
			case m.keys[o.Key] == 0:
				j.Tested++
				j.Fail("no object that nobody has created", at(&history.Event{Obj: o}), answer.Call, e.Num)
				return
			case o.Key == of && !known:
				j.Tested++
				j.Fail("the object "+of+" that was there", fmt.Sprintf("%s with the uid %q", of, o.UID), answer.Call, e.Num)
				return
			}
		}
	}
	if tested {
		j.Tested++
	}
}
