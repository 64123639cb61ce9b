package watchcache_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// settledIn is how many watches were settled when a check ran in real time,
// which here is a bubble's, against a server of whose events tap makes others.
func settledIn(t *testing.T, check string, tap func(watch.Event) []watch.Event) (n int) {
	t.Helper()
	_, n = inRealTimeOn(t, check, func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
		return func(e watch.Event, c apiserver.Cause) []watch.Event {
			if c == apiserver.End {
				return nil
			}
			return tap(e)
		}
	}, watchcache.SoleWriter)
	return n
}

// inRealTimeOn is what came of a check on a server with such watches, without
// some features, and how many watches were settled.
func inRealTimeOn(t *testing.T, check string, on func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap, without ...harness.Feature) (r harness.Result, n int) {
	t.Helper()
	cases := bound(func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
		o.OnWatch = on
		s := apiserver.New(o)
		return s, s
	})
	i := slices.IndexFunc(cases, func(c harness.Case) bool { return c.Name == check })
	require.GreaterOrEqual(t, i, 0)
	c := cases[i]
	c.Has = slices.DeleteFunc(slices.Clone(c.Has), func(f harness.Feature) bool { return slices.Contains(without, f) })
	synctest.Test(t, func(t *testing.T) {
		var h *history.History
		r, h = harness.Run(c, harness.Options{TB: t, Seed: 1, RealTime: true})
		require.NotNil(t, h)
		require.Equal(t, history.RealTime, h.Header.Time)
		for i := range h.Events {
			if h.Events[i].Kind == history.Settled {
				n++
			}
		}
	})
	return r, n
}

// In real time a watch has settled when its own sentinel came, and not because
// the time for that is up, nor because another run's came, which reads alike.
func TestSettlesByItsSentinel(t *testing.T) {
	const check = "watch/same-for-all" // has watches of all namespaces
	as := func(e watch.Event, ns string) watch.Event {
		m := e.Object.(*corev1.ConfigMap).DeepCopy()
		m.Namespace = ns
		return watch.Event{Type: e.Type, Object: m}
	}
	sentinel := func(e watch.Event) bool {
		m, ok := e.Object.(*corev1.ConfigMap)
		return ok && m.Name == "sentinel"
	}
	assert.Positive(t, settledIn(t, check, func(e watch.Event) []watch.Event { return []watch.Event{e} }))
	assert.Zero(t, settledIn(t, check, func(watch.Event) []watch.Event { return nil }), "nothing came")
	assert.Zero(t, settledIn(t, check, func(e watch.Event) []watch.Event {
		if sentinel(e) {
			return nil
		}
		return []watch.Event{e}
	}), "all came but the sentinels")
	assert.Zero(t, settledIn(t, check, func(e watch.Event) []watch.Event {
		if sentinel(e) {
			e = as(e, "another-run")
		}
		return []watch.Event{e}
	}), "another run's sentinels came")
}

// A watch by what objects have not settles, too: it has a sentinel without labels.
func TestSettlesWithoutLabels(t *testing.T) {
	all := func(e watch.Event) []watch.Event { return []watch.Event{e} }
	labelled := func(e watch.Event) []watch.Event {
		if m, ok := e.Object.(*corev1.ConfigMap); ok && m.Name == "sentinel-bare" {
			return nil
		}
		return []watch.Event{e}
	}
	whole := settledIn(t, "watch/scope/shapes", all)
	assert.Equal(t, 31, whole, "all watches")
	assert.Less(t, settledIn(t, "watch/scope/shapes", labelled), whole, "only those by !app have none")
}

// What a watch of one name is not given, while others are given all, is missing
// where nobody else is at the server; else nobody knows what held it up.
func TestSettlesSilentName(t *testing.T) {
	const check, rule = "watch/scope/name", "watch/scope/name"
	of := func(r harness.Result) harness.RuleResult {
		return r.Rules[slices.IndexFunc(r.Rules, func(rr harness.RuleResult) bool { return rr.Rule == rule })]
	}
	silent := func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
		named := o.FieldSelector != ""
		return func(e watch.Event, c apiserver.Cause) []watch.Event {
			if c == apiserver.End || named {
				return nil
			}
			return []watch.Event{e}
		}
	}
	alone, _ := inRealTimeOn(t, check, silent)
	assert.Equal(t, harness.Fail, of(alone).Verdict)
	shared, _ := inRealTimeOn(t, check, silent, watchcache.SoleWriter)
	assert.Equal(t, harness.Inconclusive, shared.Verdict)
	assert.Contains(t, shared.Reason, "w1 was not given a/x, which was written for it, within 10s")
}

// A watch that is behind, because the server is busy, has not had all its time: neither where the others' sentinels
// took long, nor where it is still being given what came before.
func TestBehindIsNotSilent(t *testing.T) {
	const check = "watch/scope/name"
	sleeping := func(d time.Duration, named bool) func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
		return func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
			if (o.FieldSelector != "") != named {
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if c == apiserver.End || o.FieldSelector != "" {
						return nil
					}
					return []watch.Event{e}
				}
			}
			return func(e watch.Event, c apiserver.Cause) []watch.Event {
				time.Sleep(d)
				if c == apiserver.End {
					return nil
				}
				return []watch.Event{e}
			}
		}
	}
	for name, how := range map[string]struct {
		d     time.Duration
		named bool
	}{"the others are slow": {100 * time.Millisecond, false}, "it is behind": {5 * time.Second, true}} {
		r, _ := inRealTimeOn(t, check, sleeping(how.d, how.named))
		assert.NotEqual(t, harness.Fail, r.Verdict, "%s: %s", name, r.Reason)
	}
}
