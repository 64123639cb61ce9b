package listerwatcher

import (
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// draws says how random stories use the words of this kind.
func draws() map[string]story.Drawing {
	all := rig.Draws()
	maps.Copy(all, map[string]story.Drawing{
		"open":   {Weight: 1, Draw: drawOpen},
		"list":   {Weight: 16, Draw: drawList},
		"watch":  {Weight: 14, Draw: drawWatch},
		"read":   {Weight: 3, Draw: func(c harness.Choices) story.Step { return story.Step{Actor: drawWatcher(c), For: drawPause(c)} }},
		"stop":   {Weight: 4, Draw: func(c harness.Choices) story.Step { return story.Step{Actor: drawWatcher(c)} }},
		"cancel": {Weight: 4, Draw: drawCancel},
		"until":  {Weight: 10, Draw: drawUntil},
		"settle": {Weight: 4},
		"await": {Weight: 1, Draw: func(c harness.Choices) story.Step {
			return story.Step{Actor: story.Pick(c, slices.Concat(watchers, waiters)...), For: story.Duration(endLimit)}
		}},
		"open-again": {Weight: 1},
		"forget":     {Weight: 5},
		"fault":      {Weight: 12, Draw: drawFault},
		"leap": {Weight: 2, Draw: func(c harness.Choices) story.Step {
			return story.Step{N: story.Pick(c, 1, 7, 1000, 1<<15, 1<<31, 1<<53, 1<<60)}
		}},
	})
	return all
}

// begins makes what random stories begin with: perhaps another namespace, objects, something that is wrong from the start,
// and a call of each sort.
func begins(c harness.Choices) (all []story.Step) {
	add := func(op string, s story.Step) {
		s.Op = op
		all = append(all, s)
	}
	if story.Chance(c, 5) {
		add("serve-tls", rig.DrawSecure(c))
	}
	if story.Chance(c, 6) {
		add("open", drawOpen(c))
	}
	switch {
	case story.Chance(c, 200):
		add("fill", story.Step{N: 510}) // more than a page of the size that clients have
	case !story.Chance(c, 3):
		add("fill", story.Step{N: 1 + c.IntN(16)})
	}
	if story.Chance(c, 3) {
		add("fault", drawFault(c))
	}
	if story.Chance(c, 40) { // between two pages of a list the server forgets the state of the first
		add("fault", story.Step{As: "f1", With: rig.Fault{Verbs: []string{"list"}, Continued: new(true), Latency: rig.Duration(2 * time.Second)}})
		add("list", story.Step{Actor: "c1", With: Options{Limit: 2}, Async: true})
		add("pause", story.Step{})
		add("put", story.Step{Obj: "o0"})
		add("forget", story.Step{})
	}
	add("until", drawUntil(c))
	for _, op := range []string{"list", "watch", "watch"} {
		if story.Chance(c, 2) {
			add(op, draws()[op].Draw(c))
		}
	}
	return all
}

// ends makes what they end with: nothing is wrong any more, all calls have the time that they need, and are then ended. Some
// are ended before, in the pause after something went wrong.
func ends(c harness.Choices) (all []story.Step) {
	if story.Chance(c, 4) {
		all = append(trouble(c), releases(c)...)
	}
	all = append(all, rig.Ends()...)
	for _, actor := range watchers {
		if story.Chance(c, 2) {
			all = append(all, story.Step{Op: "read", Actor: actor})
		}
	}
	return slices.Concat(all, []story.Step{{Op: "settle"}}, releases(c), []story.Step{{Op: "settle"}})
}

// releases stops each watch, or ends its context, and the context of each wait.
func releases(c harness.Choices) (all []story.Step) {
	for _, actor := range watchers {
		all = append(all, story.Step{Op: story.Pick(c, "stop", "cancel"), Actor: actor})
	}
	for _, actor := range waiters {
		all = append(all, story.Step{Op: "cancel", Actor: actor})
	}
	return all
}

// trouble ends all watches, and keeps clients from opening others for a while.
func trouble(c harness.Choices) []story.Step {
	f := story.Pick(c, slices.Concat(refusals, troubles, failing)...)
	f.Verbs, f.Times = []string{"list", "watch"}, 100
	if f.Events != nil {
		f.Verbs = []string{"watch"}
	}
	all := []story.Step{{Op: "fault", As: "f2", With: f}, {Op: "cut", With: rig.Cut{Break: true}}}
	if story.Chance(c, 5) {
		all = []story.Step{{Op: "refuse-connections"}}
	}
	return append(all, story.Step{Op: "advance", For: story.Duration(story.Pick(c, moments...))})
}

var (
	watchers = []string{"w1", "w2", "w3"}
	waiters  = []string{"u1", "u2"}
)

func drawWatcher(c harness.Choices) string { return story.Pick(c, watchers...) }

func drawOpen(c harness.Choices) story.Step {
	return story.Step{With: Open{Namespace: story.Pick(c, "other", "all")}}
}

func drawName(c harness.Choices) string { return story.Pick(c, "l0", "l1") }

// drawOptions chooses options that lists and watches have. Each is set seldom, so that a story tells them apart.
func drawOptions(c harness.Choices) (o Options) {
	if story.Chance(c, 2) {
		o.ResourceVersion = drawVersion(c)
		if story.Chance(c, 3) {
			o.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
		}
	}
	switch c.IntN(8) {
	case 0, 1:
		o.LabelSelector = story.Pick(c, "app=one", "app in (one,two)", "app!=two")
	case 2:
		o.TimeoutSeconds = new(story.Pick[int64](c, 0, 33, 400))
	}
	switch c.IntN(8) {
	case 0:
		o.FieldSelector = story.Pick(c, "metadata.name=o1", "metadata.name!=o2", reserved)
	case 1:
		o.AllowWatchBookmarks = true
	}
	return o
}

func drawVersion(c harness.Choices) string {
	return story.Pick(c, "now", "now", "now", "0", "first", "l0", "l1", "future")
}

func drawList(c harness.Choices) story.Step {
	s := story.Step{Actor: story.Pick(c, "c1", "c2"), As: drawName(c), Async: story.Chance(c, 6)}
	o := drawOptions(c)
	switch c.IntN(8) {
	case 0, 1:
		o.Limit = story.Pick[int64](c, 1, 2, 5, 100_000)
	case 2:
		o = Options{Limit: 2, Continue: drawName(c)}
	case 3:
		o = Options{Limit: 2, Untagged: true}
	}
	if o.ResourceVersion == "now" && story.Chance(c, 3) {
		o.ResourceVersionMatch = metav1.ResourceVersionMatchExact
	}
	if o.Limit > 0 && story.Chance(c, 2) {
		s.N = 20
	}
	s.With = o
	return s
}

func drawWatch(c harness.Choices) story.Step {
	o := drawOptions(c)
	if o.ResourceVersion == "" {
		o.ResourceVersionMatch = ""
		if story.Chance(c, 2) {
			o.ResourceVersion = "now" // else clients that resume watches could begin few of them
		}
	}
	switch c.IntN(8) {
	case 0:
		o.ResourceVersionMatch, o.SendInitialEvents, o.AllowWatchBookmarks = metav1.ResourceVersionMatchNotOlderThan, new(true), true
	case 1:
		o.Limit = 2
	case 2:
		o.Unread = true
	default:
		if o.SendInitialEvents == nil {
			o.ResourceVersionMatch = ""
		}
	}
	return story.Step{Actor: drawWatcher(c), For: drawPause(c), With: o, Async: story.Chance(c, 6)}
}

func drawPause(c harness.Choices) story.Duration {
	return story.Duration(story.Pick(c, 0, 0, 0, time.Second))
}

func drawCancel(c harness.Choices) story.Step {
	return story.Step{Actor: story.Pick(c, slices.Concat(watchers, waiters, waiters, []string{"c1"})...)}
}

func drawUntil(c harness.Choices) story.Step {
	w := Wait{Type: story.Pick(c, "ADDED", "MODIFIED", "DELETED")}
	switch c.IntN(8) {
	case 0:
		w.ResourceVersion = drawVersion(c)
	case 1:
		w.LabelSelector = "app=one"
	case 2, 3:
		w.Unless, w.Gone = fmt.Sprint("o", c.IntN(4)), story.Chance(c, 2)
	}
	return story.Step{Actor: story.Pick(c, waiters...), Obj: fmt.Sprint("o", c.IntN(4)), With: w}
}

// drawFault chooses a fault of any client-side kind, or one of those that golden drives have: refusals, answers that are no
// list and no watch, frames that nobody can read.
func drawFault(c harness.Choices) story.Step {
	f := rig.Fault{Verbs: []string{"watch"}, Nth: c.IntN(3), Times: story.Pick(c, 1, 1, 2, 8)}
	var events rig.Events
	var when []harness.Feature
	switch c.IntN(8) {
	case 0, 1, 2:
		return rig.Draws()["fault"].Draw(c)
	case 3:
		of := story.Pick(c, slices.Concat(refusals, troubles)...)
		f.Status, f.Answer, f.Reset = of.Status, of.Answer, of.Reset
		f.Verbs = story.Pick(c, []string{"list"}, []string{"watch"}, []string{"list", "watch"})
	case 4:
		f.Answer = &rig.Answer{Code: 200, Body: story.Pick(c, slices.Concat(unreadable, strange)...)}
		f.Verbs = story.Pick(c, []string{"list"}, []string{"watch"})
	case 5:
		switch c.IntN(3) {
		case 0:
			f.Hang = "headers"
		case 1:
			f.Continued, f.Verbs, f.Latency = new(true), []string{"list"}, rig.Duration(2*time.Second)
		case 2:
			f.Continued, f.Verbs, f.Empty = new(true), []string{"list"}, true
		}
	case 6:
		events = story.Pick(c, frames...)
		if story.Chance(c, 4) { // an event that only clients which resume watches take exception to
			events, when = story.Pick(c, strangers...), []harness.Feature{Retries}
		}
		events.Times = 1
	case 7:
		events = rig.Events{Do: story.Pick(c, "error", "early", "close", "break")}
		if events.Do == "error" {
			events.Status = new(story.Pick(c, slices.Concat(endings, passing)...))
		}
	}
	if events.Do != "" {
		events.Nth = 1 + c.IntN(4)
		f.Events = &events
	}
	return story.Step{As: fmt.Sprint("f", c.IntN(3)), With: f, When: when}
}
