package exec

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

// An adapter that is right passes every step; each that is wrong in one thing fails the step for that, and no more than
// what depends on it.
func TestSmoke(t *testing.T) {
	for mode, want := range map[string]map[string]string{
		"":         {},
		"obliging": {"unknown-op": "it is answered with ok"},
		"strict":   {"unknown-field": "barrier: the process has ended: exit status 2"},
		"deaf":     {"end-of-input": "it goes on"},
	} {
		t.Run(mode, func(t *testing.T) {
			wrong, right := map[string]string{}, 0
			hello, err := Smoke(t.Context(), command(mode), func(s Step, err error) {
				if err == nil {
					right++
				} else {
					wrong[s.Name] = err.Error()
				}
			})
			require.NoError(t, err)
			assert.Equal(t, "map", hello.Implementation)
			assert.Len(t, wrong, len(want), "%v", wrong)
			for name, got := range want {
				assert.Contains(t, wrong[name], got)
			}
			assert.Greater(t, right, 5)
		})
	}
	_, err := Smoke(t.Context(), command("version"), nil)
	assert.ErrorContains(t, err, "speaks version 2")
}

// A server that an adapter starts is asked for a list where it says that it is.
func TestSmokeServes(t *testing.T) {
	for mode, want := range map[string]string{"http": "", "nowhere": "connection refused", "no-address": "say http://HOST:PORT"} {
		t.Run(mode, func(t *testing.T) {
			opened := false
			_, err := Smoke(t.Context(), command(mode), func(s Step, err error) {
				if s.Name != "open" {
					return
				}
				if opened = true; want == "" {
					assert.NoError(t, err)
				} else {
					assert.ErrorContains(t, err, want)
				}
			})
			require.NoError(t, err)
			assert.True(t, opened)
		})
	}
}

// An adapter that does not say where its server is has spoken nonsense: the implementation is not blamed.
func TestServerUnsaid(t *testing.T) {
	target, err := Open(t.Context(), command("no-address"))
	require.NoError(t, err)
	r, _ := harness.Run(target.Cases[0], harness.Options{TB: t, Seed: 1, Target: "exec"})
	assert.Equal(t, harness.Inconclusive, r.Verdict)
	assert.Equal(t, harness.CauseAdapter, r.Cause)
	assert.Contains(t, r.Reason, "say http://HOST:PORT")
	_, err = target.Close()
	require.NoError(t, err)
}
