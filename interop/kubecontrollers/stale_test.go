package kubecontrollers

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	utilfeature "k8s.io/apiserver/pkg/util/feature"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/controller"
)

// gate is what mends kubernetes#129795. It is on by default since v1.36.
const gate = "StaleControllerConsistencyReplicaSet"

// Without the gate, the controller creates all pods again when their events come six minutes late
// (https://github.com/kubernetes/kubernetes/issues/129795). With it, the same check passes.
func TestStaleReplicaSet(t *testing.T) {
	without := late(t, false)
	assert.Equal(t, harness.Fail, verdict(without), "the suite does not find kubernetes#129795")
	for _, r := range without.Broken() {
		for _, b := range r.Bad {
			t.Logf("%s without %s: %s, want %s", r.Rule, gate, b.Got, b.Want)
		}
	}
	with := late(t, true)
	assert.Equal(t, harness.Pass, with.Verdict, "%v", with.Broken())
	assert.Equal(t, harness.Pass, verdict(with))
}

// late runs the check of late events on the ReplicaSet controller, with or without the gate.
func late(t *testing.T, gated bool) harness.Result {
	t.Helper()
	set(t, gated)
	defer set(t, true)
	target, err := controller.Target(controllers(t, "replicaset").Subject())
	require.NoError(t, err)
	for _, c := range target.Cases {
		if c.Name == "converge/same/late/minutes" {
			r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: target.Name})
			return r
		}
	}
	t.Fatal("there is no such check")
	panic("unreachable")
}

func set(t *testing.T, on bool) {
	t.Helper()
	require.NoError(t, utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{gate: on}))
}

// verdict returns that of the rule safety/own-creates.
func verdict(r harness.Result) harness.Verdict {
	for _, rr := range r.Rules {
		if rr.Rule == "controller/safety/own-creates" || rr.Rule == "safety/own-creates" {
			return rr.Verdict
		}
	}
	return harness.Skip
}

// controllers returns a controller by its name.
func controllers(t testing.TB, name string) Controller {
	t.Helper()
	for _, c := range Controllers() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no controller %s", name)
	panic("unreachable")
}
