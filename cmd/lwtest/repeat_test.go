package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/report"
)

// historiesOf runs checks of a target and gives the histories, by check.
func historiesOf(t *testing.T, target string, args ...string) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	o := lwtest(t, append([]string{"run", "--target", target, "--format", "json", "--out", dir}, args...)...)
	require.NotEqual(t, report.Broken, o.status, o.errors)
	out := map[string]string{}
	for _, res := range readReport(t, o.out).Results {
		if res.History == "" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, res.History))
		require.NoError(t, err)
		out[res.Check] = string(b)
	}
	return out
}

// TestSameSeedSameHistory runs each check first in a process of its own, then
// among all others, last, and in one and in two workers.
func TestSameSeedSameHistory(t *testing.T) {
	for _, target := range []string{"ordered", "fake", "go:fakeclientset"} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			one := historiesOf(t, target, "--parallel", "1")
			require.NotEmpty(t, one)
			assert.Equal(t, one, historiesOf(t, target, "--parallel", "1"), "again")
			assert.Equal(t, one, historiesOf(t, target, "--parallel", "2"), "in two workers")
			for check, h := range one {
				assert.Equal(t, h, historiesOf(t, target, check, "--suite", kindOf(check))[check], "%s alone", check)
			}
		})
	}
}

func kindOf(address string) string {
	for i := range address {
		if address[i] == '/' {
			return address[:i]
		}
	}
	return address
}

func TestOtherSeedOtherHistory(t *testing.T) {
	a, b := historiesOf(t, "ordered", "--seed", "1"), historiesOf(t, "ordered", "--seed", "2")
	assert.NotEqual(t, a["toy/map/reads"], b["toy/map/reads"])
}
