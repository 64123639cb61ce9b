package kubecontrollers

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
	"github.com/lwtest/lwtest/plugins/controller"
)

// The controllers of ReplicaSets and StatefulSets replace pods that fail or are evicted, also when they are killed at a write of theirs, or
// do not see it happen.
func TestPods(t *testing.T) {
	checks := []string{"quiet/writes", "converge/same/killed-before", "converge/same/killed-after", "converge/same/unseen"}
	for name, test := range map[string]struct {
		obj  string
		made int // pods
	}{"replicaset": {"replicasets.apps/web", 5}, "statefulset": {"statefulsets.apps/web", 4}} {
		s := controllers(t, name).Subject()
		s.Scenario = []story.Step{s.Scenario[0], controller.FailPod(test.obj, 2), controller.EvictPod(test.obj, 1)}
		target, err := controller.Target(s)
		require.NoError(t, err)
		for _, c := range target.Cases {
			if !slices.Contains(checks, c.Name) {
				continue
			}
			r, h := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: target.Name})
			assert.Equal(t, harness.Pass, r.Verdict, "%s %s: %s %v", name, c.Name, r.Reason, r.Broken())
			if c.Name == checks[0] {
				assert.Equal(t, test.made, created(h), name)
			}
		}
	}
}

// created counts the pods that were created.
func created(h *history.History) (n int) {
	for i := range h.Events {
		if e := &h.Events[i]; e.Phase == history.Return && e.Kind == "POST" && e.Err() == nil && h.Events[e.Call-1].Obj.Key == "pods/default" {
			n++
		}
	}
	return n
}
