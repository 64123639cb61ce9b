package informer

import (
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// The functions here make steps, for readable stories.

// steps is a part of a story.
type steps = []story.Step

func seq(parts ...steps) steps { return story.Concat(parts...) }

func op(name string) steps               { return steps{{Op: name}} }
func on(name, obj string) steps          { return steps{{Op: name, Obj: obj}} }
func by(name, actor string) steps        { return steps{{Op: name, Actor: actor}} }
func with(name string, args any) steps   { return steps{{Op: name, With: args}} }
func repeated(name string, n int) steps  { return steps{{Op: name, N: n}} }
func inVirtualTime(parts ...steps) steps { return story.When(harness.VirtualTime, seq(parts...)...) }
func inRealTime(parts ...steps) steps    { return story.When("!"+harness.VirtualTime, seq(parts...)...) }

// put puts an object. A content that is given matters; else it is one that no object has had.
func put(obj string, content ...string) steps {
	if len(content) > 0 {
		return putWith(obj, rig.Put{Content: content[0]})
	}
	return on("put", obj)
}

func putWith(obj string, p rig.Put) steps { return steps{{Op: "put", Obj: obj, With: p}} }

// withFinalizer puts an object that stays when it is deleted, until its finalizer is removed.
func withFinalizer(obj string) steps {
	return putWith(obj, rig.Put{Content: "1", Finalizer: true, Bare: true})
}

// label puts an object with a value of the label app; empty: without labels.
func label(obj, app string) steps {
	return putWith(obj, rig.Put{Content: "labelled " + app, App: app, Bare: app == ""})
}

// fill puts o0 to o(n-1), each with the content "1".
func fill(n int) steps { return repeated("fill", n) }

// fillOther writes n objects that the informer does not have: they move bookmarks.
func fillOther(n int) steps {
	return steps{{Op: "fill", Obj: "other/x", N: n, With: rig.Put{Bare: true}}}
}

func del(objs ...string) steps {
	return story.Each(objs, func(_ int, o string) steps { return on("delete", o) })
}

func deleteAll() steps                     { return op("delete-all") }
func deleteTogether(names ...string) steps { return with("delete-together", names) }
func removeFinalizer(obj string) steps     { return on("remove-finalizer", obj) }
func change(n int) steps                   { return repeated("change", n) }
func churn(n int) steps                    { return repeated("churn", n) }

// lives lets objects come, change, go, and come again.
func lives() steps {
	return seq(put("c"), put("a"), put("c"), del("a"), put("a"), del("c"), put("b"))
}

func fault(name string, f rig.Fault) steps { return steps{{Op: "fault", As: name, With: f}} }
func clearFaults(pattern string) steps     { return steps{{Op: "clear", As: pattern}} }
func cut() steps                           { return op("cut") }
func breakOff() steps                      { return with("cut", rig.Cut{Break: true}) }
func cutEither(clean bool) steps {
	if clean {
		return cut()
	}
	return breakOff()
}
func refuse() steps              { return op("refuse-connections") }
func accept() steps              { return op("accept-connections") }
func forget() steps              { return op("forget") }
func forgetEvents() steps        { return op("forget-events") }
func view(v rig.View) steps      { return with("view", v) }
func leap(n int) steps           { return repeated("leap", n) }
func leapToDigit(o string) steps { return on("leap-to-digit", o) }

func advance(d time.Duration) steps { return steps{{Op: "advance", For: story.Duration(d)}} }
func pause() steps                  { return op("pause") }

func open(actor string, o Open) steps { return steps{{Op: "open", Actor: actor, With: o}} }
func opened(o Open) steps             { return open("", o) }
func start(actor ...string) steps     { return informers("start", actor) }
func stop(actor ...string) steps      { return informers("stop", actor) }
func cancel(actor ...string) steps    { return informers("cancel", actor) }
func awaitStop(actor ...string) steps { return informers("await-stop", actor) }
func startAgain() steps               { return op("start-again") }
func settle() steps                   { return op("settle") }
func catchUp() steps                  { return op("catch-up") }
func look() steps                     { return op("look") }
func poll(every time.Duration, n int) steps {
	return steps{{Op: "poll", For: story.Duration(every), N: n}}
}

// informers makes a step for each informer; for the first, if none is named.
func informers(op string, actors []string) steps {
	if len(actors) == 0 {
		actors = []string{""}
	}
	return story.Each(actors, func(_ int, a string) steps { return by(op, a) })
}

func handle(name string) steps { return by("handle", name) }
func handleSlow(name string, takes time.Duration) steps {
	return steps{{Op: "handle", Actor: name, With: Handle{Takes: story.Duration(takes)}}}
}
func handleEvery(name string, period time.Duration) steps {
	return steps{{Op: "handle", Actor: name, For: story.Duration(period)}}
}

// handleHeld adds a handler whose calls for an object, or for all (""), block from the first on.
func handleHeld(name, obj string) steps {
	return steps{{Op: "handle", Actor: name, Obj: obj, With: Handle{Held: true}}}
}

func hold(handler string) steps         { return by("hold", handler) }
func holdFor(handler, obj string) steps { return steps{{Op: "hold", Actor: handler, Obj: obj}} }
func release(handler string) steps      { return by("release", handler) }

func remove(handler string, wait bool) steps {
	return steps{{Op: "remove-handler", Actor: handler, With: Remove{Wait: wait}}}
}

// twoHandlers adds two handlers, or one if there can be no more.
func twoHandlers() steps { return seq(handle("h1"), handle("h2")) }

// whileDisconnected plays steps while no watch is open and every request is refused with 503. After that the server does
// not know what was before, if it can forget: the informer has to list again.
func whileDisconnected(parts ...steps) steps {
	return seq(down(), cut(), seq(parts...), forget(), clearFaults("down"))
}

// whileUnwatched plays the same, but the server forgets nothing: the next watch can still tell of the steps. client-go lists
// again after a 503 all the same; after a 429 it only watches again (see atOnce).
func whileUnwatched(parts ...steps) steps {
	return seq(down(), cut(), seq(parts...), clearFaults("down"))
}

func down() steps {
	return fault("down", rig.Fault{Verbs: []string{"list", "watch"}, Status: &rig.Status{Code: 503}})
}

// atOnce plays steps while watches are refused with 429. The informer then gets them all at once, by the watch that it opens
// when none is refused any more. If a queue lies between watch and store, they are taken from it in batches.
func atOnce(parts ...steps) steps {
	return seq(fault("busy", rig.Fault{Verbs: []string{"watch"}, Status: &rig.Status{Code: 429}}), cut(), seq(parts...), clearFaults("busy"))
}

// listAgain makes the informer list again, from whichever view answers: its next watch is refused with 410.
func listAgain() steps {
	return seq(fault("gone", rig.Fault{Verbs: []string{"watch"}, Streaming: ptr(false), Times: 1, Status: &gone}), cut(),
		inVirtualTime(advance(time.Minute)), inRealTime(advance(time.Second)), clearFaults("gone"))
}

// slow delays lists, and each event of streaming lists, by a second, until the faults slow-* are cleared.
func slow() steps {
	second := rig.Duration(time.Second)
	return seq(fault("slow-list", rig.Fault{Verbs: []string{"list"}, Latency: second}),
		fault("slow-stream", rig.Fault{Verbs: []string{"watch"}, Streaming: ptr(true), Events: &rig.Events{Do: "delay", Times: 6, For: second}}))
}

// noStreams refuses streaming lists, so that the informer lists.
func noStreams() steps {
	return fault("no-streams", rig.Fault{Verbs: []string{"watch"}, Streaming: ptr(true), Status: &rig.Status{Code: 400}})
}

func ptr[T any](v T) *T { return &v }

// lists and streams strike lists, and streaming lists, with what a fault does.
func lists(f rig.Fault) rig.Fault {
	f.Verbs = []string{"list"}
	return f
}

func streams(f rig.Fault) rig.Fault {
	f.Verbs, f.Streaming = []string{"watch"}, ptr(true)
	return f
}

// watches strikes watches that are no streaming lists.
func watches(f rig.Fault) rig.Fault {
	f.Verbs, f.Streaming = []string{"watch"}, ptr(false)
	return f
}

// all strikes every list and watch.
func all(f rig.Fault) rig.Fault {
	f.Verbs = []string{"list", "watch"}
	return f
}

func status(code int32) *rig.Status { return &rig.Status{Code: code} }

// pollsSpan is how long a check takes at most, in real time, of an informer that lists every half minute.
const pollsSpan = time.Hour

// oneList are the Spans of a check that waits for no list after the first: an informer that polls needs no longer than others.
var oneList = map[harness.Feature]time.Duration{}

// checks makes the checks of the suite from literals.
func checks(all ...func() []story.Check) func() []harness.Check[Rig] {
	return story.Checks(vocabulary, play, func() (out []story.Check) {
		for _, list := range all {
			for _, c := range list() {
				if c.Spans == nil {
					c.Spans = map[harness.Feature]time.Duration{Polls: pollsSpan}
				}
				out = append(out, c)
			}
		}
		return out
	})
}

// largeAndForeign puts objects with text of several alphabets, and with much of it.
func largeAndForeign() steps {
	return seq(putWith("a", rig.Put{Content: rig.Foreign}), putWith("data", rig.Put{Bytes: 900_000}), putWith("note", rig.Put{Note: 250_000}))
}

// wires are ways in which the bytes of answers and watches may go out.
var wires = []rig.Bytes{{Inside: true, Gzip: "never"}, {Frame: 1}, {Gather: rig.Duration(2 * time.Second)}, {Gzip: "always", Frame: 7}, {Close: true}}
