package controller

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var safetyOwnCreates = harness.Rule{
	Clause: harness.Clause{
		ID:      "safety/own-creates",
		Level:   harness.Should,
		Text:    "Of the objects that one life has created for one owner, never more exist at one time than undisturbed. This holds with an old view, too: the API server has answered each create.",
		Sources: []harness.Source{idempotency, guideline("watches and informers will sync")},
		Why:     "When watches are late, everything is created a second time: the controller has forgotten what it did before its cache shows it.",
		Advice:  "Do not create again before the cache shows what you have written. Keep the resourceVersion of the answer, and wait until the cache has reached it; an expectation that ends after some minutes is not enough. Or use names that follow from the owner.",
		Classes: []string{"created"},
	},
	Judge: judgeOwnCreates,
}

// creation is a create that succeeded, with the number of objects that the same life had created for the same owner, and that still existed.
type creation struct {
	*write
	what string // resource and kind of the owner
	n    int
}

// creations returns the creates of objects that have a controller.
func (p *past) creations() (all []creation) {
	lost := map[int32]bool{} // creates that were disturbed: the life may not know of them
	for _, d := range p.disturbs {
		lost[d.call] = true
	}
	made := map[string][]*write{} // by life and owner, in the order of their answers
	for _, w := range p.answered() {
		if !w.created() || w.obj == nil || w.obj.controller() == nil || lost[w.num] {
			continue
		}
		owner := w.obj.controller()
		id := w.actor + " " + owner.UID + " " + w.resource()
		n := 1
		for _, o := range made[id] {
			if o.ret > w.num || slices.Contains(w.args.Beside, o.obj.Meta.UID) { // one that was under way at the same time has been there
				n++
			}
		}
		made[id] = append(made[id], w)
		all = append(all, creation{w, w.resource() + " of one " + owner.Kind, n})
	}
	return all
}

// answered returns the controller's writes in the order of their answers.
func (p *past) answered() []*write {
	all := slices.Clone(p.writes)
	slices.SortStableFunc(all, func(a, b *write) int { return int(a.ret - b.ret) })
	return all
}

func judgeOwnCreates(h *history.History) (j harness.Judgement) {
	r := recordOf(h)
	most := map[string]int{}
	for _, p := range r.undisturbed {
		for _, c := range p.creations() {
			most[c.what] = max(most[c.what], c.n)
		}
	}
	if len(r.undisturbed) == 0 {
		return j
	}
	for _, p := range r.disturbed {
		worst := map[string]creation{}
		for _, c := range p.creations() {
			j.Tested++
			if c.n > max(most[c.what], worst[c.what].n) && most[c.what] > 0 {
				worst[c.what] = c
			}
		}
		for _, what := range slices.Sorted(maps.Keys(worst)) {
			c := worst[what]
			j.Fail(fmt.Sprintf("at most %d of %s at one time, as undisturbed", most[what], what), fmt.Sprintf("%s: %d, all created by %s, which was told so each time", p.how(), c.n, c.actor), p.at(c.num)...)
		}
	}
	return j
}
