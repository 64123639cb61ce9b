package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// vocabulary is the words of this kind's stories.
var vocabulary = story.NewVocabulary("store",
	word("open", "makes the store. It must be the first step: without it the store is made without options.", sayOpen, stepOpen),
	onObject("add", "adds obj, n times.", sayChange(Add), stepChange(Add)),
	onObject("update", "updates obj, n times.", sayChange(Update), stepChange(Update)),
	onObject("delete", "deletes obj, n times.", sayChange(Delete), stepChange(Delete)),
	plain("fill", "adds n objects, a/n0 to a/n(n-1), one after the other.", "add {n} objects, one after the other", stepFill),
	word("replace", "replaces everything by a list: the items, and n objects a/n0 to a/n(n-1).", sayReplace, stepReplace),
	word("apply-all", "makes several changes at once: the items, and additions of n objects a/n0 to a/n(n-1).", sayApplyAll, stepApplyAll, Transactions),
	plain("resync", "asks for a resync.", "resync", call((*driver).resync)),
	word("bookmark", "gives a bookmark.", sayBookmark, stepBookmark),
	onObject("get", "gets what is under the key of obj.", func(s story.Step, _ Content) string { return "get " + s.Obj }, stepGet, Map),
	onObject("get-by-key", "gets what is under a key.", func(s story.Step, _ Content) string { return "get by the key " + s.Obj }, stepGetByKey, Map),
	plain("list", "lists all objects.", "list all objects", call((*driver).list), Map),
	plain("list-keys", "lists all keys.", "list all keys", call((*driver).listKeys), Map),
	plain("version", "reads the resourceVersion.", "read the resourceVersion", call((*driver).version), Map, Version),
	onObject("index", "asks an index for what shares a value with obj.", sayIndex, stepIndex, Map, Index),
	word("by-index", "asks an index for the objects and the keys under a value.", sayByIndex, stepByIndex, Map, Index),
	word("index-values", "asks an index for its values.", sayIndexValues, stepIndexValues, Map, Index),
	word("add-indexers", "adds indexes.", sayAddIndexers, stepAddIndexers, Map, Index),
	word("look", "reads everything: objects, keys and indexes, and obj by its key.", sayLook, stepLook, Map),
	word("pop", "pops n times, or until a Pop waits. A Pop that waits goes on beside the next steps.", sayPop("pop"), stepPop(evPop), IsQueue),
	word("pop-batch", "pops n batches, or until a Pop waits.", sayPop("pop a batch"), stepPop(evPopBatch), IsQueue, Batch),
	plain("synced", "asks whether the queue has synced.", "ask whether the queue has synced", call((*driver).synced), IsQueue),
	plain("close", "closes the queue.", "close the queue", stepClose, IsQueue),
	plain("drain", "closes the queue, and pops until nothing is left.", "close the queue, and pop until nothing is left", stepDrain, IsQueue),
	story.Wanting(plain("advance", "lets the time in \"for\" pass, in real time five seconds at most.", "let {for} pass", stepAdvance), "for"),
).Random(draws, begins, ends)

// Opening says what a store is made with.
type Opening struct {
	Indexers []string       `json:"indexers,omitempty"` // "namespace" and "value"; without the feature index it has none
	TTL      story.Duration `json:"ttl,omitempty"`      // of a store whose entries expire
}

// Content says what an object is like. The zero value is an object that differs from all others.
type Content struct {
	Values  []string `json:"values,omitempty"`  // what the index function "value" returns
	Version Which    `json:"version,omitempty"` // empty: the newest
	Body    string   `json:"body,omitempty"`    // everything else
	Same    bool     `json:"same,omitempty"`    // the very object that was put last under the key
	Unknown bool     `json:"unknown,omitempty"` // of a deletion: its final state is unknown
}

// Which says which resourceVersion something has. Empty: the newest.
type Which string

const (
	same  Which = "same"  // that of what was put last under the key
	older Which = "older" // older than all others
	unset Which = "none"
)

// Item is one of several objects.
type Item struct {
	Obj  string `json:"obj"`
	Verb Verb   `json:"verb,omitempty"` // of a change; empty: ADD
	Content
}

// List is what replaces everything.
type List struct {
	Items   []Item `json:"items,omitempty"`
	Version Which  `json:"version,omitempty"` // of the list; empty: the newest
}

// Changes are several changes that are made at once.
type Changes struct {
	Items []Item `json:"items,omitempty"`
}

