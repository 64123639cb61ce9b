package watchcache

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// chain is a list in pages, as one client took them.
type chain []*listed

// whole says that the last page said that it is the last.
func (c chain) whole() bool { return c[len(c)-1].Body.Continue == "" }

// place is where a list goes on. Tokens of two namespaces, or of two lists at
// one revision, may be equal.
type place struct{ actor, token, scope string }

// chains are the lists that were taken in pages, from their first one on. A
// token that is used twice goes on twice.
func chains(r *replay.Replay) []chain {
	type end struct{ chain, pages int }
	var all []chain
	at := map[place]end{} // by the token that a page gave: where that page is
	for i := range r.Lists {
		l := &r.Lists[i]
		e := end{len(all), 0}
		if token := l.Args.Options.Continue; token != "" {
			from, ok := at[place{l.Actor, token, l.PagesOf()}]
			if !ok {
				continue // nobody knows what it goes on from
			}
			if e.pages = from.pages; len(all[from.chain]) == from.pages {
				e.chain = from.chain
			} else {
				all = append(all, slices.Clone(all[from.chain][:from.pages]))
			}
		} else if l.Body.Continue == "" && l.Args.Options.Limit <= 0 {
			continue
		} else {
			all = append(all, nil)
		}
		all[e.chain], e.pages = append(all[e.chain], l), e.pages+1
		if l.Body.Continue != "" {
			at[place{l.Actor, l.Body.Continue, l.PagesOf()}] = e
		}
	}
	return all
}

// judgePages looks at each list that took more than one page.
func judgePages(picks func(*listed) bool) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		r := replay.Of(h)
		var j harness.Judgement
		if r.ByOrder {
			j.Undecided = notComparable
			return j
		}
		for _, c := range chains(r) {
			if len(c) < 2 || !picks(c[0]) || c[0].N == 0 {
				continue
			}
			j.Tested++
			if inStep(&j, c) && inScope(&j, r, c) && c.whole() {
				complete(&j, r, c, "")
			}
		}
		return j
	}
}

// inStep: one resourceVersion, and keys that only grow.
func inStep(j *harness.Judgement, c chain) bool {
	last, lastAt, fine := "", int32(0), true
	for _, l := range c {
		if l.RV != c[0].RV {
			j.Fail("the resourceVersion of the first page, "+c[0].RV, "a page @"+l.RV, c[0].Return, l.Call, l.Return)
			fine = false
		}
		for i := range l.Items {
			key := l.Items[i].Key
			if strings.HasPrefix(key, replay.Foreign) {
				continue
			}
			if key <= last {
				j.Fail("what comes after "+last+" in key order", key, causes(lastAt, l.Call, l.Return)...)
				return false
			}
			last, lastAt = key, l.Return
		}
	}
	return fine
}

// inScope: with a selector, nothing that it does not select. Of a foreign
// object's labels and fields nothing is known.
func inScope(j *harness.Judgement, r *replay.Replay, c chain) bool {
	if !narrowed(c[0]) {
		return true
	}
	m := replay.NewMatcher(r.H, declaredOf(r.H, c[0].Scope))
	for _, l := range c {
		for i := range l.Items {
			if item := &l.Items[i]; !strings.HasPrefix(item.Key, replay.Foreign) && !selects(r, m, item) {
				j.Fail("only what the list is of: "+scopeText(c[0]), describeItem(item), c[0].Return, l.Call, l.Return)
				return false
			}
		}
	}
	return true
}

// complete: what was there behind a key, at the first page's resourceVersion, is on one of them.
func complete(j *harness.Judgement, r *replay.Replay, c chain, behind string) {
	seen := map[int32]bool{}
	for _, l := range c {
		for i := range l.Items {
			seen[l.Items[i].K] = true
		}
	}
	m := replay.NewMatcher(r.H, declaredOf(r.H, c[0].Scope))
	end := c[len(c)-1]
	for k := range keysIn(r.H, c[0].Scope) {
		s := r.StateAt(k, c[0].N)
		if !r.Own(k) || seen[k] || r.H.Key(k) <= behind || !s.Certain || s.Version == replay.None || !m.Matches(r.Versions[s.Version].Obj) {
			continue
		}
		v := &r.Versions[s.Version]
		j.Fail(fmt.Sprintf("%s on one of %d pages", name(r, v), len(c)), "it is on none", slices.Compact(causes(v.Call, c[0].Return, end.Return))...)
	}
}

// judgePageSize: it counts as tested where there was more than the limit. A list
// that goes on from a token that is made up is list/bad-token's: a server that
// ignores tokens and limits gives everything. At "0" the cache of kube-apiserver
// ignores limits, and gives all that comes after a token, too (cacher, computeListLimit).
func judgePageSize(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Lists {
		l := &r.Lists[i]
		limit, n, more := l.Args.Options.Limit, int64(len(l.Items)), l.Body.Continue != ""
		if limit <= 0 || !more && n <= limit || strings.HasPrefix(l.Args.Options.Continue, replay.MadeUp) {
			continue
		}
		j.Tested++
		if n <= limit || !more && (!l.Page || l.Args.Options.ResourceVersion == "0") { // who gives all at once ignores limits
			continue
		}
		got := fmt.Sprintf("%d items, and a token for more", n)
		if !more {
			got = fmt.Sprintf("%d items on the last page", n)
		}
		j.Fail(fmt.Sprintf("at most %d items, or all of them", limit), got, l.Call, l.Return)
	}
	return j
}
