package store

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// claim notes what a read says of a key, unless its age decides or nothing is known of it.
func (c *content) claim(rule string, o *op, key string, shown *Object) {
	e, there := c.items[key]
	if there && c.ages(o, e) && slices.ContainsFunc(c.claims, func(n claim) bool { return n.key == key }) {
		c.settle() // whether what it was when it was young was right
		e, there = c.items[key]
	}
	n := claim{rule: rule, key: key, at: o.Return, want: absent, got: absent, shown: shown, keyOnly: rule == ruleKeys}
	if there {
		n.want = n.says(e.Object)
	}
	if shown != nil {
		n.got = n.says(*shown)
	}
	switch {
	case c.unknown[key]:
		return
	case there && c.ages(o, e):
		c.aged(o, e, n)
		return
	case there && c.ttl == 0 && has(c.h, Expiring) && o.From-e.To > int64(longTime):
		c.old(ruleTTL, o, n.want, n.got)
		return
	}
	n.present = there && n.ok()
	if was, ok := c.open[key]; ok {
		n.older = n.got == was || n.keyOnly && n.got == key && was != absent
	}
	n.gone = !there && n.got == absent && c.seen[key]
	if n.present {
		c.seen[key] = true
	}
	c.claims = append(c.claims, n)
}

// says is what a claim of an object says.
func (c claim) says(o Object) string {
	if c.keyOnly {
		return o.Key()
	}
	return text(o)
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

// ages says that some time has passed since an entry was put there.
func (c *content) ages(o *op, e stored) bool { return c.ttl > 0 && o.To-e.From >= c.ttl/4 }

// aged judges the read of an entry by its age.
func (c *content) aged(o *op, e stored, n claim) {
	rule, want, got := n.rule, n.want, n.got
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
	case got != want:
		c.fail(ruleTTL, want+fmt.Sprintf(": it is not as old as %s", time.Duration(c.ttl)), got, o.Return)
		c.unknown[n.key] = true // who takes it for old may take it away
	default:
		c.tested(ruleTTL)
	}
}

// settle judges what was read since the last change: where reads of a key
// contradict each other, those that are wrong are to blame, and where all are
// wrong the change is. From then on what was shown is there: each wrong state is blamed once.
func (c *content) settle() {
	by, wrong := map[string][]claim{}, []string{}
	for _, n := range c.claims {
		by[n.key] = append(by[n.key], n)
	}
	for _, key := range slices.Sorted(maps.Keys(by)) {
		if !c.judge(key, by[key]) {
			wrong = append(wrong, key)
		}
	}
	c.decide()
	other := false // the change has left something else than it should
	for _, key := range wrong {
		c.believe(key, by[key])
		other = other || !c.unknown[key]
	}
	c.judgeTellings(other)
	c.judgeQueries()
	c.lookedAt()
	c.claims = nil
}

// decide finds out from what was read whether changes that were left open have been made.
func (c *content) decide() {
	for _, n := range c.claims {
		if _, open := c.open[n.key]; !open || n.ok() == n.older {
			continue
		}
		if n.older {
			c.undo()
		}
		clear(c.open)
		return
	}
}

// judge judges the reads of a key; false: some are wrong.
func (c *content) judge(key string, claims []claim) bool {
	wrong := slices.DeleteFunc(slices.Clone(claims), claim.ok)
	if len(wrong) == 0 {
		c.right(key, claims)
		return true
	}
	if !slices.ContainsFunc(claims, func(n claim) bool { return !n.older }) {
		return true // it was refused
	}
	others := slices.DeleteFunc(slices.Clone(claims), func(n claim) bool { return n.keyOnly && n.ok() && n.present })
	n := wrong[0]
	switch {
	case c.ttl > 0 && asIfOld(claims):
		by := c.culprit(key)
		rule := ruleTTL // what is there is taken for old
		if _, there := c.items[key]; !there && by != nil {
			rule = c.ruleFor(by, key)
		}
		c.fail(rule, n.want, fmt.Sprintf("%s (%s)", n.got, n.key), n.at)
	case len(wrong) == len(others) && c.last != nil && (len(others) == len(claims) || n.got != absent):
		by := c.culprit(key) // that the key is there does not contradict a wrong state
		c.fail(c.ruleFor(by, key), n.want, fmt.Sprintf("%s (%s)", n.got, n.key), by.Call, n.at)
	default:
		for _, n := range wrong {
			c.fail(n.rule, n.want, fmt.Sprintf("%s (%s)", n.got, n.key), n.at)
		}
	}
	return false
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
