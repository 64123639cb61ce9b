package store

// blame is what a model knows of what it has found wrong.
type blame struct {
	unknown map[string]bool  // keys of which reads contradict each other: nothing is said of them until they are changed
	changes []*op            // all, also those that were refused
	looked  map[string]int32 // when a read has last shown each key
	whole   int32            // when one has last shown all
	listed  int32            // the same, before the last change
}

func noBlame() blame { return blame{unknown: map[string]bool{}, looked: map[string]int32{}} }

// culprit is the change that has left a key as it is: the last of it that nobody
// has looked at, else the last of all. nil: there was none.
func (c *content) culprit(key string) *op {
	for i := len(c.changes) - 1; i >= 0; i-- {
		o := c.changes[i]
		if o.Call < c.looked[key] || o.Call < c.listed {
			break
		}
		if !o.keyless() && o.verbOf(key) != "" {
			return o
		}
	}
	return c.last
}

// ruleFor is the rule of what a change did to a key, or should not have done.
func (c *content) ruleFor(o *op, key string) string {
	verb := o.verbOf(key)
	switch {
	case o.keyless():
		return ruleKeyError
	case verb != "":
		return ofVerb[verb]
	}
	return ruleOf(o)
}

// lookedAt notes what has been read before the next change.
func (c *content) lookedAt() {
	for _, n := range c.claims {
		c.looked[n.key] = n.at
	}
	c.listed = c.whole
}

// asIfOld says that a key is told, and nothing under it: so an entry looks that has expired.
func asIfOld(claims []claim) bool {
	keys, others := false, false
	for _, n := range claims {
		if n.keyOnly == (n.got == absent) {
			return false
		}
		keys, others = keys || n.keyOnly, others || !n.keyOnly
	}
	return keys && others
}

// believe takes for the content what reads have shown of a key, where they agree.
func (c *content) believe(key string, claims []claim) {
	var shown *Object
	whole := false // a read has shown all of it
	for _, n := range claims {
		if !n.keyOnly {
			shown, whole = n.shown, true
		}
	}
	for _, n := range claims {
		same := (n.shown == nil) == (shown == nil) && (n.keyOnly || shown == nil || n.got == text(*shown))
		if !same || !whole && n.shown != nil || c.ttl > 0 { // of what grows old nobody knows since when it is there
			c.unknown[key] = true
			return
		}
	}
	delete(c.open, key)
	delete(c.seen, key)
	if delete(c.items, key); shown != nil {
		e := stored{Object: *shown}
		if c.last != nil {
			e.From, e.To = c.last.From, c.last.To
		}
		c.items[key], c.seen[key] = e, true
	}
}
