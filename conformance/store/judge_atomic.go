package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

const ruleAtomic = "replace/atomic"

// state is the content between two changes, and the change that made it.
type state struct {
	by    *op
	items map[string]string // key to text
}

// judgeAtomic judges lists beside changes that come one after the other: each
// shows one content that there was while it was taken.
func judgeAtomic(h *history.History) harness.Judgement {
	var j harness.Judgement
	if !has(h, Map) || runOf(h).Overlap == "" {
		return j
	}
	states := []state{{items: map[string]string{}}}
	var lists []*op
	each(h, func(o *op) {
		switch {
		case o.Kind == evOpen && o.Args.TTL > 0:
			j.Undecided = "entries grow old by themselves"
		case o.changes() && o.Return != 0 && o.Err != nil && o.Err.Definite && o.Kind != evApplyAll:
		case o.changes():
			if b := states[len(states)-1].by; o.Return == 0 || o.Err != nil || b != nil && b.Return > o.Call {
				j.Undecided = "changes overlap, or nobody knows of one whether it happened"
			}
			states = append(states, state{o, after(states[len(states)-1].items, o)})
		case o.Kind == evList && !has(h, Expiring), o.Kind == evKeys: // one that forgets looks at each entry's age
			if o.Return != 0 && o.Err == nil {
				lists = append(lists, o)
			}
		}
	})
	if j.Undecided != "" {
		return j
	}
	for _, o := range lists {
		judgeMoment(&j, states, o)
	}
	return j
}

func after(items map[string]string, o *op) map[string]string {
	out := maps.Clone(items)
	change(out, o)
	return out
}

// judgeMoment judges a list that a Replace overlaps.
func judgeMoment(j *harness.Judgement, states []state, o *op) {
	var may []state
	beside := false
	for i, s := range states {
		over := i+1 < len(states) && states[i+1].by.Return < o.Call // the next had come before it began
		if over || s.by != nil && s.by.Call > o.Return {
			continue
		}
		may = append(may, s)
		beside = beside || s.by != nil && s.by.Kind == evReplace && s.by.Return > o.Call
	}
	if !beside {
		return
	}
	j.Tested++
	got := sorted(texts(o.Items))
	var want []string
	var at []int32
	nearest := apart{}
	for i, s := range may {
		w := s.shown(o.Kind == evKeys)
		if slices.Equal(w, got) {
			return
		}
		if text := some(w); !slices.Contains(want, text) {
			want = append(want, text)
		}
		if d := compare(w, got); i == 0 || d.much() < nearest.much() {
			nearest = d
		}
		if s.by != nil {
			at = append(at, s.by.Call)
		}
	}
	text := some(got)
	if len(got) > most { // nobody would see it
		text += ": of the nearest of these it " + nearest.String()
	}
	j.Fail(strings.Join(want, " or "), text, append(at, o.Call, o.Return)...)
}

func (s state) shown(keysOnly bool) []string {
	if keysOnly {
		return slices.Sorted(maps.Keys(s.items))
	}
	return slices.Sorted(maps.Values(s.items))
}

// most is how much of a list is shown.
const most = 6

// some is a list as a person reads it: its length, and what it begins with.
func some(list []string) string {
	if len(list) > most {
		return fmt.Sprintf("%d objects [%s, … %d more]", len(list), strings.Join(list[:most], ", "), len(list)-most)
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// apart is how a list differs from another.
type apart struct{ lacks, has []string }

func compare(want, got []string) (d apart) {
	d.lacks = slices.DeleteFunc(slices.Clone(want), func(x string) bool { return slices.Contains(got, x) })
	d.has = slices.DeleteFunc(slices.Clone(got), func(x string) bool { return slices.Contains(want, x) })
	return d
}

func (d apart) much() int { return len(d.lacks) + len(d.has) }

func (d apart) String() string {
	var out []string
	if len(d.lacks) > 0 {
		out = append(out, "lacks "+some(d.lacks))
	}
	if len(d.has) > 0 {
		out = append(out, "has besides "+some(d.has))
	}
	if out == nil { // it differs in how often it has one
		return "has one twice"
	}
	return strings.Join(out, ", ")
}
