package watchcache_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// settledIn is how many watches were settled when a check ran in real time,
// which here is a bubble's, against a server of whose events tap makes others.
func settledIn(t *testing.T, check string, tap func(watch.Event) []watch.Event) (n int) {
	t.Helper()
	cases := bound(func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
		o.OnWatch = func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
			return func(e watch.Event, c apiserver.Cause) []watch.Event {
				if c == apiserver.End {
					return nil
				}
				return tap(e)
			}
		}
		s := apiserver.New(o)
		return s, s
	})
	i := slices.IndexFunc(cases, func(c harness.Case) bool { return c.Name == check })
	require.GreaterOrEqual(t, i, 0)
	synctest.Test(t, func(t *testing.T) {
		_, h := harness.Run(cases[i], harness.Options{TB: t, Seed: 1, RealTime: true})
		require.NotNil(t, h)
		require.Equal(t, history.RealTime, h.Header.Time)
		for i := range h.Events {
			if h.Events[i].Kind == history.Settled {
				n++
			}
		}
	})
	return n
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
