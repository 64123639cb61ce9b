package listerwatcher

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// The functions here make steps, for readable stories.

// steps is a part of a story.
type steps = []story.Step

func seq(parts ...steps) steps                        { return story.Concat(parts...) }
func op(name string) steps                            { return steps{{Op: name}} }
func by(name, actor string) steps                     { return steps{{Op: name, Actor: actor}} }
func when(f harness.Feature, parts ...steps) steps    { return story.When(f, seq(parts...)...) }
func without(f harness.Feature, parts ...steps) steps { return when("!"+f, parts...) }
func beside(parts ...steps) steps                     { return story.Async(seq(parts...)...) }

func put(objs ...string) steps {
	return story.Each(objs, func(_ int, o string) steps { return steps{{Op: "put", Obj: o}} })
}

func putWith(obj string, p rig.Put) steps { return steps{{Op: "put", Obj: obj, With: p}} }

func del(objs ...string) steps {
	return story.Each(objs, func(_ int, o string) steps { return steps{{Op: "delete", Obj: o}} })
}

// fill puts m0 to m(n-1).
func fill(n int) steps { return steps{{Op: "fill", Obj: "m", N: n}} }

// others writes n objects of the other namespace.
func others(n int) steps { return steps{{Op: "fill", Obj: "other/x", N: n}} }

// changes changes the object a n times.
func changes(n int) steps { return steps{{Op: "churn", Obj: "a", N: n}} }

// lives lets objects come, change, go, and come again.
func lives() steps { return seq(put("b", "a", "b"), del("a"), put("a"), del("b"), put("c")) }

// terminating puts an object with every part that one can have, and deletes it: it stays until its finalizer is removed.
func terminating(obj string) steps {
	return seq(putWith(obj, rig.Put{Finalizer: true, Has: "all-parts"}), del(obj))
}

func removeFinalizer(obj string) steps { return steps{{Op: "remove-finalizer", Obj: obj}} }

// long puts an object of each size, and a short one after each.
func long(name string) steps {
	return story.Each(rig.Sizes, func(i, bytes int) steps {
		return seq(putWith(fmt.Sprint(name, i), rig.Put{Bytes: bytes}), put(name+"-short"))
	})
}

// partly puts an object for each part that one can lose, with that part, or when it has lost it.
func partly(lost bool) steps {
	return story.Each(rig.Losses(true), func(_ int, l rig.Loss) steps {
		return putWith("with-"+l.Name, rig.Put{Content: "1", Has: l.Name, Lost: lost})
	})
}

func fault(name string, f rig.Fault) steps { return steps{{Op: "fault", As: name, With: f}} }
func clearFaults(pattern string) steps     { return steps{{Op: "clear", As: pattern}} }

// during plays steps while a fault lasts.
func during(f rig.Fault, parts ...steps) steps { return duringAll([]rig.Fault{f}, parts...) }

// duringAll plays steps while faults last.
func duringAll(all []rig.Fault, parts ...steps) steps {
	arm := story.Each(all, func(i int, f rig.Fault) steps { return fault(fmt.Sprint("f", i+1), f) })
	return seq(arm, seq(parts...), clearFaults("f*"))
}

// lists strikes lists with what a fault does, and watches strikes watches.
func lists(f rig.Fault) rig.Fault {
	f.Verbs = []string{"list"}
	return f
}

func watches(f rig.Fault) rig.Fault {
	f.Verbs = []string{"watch"}
	return f
}

// everything strikes whatever a fault can.
func everything(f rig.Fault) rig.Fault {
	if f.Events != nil {
		return watches(f)
	}
	f.Verbs = []string{"list", "watch"}
	return f
}

func advance(d time.Duration) steps { return steps{{Op: "advance", For: story.Duration(d)}} }
func pause() steps                  { return op("pause") }

func list(o Options) steps { return listAs("", o) }

// listAs makes a list whose continue token and resourceVersion later steps can name.
func listAs(name string, o Options) steps {
	return steps{{Op: "list", Actor: "c1", As: name, With: o}}
}

// pages lists in pages of five, each by a call of its own.
func pages(o Options) steps {
	o.Limit = 5
	return steps{{Op: "list", Actor: "c1", With: o, N: 1000}}
}

