package golden

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/lwtest/lwtest/conformance/golden"
	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/harness/history"
)

// Perturb changes everything that the informer of h delivered, one thing at a
// time, in every way: what it told its handlers, what it answered to readings,
// and what it asked its server for. For classes see classes.
func Perturb(h *history.History, sample golden.Sample) iter.Seq[golden.Perturbation] {
	return func(yield func(golden.Perturbation) bool) {
		p := perturber{Perturber: golden.Perturber{H: h, Yield: yield, Classes: classes(h), Sample: sample}, answers: map[int32]int32{}}
		for i := range h.Events {
			if e := &h.Events[i]; e.Phase == history.Return {
				p.answers[e.Call] = e.Num
			}
		}
		for i := range h.Events {
			if !p.event(&h.Events[i]) {
				return
			}
		}
	}
}

type perturber struct {
	golden.Perturber
	answers map[int32]int32 // returns, by call
}

func (p *perturber) event(e *history.Event) bool {
	switch {
	case isNotice(e):
		return p.notice(e)
	case isRequest(e):
		return p.request(e)
	case e.Kind == "TOLD":
		return p.Emit("drop", e, -1, func() []history.Event { return golden.Without(p.H, e.Num) }) &&
			p.Emit("double", e, -1, func() []history.Event { return golden.Rebuild(p.H, e.Num, []history.Event{*e, *e}) })
	case e.Kind == "PUSH":
		return p.Emit("drop", e, -1, func() []history.Event { return golden.Without(p.H, e.Num) }) && p.items(e)
	case e.Phase == history.Return:
		return p.answer(e)
	}
	return true
}

// notice changes the call of a handler: that it came, when, and what it told.
func (p *perturber) notice(e *history.Event) bool {
	ret := p.answers[e.Num]
	gone := []int32{e.Num}
	if ret != 0 {
		gone = append(gone, ret)
	}
	if !p.Emit("drop", e, -1, func() []history.Event { return golden.Without(p.H, gone...) }) {
		return false
	}
	if ret != 0 && !p.Emit("double", e, -1, func() []history.Event { return golden.Again(p.H, e.Num, ret) }) {
		return false
	}
	if next := p.next(e); next != nil && !p.Emit("swap", e, -1, func() []history.Event { return p.swapped(e, next) }) {
		return false
	}
	for _, kind := range notices {
		if kind != e.Kind && !p.Emit("type "+e.Kind+" to "+kind, e, -1, func() []history.Event { return p.typed(e, kind) }) {
			return false
		}
	}
	return p.object(e, -1, &e.Obj, func(c *history.Event) *history.Ref { return &c.Obj }) && p.told(e)
}

// next is the handler's next call about the same object, or else the next one; nil: none.
func (p *perturber) next(e *history.Event) *history.Event {
	for i := range p.H.Events[e.Num:] {
		if n := &p.H.Events[int(e.Num)+i]; n.Actor == e.Actor && isNotice(n) && n.Obj.Key == e.Obj.Key {
			return n
		}
	}
	return nil
}

// swapped is the history with two calls of a handler in each other's place.
func (p *perturber) swapped(a, b *history.Event) []history.Event {
	out := slices.Clone(p.H.Events)
	x, y := &out[a.Num-1], &out[b.Num-1]
	x.Kind, x.Obj, x.X, y.Kind, y.Obj, y.X = b.Kind, b.Obj, b.X, a.Kind, a.Obj, a.X
	p.rename(out, a.Num, b.Kind)
	p.rename(out, b.Num, a.Kind)
	return out
}

// typed is the history with a call of another kind, and all else that it told.
func (p *perturber) typed(e *history.Event, kind string) []history.Event {
	out := slices.Clone(p.H.Events)
	out[e.Num-1].Kind = kind
	p.rename(out, e.Num, kind)
	return out
}

// rename gives the return of a call its kind.
func (p *perturber) rename(out []history.Event, call int32, kind string) {
	if ret := p.answers[call]; ret != 0 {
		out[ret-1].Kind = kind
	}
}

// told changes what else a handler was told, and what it saw of the store.
func (p *perturber) told(e *history.Event) bool {
	args := golden.Args(e)
	flip := func(how, name string) bool {
		return p.arg(how, e, func(m map[string]any) {
			if m[name] == true {
				delete(m, name)
			} else {
				m[name] = true
			}
		})
	}
	if e.Kind == informer.Added && !flip("initial", "initial") || e.Kind == informer.Deleted && !flip("final", "unknown") {
		return false
	}
	for _, name := range []string{"old", "held"} {
		if args[name] == nil {
			continue
		}
		if !p.arg(name+" gone", e, func(m map[string]any) { delete(m, name) }) {
			return false
		}
		for _, step := range []struct{ how, field, to string }{{"version", "rv", "1"}, {"uid", "uid", "other"}, {"content", "body", "other"}, {"name", "key", "default/other"}} {
			if !p.arg(name+" "+step.how, e, func(m map[string]any) { m[name].(map[string]any)[step.field] = step.to }) {
				return false
			}
		}
	}
	if e.Kind == informer.Deleted && args["held"] == nil && !p.arg("held come", e, func(m map[string]any) {
		m["held"] = map[string]any{"key": e.Obj.Key, "uid": e.Obj.UID, "rv": e.Obj.RV, "body": e.Obj.Body}
	}) {
		return false
	}
	return args["indexed"] == nil || p.arg("indexed", e, func(m map[string]any) { delete(m, "indexed") })
}

