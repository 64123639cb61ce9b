package kube

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

// TestRealSoak lets many writers loose on a real server, each time by another
// seed, for as long as LWTEST_SOAK says: there is no false alarm.
func TestRealSoak(t *testing.T) {
	config := realConfig(t)
	limit, err := time.ParseDuration(os.Getenv("LWTEST_SOAK"))
	if err != nil {
		t.Skip("LWTEST_SOAK says for how long, such as 10m")
	}
	s, err := connect(t.Context(), config, Options{Resource: os.Getenv("LWTEST_RESOURCE")})
	require.NoError(t, err)
	defer func() { require.NoError(t, closed(s)) }()
	cases := s.target().Cases
	i := slices.IndexFunc(cases, func(c harness.Case) bool { return c.Name == "write/visible/many" })
	require.GreaterOrEqual(t, i, 0)
	begin, runs, events := time.Now(), 0, 0
	for seed := int64(1); time.Since(begin) < limit; seed++ {
		r, _ := harness.Run(cases[i], harness.Options{TB: t, Seed: seed, RunID: baseName("soak"), Target: "kubeconfig"})
		require.Equal(t, harness.Pass, r.Verdict, "seed %d: %s\n%s", seed, r.Reason, r.Stack)
		runs, events = runs+1, events+r.Events
	}
	t.Logf("%d runs with %d events in %s: no false alarm", runs, events, time.Since(begin).Round(time.Second))
}
