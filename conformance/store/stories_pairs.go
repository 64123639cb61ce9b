package store

import (
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness/story"
)

// What a queue does with a call depends on what of the key is pending, and on whether its consumer knows the key. The
// checks of this file meet each pair of the two: every row has a key of its own, so that one check meets many.

func pairChecks() []story.Check {
	return []story.Check{
		{Name: "queue/order/pairs", About: "A key changes twice, in every pair of ways. The consumer knows the key, or does not.",
			Rules: rules(queueOrder), Needs: aQueue(), Steps: pairs("drain", rows(in("a"), everyWay, everyWay), nil)},
		{Name: "queue/order/versions", About: "A key changes twice. The second object has the resourceVersion of the first, or an older one.",
			Rules: rules(queueOrder), Needs: aQueue(), Steps: pairs("drain", inVersions(rows(in("a"), ways("", "update"), everyWay)), nil)},
		{Name: "queue/order/after-list", About: "A list is queued. Then an object that is in it changes, in every way, and one that is not.",
			Rules: rules(queueOrder, queueReplace), Needs: aQueue(), Steps: pairs("drain", rows(givenOrNot, none, noneOrOne), giving("given"))},
		{Name: "queue/order/after-resync", About: "A resync is queued. Then each object changes, in every way.",
			Rules: rules(queueOrder, queueResync), Needs: aQueue(), Steps: pairs("drain", rows(in("a"), none, noneOrOne), resyncs)},
		{Name: "queue/order/adjacent", About: "A list of one object is queued, or a resync of it. Right after that the object changes, in every way.",
			Rules: rules(queueReplace, queueResync), Needs: aQueue(),
			Steps: seq(add("a/x"), take(1), forEach(func(way string) steps { return seq(replace("a/x"), asking[way]("a/x", Content{})) }, everyWay...), takeChanges(1, 8),
				forEach(func(way string) steps {
					return seq(add("a/x"), take(1), resync(), asking[way]("a/x", Content{}), takeChanges(1, 2))
				}, everyWay...), drain())},
		{Name: "queue/replace/pairs", About: "Objects have one change pending, or two. Then a list comes, in which some of them are.",
			Rules: rules(queueReplace, queueGhost), Needs: aQueue(), Steps: pairs("drain", rows(givenOrNot, oneOrTwo, none), nil, giving("given"))},
		{Name: "queue/replace/none", About: "Objects have a change pending. Then an empty list comes.", Rules: rules(queueReplace, queueGhost), Needs: aQueue(),
			Steps: pairs("drain", rows(in("lacking"), ways("", "add", "delete", "delete add"), none), nil, giving())},
		{Name: "queue/replace/after-list", About: "A list is queued, and its objects change. Then a second list comes.",
			Rules: rules(queueReplace), Needs: aQueue(),
			Steps: pairs("drain", rows(in("both", "first", "second", "neither"), none, ways("", "update", "delete")), giving("both", "first"), giving("both", "second"))},
		{Name: "queue/replace/after-resync", About: "A resync is queued, and its objects change. Then a list comes.",
			Rules: rules(queueReplace, queueResync), Needs: aQueue(),
			Steps: pairs("drain", rows(givenOrNot, ways("", "delete"), ways("", "update", "delete")), resyncs, giving("given"))},
		{Name: "queue/replace/versions", About: "a list whose objects have not changed, or are older", Rules: rules(queueReplace), Needs: aQueue(),
			Steps: pairs("drain", inVersions(rows(in("given"), ways("", "update", "delete"), none)), nil, giving("given"))},
		{Name: "queue/resync/pairs", About: "resyncs while each change and some two of them are pending", Rules: rules(queueResync), Needs: aQueue(),
			Steps: pairs("drain", rows(in("a"), oneOrTwo, none), nil, resyncs, resyncs)},
		{Name: "queue/resync/after-list", About: "resyncs while a list is pending", Rules: rules(queueReplace), Needs: aQueue(),
			Steps: pairs("drain", rows(givenOrNot, none, ways("", "delete")), giving("given"), resyncs, resyncs)},
		{Name: "queue/batch/pairs", About: "pops in batches each two changes of a key after each other, and bookmarks behind them",
			Rules: rules(queueBatch), Needs: aQueue(Batch),
			Steps: pairs("drain-batches", rows(in("a"), everyWay, everyWay), nil, bookmarks, bookmarks)},
		{Name: "queue/batch/after-list", About: "pops in batches a list, changes after it, and bookmarks behind them",
			Rules: rules(queueBatch, queueReplace), Needs: aQueue(Batch),
			Steps: pairs("drain-batches", rows(givenOrNot, none, noneOrOne), giving("given"), bookmarks, bookmarks)},
	}
}

