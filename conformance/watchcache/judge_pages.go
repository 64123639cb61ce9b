package watchcache

import (
	"fmt"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// chain is a list in pages, as one client took them.
type chain []*listed

// whole says that the last page said that it is the last.
func (c chain) whole() bool { return c[len(c)-1].Body.Continue == "" }

// chains are the lists that were taken in pages, from their first one on.
func chains(r *replay.Replay) []chain {
	type place struct{ actor, token, scope string }
	var all []chain
	at := map[place]int{} // the chain whose last page gave a token
	for i := range r.Lists {
		l := &r.Lists[i]
		n := len(all)
		if token := l.Args.Options.Continue; token != "" {
			m, ok := at[place{l.Actor, token, l.Scope.String()}]
			if !ok {
				continue // nobody knows what it goes on from
			}
			n = m
		} else if l.Body.Continue == "" && l.Args.Options.Limit <= 0 {
			continue
		}
		if n == len(all) {
			all = append(all, nil)
		}
		if all[n] = append(all[n], l); l.Body.Continue != "" {
			at[place{l.Actor, l.Body.Continue, l.Scope.String()}] = n
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
			j.Undecided = "writes return no resourceVersion that could be compared"
			return j
		}
		for _, c := range chains(r) {
			if len(c) < 2 || !picks(c[0]) || c[0].N == 0 {
				continue
			}
			j.Tested++
			onePage := inStep(&j, c)
			if onePage && c.whole() {
				complete(&j, r, c)
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
				j.Fail("what comes after "+last+" in key order", key, lastAt, l.Call, l.Return)
				return false
			}
			last, lastAt = key, l.Return
		}
	}
	return fine
}

// complete: what was there at the first page's resourceVersion is on one of them.
func complete(j *harness.Judgement, r *replay.Replay, c chain) {
	seen := map[int32]bool{}
	for _, l := range c {
		for i := range l.Items {
			seen[l.Items[i].K] = true
		}
	}
	m := replay.NewMatcher(r.H, c[0].Scope)
	end := c[len(c)-1]
	for k := range keysIn(r.H, c[0].Scope) {
		s := r.StateAt(k, c[0].N)
		if !r.Own(k) || seen[k] || !s.Certain || s.Version == replay.None || !m.Matches(r.Versions[s.Version].Obj) {
			continue
		}
		v := &r.Versions[s.Version]
		j.Fail(fmt.Sprintf("%s on one of %d pages", name(r, v), len(c)), "it is on none", causes(v.Call, c[0].Return, end.Return)...)
	}
}

// judgePageSize: it counts as tested where there was more than the limit.
func judgePageSize(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Lists {
		l := &r.Lists[i]
		limit := l.Args.Options.Limit
		if limit <= 0 || l.Body.Continue == "" && int64(len(l.Items)) <= limit {
			continue
		}
		j.Tested++
		if l.Body.Continue != "" && int64(len(l.Items)) > limit {
			j.Fail(fmt.Sprintf("at most %d items, or all of them", limit), fmt.Sprintf("%d items, and a token for more", len(l.Items)), l.Call, l.Return)
		}
	}
	return j
}

// judgeRemaining counts what was there behind a page, in namespaces that only
// this run writes to.
func judgeRemaining(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Lists {
		l := &r.Lists[i]
		if l.Body.Remaining == nil || l.Body.Continue == "" || narrowed(l) || l.Scope.Name != "" || l.N == 0 || r.ByOrder || l.Astray {
			continue
		}
		want, ok := behind(r, l)
		if !ok {
			continue
		}
		j.Tested++
		if got := *l.Body.Remaining; got != want {
			j.Fail(fmt.Sprintf("remainingItemCount %d: so many come after this page", want), fmt.Sprint(got), l.Call, l.Return)
		}
	}
	return j
}

// behind counts the objects after a page; ok is false where that is not known.
func behind(r *replay.Replay, l *listed) (n int64, ok bool) {
	last := ""
	for i := range l.Items {
		if strings.HasPrefix(l.Items[i].Key, replay.Foreign) {
			return 0, false
		}
		last = l.Items[i].Key
	}
	if last == "" || l.Scope.Namespace == "" {
		return 0, false
	}
	for k := int32(1); int(k) < r.H.Keys(); k++ {
		if ns, _ := replay.SplitKey(r.H.Key(k)); ns != l.Scope.Namespace || r.H.Key(k) <= last {
			continue
		}
		s := r.StateAt(k, l.N)
		if !s.Certain || !r.Own(k) {
			return 0, false
		}
		if s.Version != replay.None {
			n++
		}
	}
	return n, true
}

func judgeRemainingAbsent(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Lists {
		l := &r.Lists[i]
		more := l.Body.Continue != ""
		selected := !l.Scope.Labels.Empty() || !l.Scope.Fields.Empty()
		if more && !selected || !more && !l.Page {
			continue
		}
		j.Tested++
		if l.Body.Remaining == nil {
			continue
		}
		want := "no remainingItemCount on the last page"
		if selected {
			want = "no remainingItemCount with a selector"
		}
		j.Fail(want, fmt.Sprint(*l.Body.Remaining), l.Call, l.Return)
	}
	return j
}

// judgeContinueExpired follows each token that was refused with 410: what it
// offers, and what comes of that.
func judgeContinueExpired(h *history.History) harness.Judgement {
	var j harness.Judgement
	gave := map[string]*replay.Request{}    // by token: the page that had it
	offered := map[string]*replay.Request{} // by token: the refusal that had it
	all := replay.Asked(h)
	for i := range all {
		q := &all[i]
		token := q.Args.Options.Continue
		if q.Kind != replay.List || q.Return == 0 || strings.HasPrefix(token, replay.MadeUp) {
			continue
		}
		if token != "" && q.Err != nil && q.Err.Code == 410 && offered[token] == nil {
			j.Tested++
			if q.Refusal.Continue == "" {
				j.Fail("a token to go on with in metadata.continue of the 410", "none", q.Call, q.Return)
			} else {
				offered[q.Refusal.Continue], gave[q.Refusal.Continue] = q, gave[token]
			}
		}
		if !q.Answered() {
			continue
		}
		if from := offered[token]; from != nil && token != "" {
			goesOn(&j, h, q, from, gave[token])
		} else if before := gave[token]; before != nil && q.Obj.RV != before.Obj.RV {
			j.Tested++
			j.Fail("the resourceVersion of the page before, "+before.Obj.RV, answer(h, q), before.Return, q.Call, q.Return)
		}
		if next := tokenOf(h, q); next != "" {
			gave[next] = q
		}
	}
	return j
}

func tokenOf(h *history.History, q *replay.Request) string {
	return replay.ListBodyOf(h.Event(q.Return)).Continue
}

// goesOn: the page that an offered token gives begins after the page before it, at a newer state.
func goesOn(j *harness.Judgement, h *history.History, q, from, before *replay.Request) {
	j.Tested++
	if before == nil {
		return
	}
	if history.Comparable(q.Obj.RV) && history.Comparable(before.Obj.RV) && history.CompareRV(q.Obj.RV, before.Obj.RV) <= 0 {
		j.Fail("a resourceVersion above "+before.Obj.RV+", which has expired", answer(h, q), from.Return, q.Call, q.Return)
	}
	last := replay.LastOwn(replay.Objects(h.Event(before.Return)))
	for _, item := range replay.Objects(h.Event(q.Return)) {
		if !strings.HasPrefix(item.Key, replay.Foreign) && item.Key <= last {
			j.Fail("what comes after "+last, item.Key, before.Return, q.Call, q.Return)
			return
		}
	}
}
