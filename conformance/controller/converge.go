package controller

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var convergeSame = harness.Rule{
	Clause: harness.Clause{
		ID:      "converge/same",
		Level:   harness.Must,
		Text:    "Whatever goes wrong on the way, a controller that runs again ends with the same objects. Names that are drawn, times, uids and resourceVersions may differ.",
		Sources: []harness.Source{levelDriven},
		Why:     "After a restart or a lost answer something stays half done until somebody repairs it by hand.",
		Advice:  "Decide from what is there now, not from an event or from what this process remembers. Where a result must be remembered, write it into the status of the object before you act on it.",
		Classes: []string{"disturbed"},
	},
	Judge: judgeSame,
}

var safetyCreate = harness.Rule{
	Clause: harness.Clause{
		ID:      "safety/create",
		Level:   harness.Must,
		Text:    "Nothing more is created and kept than without a disturbance.",
		Sources: []harness.Source{idempotency, otherActors},
		Why:     "Two sets of pods work on one task, or volumes and machines are paid for that nobody uses.",
		Advice:  "Give what you create a name that follows from its owner, so that a second create is refused with AlreadyExists. With generateName, read from the API server, not from a cache, before you create again.",
		Classes: []string{"created"},
	},
	Judge: judgeCreate,
}

var safetySurplus = harness.Rule{
	Clause: harness.Clause{
		ID:      "safety/surplus",
		Level:   harness.Should,
		Text:    "Nothing more is created than without a disturbance, also if it is taken back. A controller whose view was old, or that ran twice, is excused, and so is what is created for an owner that has just been deleted. What it should know all the same, safety/own-creates judges.",
		Sources: []harness.Source{idempotency},
		Why:     "For a while there is more than wanted: quotas are reached, and work is done twice.",
		Advice:  "As for safety/create: names that follow from the owner, or expectations that outlast a stale cache.",
		Classes: []string{"created"},
	},
	Judge: judgeSurplus,
}

var safetyDelete = harness.Rule{
	Clause: harness.Clause{
		ID:      "safety/delete",
		Level:   harness.Must,
		Text:    "Claims, volumes, secrets, namespaces and custom resources that live on undisturbed are not deleted.",
		Sources: []harness.Source{otherActors, concurrency},
		Why:     "Data is lost.",
		Advice:  "Before you delete, read the object and its owner from the API server, and delete with a precondition on the uid. An empty or an old cache is no proof that something is not wanted.",
		Classes: []string{"disturbed"},
	},
	Judge: judgeDelete,
}

// mostShown bounds how many differences one finding names.
const mostShown = 3

func shown(all []difference) string {
	var out []string
	for i, d := range all {
		if i == mostShown {
			out = append(out, fmt.Sprintf("and %d more", len(all)-i))
			break
		}
		out = append(out, d.String())
	}
	return strings.Join(out, "; ")
}

// compared calls f for each disturbed run with what differs.
func compared(h *history.History, j *harness.Judgement, f func(p *past, all []difference)) {
	r := recordOf(h)
	if len(r.disturbed) > 0 && len(r.undisturbed) == 0 {
		j.Undecided = "no undisturbed run to compare with has come to its end"
		return
	}
	for _, p := range r.disturbed {
		f(p, differences(p.state, r.states()))
	}
}

// at returns the events of a finding: what went wrong, and another.
func (p *past) at(num int32) []int32 {
	if len(p.disturbs) > 0 && p.disturbs[0].num < num {
		return []int32{p.disturbs[0].num, num}
	}
	return []int32{p.num, num}
}

// extra reports whether a difference is that there is more than undisturbed.
func (d difference) extra() bool { return d.path == "" && d.have > d.want }

func judgeSame(h *history.History) (j harness.Judgement) {
	compared(h, &j, func(p *past, all []difference) {
		j.Tested++
		if all = slices.DeleteFunc(all, difference.extra); len(all) > 0 {
			j.Fail("it ends as undisturbed", p.how()+": "+shown(all), p.at(p.end)...)
		}
	})
	if n := recordOf(h).spared; n > 0 {
		j.Spared = fmt.Sprintf("nothing that the controller did could be disturbed in this way, in any of %d runs", n)
	}
	return j
}