var fromNow = Options{ResourceVersion: "now"}

func watch(actor string, o Options) steps { return steps{{Op: "watch", Actor: actor, With: o}} }

// unread opens a watch from now that nobody reads before startReading.
func unread(actor string) steps       { return watch(actor, Options{ResourceVersion: "now", Unread: true}) }
func startReading(actor string) steps { return by("read", actor) }
func stop(actor string) steps         { return by("stop", actor) }
func cancel(actor string) steps       { return by("cancel", actor) }
func openFor(namespace string) steps  { return steps{{Op: "open", With: Open{Namespace: namespace}}} }
func await(actor string, d time.Duration) steps {
	return steps{{Op: "await", Actor: actor, For: story.Duration(d)}}
}

// settle settles the last call of each of some actors; all calls, if none is named.
func settle(actors ...string) steps {
	if len(actors) == 0 {
		return op("settle")
	}
	return story.Each(actors, func(_ int, a string) steps { return by("settle", a) })
}

// end stops a watch that is read, and lets it end.
func end(actor string) steps { return seq(stop(actor), pause()) }

// returnLimit is how long a wait may take in real time to return. Nothing is known of one that takes longer.
const returnLimit = 5 * time.Second

func until(actor, obj string, w Wait) steps {
	return steps{{Op: "until", Actor: actor, Obj: obj, With: w}}
}

// waitFor lets a wait for an event of obj go to its end while steps happen. One that does not return is cancelled.
func waitFor(obj string, w Wait, happen ...steps) steps {
	return seq(until("u1", obj, w), advance(begun), seq(happen...), await("u1", returnLimit), leave("u1"))
}

// leave ends the context of a wait, and waits for its end.
func leave(actor string) steps { return seq(cancel(actor), await(actor, returnLimit)) }

// patiently gives checks the grace of clients that may take long to ask again.
func patiently(all []story.Check) []story.Check {
	for i := range all {
		all[i].Grace = graceOfRetries
	}
	return all
}

// kill lets the open connections die, and gives the last call of an actor the time to notice.
func kill(actor string) steps {
	return seq(op("kill-connections"), when(harness.VirtualTime, advance(rig.DeadBound+time.Second)), without(harness.VirtualTime, await(actor, rig.DeadBound+time.Second)))
}

// largeAndForeign puts an object with text of several alphabets, and then with much of it.
func largeAndForeign(obj string) steps {
	return seq(putWith(obj, rig.Put{Content: rig.Foreign}), putWith(obj+"-data", rig.Put{Bytes: 900_000}), putWith(obj+"-note", rig.Put{Content: rig.Foreign, Note: 250_000}))
}

// foreign is a refusal, and foreignEnd the end of a watch, with characters of two, three and four bytes.
var (
	foreign    = rig.Status{Code: 403, Message: rig.Foreign}
	foreignEnd = rig.Status{Code: 410, Message: rig.Foreign}
)

// overWires returns steps that play first once, and then parts several times. Plain HTTP comes first: once for each way in which the server
// can cut, compress and close what it sends. After that, if the server has TLS, a new client plays parts in the same ways over HTTP/2, and
// another once over HTTP/1.1. faultOn turns each way into a fault on the requests that parts makes. If it is nil, parts is played once over
// each protocol, and the bytes go out as usual.
func overWires(first, parts steps, faultOn func(rig.Fault) rig.Fault) steps {
	each := parts
	if faultOn != nil {
		each = story.Each([]rig.Bytes{{Frame: 1}, {Frame: 1000, Gzip: "never"}, {Inside: true, Gzip: "never"}, {Gzip: "always", Frame: 7}, {Close: true}}, func(_ int, b rig.Bytes) steps {
			return during(faultOn(rig.Fault{Wire: &b}), parts)
		})
	}
	tls := func(s rig.Secure) steps { return steps{{Op: "serve-tls", With: s}, {Op: "open-again"}} }
	return seq(first, each, when(rig.TLS, tls(rig.Secure{}), each, tls(rig.Secure{HTTP1: true}), parts))
}

// finishRead gives a watch the time that it needs, and stops it.
func finishRead(actor string) steps { return seq(settle(actor), end(actor)) }
