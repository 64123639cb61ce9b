package store

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// claim notes what a read says of a key, unless the key's age decides.
func (c *content) claim(rule string, o *op, key, got string, keyOnly bool) {
	want, e, there := absent, stored{}, false
	if e, there = c.items[key]; there {
		want = text(e.Object)
		if keyOnly {
			want = key
		}
	}
	if there && c.ttl > 0 && c.aged(rule, o, e, want, got) {
		return
	}
	if there && c.ttl == 0 && has(c.h, Expiring) && o.From-e.To > int64(longTime) {
		c.old(ruleTTL, o, want, got)
		return
	}
	n := claim{rule: rule, key: key, at: o.Return, want: want, got: got, present: there && want == got, keyOnly: keyOnly}
	if was, ok := c.open[key]; ok {
		n.older = got == was || keyOnly && got == key && was != absent
	}
	n.gone = !there && got == absent && c.seen[key]
	if n.present {
		c.seen[key] = true
	}
	c.claims = append(c.claims, n)
}

// longTime is what no entry without a TTL minds.
const longTime = 10 * time.Minute

func (c *content) old(rule string, o *op, want, got string) {
	if got != want {
		c.fail(rule, want+": a TTL of 0 never expires", got, o.Return)
		return
	}
	c.tested(rule)
}

// aged judges the read of an entry by its age; false: it is young, and no time has passed.
func (c *content) aged(rule string, o *op, e stored, want, got string) bool {
	least, most := o.From-e.To, o.To-e.From
	switch {
	case least > c.ttl: // it has expired
		switch {
		case rule == ruleKeys:
		case got != absent:
			c.fail(ruleTTL, fmt.Sprintf("nothing: it is older than %s", time.Duration(c.ttl)), got, o.Return)
		case c.seen[e.Key()]:
			c.tested(ruleTTL)
		}
	case most >= c.ttl: // it may be there, and may not
	case most < c.ttl/4:
		return false
	case got != want:
		c.fail(ruleTTL, want+fmt.Sprintf(": it is not as old as %s", time.Duration(c.ttl)), got, o.Return)
	default:
		c.tested(ruleTTL)
	}
	return true
}

// settle judges what was read since the last change: where reads of a key
// contradict each other, those that are wrong are to blame, and where all are
// wrong the change is.
func (c *content) settle() {
	by := map[string][]claim{}
	for _, n := range c.claims {
		by[n.key] = append(by[n.key], n)
	}
	for _, key := range slices.Sorted(maps.Keys(by)) {
		c.judge(key, by[key])
	}
	c.decide()
	c.claims = nil
}

// decide finds out from what was read whether changes that were left open have been made.
func (c *content) decide() {
	for _, n := range c.claims {
		if _, open := c.open[n.key]; !open || n.ok() == n.older {
			continue
		}
		if n.older {
			c.items = c.before
		}
		clear(c.open)
		return
	}
}

func (c *content) judge(key string, claims []claim) {
	wrong := slices.DeleteFunc(slices.Clone(claims), claim.ok)
	if len(wrong) == 0 {
		c.right(key, claims)
		return
	}
	if !slices.ContainsFunc(claims, func(n claim) bool { return !n.older }) {
		return // it was refused
	}
	others := slices.DeleteFunc(slices.Clone(claims), func(n claim) bool { return n.keyOnly && n.ok() && n.present })
	if len(wrong) == len(others) && c.last != nil && (len(others) == len(claims) || wrong[0].got != absent) {
		n := wrong[0] // that the key is there does not contradict a wrong state
		c.fail(c.blamed(key), n.want, fmt.Sprintf("%s (%s)", n.got, n.key), c.last.Call, n.at)
		return
	}
	for _, n := range wrong {
		c.fail(n.rule, n.want, fmt.Sprintf("%s (%s)", n.got, n.key), n.at)
	}
}

// blamed is the rule of what the last change did to a key, or should not have done.
func (c *content) blamed(key string) string {
	switch verb := c.last.verbOf(key); {
	case c.refused:
		return ruleKeyError
	case verb != "":
		return ofVerb[verb]
	}
	return c.ruleOf(c.last)
}

func (c *content) right(key string, claims []claim) {
	present, gone := false, false
	for _, n := range claims {
		if n.present || n.gone {
			c.tested(n.rule)
		}
		present, gone = present || n.present, gone || n.gone
	}
	if c.last == nil || c.refused {
		return
	}
	switch verb := c.last.verbOf(key); {
	case verb == string(Delete) && gone, verb != "" && verb != string(Delete) && present:
		c.tested(ofVerb[verb])
	}
	if gone {
		delete(c.seen, key)
	}
}
