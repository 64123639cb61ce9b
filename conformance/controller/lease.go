package controller

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"

	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var stopLease = harness.Rule{
	Clause: harness.Clause{
		ID:      "stop/lease",
		Level:   harness.Should,
		Text:    "A controller that is told to stop releases the Lease that it holds: it empties holderIdentity, makes leaseDurationSeconds shorter, or deletes the Lease.",
		Sources: []harness.Source{source.Symbol("k8s.io/client-go@v0.37.2/tools/leaderelection/leaderelection.go#LeaderElectionConfig.ReleaseOnCancel")},
		Why:     "At each upgrade nobody reconciles until the lease has run out.",
		Advice:  "Set ReleaseOnCancel of client-go's leader election, or LeaderElectionReleaseOnCancel of controller-runtime, and let the process end when the work has ended.",
		Classes: []string{"lease"},
	},
	Judge: judgeLease,
}

const leases = "leases.coordination.k8s.io"

// lease is what is recorded of a Lease that a life has written.
type lease struct {
	Key     string `json:"key"`
	Holder  string `json:"holder"` // empty: nobody
	Seconds int    `json:"seconds"`
}

// lease serves a write of a Lease, and records what changes: the holder or the duration, but no renewals.
func (f *front) lease(w http.ResponseWriter, q *http.Request, x target) {
	wantJSON(q)
	rec := httptest.NewRecorder()
	f.next.ServeHTTP(rec, q)
	if now, ok := leaseIn(rec.Body.Bytes(), x); ok && rec.Code < 300 && f.l.changed(now) {
		f.r.t.Seen(f.l.actor, evLease, 0, harness.Answer{Body: now})
	}
	send(w, rec)
}

// leaseIn reads a Lease from an answer. One that is deleted has no holder.
func leaseIn(body []byte, x target) (lease, bool) {
	var o struct {
		Kind     string
		Metadata struct{ Name string }
		Spec     struct {
			HolderIdentity       string
			LeaseDurationSeconds int
		}
	}
	if json.Unmarshal(body, &o) != nil {
		return lease{}, false
	}
	if o.Kind == "Status" {
		return lease{Key: x.key()}, true
	}
	if x.name == "" {
		x.name = o.Metadata.Name
	}
	return lease{x.key(), o.Spec.HolderIdentity, o.Spec.LeaseDurationSeconds}, true
}

// changed reports whether a Lease is otherwise than this life wrote it last.
func (l *life) changed(now lease) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was, there := l.leases[now.Key]
	l.leases[now.Key] = now
	return !there || was != now
}

// leaseMark is when a life wrote a Lease.
type leaseMark struct {
	mark
	lease
}

// held returns what a life held when it was told to stop, by key.
func (p *past) held(l *pastLife) map[string]lease {
	out, by := map[string]lease{}, map[string]mark{}
	for _, other := range p.lives {
		for _, m := range other.leases {
			if m.num > l.stop.num || m.num < by[m.Key].num {
				continue
			}
			by[m.Key] = m.mark
			if delete(out, m.Key); other == l && m.Holder != "" {
				out[m.Key] = m.lease
			}
		}
	}
	return out
}

// releases reports whether a life gave a Lease away after it was told to stop.
func (l *pastLife) releases(was lease) bool {
	return slices.ContainsFunc(l.leases, func(m leaseMark) bool {
		return m.num > l.stop.num && m.Key == was.Key && (m.Holder == "" || m.Seconds < was.Seconds)
	})
}

func judgeLease(h *history.History) (j harness.Judgement) {
	for _, p := range recordOf(h).all() {
		for _, l := range p.lives {
			if l.stop.num == 0 || l.over.num == 0 || l.kill.num != 0 {
				continue
			}
			held := p.held(l)
			for _, key := range slices.Sorted(maps.Keys(held)) {
				if j.Tested++; !l.releases(held[key]) {
					j.Fail("the release of "+key, fmt.Sprintf("%s%s still holds it for %d seconds when the controller has ended", p.prefix(), held[key].Holder, held[key].Seconds), l.stop.num, l.over.num)
				}
			}
		}
	}
	return j
}
