package golden

import (
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// Perturbation is a history with a single thing changed that the subject delivered.
type Perturbation struct {
	How     string // drop, double, swap, type, version-down, version-up, name-known, name-unknown, content, labels, uid, uid-less, creationTimestamp, generation, refused, accepted
	Class   string // of what was changed: see classOf
	At      int32  // number of the event in the history that was perturbed
	Item    int    // of a list, from 0; -1: not of a list's items
	History *history.History
}

func (p Perturbation) String() string {
	s := fmt.Sprintf("%s of %s at #%d", p.How, p.Class, p.At)
	if p.Item >= 0 {
		s += fmt.Sprintf(", item %d", p.Item)
	}
	return s
}

// Sample is how many of the perturbations of each way and class are taken.
type Sample uint8

const (
	Some  Sample = iota // the first, fourth, sixteenth and so on
	First               // one
	Every
)

// Perturb changes everything that the subject of h delivered, one thing at a
// time, in every way: events of watches, items and resourceVersions of lists,
// answers of gets and writes.
func Perturb(h *history.History, sample Sample) iter.Seq[Perturbation] {
	return func(yield func(Perturbation) bool) {
		p := perturber{h: h, yield: yield, classes: classes(h), sample: sample, count: map[string]int{}}
		for i := range h.Events {
			if !p.event(&h.Events[i]) {
				return
			}
		}
	}
}

type perturber struct {
	h       *history.History
	yield   func(Perturbation) bool
	classes []string // by number of event
	sample  Sample
	in      history.Interner
	count   map[string]int // by way and class
}

// takes says whether the next one of a way and class is looked at.
func (p *perturber) takes(how, class string) bool {
	p.count[how+"|"+class]++
	n := p.count[how+"|"+class]
	for n%4 == 0 && p.sample == Some {
		n /= 4
	}
	return p.sample == Every || n == 1
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
	if !p.emit("drop", e, -1, func() []history.Event { return rebuild(p.h, e.Num, nil) }) ||
		!p.emit("double", e, -1, func() []history.Event { return rebuild(p.h, e.Num, []history.Event{*e, *e}) }) {
		return false
	}
	if next := p.following(e); next != nil && !sameEvent(e, next) {
		if !p.emit("swap", e, -1, func() []history.Event { return swapped(p.h, e.Num, next.Num) }) {
			return false
		}
	}
	for _, kind := range []string{replay.Added, replay.Modified, replay.Deleted} {
		if kind != e.Kind && e.Kind != replay.Bookmark && !p.with("type", e, func(c *history.Event) { c.Kind = kind }) {
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
	for i := int(e.Num); i < len(p.h.Events); i++ {
		if n := &p.h.Events[i]; n.Call == e.Call && n.Phase == history.Notice && delivered(n.Kind) {
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
		if !p.withItem("drop", e, i, set(slices.Concat(items[:i], items[i+1:]))) ||
			!p.withItem("double", e, i, set(slices.Insert(slices.Clone(items), i, items[i]))) {
			return false
		}
		if i+1 < len(items) {
			to := slices.Clone(items)
			to[i], to[i+1] = to[i+1], to[i]
			if !p.withItem("swap", e, i, set(to)) {
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
		return p.with("accepted", e, func(c *history.Event) { c.X = nil })
	}
	if !p.with("refused", e, func(c *history.Event) {
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
		if was.N == 0 || n < 1 || int(n) >= p.h.Ranks() {
			continue
		}
		if !p.withItem(step.how, e, item, func(c *history.Event) { at(c).RV = p.h.RV(n) }) {
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
		if key != "" && !p.withItem(how, e, item, func(c *history.Event) { at(c).Key = key }) {
			return false
		}
	}
	return true
}

// content changes what else was delivered of an object.
func (p *perturber) content(e *history.Event, item int, was *history.Ref, at func(*history.Event) *history.Ref) bool {
	var labels *history.Set
	for i := range p.h.Events {
		if s := p.h.Events[i].Obj.Labels; s != was.Labels {
			labels = s
		}
	}
	return p.withItem("content", e, item, func(c *history.Event) { at(c).Body += " and more" }) &&
		(labels == was.Labels || p.withItem("labels", e, item, func(c *history.Event) { at(c).Labels = labels })) &&
		(was.UID == "" || p.withItem("uid", e, item, func(c *history.Event) { at(c).UID += "0" }) &&
			p.withItem("uid-less", e, item, func(c *history.Event) { at(c).UID = "" })) &&
		(was.Meta == nil || p.withItem(replay.Created, e, item, func(c *history.Event) { at(c).Meta = p.other(was.Meta, replay.Created) }) &&
			p.withItem(replay.Generation, e, item, func(c *history.Event) { at(c).Meta = p.other(was.Meta, replay.Generation) }) &&
			(was.Meta.Get(replay.Deletion) == "" || p.withItem(replay.Deletion, e, item, func(c *history.Event) { at(c).Meta = p.other(was.Meta, replay.Deletion) })))
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
	for k := 1; k < p.h.Keys(); k++ {
		if o := p.h.Key(int32(k)); o != key && strings.HasPrefix(o, ns+"/") {
			return o
		}
	}
	return ""
}

func (p *perturber) with(how string, e *history.Event, change func(*history.Event)) bool {
	return p.withItem(how, e, -1, change)
}

func (p *perturber) withItem(how string, e *history.Event, item int, change func(*history.Event)) bool {
	return p.emit(how, e, item, func() []history.Event {
		c := *e
		if e.X != nil {
			x := *e.X
			c.X = &x
		}
		change(&c)
		return rebuild(p.h, e.Num, []history.Event{c})
	})
}

func (p *perturber) emit(how string, e *history.Event, item int, events func() []history.Event) bool {
	class := p.classes[e.Num]
	if item >= 0 {
		class = "item of " + class
	}
	if !p.takes(how, class) {
		return true
	}
	h, err := history.New(p.h.Header, events())
	if err != nil {
		panic(fmt.Sprintf("golden: a perturbation left no history: %v", err)) // a bug of rebuild
	}
	return p.yield(Perturbation{how, class, e.Num, item, h})
}

// rebuild is h with one event replaced by some, and calls renumbered.
func rebuild(h *history.History, num int32, by []history.Event) []history.Event {
	out := make([]history.Event, 0, len(h.Events)+1)
	shift := int32(len(by) - 1)
	add := func(e history.Event) {
		if e.Call > num {
			e.Call += shift
		}
		out = append(out, e)
	}
	for _, e := range h.Events {
		if e.Num != num {
			add(e)
			continue
		}
		for _, c := range by {
			add(c)
		}
	}
	return out
}

func swapped(h *history.History, a, b int32) []history.Event {
	out := slices.Clone(h.Events)
	out[a-1], out[b-1] = out[b-1], out[a-1]
	return out
}
