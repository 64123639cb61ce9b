package golden

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/lwtest/lwtest/conformance/golden"
	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/harness/history"
)

// Perturb changes everything that the subject of h delivered, one thing at a
// time, in every way: answers, what was pushed, and what was popped. The ways
// are drop, double, swap, content, values, version, unset, name, type, final
// (whether a delete knows the final state), initial, synced, gone, come,
// refused and accepted. For classes see classes.
func Perturb(h *history.History, sample golden.Sample) iter.Seq[golden.Perturbation] {
	return func(yield func(golden.Perturbation) bool) {
		p := perturber{Perturber: golden.Perturber{H: h, Yield: yield, Classes: classes(h), Sample: sample}}
		for i := range h.Events {
			if !p.event(&h.Events[i]) {
				return
			}
		}
	}
}

type perturber struct {
	golden.Perturber
	in history.Interner
}

func (p *perturber) event(e *history.Event) bool {
	switch {
	case e.Phase == history.Notice && e.Kind == "PUSH":
		return p.Emit("drop", e, -1, func() []history.Event { return golden.Rebuild(p.H, e.Num, nil) }) &&
			p.Emit("double", e, -1, func() []history.Event { return golden.Rebuild(p.H, e.Num, []history.Event{*e, *e}) }) &&
			p.items(e)
	case e.Phase != history.Return || e.Kind == "OPEN":
		return true
	case e.Err() != nil:
		return p.With("accepted", e, func(c *history.Event) { c.X = accepted(e.Kind) })
	}
	if !p.With("refused", e, func(c *history.Event) {
		c.Obj, c.X = history.Ref{}, &history.Ext{Err: &history.Error{Msg: "perturbed"}}
	}) {
		return false
	}
	return p.answer(e)
}

// accepted is what a refused call answers in its place.
func accepted(kind string) *history.Ext {
	switch kind {
	case "POP", "POP-BATCH":
		return &history.Ext{Body: json.RawMessage(`{"deltas":[{"type":"Added","object":{"namespace":"a","name":"come"}}]}`)}
	case "INDEX", "BY-INDEX", "INDEX-KEYS":
		return &history.Ext{Items: []history.Ref{}}
	}
	return nil
}

func (p *perturber) answer(e *history.Event) bool {
	switch e.Kind {
	case "GET", "GET-BY-KEY":
		if e.Obj.Key == "" {
			return p.With("come", e, func(c *history.Event) { c.Obj = history.Ref{Key: p.H.Event(e.Call).Obj.Key, Body: "come"} })
		}
		return p.With("gone", e, func(c *history.Event) { c.Obj = history.Ref{} }) &&
			p.object(e, -1, &e.Obj, func(c *history.Event) *history.Ref { return &c.Obj })
	case "VERSION":
		return e.Obj.RV == "" || p.With("unset", e, func(c *history.Event) { c.Obj.RV = "" }) &&
			p.With("version", e, func(c *history.Event) { c.Obj.RV = "1" })
	case "POP", "POP-BATCH":
		return p.popped(e)
	case "SYNCED":
		return p.With("synced", e, func(c *history.Event) {
			c.X.Body = json.RawMessage(map[bool]string{true: `{"synced":false}`, false: `{"synced":true}`}[string(e.X.Body) == `{"synced":true}`])
		})
	case "INDEX-VALUES":
		return p.values(e)
	}
	return e.X == nil || e.X.Items == nil || p.items(e)
}

// values are those of an index.
func (p *perturber) values(e *history.Event) bool {
	var b struct {
		Values []string `json:"values,omitempty"`
	}
	if e.X != nil && e.X.Body != nil {
		unpack(e.X.Body, &b)
	}
	set := func(how string, to []string) bool {
		return p.With(how, e, func(c *history.Event) {
			c.X = &history.Ext{Body: golden.Pack(map[string][]string{"values": to})}
		})
	}
	for i := range b.Values {
		if !set("drop", slices.Delete(slices.Clone(b.Values), i, i+1)) || !set("double", slices.Insert(slices.Clone(b.Values), i, b.Values[i])) {
			return false
		}
	}
	return set("come", append(slices.Clone(b.Values), "come"))
}

