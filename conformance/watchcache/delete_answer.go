package watchcache

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

var writeDeleteAnswer = harness.Rule{
	Clause: harness.Clause{
		ID:    "write/delete-answer",
		Level: harness.Must,
		Text: "a delete that answers with the object answers with it as the delete leaves it: its resourceVersion is that of the DELETED event, " +
			"or of the MODIFIED that shows deletionTimestamp",
		Sources: []harness.Source{sources.resourceDeletion, sources.objResourceVersion, sources.objDeletionTimestamp, sources.testDeleteHasLatestVersion},
		Why:     "a client that waits for its own delete to reach its copy waits for the wrong resourceVersion, and takes a state from before the delete for one after it",
		Advice:  "Answer with the object that the delete has stored (marked) or removed, at the revision of that change, not with the copy that was read before.",
		Classes: []string{"DELETE outcome=ok", "EVENT type=MODIFIED", "EVENT type=DELETED"},
	},
	Needs: []harness.Feature{DeleteAnswer},
	Judge: judgeDeleteAnswer,
}

var deleteAnswerCheck = story.Check{
	Name:  "write/delete-answer",
	About: "Objects are deleted: some go at once, some stay for a finalizer or a grace period, and are deleted again. The answers are read.",
	Needs: []harness.Feature{DeleteAnswer, Finalizers},
	Rules: []harness.Rule{writeDeleteAnswer},
	Steps: watched(
		[]story.Step{
			{Op: "create", Obj: "x", With: Create{Finalizer: true}},
			{Op: "update", Obj: "x", With: Change{Version: newestCopy}},
			deleteAnswered("x", Delete{}),
			deleteAnswered("x", Delete{}),
			{Op: "get", Obj: "x"},
			{Op: "update", Obj: "x", With: Change{Part: "no-finalizer", Version: newestCopy}},
			{Op: "create", Obj: "y"},
			deleteAnswered("y", Delete{}),
			{Op: "create", Obj: "y"},
			deleteAnswered("y", Delete{Grace: new(int64(0)), Policy: "Background"}),
		},
		story.When(Grace, story.Step{Op: "create", Obj: "xy", With: Create{Node: true}},
			deleteAnswered("xy", Delete{Grace: new(int64(60))}), deleteAnswered("xy", Delete{Grace: new(int64(5))}), deleteAnswered("xy", Delete{Grace: new(int64(0))})),
	),
}

func deleteAnswered(obj string, x Delete) story.Step {
	x.Answer = true
	return story.Step{Op: "delete", Obj: obj, With: x}
}

// removeAnswered deletes an object, and records what the server answered.
func (d *driver) removeAnswered(actor, ns, name string, o metav1.DeleteOptions) error {
	c, ok := d.in(ns).(DeleteAnswerer)
	if !ok {
		return fmt.Errorf("the feature %s is declared, but the client has no DeleteAnswer", DeleteAnswer)
	}
	d.removeBy(actor, ns, name, o, func(ctx context.Context) (harness.Answer, error) {
		m, err := c.DeleteAnswer(ctx, name, o)
		if err != nil || m == nil {
			return harness.Answer{}, err
		}
		return harness.Answer{Body: replay.DeleteBody{Name: m.Name, ResourceVersion: m.ResourceVersion}}, nil
	})
	return nil
}

// judgeDeleteAnswer compares resourceVersions only for equality. Of a resourceVersion that nothing shows it says nothing.
func judgeDeleteAnswer(h *history.History) (j harness.Judgement) {
	var shown map[state]deletion
	for i := range h.Events {
		e := &h.Events[i]
		answer, ok := replay.DeleteBodyOf(e)
		if !ok || replay.IsDryRun(h.Event(e.Call)) {
			continue
		}
		if shown == nil {
			shown = deletionsShown(h)
		}
		of := h.Event(e.Call).Obj
		_, name := replay.SplitKey(of.Key)
		got := fmt.Sprintf("%s @%s", answer.Name, answer.ResourceVersion)
		s, known := shown[state{of.K, answer.ResourceVersion}]
		if known || answer.Name != name {
			j.Tested++
		}
		switch {
		case answer.Name != name:
			j.Fail("the object "+name, got, e.Call, e.Num)
		case known && s.before:
			j.Fail(of.Key+" at the resourceVersion that the delete gave it", got+", at which it was not being deleted", s.num, e.Call, e.Num)
		}
	}
	return j
}

// state is an object at a resourceVersion.
type state struct {
	k  int32
	rv string
}

// deletion is what an event shows of a state.
type deletion struct {
	num    int32
	end    bool // the event is DELETED
	before bool // nobody was deleting the object then
}

// deletionsShown returns what answers and events show of each state of each object. An event for what leaves a selector
// looks like the end of the object, so every other event counts more.
func deletionsShown(h *history.History) map[state]deletion {
	out := map[state]deletion{}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Phase == history.Call || e.Err() != nil {
			continue
		}
		for _, o := range replay.Objects(e) {
			s := state{o.K, o.RV}
			if was, known := out[s]; o.K == 0 || o.RV == "" || known && (!was.end || e.Kind == replay.Deleted) {
				continue
			}
			marked := replay.IsDeleting(o.Body) || o.Meta.Get(replay.Deletion) != ""
			out[s] = deletion{num: e.Num, end: e.Kind == replay.Deleted, before: e.Kind != replay.Deleted && !marked}
		}
	}
	return out
}
