package store

import (
	"fmt"
	"slices"
	"strings"
)

// indexModel is what is known of indexes.
type indexModel struct {
	early   map[string]map[string]bool  // by name: keys that were there before it and have not been changed since
	maybe   map[string]map[string]bool  // the same of those that may be there: they were refused together with one that is
	off     map[string]map[posting]bool // keys and values of which it was wrong: until they are changed nothing is said of them
	full    map[string]bool             // queries that had an answer
	added   []map[string]bool           // some of early and maybe, since the last change
	queries []*op                       // the same
}

func noIndexes() indexModel {
	return indexModel{map[string]map[string]bool{}, map[string]map[string]bool{}, map[string]map[posting]bool{}, map[string]bool{}, nil, nil}
}

// posting is what a query gives: an object, a key, or a value of an index, which has no key.
type posting struct{ key, text string }

// mark stands for all postings of a key, or for one value.
func (p posting) mark() posting {
	if p.key != "" {
		p.text = ""
	}
	return p
}

// index judges whether a query has an answer; what it gave is judged when it is known what is there.
func (c *content) index(o *op) {
	name := o.Args.Index
	if early, ok := c.maybe[name]; ok && o.Kind != evIndexValues { // the first query tells
		if delete(c.maybe, name); o.Err != nil {
			return
		}
		c.early[name] = early
	}
	_, known := c.early[name]
	switch {
	case !known && o.Kind == evIndexValues: // it has no way to refuse
	case !known && o.Err == nil:
		c.fail(ruleQuery, "an error: there is no such index", "no error", o.Call, o.Return)
	case !known:
		c.tested(ruleQuery)
	case o.Err != nil:
		c.fail(c.ruleOfQuery(o, nil), "an answer", o.Err.String(), o.Call, o.Return)
	default:
		c.queries = append(c.queries, o)
	}
}

// judgeQueries judges what was asked since the last change: an index is the index function over the content. Those by
// an object come last, for what they give is the union of the others.
func (c *content) judgeQueries() {
	for _, early := range c.added {
		c.fill(early)
	}
	if len(c.open) == 0 { // else what is there is still open
		for _, byObject := range []bool{false, true} {
			for _, o := range c.queries {
				if (o.Kind == evIndex) == byObject {
					c.query(o)
				}
			}
		}
	}
	c.queries, c.added = nil, nil
}

func (c *content) query(o *op) {
	want, got, all := c.spoken(o)
	if !slices.Equal(want, got) {
		c.notIndexed(o, want, got)
		return
	}
	if query := o.Kind + " " + o.Args.Index + " " + o.Args.Value; len(want) > 0 {
		c.full[query] = true
	} else if !c.full[query] || !all {
		return // what never had anything shows nothing by being empty
	}
	c.tested(c.ruleOfQuery(o, want))
	if c.last != nil && c.last.Kind == evReplace && len(want) > 0 {
		c.tested(ruleExact)
	}
}

// spoken is what a query must give and what it gave, without that of which nothing can be said; all: there is no such.
func (c *content) spoken(o *op) (want, got []posting, all bool) {
	want, got = c.indexed(o), answered(o)
	if len(c.off[o.Args.Index]) == 0 && len(c.unknown) == 0 {
		return want, got, true
	}
	silent := func(p posting) bool { return c.silent(o.Args.Index, p) }
	want, got = slices.DeleteFunc(want, silent), slices.DeleteFunc(got, silent)
	if o.Kind == evIndexValues { // whose values one more may be is not known
		got = slices.DeleteFunc(got, func(p posting) bool { return !slices.Contains(want, p) })
	}
	return want, got, false
}

// silent says that nothing can be said of a key or a value in an index.
func (c *content) silent(name string, p posting) bool {
	return c.unknown[p.key] || c.off[name][p.mark()]
}

// notIndexed blames one clause, and says no more of what is wrong until it is changed.
func (c *content) notIndexed(o *op, want, got []posting) {
	d := differing(want, got)
	rule := c.ruleOfQuery(o, d)
	switch {
	case rule == ruleQuery && c.asked(o): // the index itself is right
	case c.last == nil:
	case c.refused && c.last.Kind != evApplyAll: // of several at once some may have been made
		rule = ruleKeyError
	case c.last.Kind == evReplace:
		rule = ruleExact
	}
	at := []int32{o.Call, o.Return}
	if c.last != nil {
		at = append([]int32{c.last.Call}, at...)
	}
	c.fail(rule, textsOf(c.indexed(o)), textsOf(answered(o)), at...)
	off := c.off[o.Args.Index]
	if off == nil {
		off = map[posting]bool{}
		c.off[o.Args.Index] = off
	}
	for _, p := range d {
		off[p.mark()] = true
	}
}

