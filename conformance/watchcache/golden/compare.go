package golden

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// Concurrent are the checks with several writers at once: their histories
// differ from run to run, so they are judged and perturbed, not compared.
var Concurrent = []string{"list/snapshot/busy", "watch/reliable/busy", "watch/ordered", "write/conflict/contended", "write/exists/contended", "write/response/contended",
	"write/response/contended/json-patch", "write/response/contended/strategic-merge-patch", "write/response/contended/apply", "write/finalizers/contended", "write/visible/many", "write/contended",
	"version/comparable/replaced", "list/pages-with-selector/changing"}

// ByUID says that a history hangs on the uids that the server made, which differ
// from run to run: which shard an object is in, and how many it took for each
// to have some. Such a one is judged and perturbed, not compared.
func ByUID(h *history.History) bool { return replay.Of(h).Shards() }

// Compare says where two normalised histories of one check differ, actor by
// actor. Left out are, by class: plain bookmarks (a server sends them when it
// likes), the engine's own events, and what follows where a watch that ended
// by its timeout had already ended in the other history.
func Compare(want, got *history.History) []string {
	var out []string
	switch {
	case !tellsMeta(want):
		got = changed(got, func(o *history.Ref) { o.Meta = nil })
	case !tellsOf(want, replay.Deletion):
		var in history.Interner
		got = changed(got, func(o *history.Ref) {
			if m := maps.Clone(o.Meta.Map()); m[replay.Deletion] != "" {
				delete(m, replay.Deletion)
				o.Meta = in.Set(m)
			}
		})
	}
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

// tellsMeta says that a history keeps what else the server decides of metadata.
// Recordings from before histories had it do not.
func tellsMeta(h *history.History) bool {
	return slices.ContainsFunc(h.Events, func(e history.Event) bool {
		return slices.ContainsFunc(replay.Objects(&e), func(o history.Ref) bool { return o.Meta != nil })
	})
}

// tellsOf says that a history keeps this of some object.
func tellsOf(h *history.History, name string) bool {
	return slices.ContainsFunc(h.Events, func(e history.Event) bool {
		return slices.ContainsFunc(replay.Objects(&e), func(o history.Ref) bool { return o.Meta.Get(name) != "" })
	})
}

// changed is a history with all its objects changed.
func changed(h *history.History, f func(*history.Ref)) *history.History {
	events := slices.Clone(h.Events)
	for i := range events {
		f(&events[i].Obj)
		if x := events[i].X; x != nil && x.Items != nil {
			y := *x
			y.Items = slices.Clone(x.Items)
			for n := range y.Items {
				f(&y.Items[n])
			}
			events[i].X = &y
		}
	}
	out, err := history.New(h.Header, events)
	if err != nil {
		panic(fmt.Sprintf("golden: a history is none without metadata: %v", err)) // calls and returns stay paired
	}
	return out
}

// What differs by chance, and what is compared in its place. Whether two tokens
// are equal depends on what others write meanwhile; a generated name ends at
// random.
var chances = []struct {
	is *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`continue=token-\S+`), "continue=…"},
	{generated, "made-…"},
}

var generated = regexp.MustCompile(`\bmade-[a-z0-9]{5}\b`)

// again is when a refusal on a watch says to come back: of etcd's, a number by chance.
var again = regexp.MustCompile(`retryAfterSeconds=[1-3]\b`)

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
		case e.Kind == replay.List && pageOfAll(callOf(h, &e)):
			continue
		case slices.Contains([]string{history.Settled, history.Stopped, history.Ended, history.Left, history.GaveUp}, e.Kind):
			continue
		}
		e.Call = 0
		out = append(out, line(h, &e))
	}
	return out
}

func line(h *history.History, e *history.Event) string {
	if e.X != nil {
		x := *e.X
		x.Items = byRank(x.Items)
		c := *e
		c.X = &x
		e = &c
	}
	s := h.Describe(e) + " " + e.Obj.UID + " " + e.Obj.Body + " " + e.Obj.Meta.String()
	for _, c := range chances {
		s = c.is.ReplaceAllString(s, c.by)
	}
	if e.Phase == history.Notice && e.Kind == replay.Errored {
		s = again.ReplaceAllString(s, "retryAfterSeconds=…")
	}
	return s
}

// byRank puts items with generated names, whose order is by chance, in the order
// of their writes; all others stay where they are.
func byRank(items []history.Ref) []history.Ref {
	var at []int
	var made []history.Ref
	for i := range items {
		if generated.MatchString(items[i].Key) {
			at, made = append(at, i), append(made, items[i])
		}
	}
	slices.SortStableFunc(made, func(a, b history.Ref) int { return cmp.Compare(a.N, b.N) })
	out := slices.Clone(items)
	for i := range at {
		out[at[i]] = made[i]
	}
	return out
}

// callOf is what a return answers; a call is its own.
func callOf(h *history.History, e *history.Event) *history.Event {
	if e.Phase == history.Return {
		return h.Event(e.Call)
	}
	return e
}

// pageOfAll says that a call is a page of a list of all namespaces.
func pageOfAll(call *history.Event) bool {
	if call.X == nil {
		return false
	}
	a, err := replay.ParseArgs(call.X.Args)
	return err == nil && a.Namespace == "" && (a.Options.Limit > 0 || a.Options.Continue != "")
}

func timedOut(h *history.History, actor string) bool {
	return slices.ContainsFunc(h.By(actor), func(e history.Event) bool { return e.Kind == history.Ended })
}