// Mark says which resourceVersion a bookmark has.
type Mark struct {
	Version Which `json:"version,omitempty"` // empty: the newest
}

// Query is what an index is asked.
type Query struct {
	Index  string   `json:"index,omitempty"`  // empty: "value"
	Value  string   `json:"value,omitempty"`  // under which to look
	Values []string `json:"values,omitempty"` // of the object with which something shares a value
}

// Indexers are index functions to add.
type Indexers struct {
	Names []string `json:"names,omitempty"` // "namespace" and "value"; none: "value"
}

type noArgs struct{}

// word makes a word. needs are the features without which it does not apply.
func word[A any](name, help string, say func(story.Step, A) string, do func(*world, story.Step, A) error, needs ...harness.Feature) story.Entry[*world] {
	w := story.Word[*world, A]{Name: name, Help: help, Say: say, Do: func(w *world, s story.Step, a A) error {
		err := do(w, s, a)
		if !s.Async {
			w.rest()
		}
		if w.stuck {
			return story.ErrEnd
		}
		return err
	}}
	w.Needs = func(s story.Step, a A) []harness.Feature {
		l, several := any(a).(interface{ keyless() bool })
		if several && l.keyless() || name != "get-by-key" && keyless(objectAt(s.Obj)) {
			return append([]harness.Feature{Keys}, needs...)
		}
		return needs
	}
	return w
}

// plain makes a word without arguments.
func plain(name, help, text string, do func(*world, story.Step, noArgs) error, needs ...harness.Feature) story.Entry[*world] {
	return word(name, help, func(s story.Step, _ noArgs) string { return by(s, s.Fill(text)) }, do, needs...)
}

// onObject makes a word whose steps name an object.
func onObject[A any](name, help string, say func(story.Step, A) string, do func(*world, story.Step, A) error, needs ...harness.Feature) story.Entry[*world] {
	return story.Wanting(word(name, help, say, do, needs...), "obj")
}

// call makes a word's function of a call without arguments.
func call(f func(*driver)) func(*world, story.Step, noArgs) error {
	return func(w *world, s story.Step, _ noArgs) error {
		f(w.by(s))
		return nil
	}
}

func stepOpen(w *world, _ story.Step, o Opening) error {
	if w.s != nil {
		return story.SkipStep("the store is open")
	}
	if !w.open(w.opens, Options{Indexers: o.Indexers, TTL: time.Duration(o.TTL)}) {
		return story.ErrEnd
	}
	return nil
}

func stepChange(v Verb) func(*world, story.Step, Content) error {
	return func(w *world, s story.Step, c Content) error {
		d := w.by(s)
		for range max(s.N, 1) {
			d.change(w.changeOf(Item{s.Obj, v, c}))
		}
		return nil
	}
}

func stepFill(w *world, s story.Step, _ noArgs) error {
	d := w.by(s)
	for _, o := range w.list(nil, s.N) {
		d.apply(Add, o)
	}
	return nil
}

func stepReplace(w *world, s story.Step, l List) error {
	list := w.list(l.Items, s.N)
	w.by(s).replaceAt(l.Version.of(w.rv.next()), list...)
	return nil
}

func stepApplyAll(w *world, s story.Step, all Changes) error {
	var changes []Change
	for _, x := range all.Items {
		changes = append(changes, w.changeOf(x))
	}
	for _, o := range w.list(nil, s.N) {
		changes = append(changes, one(Add, o))
	}
	if len(changes) == 0 {
		return story.SkipStep("there is nothing to change")
	}
	w.by(s).applyAll(changes...)
	return nil
}

func stepBookmark(w *world, s story.Step, m Mark) error {
	if !w.t.Has(Version) && !w.t.Has(Bookmarks) {
		return story.SkipStep("needs the feature %s or %s", Version, Bookmarks)
	}
	w.by(s).bookmarkAt(m.Version.of(w.rv.next()))
	return nil
}

func stepGet(w *world, s story.Step, c Content) error {
	w.by(s).get(w.object(s.Obj, c))
	return nil
}

func stepGetByKey(w *world, s story.Step, _ Content) error {
	w.by(s).getByKey(s.Obj)
	return nil
}

func (q Query) index() string { return cmp.Or(q.Index, ByValue) }

func stepIndex(w *world, s story.Step, q Query) error {
	w.by(s).index(q.index(), w.object(s.Obj, Content{Values: q.Values}))
	return nil
}

func stepByIndex(w *world, s story.Step, q Query) error {
	w.by(s).under(q.index(), q.Value)
	return nil
}

