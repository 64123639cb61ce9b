package store

import "slices"

// takeKey takes all deltas of a key.
func (q *queue) takeKey(ops []*op, i int) *unit {
	o := ops[i]
	got := o.Popped.Deltas
	key := keyOf(got[0])
	u := q.find(key)
	if u == nil {
		q.fromNowhere(o, key)
		return nil
	}
	if n := len(u.deltas); q.vague && len(got) >= n {
		q.mergedSince(u, got[n-1])
		q.ofFailed(o, got[n:])
		got = got[:n]
	}
	if at, ok := q.dropped[key]; ok && at < u.cause { // it pops without it
		q.tested(ruleUnknown)
	}
	delete(q.dropped, key)
	if rule := q.compare(u, got); rule != "" {
		q.fail(rule, deltaTexts(u.plain()), deltaTexts(got), u.cause, o.Call, o.Return)
	} else {
		q.credit(u)
	}
	q.remove(u, o, func() []Delta { return later(ops, i, len(o.Popped.Deltas)-1) })
	return u
}

// mergedSince takes a delete that was asked for since a list failed for the last of a key, if that was a delete, too: they
// may have become one.
func (q *queue) mergedSince(u *unit, got Delta) {
	last := &u.deltas[len(u.deltas)-1]
	if asked := got.String(); last.Type == Deleted && got.Type == Deleted && !last.is(got) && q.since[asked] > 0 {
		last.Delta = got
		q.since[asked]--
	}
}

// settleDropped: what was dropped and did not pop until nothing is left is as it should be.
func (q *queue) settleDropped() {
	for range q.dropped {
		q.tested(ruleUnknown)
	}
	clear(q.dropped)
}

// fromNowhere is a key that popped though nothing of it was queued.
func (q *queue) fromNowhere(o *op, key string) {
	d := o.Popped.Deltas[0]
	if at, ok := q.dropped[key]; ok && d.Type == Deleted {
		delete(q.dropped, key)
		q.fail(ruleUnknown, "nothing: it was neither queued nor known", deltaTexts(o.Popped.Deltas), at, o.Call, o.Return)
		return
	}
	q.fail(ofNowhere(d), "nothing of it: it was not queued, or has been popped", deltaTexts(o.Popped.Deltas), o.Call, o.Return)
}

func (u *unit) plain() []Delta {
	var out []Delta
	for _, n := range u.deltas {
		out = append(out, n.Delta)
	}
	return out
}

// compare gives the rule that is broken where the deltas of a key are not
// those that were queued, "" where they are.
func (q *queue) compare(u *unit, got []Delta) string {
	at := 0
	for at < min(len(got), len(u.deltas)) && u.deltas[at].is(got[at]) {
		at++
	}
	switch {
	case at == len(got) && at == len(u.deltas):
		return ""
	case slices.ContainsFunc(got, func(d Delta) bool { return keyOf(d) != u.key }):
		return ruleOrder
	case len(got) < len(u.deltas):
		if rule := ofCause[u.deltas[at].kind]; rule != ruleOrder {
			return rule
		}
		return ruleDedup // merged with what is left
	case len(got) > len(u.deltas):
		if twoDeletes(got) {
			return ruleDedup
		}
		return ofNowhere(got[at])
	case u.deltas[at].merged && got[at].Type == Deleted:
		return ruleDedup
	}
	return ofCause[u.deltas[at].kind]
}

func twoDeletes(got []Delta) bool {
	for i := range got[1:] {
		if got[i].Type == Deleted && got[i+1].Type == Deleted {
			return true
		}
	}
	return false
}