// items of a list, or of what was pushed.
func (p *perturber) items(e *history.Event) bool {
	return p.Items(e, history.Ref{Key: "a/come"}, func(i int, at func(*history.Event) *history.Ref) bool { return p.object(e, i, &e.X.Items[i], at) })
}

// object changes what was delivered of an object; of a key there is nothing but the name.
func (p *perturber) object(e *history.Event, item int, was *history.Ref, at func(*history.Event) *history.Ref) bool {
	if !p.WithItem("name", e, item, func(c *history.Event) { at(c).Key += "-other" }) {
		return false
	}
	if was.Body == "" && was.RV == "" {
		return true
	}
	return p.WithItem("content", e, item, func(c *history.Event) { at(c).Body += " and more" }) &&
		p.WithItem("version", e, item, func(c *history.Event) { at(c).RV = "1" }) &&
		p.WithItem("values", e, item, func(c *history.Event) { at(c).Fields = p.in.Set(map[string]string{"values": "other"}) })
}

// popped changes what a Pop gave.
func (p *perturber) popped(e *history.Event) bool {
	var was store.Popped
	unpack(e.X.Body, &was)
	set := func(how string, i int, change func(*store.Popped)) bool {
		return p.WithItem(how, e, i, func(c *history.Event) {
			var to store.Popped
			unpack(e.X.Body, &to) // a copy of its own
			change(&to)
			c.X.Body = golden.Pack(to)
		})
	}
	if !set("initial", -1, func(q *store.Popped) { q.Initial = !q.Initial }) {
		return false
	}
	for i := range was.Deltas {
		if !p.delta(was, i, func(how string, change func(*store.Popped)) bool { return set(how, i, change) }) {
			return false
		}
	}
	return true
}

var types = []string{store.Added, store.Updated, store.Deleted, store.Replaced, store.Synced}

func (p *perturber) delta(was store.Popped, i int, set func(how string, change func(*store.Popped)) bool) bool {
	d := was.Deltas[i]
	if !set("drop", func(q *store.Popped) { q.Deltas = slices.Delete(q.Deltas, i, i+1) }) ||
		!set("double", func(q *store.Popped) { q.Deltas = slices.Insert(q.Deltas, i, q.Deltas[i]) }) ||
		i+1 < len(was.Deltas) && d.String() != was.Deltas[i+1].String() && !set("swap", func(q *store.Popped) { q.Deltas[i], q.Deltas[i+1] = q.Deltas[i+1], q.Deltas[i] }) {
		return false
	}
	if d.ResourceVersion != "" && !set("version", func(q *store.Popped) { q.Deltas[i].ResourceVersion = "1" }) {
		return false
	}
	for n := range d.Objects {
		if !set("drop", func(q *store.Popped) { q.Deltas[i].Objects = slices.Delete(q.Deltas[i].Objects, n, n+1) }) ||
			!set("content", func(q *store.Popped) { q.Deltas[i].Objects[n].Body += " and more" }) {
			return false
		}
	}
	if d.Object == nil {
		return set("type "+d.Type+" to Bookmark", func(q *store.Popped) { q.Deltas[i] = store.Delta{Type: store.Bookmarked, ResourceVersion: "1"} })
	}
	for _, t := range types {
		if t != d.Type && !set(fmt.Sprintf("type %s to %s", d.Type, t), func(q *store.Popped) { q.Deltas[i].Type, q.Deltas[i].Unknown = t, false }) {
			return false
		}
	}
	return (d.Type != store.Deleted || set("final", func(q *store.Popped) { q.Deltas[i].Unknown = !q.Deltas[i].Unknown })) &&
		set("name", func(q *store.Popped) { q.Deltas[i].Object.Name += "-other" }) &&
		set("content", func(q *store.Popped) { q.Deltas[i].Object.Body += " and more" }) &&
		set("version", func(q *store.Popped) { q.Deltas[i].Object.ResourceVersion = "1" }) &&
		set("values", func(q *store.Popped) { q.Deltas[i].Object.Values = []string{"other"} })
}

func unpack(b []byte, v any) {
	if err := json.Unmarshal(b, v); err != nil {
		panic(fmt.Sprintf("golden: %v", err)) // a recording of ours
	}
}
