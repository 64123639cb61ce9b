package golden

import (
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/golden"
	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// Of a Perturbation here the ways are drop, double, swap, type, version-down,
// version-up, name-known, name-unknown, content, labels, uid, uid-less,
// creationTimestamp, generation, refused and accepted; for classes see classes.

// Perturb changes everything that the subject of h delivered, one thing at a
// time, in every way: events of watches, items and resourceVersions of lists,
// answers of gets and writes.
func Perturb(h *history.History, sample Sample) iter.Seq[Perturbation] {
	return func(yield func(Perturbation) bool) {
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
	case e.Phase == history.Notice && delivered(e.Kind):
		return p.notice(e)
	case e.Phase == history.Return && e.Kind == replay.List && e.Err() == nil:
		return p.list(e)
	case e.Phase == history.Return && slices.Contains(answers, e.Kind):
		return p.answer(e)
	}
	return true
}

func delivered(kind string) bool {
	return slices.Contains([]string{replay.Added, replay.Modified, replay.Deleted, replay.Bookmark}, kind)
}

func (p *perturber) notice(e *history.Event) bool {
	if !p.Emit("drop", e, -1, func() []history.Event { return golden.Rebuild(p.H, e.Num, nil) }) ||
		!p.Emit("double", e, -1, func() []history.Event { return golden.Rebuild(p.H, e.Num, []history.Event{*e, *e}) }) {
		return false
	}
	if next := p.following(e); next != nil && !sameEvent(e, next) {
		if !p.Emit("swap", e, -1, func() []history.Event { return golden.Swapped(p.H, e.Num, next.Num) }) {
			return false
		}
	}
	for _, kind := range []string{replay.Added, replay.Modified, replay.Deleted} {
		if kind != e.Kind && e.Kind != replay.Bookmark && !p.With("type", e, func(c *history.Event) { c.Kind = kind }) {
			return false
		}
	}
	return p.object(e, -1, &e.Obj, func(c *history.Event) *history.Ref { return &c.Obj })
}

func sameEvent(a, b *history.Event) bool {
	return a.Kind == b.Kind && a.Obj.Key == b.Obj.Key && a.Obj.RV == b.Obj.RV
}

// following is the next thing that the same watch delivered.
func (p *perturber) following(e *history.Event) *history.Event {
	for i := int(e.Num); i < len(p.H.Events); i++ {
		if n := &p.H.Events[i]; n.Call == e.Call && n.Phase == history.Notice && delivered(n.Kind) {
			return n
		}
	}
	return nil
}

func (p *perturber) list(e *history.Event) bool {
	if !p.object(e, -1, &e.Obj, func(c *history.Event) *history.Ref { return &c.Obj }) {
		return false
	}
	for i := range e.X.Items {
		items := e.X.Items
		set := func(to []history.Ref) func(*history.Event) {
			return func(c *history.Event) { c.X.Items = to }
		}
		if !p.WithItem("drop", e, i, set(slices.Concat(items[:i], items[i+1:]))) ||
			!p.WithItem("double", e, i, set(slices.Insert(slices.Clone(items), i, items[i]))) {
			return false
		}
		if i+1 < len(items) {
			to := slices.Clone(items)
			to[i], to[i+1] = to[i+1], to[i]
			if !p.WithItem("swap", e, i, set(to)) {
				return false
			}
		}
		if !p.object(e, i, &items[i], func(c *history.Event) *history.Ref {
			c.X.Items = slices.Clone(c.X.Items)
			return &c.X.Items[i]
		}) {
			return false
		}
	}
	return true
}

// answers are those of gets and writes: what compacts or restarts a server is not put to it.
var answers = []string{replay.Get, replay.Create, replay.Update, replay.Patch, replay.Delete, replay.DeleteCollection}

// refusal is the one of a kind of request that says something about the object.
func refusal(kind string) *history.Error {
	switch kind {
	case replay.Get:
		return &history.Error{Code: http.StatusNotFound, Reason: string(metav1.StatusReasonNotFound), Definite: true}
	case replay.Create:
		return &history.Error{Code: http.StatusConflict, Reason: string(metav1.StatusReasonAlreadyExists), Definite: true}
	}
	return &history.Error{Code: http.StatusConflict, Reason: string(metav1.StatusReasonConflict), Definite: true}
}

// answer of a get or a write.
func (p *perturber) answer(e *history.Event) bool {
	if e.Err() != nil {
		return p.With("accepted", e, func(c *history.Event) { c.X = nil })
	}
	if !p.With("refused", e, func(c *history.Event) {
		c.Obj = history.Ref{}
		c.X = &history.Ext{Err: refusal(e.Kind)}
	}) {
		return false
	}
	return p.object(e, -1, &e.Obj, func(c *history.Event) *history.Ref { return &c.Obj })
}

// object changes the resourceVersion and the name of what was delivered.
func (p *perturber) object(e *history.Event, item int, was *history.Ref, at func(*history.Event) *history.Ref) bool {
	for _, step := range []struct {
		how string
		by  int32
	}{{"version-down", -1}, {"version-up", 1}} {
		n := was.N + step.by
		if was.N == 0 || n < 1 || int(n) >= p.H.Ranks() {
			continue
		}
		if !p.WithItem(step.how, e, item, func(c *history.Event) { at(c).RV = p.H.RV(n) }) {
			return false
		}
	}
	if was.Key == "" {
		return true
	}
	if !p.content(e, item, was, at) {
		return false
	}
	for how, key := range map[string]string{"name-known": p.otherKey(was.Key), "name-unknown": was.Key + "-never-written"} {
		if key != "" && !p.WithItem(how, e, item, func(c *history.Event) { at(c).Key = key }) {
			return false
		}
	}
	return true
}

// content changes what else was delivered of an object.
func (p *perturber) content(e *history.Event, item int, was *history.Ref, at func(*history.Event) *history.Ref) bool {
	var labels *history.Set
	for i := range p.H.Events {
		if s := p.H.Events[i].Obj.Labels; s != was.Labels {
			labels = s
		}
	}
	return p.WithItem("content", e, item, func(c *history.Event) { at(c).Body += " and more" }) &&
		(labels == was.Labels || p.WithItem("labels", e, item, func(c *history.Event) { at(c).Labels = labels })) &&
		(was.UID == "" || p.WithItem("uid", e, item, func(c *history.Event) { at(c).UID += "0" }) &&
			p.WithItem("uid-less", e, item, func(c *history.Event) { at(c).UID = "" })) &&
		(was.Meta == nil || p.WithItem(replay.Created, e, item, func(c *history.Event) { at(c).Meta = p.other(was.Meta, replay.Created) }) &&
			p.WithItem(replay.Generation, e, item, func(c *history.Event) { at(c).Meta = p.other(was.Meta, replay.Generation) }) &&
			(was.Meta.Get(replay.Deletion) == "" || p.WithItem(replay.Deletion, e, item, func(c *history.Event) { at(c).Meta = p.other(was.Meta, replay.Deletion) })))
}

// other is metadata of which one thing has another value.
func (p *perturber) other(meta *history.Set, name string) *history.Set {
	m := maps.Clone(meta.Map())
	m[name] += "0"
	return p.in.Set(m)
}

// otherKey is another object of the same namespace, empty if there is none.
func (p *perturber) otherKey(key string) string {
	ns, _ := replay.SplitKey(key)
	for k := 1; k < p.H.Keys(); k++ {
		if o := p.H.Key(int32(k)); o != key && strings.HasPrefix(o, ns+"/") {
			return o
		}
	}
	return ""
}
