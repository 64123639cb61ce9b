package controller

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var overwriteFields = harness.Rule{
	Clause: harness.Clause{
		ID:      "overwrite/fields",
		Level:   harness.Must,
		Text:    "What another client writes to fields that are not the controller's stays.",
		Sources: []harness.Source{otherActors, concurrency},
		Why:     "An annotation of another tool, or a user's change, vanishes without a trace.",
		Advice:  "Send a patch of your own fields, or a server-side apply. If you update the whole object, send the resourceVersion of the one that you have read, and read again after a conflict.",
		Classes: []string{"other client"},
	},
	Judge: judgeOverwrite,
}

var conflictFresh = harness.Rule{
	Clause: harness.Clause{
		ID:      "conflict/fresh",
		Level:   harness.Must,
		Text:    "After a conflict a controller tries again with what is there now, not with the resourceVersion that was refused.",
		Sources: []harness.Source{concurrency},
		Why:     "The controller is stuck with this object until it is restarted.",
		Advice:  "After a conflict return the error, and begin again with a new read. Do not keep an object between two tries.",
		Classes: []string{"conflict"},
	},
	Judge: judgeConflict,
}

var statusObserved = harness.Rule{
	Clause: harness.Clause{
		ID:      "status/observed",
		Level:   harness.Must,
		Text:    "observedGeneration, of a status or a condition, is never above the generation of the object.",
		Sources: []harness.Source{statusOfAPI, guideline("observedGeneration")},
		Why:     "Tools that wait, such as kubectl wait, take a change for done that nobody has looked at.",
		Advice:  "Set observedGeneration to the generation of the object that you have just reconciled, never to a number of your own.",
		Classes: []string{"status"},
	},
	Judge: judgeObserved,
}

var cleanupFinalizers = harness.Rule{
	Clause: harness.Clause{
		ID:      "cleanup/finalizers",
		Level:   harness.Must,
		Text:    "What users delete is gone in the end: no finalizer holds it.",
		Sources: []harness.Source{levelDriven},
		Why:     "The object, and its namespace, cannot be deleted without editing it by hand.",
		Advice:  "Take your finalizer away when the work is done or was never begun, also if what it waits for is gone. Look what the code does for a deletion that it sees for the first time.",
		Classes: []string{"deleted"},
	},
	Judge: judgeCleanup,
}

func judgeOverwrite(h *history.History) (j harness.Judgement) {
	for _, p := range recordOf(h).all() {
		done := map[string]bool{}
		for _, u := range p.user {
			if u.actor != otherActor || u.obj == nil || done[u.obj.Meta.UID] {
				continue
			}
			done[u.obj.Meta.UID] = true
			for _, o := range p.objects {
				if o.Meta.UID != u.obj.Meta.UID {
					continue
				}
				if j.Tested++; o.Meta.Annotations[OtherAnnotation] == "" {
					j.Fail("the annotation of another client stays on "+u.key, p.prefix()+"it is gone"+p.culprit(u), u.num, p.end)
				}
			}
		}
	}
	return j
}

// culprit names the write of the controller after which another client's annotation is gone.
func (p *past) culprit(u *write) string {
	for _, w := range p.writes {
		if w.num > u.num && w.obj != nil && w.obj.Meta.UID == u.obj.Meta.UID && w.obj.Meta.Annotations[OtherAnnotation] == "" {
			return " after " + w.String()
		}
	}
	return ""
}

// staleFor is how long a cache may lag before a resourceVersion that was refused must not be sent any more.
const staleFor = 80 * time.Second

func judgeConflict(h *history.History) (j harness.Judgement) {
	for _, p := range recordOf(h).all() {
		if p.info.Stale { // it cannot know better
			continue
		}
		refused := map[string]*write{}
		for _, w := range p.writes {
			if w.verb != "PUT" || w.args.RV == "" {
				continue
			}
			key := w.actor + " " + w.key + " " + w.args.RV
			switch first := refused[key]; {
			case first != nil && w.at-first.at > staleFor:
				j.Fail("a try with the resourceVersion that is there now", fmt.Sprintf("%s%s has resourceVersion %s again, %s after it was refused", p.prefix(), w, w.args.RV, (w.at-first.at).Round(time.Second)), first.num, w.num)
			case first == nil && w.err != nil && w.err.Code == 409 && !p.injected(w):
				j.Tested++
				refused[key] = w
			}
		}
	}
	return j
}

// injected reports whether a disturbance answered a write.
func (p *past) injected(w *write) bool {
	return slices.ContainsFunc(p.disturbs, func(d mark) bool { return d.call == w.num })
}

// observed are the observedGenerations of an object.
func observed(o *object) (all []int64) {
	var x struct {
		Status struct {
			ObservedGeneration *int64
			Conditions         []struct{ ObservedGeneration *int64 }
		}
	}
	if json.Unmarshal(o.raw, &x) != nil {
		return nil
	}
	if g := x.Status.ObservedGeneration; g != nil {
		all = append(all, *g)
	}
	for _, c := range x.Status.Conditions {
		if c.ObservedGeneration != nil {
			all = append(all, *c.ObservedGeneration)
		}
	}
	return all
}

func judgeObserved(h *history.History) (j harness.Judgement) {
	for _, p := range recordOf(h).all() {
		for _, w := range p.writes {
			if !w.ok() || w.obj == nil {
				continue
			}
			for _, g := range observed(w.obj) {
				if j.Tested++; g > w.obj.Meta.Generation {
					j.Fail(fmt.Sprintf("at most the generation %d", w.obj.Meta.Generation), fmt.Sprintf("%s%s claims the generation %d", p.prefix(), w, g), w.num, w.ret)
					break
				}
			}
		}
	}
	return j
}

func judgeCleanup(h *history.History) (j harness.Judgement) {
	for _, p := range recordOf(h).all() {
		deleted := false
		for _, u := range p.user {
			deleted = deleted || u.verb == "DELETE" && u.err == nil
		}
		if deleted {
			j.Tested++
		}
		for _, o := range p.objects {
			if o.Meta.DeletionTimestamp != "" && len(o.Meta.Finalizers) > 0 {
				j.Fail("what is deleted is gone in the end", fmt.Sprintf("%s%s %s is still there, with the finalizers %s", p.prefix(), o.typeName(), o.name(), strings.Join(o.Meta.Finalizers, ", ")), p.at(p.end)...)
			}
		}
	}
	return j
}
