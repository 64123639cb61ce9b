package store

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// vocabulary is the words of this kind's stories. In their sentences {with} stands for what the arguments say, {times} for
// how often, if more than once.
var vocabulary = story.NewVocabulary("store",
	word("open", "makes the store. It must be the first step: without it the store is made without options.", "open the store{with}", stepOpen),
	word("add", "adds obj, n times.", "add {obj}{with}{times}", stepChange(Add)),
	word("update", "updates obj, n times.", "update {obj}{with}{times}", stepChange(Update)),
	word("delete", "deletes obj, n times.", "delete {obj}{with}{times}", stepChange(Delete)),
	word("fill", "adds n objects, a/n0 to a/n(n-1), one after the other.", "add {n} objects, one after the other", stepFill),
	word("replace", "replaces everything by a list: the items, and n objects a/n0 to a/n(n-1).", "replace everything by a list{with}", stepReplace),
	word("apply-all", "makes several changes at once: the items, and additions of n objects a/n0 to a/n(n-1).", "make these changes at once{with}", stepApplyAll, Transactions),
	word("resync", "asks for a resync.", "resync", asks(func(d *driver, _ story.Step, _ noArgs) { d.resync() })),
	word("bookmark", "gives a bookmark.", "give a bookmark{with}", stepBookmark),
	word("get", "gets what is under the key of obj.", "get {obj}", asks(func(d *driver, s story.Step, _ noArgs) { d.get(objectAt(s.Obj)) }), Map),
	word("get-by-key", "gets what is under a key.", "get by the key {obj}", asks(func(d *driver, s story.Step, _ noArgs) { d.getByKey(s.Obj) }), Map),
	word("list", "lists all objects.", "list all objects", asks(func(d *driver, _ story.Step, _ noArgs) { d.list() }), Map),
	word("list-keys", "lists all keys.", "list all keys", asks(func(d *driver, _ story.Step, _ noArgs) { d.listKeys() }), Map),
	word("version", "reads the resourceVersion.", "read the resourceVersion", asks(func(d *driver, _ story.Step, _ noArgs) { d.version() }), Map, Version),
	word("index", "asks an index for what shares a value with obj.", "ask{with} for what shares a value with {obj}", asks(askIndex), Map, Index),
	word("by-index", "asks an index for the objects and the keys under a value.", "ask{with} for objects and keys", asks(func(d *driver, _ story.Step, q Query) { d.under(q.index(), q.Value) }), Map, Index),
	word("index-values", "asks an index for its values.", "ask{with} for its values", asks(func(d *driver, _ story.Step, q Query) { d.indexValues(q.index()) }), Map, Index),
	word("add-indexers", "adds indexes.", "add indexes{with}", asks(func(d *driver, _ story.Step, x Indexers) { d.addIndexers(x...) }), Map, Index),
	word("read", "lists all objects and all keys, and gets the named ones in both ways.", "list all objects and keys{with}", asks(readAll), Map),
	word("read-index", "asks an index for the objects and the keys under each of some values, and for its values.", "ask{with} for objects and keys under each, and for all values", asks(readIndex), Map, Index),
	word("look", "reads everything: objects, keys and indexes, and obj by its key.", "read everything, and {obj} by its key", asks(lookAtAll), Map),
	word("pop", "pops n times, or until a Pop waits. A Pop that waits goes on beside the next steps.", "pop{times}", stepPop(evPop), IsQueue),
	word("pop-batch", "pops n batches, or until a Pop waits.", "pop a batch{times}", stepPop(evPopBatch), IsQueue, Batch),
	word("take", "pops n times. The story ends if a Pop does not return.", "pop{times}, each of which must return", stepTake(evPop), IsQueue),
	word("take-batch", "pops n batches. The story ends if a Pop does not return.", "pop a batch{times}, each of which must return", stepTake(evPopBatch), IsQueue, Batch),
	word("await", "waits until the Pop of an actor has returned. The story ends if it does not.", "wait until the Pop has returned", stepAwait, IsQueue),
	word("synced", "asks whether the queue has synced.", "ask whether the queue has synced", asks(func(d *driver, _ story.Step, _ noArgs) { d.synced() }), IsQueue),
	word("close", "closes the queue.", "close the queue", stepClose, IsQueue),
	word("drain", "closes the queue, and pops until nothing is left.", "close the queue, and pop until nothing is left", stepDrain(evPop), IsQueue),
	word("drain-batches", "closes the queue, and pops batches until nothing is left.", "close the queue, and pop batches until nothing is left", stepDrain(evPopBatch), IsQueue, Batch),
	word("await-pushes", "waits until the store pushes nothing more.", "wait until nothing more is pushed", asks(func(d *driver, _ story.Step, _ noArgs) { d.allPushed() }), Undelta),
	word("advance", "lets the time in \"for\" pass, in real time five seconds at most.", "let {for} pass", stepAdvance),
).Random(draws, begins, ends).Cross(cross)

