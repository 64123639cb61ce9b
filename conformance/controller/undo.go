package controller

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var undoSame = harness.Rule{
	Clause: harness.Clause{
		ID:      "undo/same",
		Level:   harness.Should,
		Text:    "When a user changes an object and changes it back, everything is as before. Claims, volumes, secrets and custom resources that hold data may stay.",
		Sources: []harness.Source{levelDriven},
		Why:     "What is there depends on how it came about: two users who want the same get something else, and a rollback repairs nothing.",
		Advice:  "Compute all that you write from the spec as it is now. Take back what an earlier spec asked for: look for owned objects that nothing wants any more.",
		Classes: []string{"undone"},
	},
	Judge: judgeUndo,
}

// rested is the body of a REST of the first undisturbed run.
type rested struct {
	Objects []json.RawMessage `json:"objects"`
}

// wishes returns the fields of an object that users write: all but the status and the metadata, and of the metadata the labels.
func wishes(o *object) (all map[string]any) {
	if json.Unmarshal(o.raw, &all) != nil {
		return nil
	}
	m, _ := all["metadata"].(map[string]any)
	labels, _ := m["labels"].(map[string]any)
	delete(all, "metadata")
	delete(all, "status")
	if len(labels) > 0 {
		all["metadata.labels"] = labels
	}
	return all
}

// undone is a change by a user, and the change back.
type undone struct {
	change, back  *write
	before, after state
}

// undone returns the changes of a run that were taken back at once, with what there was before and after.
func (p *past) undone() (all []undone) {
	for i := 2; i < len(p.user); i++ {
		u, back := p.user[i-1], p.user[i]
		if u.verb != "PATCH" || back.verb != "PATCH" || u.actor != userActor || back.actor != userActor || u.obj == nil || back.obj == nil || u.obj.Meta.UID != back.obj.Meta.UID {
			continue
		}
		var was *object
		for _, w := range p.user[:i-1] {
			if w.obj != nil && w.obj.Meta.UID == u.obj.Meta.UID {
				was = w.obj
			}
		}
		if was == nil || !reflect.DeepEqual(wishes(was), wishes(back.obj)) || reflect.DeepEqual(wishes(was), wishes(u.obj)) {
			continue
		}
		x := undone{u, back, nil, nil}
		for _, r := range p.rests {
			switch {
			case r.num < u.num:
				x.before = p.states[r.num]
			case r.num > back.num && x.after == nil:
				x.after = p.states[r.num]
			}
		}
		if x.before != nil && x.after != nil {
			all = append(all, x)
		}
	}
	return all
}

func judgeUndo(h *history.History) (j harness.Judgement) {
	for _, p := range recordOf(h).undisturbed {
		for _, x := range p.undone() {
			j.Tested++
			all := slices.DeleteFunc(differences(x.after, []state{x.before}), func(d difference) bool {
				kind, _, _ := strings.Cut(d.id, " ")
				return d.extra() && typeHoldsData(kind)
			})
			if len(all) > 0 {
				j.Fail("all as before the change of "+x.change.key, "after the change back: "+strings.ReplaceAll(shown(all), "undisturbed", "before"), x.change.num, x.back.num)
			}
		}
	}
	return j
}
