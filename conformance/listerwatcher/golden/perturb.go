package golden

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/golden"
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness/history"
)

// Perturb changes everything that the client of h delivered, one thing at a
// time, in every way: what its calls returned, what came on its watches, what
// it left of its caller's options, and what it asked the server for. For
// classes see classes.
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

type perturber struct{ golden.Perturber }

func (p *perturber) event(e *history.Event) bool {
	switch {
	case rig.IsServer(e.Actor):
		return e.Phase != history.Call || e.Kind == rig.Other || p.request(e)
	case e.Actor == history.Engine || slices.Contains(drives, e.Kind) || e.Phase == history.Call:
		return true
	case e.Phase == history.Return:
		return p.answer(e)
	}
	return p.notice(e)
}

// drives are the kinds of event that are none of the client's own doing.
var drives = []string{history.Settled, history.Left, history.GaveUp, "STOP", "CANCEL", "READ", rig.PutKind, rig.DeleteKind, rig.Down, rig.Up, rig.Died, rig.Refused, rig.Untrusted}

// notice is what came on a watch, its end too.
func (p *perturber) notice(e *history.Event) bool {
	if !p.Emit("drop", e, -1, func() []history.Event { return golden.Without(p.H, e.Num) }) {
		return false
	}
	if e.Kind == history.Ended {
		return true
	}
	if !p.Emit("double", e, -1, func() []history.Event { return golden.Rebuild(p.H, e.Num, []history.Event{*e, *e}) }) {
		return false
	}
	if next := p.next(e); next != 0 && !p.Emit("swap", e, -1, func() []history.Event { return golden.Swapped(p.H, e.Num, next) }) {
		return false
	}
	if e.Kind == "ERROR" {
		return p.refusal(e)
	}
	for _, kind := range []string{"ADDED", "MODIFIED", "DELETED", "BOOKMARK"} {
		if kind != e.Kind && !p.With("type", e, func(c *history.Event) { c.Kind = kind }) {
			return false
		}
	}
	return p.Object(e, -1, &e.Obj, func(c *history.Event) *history.Ref { return &c.Obj })
}

// next is the next event of the same watch; 0: none, or what comes is its end.
func (p *perturber) next(e *history.Event) int32 {
	for i := range p.H.Events[e.Num:] {
		if n := &p.H.Events[int(e.Num)+i]; n.Call == e.Call && n.Phase == history.Notice {
			if n.Kind == history.Ended || slices.Contains(drives, n.Kind) {
				return 0
			}
			if n.Kind == e.Kind && n.Obj == e.Obj || strings.HasPrefix(p.Classes[n.Num], "left ") {
				return 0 // it would be the same, or come to nobody
			}
			return n.Num
		}
	}
	return 0
}

// answer is what a call returned.
func (p *perturber) answer(e *history.Event) bool {
	if !p.body("options changed", e, func(m map[string]any) { m["after"] = map[string]any{"resourceVersion": "changed"} }) {
		return false
	}
	if e.Err() != nil {
		return p.With("accepted", e, func(c *history.Event) { c.X = nil }) && p.refusal(e)
	}
	if !p.With("refused", e, func(c *history.Event) {
		c.Obj, c.X = history.Ref{}, &history.Ext{Err: &history.Error{Msg: "perturbed"}}
	}) {
		return false
	}
	if e.Kind != rig.List {
		return true
	}
	return p.list(e) && p.items(e)
}

// refusal changes what an error says.
func (p *perturber) refusal(e *history.Event) bool {
	was := e.Err()
	if was == nil || was.Code == 0 {
		return true
	}
	set := func(how string, to history.Error) bool {
		return p.With(how, e, func(c *history.Event) { c.X.Err = &to })
	}
	code, reason := *was, *was
	code.Code, reason.Reason = 418, "Perturbed"
	return set("code", code) && set("reason", reason) &&
		(golden.Body(e)["causes"] == nil || p.body("causes", e, func(m map[string]any) { delete(m, "causes") })) &&
		(golden.Body(e)["retryAfter"] == nil || p.body("retry-after", e, func(m map[string]any) { delete(m, "retryAfter") }))
}

// list changes what a list says beside its items.
func (p *perturber) list(e *history.Event) bool {
	before, after := p.Near(e.Obj.RV)
	for _, step := range []struct{ how, to string }{{"version-down", before}, {"version-up", after}} {
		if step.to != "" && !p.With(step.how, e, func(c *history.Event) { c.Obj.RV = step.to }) {
			return false
		}
	}
	if e.Obj.RV != "" && !p.With("unset", e, func(c *history.Event) { c.Obj.RV = "" }) {
		return false
	}
	m := golden.Body(e)
	for name, to := range map[string]any{"continue": "come", "remaining": 700} {
		if m[name] != nil && !p.body("no "+name, e, func(m map[string]any) { delete(m, name) }) || !p.body("other "+name, e, func(m map[string]any) { m[name] = to }) {
			return false
		}
	}
	return true
}

func (p *perturber) body(how string, e *history.Event, change func(map[string]any)) bool {
	return p.With(how, e, func(c *history.Event) {
		m := golden.Body(c)
		change(m)
		if c.X == nil {
			c.X = &history.Ext{}
		}
		c.X.Body = golden.Pack(m)
	})
}

// items of a list.
func (p *perturber) items(e *history.Event) bool {
	come := history.Ref{Key: "default/come", UID: "come", RV: "1"}
	return p.Items(e, come, func(i int, at func(*history.Event) *history.Ref) bool { return p.Object(e, i, &e.X.Items[i], at) })
}

// request changes the options that the client asked by: each that it gave is left out, or another; and others are added.
func (p *perturber) request(e *history.Event) bool {
	var asked map[string]any
	if e.X != nil {
		asked = golden.Args(e)
	}
	o, _ := asked["options"].(map[string]any)
	set := func(how string, change func(map[string]any)) bool {
		return p.With(how, e, func(c *history.Event) {
			m, to := golden.Args(c), maps.Clone(o)
			if to == nil {
				to = map[string]any{}
			}
			change(to)
			m["options"] = to
			c.X.Args = golden.Pack(m)
		})
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if name == "watch" { // that it is one is its kind
			continue
		}
		if !set("no "+name, func(m map[string]any) { delete(m, name) }) {
			return false
		}
	}
	for _, name := range []string{"resourceVersion", "limit", "timeoutSeconds", "continue", "resourceVersionMatch", "allowWatchBookmarks", "sendInitialEvents", "fieldSelector"} {
		if o[name] != other(name) && !set("other "+name, func(m map[string]any) { m[name] = other(name) }) {
			return false
		}
	}
	return true
}

// other is a value that nobody gave.
func other(name string) any {
	switch name {
	case "limit", "timeoutSeconds":
		return 77
	case "allowWatchBookmarks", "sendInitialEvents":
		return true
	case "fieldSelector":
		return "metadata.name=other"
	}
	return cmp.Or(map[string]string{"resourceVersion": "1", "resourceVersionMatch": "Exact"}[name], "other")
}
