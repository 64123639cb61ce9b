package golden

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// Concurrent are the checks with several writers at once: their histories
// differ from run to run, so they are judged and perturbed, not compared.
var Concurrent = []string{"list/snapshot/busy", "watch/ordered", "write/conflict/contended", "write/visible/many"}

// Compare says where two normalised histories of one check differ, actor by
// actor. Left out are, by class: plain bookmarks (a server sends them when it
// likes), the engine's own events, and what follows where a watch that ended
// by its timeout had already ended in the other history.
func Compare(want, got *history.History) []string {
	var out []string
	for _, actor := range union(want.Actors(), got.Actors()) {
		w, g := lines(want, actor), lines(got, actor)
		cut := timedOut(want, actor) || timedOut(got, actor)
		for i := range max(len(w), len(g)) {
			switch {
			case i < len(w) && i < len(g) && w[i] == g[i]:
				continue
			case cut && (i >= len(w) || i >= len(g)):
			case i >= len(w):
				out = append(out, fmt.Sprintf("%s: the golden ends where there is %s", actor, g[i]))
			case i >= len(g):
				out = append(out, fmt.Sprintf("%s: it ends where the golden has %s", actor, w[i]))
			default:
				out = append(out, fmt.Sprintf("%s: %s, where the golden has %s", actor, g[i], w[i]))
			}
			break // what follows a difference differs
		}
	}
	return out
}

// token: whether two are equal depends on what others write meanwhile.
var token = regexp.MustCompile(`continue=token-\S+`)

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// lines are an actor's events as text, without numbers.
func lines(h *history.History, actor string) []string {
	var out []string
	for _, e := range h.By(actor) {
		switch {
		case e.Kind == replay.Bookmark && !replay.IsMark(&e):
			continue
		case e.Phase == history.Return && e.Kind == replay.List && pageOfAll(h, h.Event(e.Call)):
			continue
		case slices.Contains([]string{history.Settled, history.Stopped, history.Ended, history.Left, history.GaveUp}, e.Kind):
			continue
		}
		e.Call = 0
		out = append(out, token.ReplaceAllString(h.Describe(&e), "continue=…")+" "+e.Obj.UID+" "+e.Obj.Body)
	}
	return out
}

// pageOfAll says that a call is a page of a list of all namespaces.
func pageOfAll(h *history.History, call *history.Event) bool {
	if call.X == nil {
		return false
	}
	a, err := replay.ParseArgs(call.X.Args)
	return err == nil && a.Namespace == "" && (a.Options.Limit > 0 || a.Options.Continue != "")
}

func timedOut(h *history.History, actor string) bool {
	return slices.ContainsFunc(h.By(actor), func(e history.Event) bool { return e.Kind == history.Ended })
}
