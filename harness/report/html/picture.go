package html

import (
	"slices"

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
	After   int32  `json:"after"` // the number of the event before it
	Micros  int64  `json:"at"`
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
		text := []rune(h.Describe(e))
		if len(text) > longest {
			text = append(text[:longest], '…')
		}
		p.Events = append(p.Events, [...]any{n, lane, e.Phase, e.Kind, e.Call, e.At / 1000, string(text)})
	}
	if len(shown) == 0 {
		return nil
	}
	first, last := shown[0], shown[len(shown)-1]
	if len(shown) == len(h.Events) {
		last++ // steps after the last event, too
	}
	for _, s := range h.Steps {
		if s.After+1 >= first && s.After <= last {
			p.Steps = append(p.Steps, step{s.Num, s.After, s.At / 1000, s.Text, s.Skipped})
		}
	}
	return p
}

// window returns the numbers of the events to show, in order: those that findings name with their calls and answers, then
// those that are nearest to the first violation, on either side.
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
	bad = max(bad, 1)
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
