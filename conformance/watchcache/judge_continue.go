package watchcache

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// expiries are the lists that were taken in pages, and what became of tokens
// that had expired meanwhile.
type expiries struct {
	harness.Judgement
	r       *replay.Replay
	lists   map[int32]*listed          // by call
	gave    map[place]*listed          // by token: the page that had it
	offered map[place]*replay.Request  // by token: the refusal that had it
	before  map[place]string           // by token: the key behind which it goes on
	fresh   map[place]chain            // by token: the pages so far, from that of an offered token on
	later   map[place][]int32          // by token: calls that were answered with 504
	gone    func(from, to int32) int32 // number of a compaction between two events, 0 for none
}

// judgeContinueExpired follows each token that was refused with 410: what it
// offers, and what comes of that.
func judgeContinueExpired(h *history.History) harness.Judgement {
	x := expiries{r: replay.Of(h), lists: map[int32]*listed{}, gave: map[place]*listed{}, offered: map[place]*replay.Request{},
		before: map[place]string{}, fresh: map[place]chain{}, later: map[place][]int32{}, gone: compactions(h)}
	if x.r.ByOrder {
		x.Undecided = notComparable
		return x.Judgement
	}
	for i := range x.r.Lists {
		x.lists[x.r.Lists[i].Call] = &x.r.Lists[i]
	}
	for _, q := range replay.Asked(h) {
		token := q.Args.Options.Continue
		scope, err := replay.ParseScope(q.Args)
		if q.Kind != replay.List || q.Return == 0 || err != nil || strings.HasPrefix(token, replay.MadeUp) {
			continue
		}
		at := place{q.Actor, token, scope.String()}
		switch l := x.lists[q.Call]; {
		case q.Err != nil && (continuesAt(&q) || continuesMatching(&q)): // it is wrong in itself
		case token != "" && q.Err != nil && q.Err.Code == http.StatusGone:
			x.refused(&q, at)
		case token != "" && q.Err != nil && q.Err.Code == http.StatusGatewayTimeout:
			x.putOff(&q, at)
		case l != nil:
			x.answered(l, at)
		}
	}
	return x.Judgement
}

// refused looks at what a 410 offers.
func (x *expiries) refused(q *replay.Request, at place) {
	x.Tested++
	switch q.Refusal.Continue {
	case "":
		x.Fail("a token to go on with in metadata.continue of the 410", "none", q.Call, q.Return)
		return
	case at.token:
		x.Fail("a token to go on with in metadata.continue of the 410", "the one that has expired", q.Call, q.Return)
		return
	}
	on := place{at.actor, q.Refusal.Continue, at.scope}
	x.offered[on], x.gave[on] = q, x.gave[at]
	if p := x.gave[at]; p != nil {
		x.before[on] = behind(p)
	}
}

// mostPutOff is how long a server may say that a token is to be tried again, and
// how often it must have been: what has expired does not come back.
const mostPutOff = 10 * time.Minute

// putOff looks at a token that was to be tried again, and was. How long a cache lags is known in virtual time alone.
func (x *expiries) putOff(q *replay.Request, at place) {
	h, p := x.r.H, x.gave[at]
	if p == nil || h.Header.Time != history.VirtualTime || x.gone(p.Return, q.Call) == 0 {
		return
	}
	x.later[at] = append(x.later[at], q.Call)
	if tries := x.later[at]; len(tries) >= mostTroubles && h.Event(q.Call).At-h.Event(tries[0]).At >= int64(mostPutOff) {
		x.Tested++
		x.Fail("410 with a token to go on with, or a page @"+p.RV, fmt.Sprintf("%s, for the %d. time in %s", q.Err, len(tries), mostPutOff), p.Return, tries[0], q.Call, q.Return)
	}
}

// behind is the last own key of a page, or of those before it.
func behind(l *listed) string {
	if last := replay.LastOwn(l.Items); last != "" {
		return last
	}
	return l.From
}

// answered looks at a page.
func (x *expiries) answered(l *listed, at place) {
	var c chain
	from, prev := x.offered[at], x.gave[at]
	switch {
	case at.token == "" || prev == nil:
	case from != nil:
		c = chain{l}
		x.goesOn(l, from, prev, x.before[at])
	case x.fresh[at] != nil:
		c = append(x.fresh[at][:len(x.fresh[at]):len(x.fresh[at])], l)
		x.keeps(c)
	case l.RV != prev.RV:
		if n := x.gone(prev.Return, l.Call); n != 0 {
			x.Tested++
			x.Fail("410 with a token to go on with, or a page @"+prev.RV, fmt.Sprintf("a page @%s of %d items", l.RV, len(l.Items)), prev.Return, n, l.Call, l.Return)
		}
	}
	if next := l.Body.Continue; next != "" {
		on := place{at.actor, next, at.scope}
		x.gave[on] = l
		delete(x.offered, on)
		if delete(x.fresh, on); c != nil {
			x.fresh[on], x.before[on] = c, x.before[at]
		}
	} else if c != nil && inStep(&harness.Judgement{}, c) && c[0].N != 0 {
		complete(&x.Judgement, x.r, c, x.before[at])
	}
}

// goesOn: the page that an offered token gives begins behind the page before it, at no older state.
func (x *expiries) goesOn(l *listed, from *replay.Request, prev *listed, last string) {
	x.Tested++
	if history.Comparable(l.RV) && history.Comparable(prev.RV) && history.CompareRV(l.RV, prev.RV) < 0 {
		x.Fail("a resourceVersion above "+prev.RV+", which has expired", "a page @"+l.RV, from.Return, l.Call, l.Return)
	}
	for i := range l.Items {
		if key := l.Items[i].Key; !strings.HasPrefix(key, replay.Foreign) && key <= last {
			x.Fail("what comes after "+last, key, prev.Return, l.Call, l.Return)
			return
		}
	}
}

// keeps: the pages after that are of its state.
func (x *expiries) keeps(c chain) {
	x.Tested++
	if l := c[len(c)-1]; l.RV != c[0].RV {
		x.Fail("the resourceVersion of the page that the offered token gave, "+c[0].RV, "a page @"+l.RV, c[0].Return, l.Call, l.Return)
	}
}

// compactions finds the answer to a compaction between two events.
func compactions(h *history.History) func(from, to int32) int32 {
	return func(from, to int32) int32 {
		for n := from + 1; n < to; n++ {
			if e := h.Event(n); e.Kind == replay.Compact && e.Phase == history.Return && e.Err() == nil {
				return n
			}
		}
		return 0
	}
}
