package informer

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

func convergeChecks() []story.Check {
	return []story.Check{
		{
			Name:  "converge/equal",
			About: "Objects come, change, go and come again, before the start and while the informer runs.",
			Rules: []harness.Rule{convergeEqual, convergeTime, syncListFirst, requestCredentials},
			Steps: seq(put("a"), put("b"), del("b"), putWith("fixed", rig.Put{Immutable: true, Bare: true}), start(), settle(), lives(), settle()),
		}, {
			Name: "converge/equal/wire",
			About: "Lists and watches with text of several alphabets, 900 KB of data and 250 KB in an annotation come in frames that end within characters, of one byte, of many events, " +
				"compressed and not, each on the last use of its connection.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{convergeEqual, convergeTime},
			Span:  2 * time.Minute,
			Steps: seq(largeAndForeign(), fault("wire", all(rig.Fault{Wire: &wires[0]})), start(), settle(), story.Each(wires, func(i int, b rig.Bytes) steps {
				return seq(fault("wire", all(rig.Fault{Wire: &b})), cut(), putWith("a", rig.Put{Content: fmt.Sprint(rig.Foreign, i)}), change(i), settle())
			}), whileDisconnected(largeAndForeign(), del("a")), settle()),
		}, {
			Name:  "converge/equal/wire-tls",
			About: "The same over TLS, for an informer by HTTP/1.1 and for one by HTTP/2.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults, rig.TLS},
			Rules: []harness.Rule{convergeEqual, convergeTime},
			Span:  2 * time.Minute,
			Steps: seq(largeAndForeign(), fault("wire", all(rig.Fault{Wire: &rig.Bytes{Frame: 100, Inside: true, Close: true}})), with("serve-tls", rig.Secure{HTTP1: true}), opened(Open{}), start(), settle(),
				op("serve-tls"), open(informerActor+"-2", Open{}), start(informerActor+"-2"), settle(), lives(), putWith("a", rig.Put{Content: rig.Foreign}), settle(),
				whileDisconnected(change(1)), settle()),
		}, {
			Name:  "converge/equal/terminating",
			About: "Objects are deleted, and stay until their finalizer is removed: seen by events, and by lists.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{convergeEqual, convergeDeletes, convergeTime},
			Steps: seq(twoHandlers(), fill(2), withFinalizer("held0"), withFinalizer("held1"), withFinalizer("held2"), del("held0"), start(), settle(),
				del("held1"), settle(), whileDisconnected(del("held2")), settle(),
				removeFinalizer("held0"), settle(), whileDisconnected(removeFinalizer("held1")), settle(), removeFinalizer("held2"), settle()),
		}, {
			Name: "converge/deletes",
			About: "Objects are deleted while no watch is open: one at once, one after a change that nobody saw, one that comes again " +
				"under its name, and all that there are.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{convergeDeletes, convergeRecreated, convergeEqual, convergeTime, requestCredentials},
			Span:  25 * time.Second,
			Steps: seq(fill(6), twoHandlers(), start(), settle(),
				whileDisconnected(del("o0"), put("o1"), del("o1"), del("o2"), put("o2", "1")), settle(), // o2 as it was, and another
				whileUnwatched(del("o3"), del("o2"), put("o0")), settle(),
				whileDisconnected(deleteAll()), settle(), put("o0"), settle()),
		}, {
			Name:  "converge/selected",
			About: "An informer has a label selector. Objects enter the selection and leave it: before the start, on a watch, while none is open, across a list.",
			Needs: []harness.Feature{Selectors, rig.Cuts, rig.Faults},
			Rules: []harness.Rule{convergeEqual, convergeDeletes, convergeTime},
			Span:  25 * time.Second,
			Steps: seq(fill(4), label("o1", "two"), opened(Open{Labels: true}), start(), settle(), entersAndLeaves(), settle(),
				whileDisconnected(entersAndLeaves(), label("o3", "two")), settle(), whileUnwatched(entersAndLeaves(), del("o1")), settle(), entersAndLeaves(), settle()),
		}, {
			Name:  "converge/selected/fields",
			About: "An informer has a field selector, and one has both. What they do not choose comes, changes and goes.",
			Needs: []harness.Feature{Selectors, rig.Cuts, rig.Faults},
			Rules: []harness.Rule{convergeEqual, convergeDeletes, convergeTime},
			Span:  25 * time.Second,
			Steps: seq(fill(3), opened(Open{Fields: true}), open("informer-2", Open{Fields: true, Labels: true}), start(), start("informer-2"), settle(),
				put("o1"), del("o1"), put("o2"), settle(), whileDisconnected(put("o1"), label("o0", "two"), put("o2")), settle(), label("o0", "one"), del("o2"), settle()),
		}, {
			Name:  "converge/deletes/together",
			About: "One write deletes several objects, so that the deletions share a resourceVersion: a watch shows them, and a list.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults, rig.Revisions},
			Rules: []harness.Rule{convergeDeletes, convergeEqual, convergeTime},
			Span:  25 * time.Second,
			Steps: seq(twoHandlers(), fill(6), start(), settle(), atOnce(deleteTogether("o1", "o2", "o3")), settle(), put("o2"),
				atOnce(put("o0"), deleteTogether("o2", "o4"), put("o4")), settle(), whileDisconnected(deleteTogether("o0", "o5")), settle()),
		}, {
			Name:  "converge/equal/large",
			About: "resourceVersions grow beyond 32 bits, and beyond what a floating-point number holds: on a watch, when it ends, and in a list.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults, rig.Revisions},
			Rules: []harness.Rule{convergeEqual, convergeTime},
			Steps: seq(twoHandlers(), fill(3), start(), settle(), story.Each([]int{1 << 31, 1 << 53}, func(i, by int) steps {
				cutAfterWrite := seq(put("o1"), catchUp(), cut(), catchUp()) // after an odd one, and an even one
				return seq(leap(by), put("o1"), change(2*i+1), settle(), cutAfterWrite, cutAfterWrite, whileDisconnected(change(2*i+2)), settle())
			})),
		}, {
			Name: "converge/equal/names",
			About: "Objects whose names are alike (up to a dot, in the first 63, 128 or 252 characters, as numbers) are listed, come, change " +
				"and go, seen and unseen.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{convergeEqual, convergeTime},
			Steps: seq(eachSecond(0, putOne), handle("h1"), start(), settle(), eachSecond(1, putOne), settle(), eachSecond(0, putNew), settle(),
				eachSecond(0, delOne), settle(), whileDisconnected(eachSecond(1, delOne), eachSecond(0, putNew)), settle()),
		}, {
			Name:  "converge/equal/long",
			About: "Objects of 6,000, 80,000 and 600,000 bytes are listed, come, change seen and unseen, and go.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{convergeEqual, convergeTime},
			Steps: seq(story.Each(rig.Sizes, func(i, n int) steps { return putLong("listed", i, n) }), handle("h1"), start(), settle(),
				story.Each(rig.Sizes, func(i, n int) steps { return seq(putLong("came", i, n), putLong("listed", i, n), put("short")) }), settle(),
				whileDisconnected(putLong("came", 1, rig.Sizes[1])), settle(),
				story.Each(rig.Sizes, func(i, _ int) steps { return del(fmt.Sprint("listed", i)) }), settle()),
		}, {
			Name:  "converge/equal/less",
			About: "Objects lose a label, an annotation, a datum, finalizers or owners, seen and unseen, and nothing else changes.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{convergeEqual, convergeTime},
			Steps: seq(eachLoss(func(part string) steps {
				return seq(putWith("seen-"+part, rig.Put{Content: "1", Has: part}), putWith("unseen-"+part, rig.Put{Content: "1", Has: part}))
			}), whole("whole-listed"), fixed("seen-fixed"), fixed("unseen-fixed"), handle("h1"), start(), settle(),
				lose("seen-"), whole("whole-seen"), settle(), whileDisconnected(lose("unseen-")), settle(),
				put("whole-listed", "1"), put("whole-seen", "1"), settle()), // their finalizers would keep them for ever
		}, {
			Name:  "converge/recreated",
			About: "Objects are deleted and created again while a watch is open, with the same content, too.",
			Rules: []harness.Rule{convergeRecreated, convergeEqual, convergeTime},
			Steps: seq(twoHandlers(), fill(3), start(), settle(), del("o0"), put("o0", "1"), del("o1"), put("o1"), settle(),
				del("o0"), catchUp(), put("o0", "1"), settle()),
		}, {
			Name:  "converge/no-time-travel/views",
			About: "Watches end, and expire, while a view of the server that is behind answers.",
			Needs: []harness.Feature{rig.Cuts, rig.Views, rig.Faults},
			Rules: []harness.Rule{convergeTime, convergeEqual},
			Span:  30 * time.Second,
			Steps: seq(twoHandlers(), fill(4), start(), settle(), story.Repeat(3, func(i int) steps {
				toSecond := listAgain()
				if i == 1 {
					toSecond = cut()
				}
				return seq(view(rig.Lag), change(i+1), del("o1"), catchUp(), view(rig.UseSecond), toSecond, look(),
					view(rig.UseFirst), put("o1"), breakOff(), catchUp(), look(), view(rig.UpToDate), settle())
			})),
		}, {
			Name:  "converge/no-time-travel/start",
			About: "The informer starts at a view that is behind, goes on at one that is not, and comes back.",
			Needs: []harness.Feature{rig.Cuts, rig.Views, rig.Faults},
			Rules: []harness.Rule{convergeTime, convergeEqual},
			Span:  25 * time.Second,
			Steps: seq(twoHandlers(), fill(4), view(rig.UseSecond), view(rig.Lag), change(1), del("o1"), start(), advance(5*time.Second), look(),
				view(rig.UseFirst), listAgain(), look(), view(rig.UseSecond), cut(), listAgain(), look(), view(rig.UpToDate), settle()),
		}, {
			Name:  "converge/no-time-travel/lapse",
			About: "Watches end with an ERROR that is no 410, are refused, and end at once, while a view of the server that is behind answers.",
			Needs: []harness.Feature{rig.Cuts, rig.Views, rig.Faults},
			Rules: []harness.Rule{convergeTime, convergeEqual},
			Span:  10 * time.Minute,
			Steps: seq(twoHandlers(), fill(4), start(), settle(), story.Each(lapses, func(i int, f rig.Fault) steps {
				f.Times = 1
				return seq(view(rig.Lag), change(i+1), catchUp(), look(), view(rig.UseSecond), fault("lapse", watches(f)), cut(),
					advance(20*time.Second), look(), clearFaults("lapse"), view(rig.UseFirst), view(rig.UpToDate), settle())
			})),
		}, {
			Name: "converge/equal/all-namespaces",
			About: "An informer of all namespaces, two of which have objects of one name: they change and go while it watches, and while it " +
				"does not.",
			Needs: []harness.Feature{AllNamespaces, rig.Cuts, rig.Faults},
			Rules: []harness.Rule{convergeEqual, convergeTime},
			Steps: seq(opened(Open{Namespace: "all"}), twoHandlers(), fill(3), sameNamesElsewhere("1"), start(), settle(),
				sameNamesElsewhere("2"), change(1), del("other/o1"), settle(),
				whileDisconnected(change(2), del("o1"), sameNamesElsewhere("3"), del("other/o0")), settle(), del("other/o2"), settle()),
		}, {
			Name:  "converge/equal/same",
			About: "Two informers have one namespace. One starts later, and the other is stopped.",
			Rules: []harness.Rule{convergeEqual},
			Steps: seq(fill(3), open(secondActor, Open{Namespace: "own"}), start(), settle(), start(secondActor), settle(),
				change(1), del("o1"), settle(), stop(), change(2), put("o1"), settle()),
		}, {
			Name: "converge/equal/two",
			About: "Two informers of two namespaces share a server of two views, one of which is behind. In the end one informer is stopped, " +
				"and the other is not.",
			Needs: []harness.Feature{rig.Cuts, rig.Views, rig.Faults},
			Rules: []harness.Rule{convergeEqual, convergeTime},
			Steps: seq(fill(3), fillOther(3), open(secondActor, Open{}), start(), start(secondActor), settle(),
				view(rig.Lag), change(1), fillOther(5), view(rig.UseSecond), listAgain(), fillOther(6), del("other/x0"), look(),
				view(rig.UseFirst), view(rig.UpToDate), settle(), stop(), fillOther(7), del("other/x1"), settle()),
		},
	}
}

