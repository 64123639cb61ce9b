package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// score counts the classes of call that a history exercised. A class is the
// kind of the call and axes:
//
//	ADD, UPDATE, DELETE   key beside outcome
//	GET, GET-BY-KEY       key age beside outcome
//	REPLACE               items lacks key beside outcome
//	POP, POP-BATCH        type initial tombstone items outcome
//	others                beside outcome
//
// key is what the key was: of a map present or absent, of a queue queued, known
// or absent; none where the key function fails. beside says that another call
// was under way. An outcome is ok, objects, values, nothing, true, false, or the reason of an error.
func score(h *history.History) map[string]int {
	s := scorer{h: h, state: map[string]string{}, since: map[string]int64{}, queue: has(h, IsQueue), out: map[string]int{}}
	var before []*op
	each(h, func(o *op) {
		beside := len(before) > 0 && !isPop(o.Kind) && before[len(before)-1].Return > o.Call
		s.count(o, beside)
		before = append(before, o)
	})
	for i := range h.Events {
		if e := &h.Events[i]; e.Phase == history.Notice && e.Kind == evPush {
			s.out["PUSH outcome="+amount(len(pushed(e)), "objects")]++
		}
	}
	return s.out
}

type scorer struct {
	h     *history.History
	state map[string]string // of a key: "" for absent
	since map[string]int64
	ttl   int64
	queue bool
	out   map[string]int
}

func (s *scorer) count(o *op, beside bool) {
	if o.Kind == evOpen {
		s.ttl = o.Args.TTL
		return
	}
	class := []string{o.Kind}
	switch {
	case isPop(o.Kind):
		s.pop(o)
		return
	case o.Kind == evApplyAll:
		class = append(class, fmt.Sprintf("key=%s", map[bool]string{true: "none", false: "some"}[o.keyless()]))
		for _, c := range o.made() {
			s.change(&op{Kind: string(c.Verb), Obj: history.Ref{Key: c.Object.Key()}, To: o.To})
		}
	case o.changes() && o.Kind != evReplace:
		class = append(class, "key="+s.keyState(o))
		s.change(o)
	case o.Kind == evGet || o.Kind == evGetByKey:
		class = append(class, "key="+s.keyState(o), "age="+s.age(o))
	case o.Kind == evList && s.ttl > 0:
		class = append(class, "age=old")
	case o.Kind == evReplace:
		class = append(class, s.list(o)...)
	}
	class = append(class, fmt.Sprintf("beside=%t", beside), "outcome="+outcome(o))
	s.out[strings.Join(class, " ")]++
}

// keyState is what a key was when it was asked for or changed.
func (s *scorer) keyState(o *op) string {
	switch {
	case keyless(o.object()) && o.Kind != evGetByKey:
		return "none"
	case s.state[o.Obj.Key] == "":
		return "absent"
	}
	return s.state[o.Obj.Key]
}

func (s *scorer) change(o *op) {
	switch {
	case o.keyless() || o.Err != nil:
	case s.queue && !(o.Kind == string(Delete) && s.state[o.Obj.Key] == ""):
		s.state[o.Obj.Key] = "queued"
	case !s.queue && o.Kind == string(Delete):
		delete(s.state, o.Obj.Key)
	case !s.queue:
		s.state[o.Obj.Key], s.since[o.Obj.Key] = "present", o.To
	}
}

func (s *scorer) age(o *op) string {
	if s.ttl > 0 && s.state[o.Obj.Key] != "" && o.From-s.since[o.Obj.Key] > s.ttl {
		return "old"
	}
	return "young"
}

// list is a Replace: how many items, and what it lacks.
func (s *scorer) list(o *op) []string {
	given := map[string]bool{}
	items, key := amount(len(o.Args.Objects), "some"), "some"
	for _, x := range o.Args.Objects {
		if given[x.Key()] {
			items = "twice"
		}
		if keyless(x) {
			key = "none"
		}
		given[x.Key()] = true
	}
	if items == "nothing" {
		items = "none"
	}
	lacks := "none"
	for _, k := range slices.Sorted(maps.Keys(s.state)) {
		if !given[k] && lacks != "queued" {
			lacks = s.state[k]
		}
	}
	if o.Err == nil {
		s.replaced(given, o.To)
	}
	return []string{"items=" + items, "lacks=" + lacks, "key=" + key}
}

func (s *scorer) replaced(given map[string]bool, at int64) {
	now := "present"
	if s.queue {
		now = "queued"
	} else {
		clear(s.state)
	}
	for k := range given {
		s.state[k], s.since[k] = now, at
	}
}

func (s *scorer) pop(o *op) {
	for _, d := range o.Popped.Deltas {
		tombstone := d.Type == Deleted && d.Unknown
		s.out[fmt.Sprintf("%s type=%s tombstone=%t initial=%t outcome=ok", o.Kind, d.Type, tombstone, o.Popped.Initial)]++
		switch k := keyOf(d); {
		case k == "":
		case d.Type == Deleted:
			delete(s.state, k)
		default:
			s.state[k] = "known"
		}
	}
	if o.Kind == evPopBatch && len(o.Popped.Deltas) > 0 {
		s.out[o.Kind+" items="+map[bool]string{true: "one", false: "several"}[len(o.Popped.Deltas) == 1]]++
	}
	if o.Err != nil {
		s.out[o.Kind+" outcome="+outcome(o)]++
	}
}

func outcome(o *op) string {
	switch {
	case o.Return == 0:
		return "lost"
	case o.Err != nil && o.Err.Reason != "":
		return o.Err.Reason
	case o.Err != nil:
		return "error"
	}
	switch o.Kind {
	case evGet, evGetByKey:
		return map[bool]string{true: "object", false: "nothing"}[o.Found.Key != ""]
	case evList, evKeys, evIndex, evByIndex, evIndexKeys:
		return amount(len(o.Items), "objects")
	case evIndexValues:
		return amount(len(o.Body.Values), "values")
	case evSynced:
		return fmt.Sprint(o.Body.Synced != nil && *o.Body.Synced)
	case evVersion:
		if o.Found.RV == "" {
			return "nothing"
		}
	}
	return "ok"
}

func amount(n int, some string) string {
	if n == 0 {
		return "nothing"
	}
	return some
}