func judgeCreate(h *history.History) (j harness.Judgement) {
	compared(h, &j, func(p *past, all []difference) {
		if len(p.creates()) > 0 {
			j.Tested++
		}
		if all = slices.DeleteFunc(all, func(d difference) bool { return !d.extra() }); len(all) > 0 {
			j.Fail("no more is there than undisturbed", p.how()+": "+shown(all), p.at(p.end)...)
		}
	})
	return j
}

// creates counts what the controller has created, by resource. What it creates for an owner that has just been deleted does not count: the
// garbage collector takes that, and how often it does so before the controller sees the deletion is chance.
func (p *past) creates() map[string]int {
	out := map[string]int{}
	for _, w := range p.writes {
		if w.created() && !w.args.Ownerless {
			out[w.resource()]++
		}
	}
	return out
}

func judgeSurplus(h *history.History) (j harness.Judgement) {
	r := recordOf(h)
	most := map[string]int{}
	for _, p := range r.undisturbed {
		for res, n := range p.creates() {
			most[res] = max(most[res], n)
		}
	}
	for _, p := range r.disturbed {
		if p.info.Stale {
			continue
		}
		made := p.creates()
		if len(made) > 0 && len(r.undisturbed) > 0 {
			j.Tested++
		}
		for res, n := range made {
			if n > most[res] && len(r.undisturbed) > 0 {
				j.Fail(fmt.Sprintf("%d of %s are created, as undisturbed", most[res], res), fmt.Sprintf("%s: %d are created", p.how(), n), p.at(p.end)...)
			}
		}
	}
	return j
}

// holdsData reports whether objects of a type are worth more than what created them.
func holdsData(o *object) bool { return typeHoldsData(o.typeName()) }

func typeHoldsData(name string) bool {
	kind, group, _ := strings.Cut(name, ".")
	if slices.Contains([]string{"PersistentVolumeClaim", "PersistentVolume", "Secret", "Namespace", "CustomResourceDefinition"}, kind) {
		return true
	}
	return strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io")
}

// deleted returns the deletions of data by the controller, by object and one for each uid.
func (p *past) deleted() map[string][]*write {
	out := map[string][]*write{}
	for _, w := range p.writes {
		if w.verb != "DELETE" || !w.ok() || w.was == nil || !holdsData(w.was) || p.userDeleted(w) {
			continue
		}
		id := w.was.typeName() + " " + w.was.name()
		if !slices.ContainsFunc(out[id], func(o *write) bool { return o.was.Meta.UID == w.was.Meta.UID }) {
			out[id] = append(out[id], w)
		}
	}
	return out
}

// kept returns the data that each undisturbed run ends with, and how many of that name the controller deletes before.
func (r *record) kept() map[string]int {
	ends, most := map[string]int{}, map[string]int{}
	for _, p := range r.undisturbed {
		here := map[string]bool{}
		for _, o := range p.objects {
			if id := o.typeName() + " " + o.name(); holdsData(o) && !here[id] {
				here[id] = true
				ends[id]++
			}
		}
		for id, all := range p.deleted() {
			most[id] = max(most[id], len(all))
		}
	}
	kept := map[string]int{}
	for id, n := range ends {
		if n == len(r.undisturbed) {
			kept[id] = most[id]
		}
	}
	return kept
}

func judgeDelete(h *history.History) (j harness.Judgement) {
	r := recordOf(h)
	kept := r.kept()
	for _, p := range r.disturbed {
		if len(kept) > 0 {
			j.Tested++
		}
		for id, all := range p.deleted() {
			if most, is := kept[id]; is && len(all) > most {
				w := all[most]
				j.Fail(id+" lives on, as undisturbed", p.how()+": it is deleted by "+w.String(), p.at(w.num)...)
			}
		}
	}
	return j
}

// userDeleted reports whether a user deleted, before, what a write deletes.
func (p *past) userDeleted(w *write) bool {
	return slices.ContainsFunc(p.user, func(u *write) bool { return u.verb == "DELETE" && u.key == w.key && u.num < w.num })
}
