package html

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// picture is a part of a history: a lane for each actor with its events, and the steps of the story.
type picture struct {
	Total int      `json:"total"` // events of the history
	Lanes []string `json:"lanes"`
	// Each event is [number, lane, phase, kind, call, microseconds, text], an array since there may be thousands.
	Events []any  `json:"events"`
	Steps  []step `json:"steps,omitempty"`
}

type step struct {
	Num     int32  `json:"num"`
	Count   int    `json:"count,omitempty"` // how many steps are gathered in this one; 0: it is one step
	After   int32  `json:"after"`           // the number of the event before it
	Text    string `json:"text"`
	Skipped string `json:"skipped,omitempty"`
}

// longest is the number of characters of an event that a picture shows.
const longest = 400

// draw returns a picture of the events that findings name and of their neighbours: at most most events, or twice as many if the findings
// name so many.
func draw(h *history.History, broken []broken, most int) *picture {
	p := &picture{Total: len(h.Events)}
	lanes := map[string]int{}
	shown := window(h, broken, most)
	for _, n := range shown {
		e := h.Event(n)
		lane, ok := lanes[e.Actor]
		if !ok {
			lane = len(p.Lanes)
			lanes[e.Actor] = lane
			p.Lanes = append(p.Lanes, e.Actor)
		}
		p.Events = append(p.Events, [...]any{n, lane, e.Phase, e.Kind, e.Call, e.At / 1000, clip(h.Describe(e))})
	}
	if len(shown) == 0 {
		return nil
	}
	p.Steps = steps(h.Steps, shown)
	return p
}

func clip(text string) string {
	if r := []rune(text); len(r) > longest {
		return string(r[:longest]) + "…"
	}
	return text
}

// mostSteps is the number of steps between two events above which they are gathered.
const mostSteps = 6

// steps returns the steps of the story beside the events shown. Steps that lie among events that are not shown are gathered, and so are
// many between the same two events.
func steps(all []history.Step, shown []int32) (out []step) {
	type place struct {
		column int   // of the first event shown after it
		after  int32 // -1: no event beside it is shown
	}
	at := func(s history.Step) place {
		column, next := slices.BinarySearch(shown, s.After+1)
		if next || column > 0 && shown[column-1] == s.After {
			return place{column, s.After}
		}
		return place{column, -1}
	}
	for len(all) > 0 {
		here := at(all[0])
		n := slices.IndexFunc(all, func(s history.Step) bool { return at(s) != here })
		if n < 0 {
			n = len(all)
		}
		if n > mostSteps || n > 1 && here.after < 0 {
			var texts []string
			for _, s := range all[:n] {
				texts = append(texts, fmt.Sprintf("%d: %s", s.Num, s.Text))
			}
			out = append(out, step{Num: all[0].Num, Count: n, After: all[0].After, Text: clip(strings.Join(texts, "; "))})
		} else {
			for _, s := range all[:n] {
				out = append(out, step{Num: s.Num, After: s.After, Text: s.Text, Skipped: s.Skipped})
			}
		}
		all = all[n:]
	}
	return out
}

// window returns the numbers of the events to show, in order: those that findings name with their calls and answers, then
// those that are nearest to the first violation, on either side, or to the end if there is none.
func window(h *history.History, broken []broken, most int) []int32 {
	in := map[int32]bool{}
	must := func(n int32) bool { return n >= 1 && int(n) <= len(h.Events) && len(in) < 2*most }
	var bad int32
	for _, b := range broken {
		for _, f := range b.Bad {
			for _, n := range f.At {
				if !must(n) {
					continue
				}
				in[n] = true
				if c := h.Event(n).Call; must(c) {
					in[c] = true
				}
			}
			if l := len(f.At); bad == 0 && l > 0 && must(f.At[l-1]) {
				bad = f.At[l-1]
			}
		}
	}
	if bad == 0 {
		bad = int32(len(h.Events))
	}
	for d := int32(0); len(in) < most && int(d) <= len(h.Events); d++ {
		for _, n := range [...]int32{bad - d, bad + d} {
			if n >= 1 && int(n) <= len(h.Events) && len(in) < most {
				in[n] = true
			}
		}
	}
	out := make([]int32, 0, len(in))
	for n := range in {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}