// ruleOfQuery is the rule for what a query gives, or gives wrongly.
func (c *content) ruleOfQuery(o *op, postings []posting) string {
	early := c.early[o.Args.Index]
	late := len(early) > 0
	for _, p := range postings {
		late = late && (early[p.key] || p.key == "" && c.earlyValue(o.Args.Index, p.text))
	}
	switch {
	case o.Kind == evIndex && (!late || c.asked(o)):
		return ruleQuery
	case late:
		return ruleLate
	}
	return ruleFunction
}

// earlyValue says that an index should have a value for something that was there before it.
func (c *content) earlyValue(name, value string) bool {
	for key := range c.early[name] {
		if e, ok := c.items[key]; ok && slices.Contains(IndexedValues(name, e.Object), value) {
			return true
		}
	}
	return false
}

// asked says that the index of a query by an object was also asked by its values.
func (c *content) asked(o *op) bool {
	return slices.ContainsFunc(c.queries, func(q *op) bool {
		return q.Args.Index == o.Args.Index && (q.Kind == evByIndex || q.Kind == evIndexKeys)
	})
}

// differing is what is in one of two answers alone.
func differing(a, b []posting) (out []posting) {
	for _, p := range slices.Concat(a, b) {
		if slices.Contains(a, p) != slices.Contains(b, p) {
			out = append(out, p)
		}
	}
	return out
}

func textsOf(ps []posting) string {
	var all []string
	for _, p := range ps {
		all = append(all, p.text)
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// reindex says that the indexes have to follow a change of a key.
func (c *content) reindex(key string, x Change) {
	for _, of := range []map[string]map[string]bool{c.early, c.maybe} {
		for _, early := range of {
			delete(early, key)
		}
	}
	for name, off := range c.off {
		delete(off, posting{key: key})
		for _, o := range []Object{c.items[key].Object, x.Object} {
			for _, v := range IndexedValues(name, o) {
				delete(off, posting{text: v})
			}
		}
	}
}

// reindexAll says that they have to be made anew.
func (c *content) reindexAll() {
	clear(c.off)
	for _, of := range []map[string]map[string]bool{c.early, c.maybe} {
		for _, early := range of {
			clear(early)
		}
	}
}

// indexed is what a query must give.
func (c *content) indexed(o *op) []posting {
	out := []posting{}
	asked := []string{o.Args.Value}
	if o.Kind == evIndex {
		asked = IndexedValues(o.Args.Index, o.object())
	}
	for key, e := range c.items {
		values := IndexedValues(o.Args.Index, e.Object)
		switch {
		case o.Kind == evIndexValues && c.silent(o.Args.Index, posting{key: key}):
		case o.Kind == evIndexValues:
			for _, v := range values {
				out = append(out, posting{"", v})
			}
		case !slices.ContainsFunc(values, func(v string) bool { return slices.Contains(asked, v) }):
		case o.Kind == evIndexKeys:
			out = append(out, posting{key, key})
		default:
			out = append(out, posting{key, text(e.Object)})
		}
	}
	return slices.Compact(byText(out))
}

// answered is what a query gave; what it gave twice is there twice.
func answered(o *op) []posting {
	out := []posting{}
	for _, v := range o.Body.Values {
		out = append(out, posting{"", v})
	}
	for _, x := range o.Items {
		if o.Kind == evIndexKeys {
			out = append(out, posting{x.Key(), x.Key()})
		} else {
			out = append(out, posting{x.Key(), text(x)})
		}
	}
	return byText(out)
}

func byText(ps []posting) []posting {
	slices.SortFunc(ps, func(a, b posting) int { return strings.Compare(a.text, b.text) })
	return ps
}

// addIndexers judges whether an index of a name that is taken was refused. Whether others of the same call are there
// then is open.
func (c *content) addIndexers(o *op) {
	var taken, fresh []string
	open := false
	for _, name := range o.Args.Indexers {
		_, there := c.early[name]
		_, maybe := c.maybe[name]
		switch {
		case there:
			taken = append(taken, name)
		default:
			fresh, open = append(fresh, name), open || maybe
		}
	}
	switch {
	case len(taken) > 0 && o.Err == nil:
		c.fail(ruleLate, fmt.Sprintf("an error: there is an index %s", taken[0]), "no error", o.Call, o.Return)
	case o.Err == nil:
		c.addedTo(c.early, fresh)
		for _, name := range fresh {
			delete(c.maybe, name)
		}
	case len(taken) > 0:
		c.tested(ruleLate)
		c.addedTo(c.maybe, fresh)
	case open:
		c.addedTo(c.maybe, fresh)
	default:
		c.fail(ruleLate, "the index", o.Err.String(), o.Call, o.Return)
	}
}

// addedTo notes indexes that are added, or may be.
func (c *content) addedTo(indexes map[string]map[string]bool, names []string) {
	for _, name := range names {
		indexes[name] = map[string]bool{}
		c.fill(indexes[name])
		c.added = append(c.added, indexes[name])
	}
}

// fill notes what is there.
func (c *content) fill(early map[string]bool) {
	for key := range c.items {
		early[key] = true
	}
}