// row is one key, and what is asked about it. A list gives the keys of some namespaces, and lacks the others.
type row struct {
	ns      string
	known   bool
	pending string // ways, one after the other
	then    string // a way, or none
	c       Content
}

// asking has the words for changes of one key. What is lost is a delete that nobody saw.
var asking = map[string]func(obj string, c Content) steps{
	"add":    func(obj string, c Content) steps { return applyWith(Add, obj, c) },
	"update": func(obj string, c Content) steps { return applyWith(Update, obj, c) },
	"delete": func(obj string, c Content) steps { return applyWith(Delete, obj, c) },
	"lost":   func(obj string, c Content) steps { c.Unknown = true; return applyWith(Delete, obj, c) },
}

var (
	none       = ways("")
	everyWay   = ways("add", "update", "delete", "lost")
	noneOrOne  = ways("", "add", "update", "delete", "lost")
	oneOrTwo   = ways("", "add", "update", "delete", "lost", "add delete", "delete add")
	givenOrNot = in("given", "lacking")
)

func ways(all ...string) []string      { return all }
func in(namespaces ...string) []string { return namespaces }

// rows are all combinations, of keys that are known and of such as are not.
func rows(namespaces, pending, then []string) (out []row) {
	for _, known := range []bool{true, false} {
		for _, ns := range namespaces {
			for _, p := range pending {
				for _, t := range then {
					out = append(out, row{ns: ns, known: known, pending: p, then: t})
				}
			}
		}
	}
	return out
}

// inVersions are rows that end with the object of before, in which nothing has changed, and with an older one.
func inVersions(all []row) (out []row) {
	for _, c := range []Content{{Same: true}, {Version: older}} {
		for _, r := range all {
			r.c = c
			out = append(out, r)
		}
	}
	return out
}

func (r row) key() string {
	words := []string{"new"}
	if r.known {
		words[0] = "known"
	}
	words = append(words, strings.Fields(r.pending)...)
	if r.then != "" {
		words = append(words, "then", r.then)
	}
	if r.c.Same {
		words = append(words, "same")
	}
	return r.ns + "/" + strings.Join(append(words, strings.Fields(string(r.c.Version))...), "-")
}

// ask changes a key in a way; "" changes nothing.
func (r row) ask(way string, c Content) steps {
	if way == "" {
		return nil
	}
	return asking[way](r.key(), c)
}

// asAWhole is what is done about all keys.
type asAWhole func([]row) steps

// pairs asks for what is pending of each key, and for what comes then: at once, or after a step about all keys. What comes
// last of all shows what is missing before it.
func pairs(drain string, all []row, between asAWhole, after ...asAWhole) steps {
	var known, pending, then, rest steps
	for _, r := range all {
		if r.known {
			known = append(known, add(r.key())...)
		}
		for _, way := range strings.Fields(r.pending) {
			pending = append(pending, r.ask(way, Content{})...)
		}
		if between == nil {
			pending = append(pending, r.ask(r.then, r.c)...)
		} else {
			then = append(r.ask(r.then, r.c), then...) // of what was given last first
		}
	}
	if between != nil {
		pending = append(pending, between(all)...)
	}
	for _, f := range after {
		rest = append(rest, f(all)...)
	}
	return seq(known, take(len(known)), pending, then, rest, add("z/end"), do(drain))
}

// giving is a list of the keys of some namespaces.
func giving(namespaces ...string) asAWhole {
	return func(all []row) steps {
		var l []Item
		for _, r := range all {
			if slices.Contains(namespaces, r.ns) {
				l = append(l, Item{Obj: r.key(), Content: r.c})
			}
		}
		return replaceBy("", l...)
	}
}

func resyncs([]row) steps   { return resync() }
func bookmarks([]row) steps { return bookmark() }