// arg changes the arguments of a call.
func (p *perturber) arg(how string, e *history.Event, change func(map[string]any)) bool {
	return p.With(how, e, func(c *history.Event) {
		m := golden.Args(c)
		change(m)
		if c.X == nil {
			c.X = &history.Ext{}
		}
		c.X.Args = golden.Pack(m)
	})
}

// request changes the options that the informer asked by.
func (p *perturber) request(e *history.Event) bool {
	was := golden.Args(e)
	o, _ := was["options"].(map[string]any)
	set := func(how, name string, to any) bool {
		return p.arg(how, e, func(m map[string]any) {
			o, _ := m["options"].(map[string]any)
			o = maps.Clone(o)
			if o == nil {
				o = map[string]any{}
			}
			if o[name] = to; to == nil {
				delete(o, name)
			}
			m["options"] = o
		})
	}
	rv, _ := o["resourceVersion"].(string)
	before, after := p.Near(rv)
	for _, step := range []struct{ how, to string }{{"from before", before}, {"from after", after}, {"from 0", "0"}} {
		if step.to != "" && step.to != rv && !set(step.how, "resourceVersion", step.to) {
			return false
		}
	}
	if rv != "" && !set("from unset", "resourceVersion", nil) {
		return false
	}
	for _, step := range []struct {
		how, name string
		to        any
	}{{"match exact", "resourceVersionMatch", "Exact"}, {"limit", "limit", 3}, {"timeout", "timeoutSeconds", 7}} {
		if !set(step.how, step.name, step.to) {
			return false
		}
	}
	for _, name := range []string{"allowWatchBookmarks", "sendInitialEvents", "continue"} {
		if o[name] != nil && !set("no "+name, name, nil) {
			return false
		}
	}
	return true
}

// answer changes what a reading gave, or whether a handler was taken.
func (p *perturber) answer(e *history.Event) bool {
	switch e.Kind {
	case "SYNCED":
		is, _ := golden.Body(e)["synced"].(bool)
		return p.body("synced", e, map[string]any{"synced": !is})
	case "VERSION":
		is, _ := golden.Body(e)["version"].(string)
		before, after := p.Near(is)
		for _, step := range []struct{ how, to string }{{"version-down", before}, {"version-up", after}} {
			if step.to != "" && !p.body(step.how, e, map[string]any{"version": step.to}) {
				return false
			}
		}
		return p.body("unset", e, map[string]any{})
	case "HANDLE":
		if e.Err() != nil {
			return p.With("accepted", e, func(c *history.Event) { c.X = nil })
		}
		return p.With("refused", e, func(c *history.Event) { c.X = &history.Ext{Err: &history.Error{Msg: "perturbed"}} })
	case "RUN":
		return p.Emit("drop", e, -1, func() []history.Event { return golden.Without(p.H, e.Num) })
	case "STORE", "INDEX":
		return p.items(e)
	case "GET":
		return p.found(e)
	}
	return true
}

func (p *perturber) body(how string, e *history.Event, to any) bool {
	return p.With(how, e, func(c *history.Event) { c.X = &history.Ext{Body: golden.Pack(to)} })
}

// found changes what was under one key: something, or nothing.
func (p *perturber) found(e *history.Event) bool {
	if e.Obj.Key == "" {
		return p.With("come", e, func(c *history.Event) {
			c.Obj = history.Ref{Key: p.H.Events[e.Call-1].Obj.Key, UID: "come", RV: "1"}
		})
	}
	return p.With("gone", e, func(c *history.Event) { c.Obj = history.Ref{} }) && p.object(e, -1, &e.Obj, func(c *history.Event) *history.Ref { return &c.Obj })
}

// items of the store, or of an index.
func (p *perturber) items(e *history.Event) bool {
	come := history.Ref{Key: "default/come", UID: "come", RV: "1"}
	return p.Items(e, come, func(i int, at func(*history.Event) *history.Ref) bool { return p.object(e, i, &e.X.Items[i], at) })
}

// object changes what was told of an object.
func (p *perturber) object(e *history.Event, item int, was *history.Ref, at func(*history.Event) *history.Ref) bool {
	if stale := p.stale(was); stale != nil && !p.WithItem("stale", e, item, func(c *history.Event) { *at(c) = *stale }) {
		return false
	}
	return p.Object(e, item, was, at)
}

// stale is the state before, of those that the server gave of the object; nil: there was none.
func (p *perturber) stale(is *history.Ref) *history.Ref {
	var out *history.Ref
	for i := range p.H.Events {
		o := &p.H.Events[i].Obj
		if o.Key == is.Key && o.Body != "" && older(o.RV, is.RV) && (out == nil || older(out.RV, o.RV)) {
			out = o
		}
	}
	return out
}

// older says of two resourceVersions, which are decimal integers, that a is the smaller one.
func older(a, b string) bool { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) < 0 }