// word makes a word. needs are the features without which it does not apply.
func word[A arguments](name, help, text string, do func(*world, story.Step, A) error, needs ...harness.Feature) story.Entry[*world] {
	w := story.Word[*world, A]{Name: name, Help: help}
	w.Do = func(w *world, s story.Step, a A) error {
		err := do(w, s, a)
		if !s.Async && !w.stuck {
			w.rest()
		}
		if w.stuck {
			return story.ErrEnd
		}
		return err
	}
	w.Say = func(s story.Step, a A) string { return say(text, s, a) }
	w.Needs = func(s story.Step, a A) []harness.Feature {
		if lacksKey(a) || name != "get-by-key" && keyless(objectAt(s.Obj)) {
			return append([]harness.Feature{Keys}, needs...)
		}
		return needs
	}
	var wants []string
	for _, field := range []string{"obj", "for"} {
		if strings.Contains(text, "{"+field+"}") {
			wants = append(wants, field)
		}
	}
	return story.Wanting[*world](w, wants...)
}

// say returns the sentence of a step.
func say(text string, s story.Step, a arguments) string {
	times := ""
	if s.N > 1 {
		times = fmt.Sprintf(", %d times", s.N)
	}
	text = strings.Replace(s.Fill(text), "{times}", times, 1)
	text = strings.Replace(text, "{with}", a.says(s), 1)
	if s.Actor != "" {
		text += ", as " + s.Actor
	}
	return text
}

// asks makes a word's function of calls that a driver makes.
func asks[A any](f func(*driver, story.Step, A)) func(*world, story.Step, A) error {
	return func(w *world, s story.Step, a A) error {
		f(w.by(s), s, a)
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
		for range max(s.N, 1) {
			w.by(s).change(w.change(Item{s.Obj, v, c}))
		}
		return nil
	}
}

func stepFill(w *world, s story.Step, _ noArgs) error {
	for _, c := range w.changes(nil, s.N) {
		w.by(s).change(c)
	}
	return nil
}

func stepReplace(w *world, s story.Step, l List) error {
	var list []Object
	for _, c := range w.changes(l.Items, s.N) {
		list = append(list, c.Object)
	}
	w.by(s).replaceAt(l.Version.of(w.next()), list...)
	return nil
}

func stepApplyAll(w *world, s story.Step, l List) error {
	if len(l.Items) == 0 && s.N == 0 {
		return story.SkipStep("there is nothing to change")
	}
	w.by(s).applyAll(w.changes(l.Items, s.N)...)
	return nil
}

func stepBookmark(w *world, s story.Step, v Which) error {
	if !w.t.Has(Version) && !w.t.Has(Bookmarks) {
		return story.SkipStep("needs the feature %s or %s", Version, Bookmarks)
	}
	w.by(s).bookmarkAt(v.of(w.next()))
	return nil
}

func askIndex(d *driver, s story.Step, q Query) {
	o := objectAt(s.Obj)
	o.Values = q.Values
	d.index(q.index(), o)
}

func lookAtAll(d *driver, s story.Step, _ noArgs) {
	if d.look(objectAt(s.Obj)); d.t.Has(Index) {
		d.byIndex(ByValue, "red")
		d.under(ByNamespace, "a")
	}
}

func readAll(d *driver, _ story.Step, k Keyed) {
	var some []Object
	for _, key := range k {
		some = append(some, objectAt(key))
	}
	d.look(some...)
}

func readIndex(d *driver, _ story.Step, q Query) { d.byIndex(q.index(), q.Values...) }

func stepPop(kind string) func(*world, story.Step, noArgs) error {
	return func(w *world, s story.Step, _ noArgs) error {
		actor := cmp.Or(s.Actor, "pop")
		if p := w.popOf(actor); p != nil && !p.returned() {
			return story.SkipStep("a Pop of %s waits", actor)
		}
		for n := 0; n < max(s.N, 1); n++ {
			p := w.begin(actor, kind)
			if !s.Async {
				w.rest()
			}
			if !p.returned() {
				break
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

func stepTake(kind string) func(*world, story.Step, noArgs) error {
	return func(w *world, s story.Step, _ noArgs) error {
		for n := 0; n < max(s.N, 1) && w.ended(w.begin(cmp.Or(s.Actor, "pop"), kind)); n++ {
		}
		return nil
	}
}

func stepAwait(w *world, s story.Step, _ noArgs) error {
	p := w.popOf(cmp.Or(s.Actor, "pop"))
	if p == nil {
		return story.SkipStep("nobody pops")
	}
	w.ended(p)
	return nil
}

func stepDrain(kind string) func(*world, story.Step, noArgs) error {
	return func(w *world, s story.Step, _ noArgs) error {
		if !w.shut {
			w.close()
			w.rest()
		}
		actor := cmp.Or(s.Actor, "pop")
		for range 1000 {
			if p := w.popOf(actor); p != nil && (!p.returned() || p.err != nil) {
				return nil
			}
			w.ended(w.begin(actor, kind))
		}
		return errors.New("the queue is closed, and gives more and more")
	}
}

func stepAdvance(w *world, s story.Step, _ noArgs) error {
	pause := time.Duration(s.For)
	if !w.t.Virtual() {
		pause = min(pause, 5*time.Second)
	}
	w.t.Sleep(pause)
	return nil
}
