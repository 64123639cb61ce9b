package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// index judges a query: an index is the index function over the content.
func (c *content) index(o *op) {
	late, known := c.indexers[o.Args.Index]
	rule := ruleFunction
	switch {
	case o.Kind == evIndex && !late:
		rule = ruleQuery
	case late:
		rule = ruleLate
	}
	switch {
	case !known && o.Kind == evIndexValues: // it has no way to refuse
		return
	case !known && o.Err == nil:
		c.fail(ruleQuery, "an error: there is no such index", "no error", o.Call, o.Return)
		return
	case !known:
		c.tested(ruleQuery)
		return
	case o.Err != nil:
		c.fail(rule, "an answer", o.Err.String(), o.Call, o.Return)
		return
	}
	if len(c.open) > 0 {
		if c.settle(); len(c.open) > 0 { // what is there is still open
			return
		}
	}
	want, got := c.indexed(o), answered(o)
	if !slices.Equal(want, got) {
		c.notIndexed(rule, o, want, got)
		return
	}
	if query := o.Kind + " " + o.Args.Index + " " + o.Args.Value; len(want) > 0 {
		c.full[query] = true
	} else if !c.full[query] {
		return // what never had anything shows nothing by being empty
	}
	c.tested(rule)
	if c.last != nil && c.last.Kind == evReplace && len(want) > 0 {
		c.tested(ruleExact)
	}
}

func (c *content) notIndexed(rule string, o *op, want, got []string) {
	at := []int32{o.Call, o.Return}
	if c.last != nil {
		at = append([]int32{c.last.Call}, at...)
	}
	w, g := "["+strings.Join(want, ", ")+"]", "["+strings.Join(got, ", ")+"]"
	c.fail(rule, w, g, at...)
	if c.last != nil && c.last.Kind == evReplace && !c.refused {
		c.fail(ruleExact, w, g, at...)
	}
	if c.refused {
		c.fail(ruleKeyError, w, g, at...)
	}
}

// indexed is what a query must give, as sorted texts.
func (c *content) indexed(o *op) []string {
	out := []string{}
	asked := []string{o.Args.Value}
	if o.Kind == evIndex {
		asked = IndexedValues(o.Args.Index, o.object())
	}
	for key, e := range c.items {
		values := IndexedValues(o.Args.Index, e.Object)
		switch {
		case o.Kind == evIndexValues:
			out = append(out, values...)
		case !slices.ContainsFunc(values, func(v string) bool { return slices.Contains(asked, v) }):
		case o.Kind == evIndexKeys:
			out = append(out, key)
		default:
			out = append(out, text(e.Object))
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(out)))
}

// answered is what a query gave; what it gave twice is there twice.
func answered(o *op) []string {
	out := []string{}
	if o.Kind == evIndexValues {
		return append(out, slices.Sorted(slices.Values(o.Body.Values))...)
	}
	for _, x := range o.Items {
		if o.Kind == evIndexKeys {
			out = append(out, x.Key())
		} else {
			out = append(out, text(x))
		}
	}
	slices.Sort(out)
	return out
}

// addIndexers judges whether an index of a name that is taken was refused.
func (c *content) addIndexers(o *op) {
	var taken []string
	for _, name := range o.Args.Indexers {
		if _, ok := c.indexers[name]; ok {
			taken = append(taken, name)
		}
	}
	switch {
	case len(taken) > 0 && o.Err == nil:
		c.fail(ruleLate, fmt.Sprintf("an error: there is an index %s", taken[0]), "no error", o.Call, o.Return)
	case len(taken) > 0:
		c.tested(ruleLate)
	case o.Err != nil:
		c.fail(ruleLate, "the index", o.Err.String(), o.Call, o.Return)
	default:
		late := map[string]bool{}
		for _, name := range o.Args.Indexers {
			late[name] = len(c.items) > 0
		}
		maps.Copy(c.indexers, late)
	}
}
