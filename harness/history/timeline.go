package history

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// timelineMax is how many events a timeline shows before it omits some of those that it may omit. mustMax is how many it
// shows in any case, half of them from the beginning: a request that fails the same way fifty times is clear from twenty.
const (
	timelineMax = 14
	mustMax     = 20
	touchedMax  = 24 // events of Evidence, together with those about the same objects in between
)

// Timeline shows the events with these numbers and their calls in order of time, under the names of their actors. It
// marks the last number with an x. It also shows what the actor of the last event saw in between, and counts what it
// omits.
func (h *History) Timeline(at []int32) string {
	return h.timeline(at, func(must map[int32]bool, bad int32) []int32 {
		return middle(h.streamed(must, bad), max(timelineMax-len(must), 2))
	})
}

// Evidence does what Timeline does, but in between it shows what touched the objects that the events are about.
func (h *History) Evidence(at []int32) string { return h.timeline(at, h.touched) }

// timeline shows events, and those that between returns; its negative numbers are of events that it leaves out.
func (h *History) timeline(at []int32, between func(must map[int32]bool, bad int32) []int32) string {
	must := map[int32]bool{}
	bad := int32(0)
	for _, n := range at {
		if n < 1 || int(n) > len(h.Events) {
			continue
		}
		bad = n
		must[n] = true
		if c := h.Event(n).Call; c != 0 {
			must[c] = true
		}
	}
	if len(must) == 0 {
		return ""
	}
	var b strings.Builder
	last, skipped, step := "", 0, int32(0)
	for _, n := range pick(must, between(must, bad)) {
		if n == 0 {
			skipped++
			continue
		}
		e := h.Event(n)
		if skipped > 0 {
			fmt.Fprintf(&b, "     … %d more\n", skipped)
			skipped = 0
		}
		if s := h.stepAt(n); s != nil && s.Num != step {
			fmt.Fprintf(&b, "  step %d: %s\n", s.Num, shorten(oneLine(s.Text)))
			step, last = s.Num, ""
		}
		if e.Actor != last {
			fmt.Fprintf(&b, "  %s\n", oneLine(e.Actor))
			last = e.Actor
		}
		mark := " "
		if n == bad {
			mark = "x"
		}
		fmt.Fprintf(&b, "%s #%-3d %s\n", mark, n, h.Describe(e))
	}
	return b.String()
}

// stepAt returns the last step that ran before an event, or nil.
func (h *History) stepAt(num int32) *Step {
	i, _ := slices.BinarySearchFunc(h.Steps, num, func(s Step, num int32) int { return cmp.Compare(s.After, num) })
	for i--; i >= 0; i-- {
		if h.Steps[i].Skipped == "" {
			return &h.Steps[i]
		}
	}
	return nil
}

// pick returns the numbers to show, in order: those that must be shown, up to mustMax, and those between. A 0 stands for an omitted
// event.
func pick(must map[int32]bool, between []int32) []int32 {
	all := slices.Concat(middle(slices.Sorted(maps.Keys(must)), mustMax), between)
	slices.SortFunc(all, func(a, b int32) int { return cmp.Compare(max(a, -a), max(b, -b)) })
	for i, n := range all {
		all[i] = max(n, 0)
	}
	return all
}

// middle negates the numbers in the middle, so that at most room are left.
func middle(nums []int32, room int) []int32 {
	out := slices.Clone(nums)
	for i := room / 2; i < len(out)-room+room/2; i++ {
		out[i] = -out[i]
	}
	return out
}

// streamed returns what the actor of the violation saw in between, of the same call.
func (h *History) streamed(must map[int32]bool, bad int32) (out []int32) {
	actor, call := h.Event(bad).Actor, h.Event(bad).Call
	for _, e := range h.among(must) {
		if e.Actor == actor && e.Call == call {
			out = append(out, e.Num)
		}
	}
	return out
}

