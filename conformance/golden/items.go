package golden

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// Items changes the items of a list, one at a time: each is left out, doubled, swapped with the next, and changed by
// object; and come is added to them.
func (p *Perturber) Items(e *history.Event, come history.Ref, object func(i int, at func(*history.Event) *history.Ref) bool) bool {
	if e.X == nil {
		return true
	}
	items := e.X.Items
	set := func(how string, i int, to []history.Ref) bool {
		return p.WithItem(how, e, i, func(c *history.Event) { c.X.Items = to })
	}
	for i := range items {
		if !set("drop", i, slices.Concat(items[:i], items[i+1:])) || !set("double", i, slices.Insert(slices.Clone(items), i, items[i])) {
			return false
		}
		if i+1 < len(items) {
			to := slices.Clone(items)
			to[i], to[i+1] = to[i+1], to[i]
			if !set("swap", i, to) {
				return false
			}
		}
		if !object(i, func(c *history.Event) *history.Ref {
			c.X.Items = slices.Clone(c.X.Items)
			return &c.X.Items[i]
		}) {
			return false
		}
	}
	return set("come", len(items), append(slices.Clone(items), come))
}

// Object changes what was told of an object, or of an item of a list: its resourceVersion, name, uid, and each field of the content.
func (p *Perturber) Object(e *history.Event, item int, was *history.Ref, at func(*history.Event) *history.Ref) bool {
	before, after := p.Near(was.RV)
	for _, step := range []struct{ how, to string }{{"version-down", before}, {"version-up", after}} {
		if step.to != "" && !p.WithItem(step.how, e, item, func(c *history.Event) { at(c).RV = step.to }) {
			return false
		}
	}
	return p.WithItem("name", e, item, func(c *history.Event) { at(c).Key += "-other" }) &&
		p.WithItem("uid", e, item, func(c *history.Event) { at(c).UID += "0" }) &&
		p.Content(e, item, was.Body, at)
}

// Near are the resourceVersions of the history before and after one; "": there is none.
func (p *Perturber) Near(rv string) (before, after string) {
	top := int32(p.H.Ranks()) - 1
	for n := int32(1); n <= top; n++ {
		if p.H.RV(n) != rv {
			continue
		}
		if before = p.H.RV(n - 1); n < top {
			after = p.H.RV(n + 1)
		}
	}
	return before, after
}

// Fields are those of a JSON object that lwtest has recorded; none, of nothing.
func Fields(b json.RawMessage) map[string]any {
	m := map[string]any{}
	if len(b) == 0 {
		return m
	}
	if err := json.Unmarshal(b, &m); err != nil {
		panic(fmt.Sprintf("golden: %v", err)) // a recording of ours
	}
	return m
}

// Args and Body are the fields of what an event has.
func Args(e *history.Event) map[string]any {
	if e.X == nil {
		return map[string]any{}
	}
	return Fields(e.X.Args)
}

func Body(e *history.Event) map[string]any {
	if e.X == nil {
		return map[string]any{}
	}
	return Fields(e.X.Body)
}

// Pack is plain data as JSON.
func Pack(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("golden: %v", err)) // plain data
	}
	return b
}