func stepIndexValues(w *world, s story.Step, q Query) error {
	w.by(s).indexValues(q.index())
	return nil
}

func (x Indexers) names() []string {
	if x.Names == nil {
		return []string{ByValue}
	}
	return x.Names
}

func stepAddIndexers(w *world, s story.Step, x Indexers) error {
	w.by(s).addIndexers(x.names()...)
	return nil
}

func stepLook(w *world, s story.Step, _ noArgs) error {
	d := w.by(s)
	d.lists()
	if s.Obj != "" {
		d.get(w.object(s.Obj, Content{}))
		d.getByKey(s.Obj)
	}
	if d.t.Has(Index) {
		d.byIndex(ByValue, "red", "blue")
		d.byIndex(ByNamespace, "a", "")
	}
	return nil
}

func stepPop(kind string) func(*world, story.Step, noArgs) error {
	return func(w *world, s story.Step, _ noArgs) error {
		actor := cmp.Or(s.Actor, "pop")
		for i := range max(s.N, 1) {
			if p := w.popOf(actor); p != nil && !p.returned() {
				if i > 0 {
					return nil
				}
				return story.SkipStep("a Pop of %s waits", actor)
			}
			w.pop(actor, kind)
			if !s.Async {
				w.rest()
			}
		}
		return nil
	}
}

func stepClose(w *world, _ story.Step, _ noArgs) error {
	if w.shut {
		return story.SkipStep("the queue is closed")
	}
	w.close()
	return nil
}

func stepDrain(w *world, s story.Step, _ noArgs) error {
	if !w.shut {
		w.close()
		w.rest()
	}
	actor := cmp.Or(s.Actor, "pop")
	for range 1000 {
		if p := w.popOf(actor); p != nil && (!p.returned() || p.err != nil) {
			return nil
		}
		w.pop(actor, evPop)
		w.rest()
	}
	return fmt.Errorf("the queue is closed, and gives more and more")
}

func stepAdvance(w *world, s story.Step, _ noArgs) error {
	pause := time.Duration(s.For)
	if !w.t.Virtual() {
		pause = min(pause, 5*time.Second)
	}
	w.t.Sleep(pause)
	return nil
}

// Validate returns an error for an unknown index function.
func (o Opening) Validate() error { return validIndexers(o.Indexers) }

// Validate returns an error for an unknown index function.
func (x Indexers) Validate() error { return validIndexers(x.Names) }

func validIndexers(names []string) error {
	for _, name := range names {
		if name != ByNamespace && name != ByValue {
			return fmt.Errorf("there is no index function %q: say %q or %q", name, ByNamespace, ByValue)
		}
	}
	return nil
}

// Validate returns an error for an unknown version, and for values that a history cannot hold.
func (c Content) Validate() error {
	if slices.ContainsFunc(c.Values, func(v string) bool { return v == "" || strings.Contains(v, ",") }) {
		return fmt.Errorf("values are %q: a value must not be empty, nor have a comma", c.Values)
	}
	return c.Version.validate(same, older, unset)
}

// Validate returns an error for a bad item, or an unknown version.
func (l List) Validate() error { return cmp.Or(l.Version.validate(older, unset), validItems(l.Items)) }

// Validate returns an error for a bad item.
func (c Changes) Validate() error { return validItems(c.Items) }

// Validate returns an error for an unknown version.
func (m Mark) Validate() error { return m.Version.validate(older) }

func (v Which) validate(may ...Which) error {
	if v != "" && !slices.Contains(may, v) {
		return fmt.Errorf("the version is %q: it may be one of %q", v, may)
	}
	return nil
}

func validItems(items []Item) error {
	for i, x := range items {
		switch err := x.Content.Validate(); {
		case x.Obj == "":
			return fmt.Errorf("item %d has no \"obj\"", i+1)
		case x.Verb != "" && !slices.Contains(verbs, x.Verb):
			return fmt.Errorf("item %d: the verb is %q: say one of %q", i+1, x.Verb, verbs)
		case err != nil:
			return fmt.Errorf("item %d: %w", i+1, err)
		}
	}
	return nil
}

func (l List) keyless() bool    { return anyKeyless(l.Items) }
func (c Changes) keyless() bool { return anyKeyless(c.Items) }

func anyKeyless(items []Item) bool {
	return slices.ContainsFunc(items, func(x Item) bool { return keyless(objectAt(x.Obj)) })
}