func fixed(obj string) steps {
	return putWith(obj, rig.Put{Content: "fixed", Immutable: true, Bare: true})
}
func whole(obj string) steps { return putWith(obj, rig.Put{Content: "1", Has: "all-parts"}) }

func putLong(name string, i, bytes int) steps {
	return putWith(fmt.Sprint(name, i), rig.Put{Bytes: bytes, Bare: true})
}

// eachSecond does something with every second one of some names that are alike, from the first or the second on.
func eachSecond(first int, do func(name string) steps) steps {
	names := rig.Alike()
	return story.Repeat((len(names)-first+1)/2, func(i int) steps { return do(names[first+2*i]) })
}

func putOne(name string) steps { return put(name, "1") }
func putNew(name string) steps { return put(name) }
func delOne(name string) steps { return del(name) }

// eachLoss does something for each part that an object can lose. Owners it has in virtual time alone.
func eachLoss(do func(part string) steps) steps {
	return story.Each(rig.Losses(true), func(_ int, l rig.Loss) steps {
		if l.Name == "owners" {
			return inVirtualTime(do(l.Name))
		}
		return do(l.Name)
	})
}

// lose lets the objects of eachLoss lose their parts. One that is immutable is deleted, and created as one that is not.
func lose(prefix string) steps {
	return seq(eachLoss(func(part string) steps { return putWith(prefix+part, rig.Put{Content: "1", Has: part, Lost: true}) }),
		del(prefix+"fixed"), put(prefix+"fixed", "fixed"))
}

// sameNamesElsewhere puts objects into the other namespace whose names are those of objects in the first.
func sameNamesElsewhere(content string) steps {
	return steps{{Op: "fill", Obj: "other/o", N: 3, With: rig.Put{Content: "elsewhere " + content, App: "two"}}}
}

// lapses are what a watch may meet, before it has brought anything, that says nothing about its resourceVersion.
var lapses = []rig.Fault{
	{Events: atStart("error", status(500))}, {Events: atStart("error", status(504))}, {Events: atStart("close", nil)},
	{Status: status(500)}, {Status: status(503)}, {Status: status(403)},
}

// atStart is what becomes of a watch before it has brought anything.
func atStart(do string, s *rig.Status) *rig.Events {
	return &rig.Events{After: ptr(rig.Duration(0)), Do: do, Status: s}
}

// entersAndLeaves has objects enter the selection app=one, leave it, do both, and change outside of it.
func entersAndLeaves() steps {
	return seq(label("o1", "one"), label("o0", "two"), put("o0", "unseen"), label("o2", "two"), label("o2", "one"), label("new", "two"), put("o3"), label("o0", "two"), del("new"),
		label("o1", "two"), label("o0", "one"))
}
