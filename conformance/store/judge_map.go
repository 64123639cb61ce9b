package store

import (
	"maps"
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// Addresses of the rules of maps.
const (
	ruleAdd      = "basic/add"
	ruleUpdate   = "basic/update"
	ruleDelete   = "basic/delete"
	ruleGet      = "basic/get"
	ruleList     = "basic/list"
	ruleKeys     = "basic/keys"
	ruleKeyError = "basic/key-error"
	ruleExact    = "replace/exact"
	ruleVersion  = "version/told"
	ruleFunction = "index/function"
	ruleQuery    = "index/query"
	ruleLate     = "index/add-late"
	ruleTTL      = "expire/ttl"
)

// ofVerb is the rule that a change is judged by.
var ofVerb = map[string]string{string(Add): ruleAdd, string(Update): ruleUpdate, string(Delete): ruleDelete, evReplace: ruleExact}

// stored is an entry of the map, and when it was put there: not before From, not after To.
type stored struct {
	Object
	From, To int64
}

// content is a model of the map: what its calls, one after the other, make true.
type content struct {
	verdicts
	h          *history.History
	ttl        int64
	items      map[string]stored
	seen       map[string]bool   // keys that a read has shown since they were put there
	versions   []string          // that may be told
	open       map[string]string // what may be there in the place of what should be
	before     map[string]stored // what is there then
	at         int32             // the change that made one of them
	indexModel                   // what is known of indexes
	last       *op               // the last change, nil for none
	refused    bool              // it was refused for its key, and must have changed nothing
	claims     []claim           // what was read since
	tellings   []telling         // and which versions were told
	blame                        // what has been found wrong
}

// claim is what one read says of one key.
type claim struct {
	rule, key string
	at        int32
	want, got string
	shown     *Object // nil for none, or where it says its key alone
	present   bool    // it is there, and should be
	gone      bool    // it is not there, and was seen there before
	keyOnly   bool    // it says no more than whether the key is there
	older     bool    // it is as it was before a change that may have been refused
}

// telling is a version that was told, and those that might have been.
type telling struct {
	o    *op
	want []string
	at   int32
}

func (c claim) ok() bool { return c.want == c.got }

func judgeMap(h *history.History) mapVerdicts {
	r := runOf(h)
	c := &content{verdicts: verdicts{}, h: h, ttl: r.Open.Args.TTL, items: map[string]stored{}, seen: map[string]bool{}, open: map[string]string{}, indexModel: noIndexes(), blame: noBlame()}
	if !has(h, Map) {
		return mapVerdicts{c.verdicts}
	}
	for _, name := range r.Open.Args.Indexers {
		c.early[name] = map[string]bool{}
	}
	for _, o := range r.Ops {
		if o.changes() {
			c.settle()
			if !c.change(o) {
				break
			}
			continue
		}
		c.read(o)
	}
	c.settle()
	return mapVerdicts{c.verdicts}
}

// change applies one; false: nobody knows what became of it.
func (c *content) change(o *op) bool {
	c.last, c.refused = o, o.keyless()
	c.changes = append(c.changes, o)
	told := c.versions
	switch {
	case c.refused:
		c.keyError(o)
		if o.Kind != evApplyAll {
			return true
		}
		c.leaveOpen(o)
	case o.Err != nil:
		c.fail(ruleOf(o), "no error: it is a change that every store takes", o.Err.String(), o.Call, o.Return)
		return false
	case o.Kind == evReplace:
		c.items, c.seen, c.open = map[string]stored{}, map[string]bool{}, map[string]string{}
		clear(c.unknown)
		c.reindexAll()
		for _, x := range o.Args.Objects {
			c.items[x.Key()] = stored{x, o.From, o.To}
		}
		c.version(o, o.Obj.RV)
	}
	for _, x := range o.made() {
		c.single(o, x)
	}
	if c.refused { // altogether, perhaps
		c.versions = append(slices.Clip(told), c.versions...)
	}
	return true
}

// leaveOpen notes what was there before several changes of which one has no
// key: they may have been refused altogether. Of what is open twice nothing is known.
func (c *content) leaveOpen(o *op) {
	if len(c.open) > 0 {
		for key := range c.open {
			c.unknown[key] = true
		}
		for _, x := range o.made() {
			c.unknown[x.Object.Key()] = true
		}
		clear(c.open)
		return
	}
	c.before = maps.Clone(c.items)
	for _, x := range o.made() {
		was := absent
		if e, ok := c.items[x.Object.Key()]; ok {
			was = text(e.Object)
		}
		c.open[x.Object.Key()] = was
	}
}

// undo makes the content what it is if the changes that are open were refused.
func (c *content) undo() {
	for key := range c.open {
		if was, ok := c.before[key]; ok {
			c.items[key] = was
		} else {
			delete(c.items, key)
		}
	}
}

// single is a change of one object.
func (c *content) single(o *op, x Change) {
	key := x.Object.Key()
	_, there := c.items[key]
	if !c.refused {
		delete(c.open, key)
		delete(c.unknown, key)
		c.reindex(key, x)
	}
	if x.Verb == Delete {
		delete(c.items, key)
	} else {
		c.items[key] = stored{x.Object, o.From, o.To}
		delete(c.seen, key)
	}
	switch {
	case x.Unknown:
	case x.Verb == Delete && !there: // whether what takes nothing away moves it is open
		c.at, c.versions = o.Call, append(c.versions, x.Object.ResourceVersion)
	default:
		c.version(o, x.Object.ResourceVersion)
	}
}

// ruleOf is the rule for a change, of several at once for the first.
func ruleOf(o *op) string {
	if o.Kind == evApplyAll {
		return ofVerb[string(o.Args.Changes[0].Verb)]
	}
	return ofVerb[o.Kind]
}

// version is told from now on; where an object has none the old one may stay, as in an expiring store what was there
// before an Add or Update.
func (c *content) version(o *op, rv string) {
	c.at = o.Call
	kept := has(c.h, Expiring) && (o.Kind == string(Add) || o.Kind == string(Update) || o.Kind == evApplyAll)
	if rv != "" && !kept {
		c.versions = nil
	}
	c.versions = append(c.versions, rv)
}

// keyError judges what is asked about an object that has no key.
func (c *content) keyError(o *op) {
	switch {
	case o.Err == nil:
		c.fail(ruleKeyError, "the key function's error", "no error", o.Call, o.Return)
	case o.Err.Reason != reasonKey:
		c.fail(ruleKeyError, "a KeyError", o.Err.String(), o.Call, o.Return)
	default:
		c.tested(ruleKeyError)
	}
}

func (c *content) read(o *op) {
	switch o.Kind {
	case evGet, evGetByKey:
		c.get(o)
	case evList, evKeys:
		c.list(o)
	case evVersion:
		c.told(o)
	case evBookmark:
		if o.Err != nil {
			c.fail(ruleVersion, "no error: it is a bookmark", o.Err.String(), o.Call, o.Return)
		} else {
			c.version(o, o.Obj.RV)
		}
	case evIndex, evByIndex, evIndexKeys, evIndexValues:
		c.index(o)
	case evAddIndexers:
		c.addIndexers(o)
	}
}

func (c *content) told(o *op) {
	switch {
	case o.Err != nil:
		c.fail(ruleVersion, "a resourceVersion", o.Err.String(), o.Call, o.Return)
	case o.Found.RV != "": // it may tell none
		c.tellings = append(c.tellings, telling{o, slices.Clone(c.versions), c.at})
	}
}

// judgeTellings judges what was told since the last change. Where that has left
// another content than it should, the version is that of it.
func (c *content) judgeTellings(other bool) {
	for _, n := range c.tellings {
		got := n.o.Found.RV
		switch {
		case other:
			c.versions = append(c.versions, got)
		case slices.Contains(n.want, got):
			c.tested(ruleVersion)
		default:
			c.fail(ruleVersion, "@"+append([]string{""}, n.want...)[len(n.want)], "@"+got, n.at, n.o.Return)
		}
	}
	c.tellings = nil
}

const absent = "nothing"

func (c *content) get(o *op) {
	switch {
	case keyless(o.object()) && o.Kind == evGet:
		c.keyError(o)
		return
	case o.Err != nil:
		c.fail(ruleGet, "what is there, or nothing", o.Err.String(), o.Call, o.Return)
		return
	}
	var shown *Object
	if o.Found.Key != "" {
		x := objectOf(o.Found)
		shown = &x
	}
	c.claim(ruleGet, o, o.Obj.Key, shown)
}

func (c *content) list(o *op) {
	rule := map[string]string{evList: ruleList, evKeys: ruleKeys}[o.Kind]
	if o.Err != nil {
		c.fail(rule, "what is there", o.Err.String(), o.Call, o.Return)
		return
	}
	shown := lasts(o.Items)
	for _, key := range twice(o.Items) {
		c.fail(rule, "each key once", key+" twice", o.Return)
	}
	keys := slices.Concat(slices.Collect(maps.Keys(shown)), slices.Collect(maps.Keys(c.items)), slices.Collect(maps.Keys(c.seen)))
	for _, k := range slices.Compact(sorted(keys)) {
		c.claim(rule, o, k, shown[k])
	}
	c.whole = max(c.whole, o.Return)
}

// twice are the keys that a list has more than once.
func twice(items []Object) (out []string) {
	has := map[string]bool{}
	for _, x := range items {
		if has[x.Key()] {
			out = append(out, x.Key())
		}
		has[x.Key()] = true
	}
	return out
}
