package informers_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/internal/full/cases"
	"github.com/lwtest/lwtest/plugins/clientgo/informers"
	"github.com/lwtest/lwtest/plugins/fake"
)

// Every check that a way's features allow passes, but for what is known, and no line is stale. Each way goes
// through a part of the checks, which begins with another one for each.
func TestSuite(t *testing.T) {
	var all []harness.Result
	for i, name := range informers.Names() {
		t.Run(name, func(t *testing.T) {
			target, err := informers.Target(name, fake.Server, append(fake.ServerFeatures, harness.VirtualTime)...)
			require.NoError(t, err)
			assert.NotEmpty(t, informers.About(name))
			var results []harness.Result
			for _, c := range cases.Part(t, target.Cases, 12, i) {
				r, h := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: target.Name})
				if h != nil { // it was not skipped
					assert.NoError(t, informer.Readable(h), r.Check)
				}
				results = append(results, r)
			}
			all = append(all, results...)
			if err := harness.Cover(target.Known, results); full.Wanted() {
				assert.NoError(t, err, "stale lines")
			}
			passed := 0
			for _, r := range results {
				if r.Verdict == harness.Pass {
					passed++
				} else if r.Verdict != harness.Skip && r.Known == "" {
					t.Errorf("%s: %s %s", r.Check, r.Verdict, r.Reason)
					for _, rr := range r.Rules {
						if rr.Verdict == harness.Fail {
							t.Error(target.Cases[0].Kind.Explain(rr))
						}
					}
				}
			}
			assert.True(t, passed > 0 || full.Race) // of the few checks that run then, each may need what the target lacks
			t.Logf("%d of %d passed", passed, len(results))
		})
	}
	if full.Wanted() {
		reachesEveryClass(t, all)
	}
}

// What was there before a drive began is no fault of the informer's: a cluster puts objects into its namespaces.
func TestWhatWasThereBefore(t *testing.T) {
	furnished := func(t *harness.T) (rig.Server, error) {
		s, err := fake.Server(t)
		if err != nil {
			return nil, err
		}
		own, other := s.Namespaces()
		for _, ns := range []string{own, other} {
			if _, err := s.ConfigMaps(ns).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "before", Namespace: ns}}, metav1.CreateOptions{}); err != nil {
				return nil, err
			}
		}
		return s, nil
	}
	target, err := informers.Target("shared-informer", furnished, append(fake.ServerFeatures, harness.VirtualTime)...)
	require.NoError(t, err)
	for _, c := range target.Cases {
		if name := strings.TrimPrefix(c.Address(), "informer/"); slices.Contains([]string{"sync/has-synced", "converge/equal", "converge/deletes", "notify/order", "store/version"}, name) {
			r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: target.Name})
			assert.Equal(t, harness.Pass, r.Verdict, "%s: %s", r.Check, r.Reason)
		}
	}
}

func TestUnknown(t *testing.T) {
	_, err := informers.Target("x", fake.Server)
	assert.ErrorContains(t, err, `there is no "x"`)
}