// touched returns the events in between that are about one of the same objects, and lists that have one. If there are too many, it leaves
// out lists first.
func (h *History) touched(must map[int32]bool, _ int32) []int32 {
	keys := map[int32]bool{}
	for n := range must {
		keys[h.Event(n).Obj.K] = true
	}
	delete(keys, 0)
	var own, lists []int32
	for _, e := range h.among(must) {
		switch {
		case keys[e.Obj.K]:
			own = append(own, e.Num)
		case e.X != nil && slices.ContainsFunc(e.X.Items, func(o Ref) bool { return keys[o.K] }):
			lists = append(lists, e.Num)
		}
	}
	room := max(touchedMax-len(must), 4)
	return slices.Concat(middle(own, room), middle(lists, max(room-len(own), 0)))
}

// among returns the events between the first and the last that must be shown, without these.
func (h *History) among(must map[int32]bool) (out []*Event) {
	nums := slices.Sorted(maps.Keys(must))
	for n := nums[0] + 1; n < nums[len(nums)-1]; n++ {
		if !must[n] {
			out = append(out, h.Event(n))
		}
	}
	return out
}

// Describe returns an event in one line: direction, kind, object, version, the rest.
func (h *History) Describe(e *Event) string {
	arrow := "<-"
	if e.Phase == Call {
		arrow = "->"
	}
	parts := []string{fmt.Sprintf("%s %-9s", arrow, e.Kind)}
	if e.Phase == Return {
		parts = append(parts, fmt.Sprintf("(#%d)", e.Call))
	}
	if d := describeRef(&e.Obj); d != "" {
		parts = append(parts, d)
	}
	if e.Phase == Call && e.Obj.UID != "" && e.Obj.Body == "" { // no object was sent, so the uid is a precondition
		parts = append(parts, "uid="+e.Obj.UID)
	}
	if x := e.X; x != nil {
		parts = append(parts, describeExt(x)...)
	}
	return oneLine(strings.TrimRight(strings.Join(parts, " "), " "))
}

// oneLine removes newlines, so that a key or a value cannot begin a line of the timeline.
func oneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }

func describeRef(r *Ref) string {
	var p []string
	if r.Key != "" {
		p = append(p, r.Key)
	}
	if r.RV != "" {
		p = append(p, "@"+r.RV)
	}
	for _, s := range []*Set{r.Labels, r.Fields} {
		if s != nil {
			p = append(p, "{"+s.String()+"}")
		}
	}
	return strings.Join(p, " ")
}

func describeExt(x *Ext) []string {
	var p []string
	if x.Err != nil {
		first, _, _ := strings.Cut(x.Err.String(), "\n") // stacks and logs are shown elsewhere
		p = append(p, first)
	}
	if x.Args != nil {
		p = append(p, flat(x.Args))
	}
	if x.Items != nil {
		p = append(p, describeItems(x.Items))
	}
	if x.Body != nil {
		p = append(p, flat(x.Body))
	}
	return p
}

func describeItems(items []Ref) string {
	const show = 6
	var p []string
	for i := range items {
		if i == show {
			p = append(p, fmt.Sprintf("… %d more", len(items)-show))
			break
		}
		p = append(p, describeRef(&Ref{Key: items[i].Key, RV: items[i].RV}))
	}
	return "[" + strings.Join(p, ", ") + "]"
}

// shorten cuts a value to the room that a line has. The history file has the whole value.
func shorten(s string) string {
	const most = 240
	if r := []rune(s); len(r) > most {
		return fmt.Sprintf("%s… (%d more characters)", string(r[:most]), len(r)-most)
	}
	return s
}

// mostNumbers bounds the numbers of a list that a line shows, such as for how long connections have been idle.
const mostNumbers = 8

// flat shows a JSON object as k=v pairs, anything else as it is.
func flat(raw json.RawMessage) string {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		var b bytes.Buffer
		if json.Compact(&b, raw) != nil {
			return string(raw)
		}
		return b.String()
	}
	var p []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		v := string(m[k])
		var s string
		var numbers []float64
		switch {
		case json.Unmarshal(m[k], &s) == nil:
			v = s
		case json.Unmarshal(m[k], &numbers) == nil && len(numbers) > mostNumbers:
			v = fmt.Sprintf("[%g … %g] (%d numbers)", numbers[0], numbers[len(numbers)-1], len(numbers))
		}
		p = append(p, k+"="+shorten(v))
	}
	return strings.Join(p, " ")
}
