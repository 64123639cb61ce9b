package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/plugins/clientgo"
)

// Without the gate client-go asks for no streaming list, neither here nor in the workers.
func TestGates(t *testing.T) {
	t.Setenv("KUBE_FEATURE_WatchListClient", "true") // what it was comes back at the end
	t.Cleanup(func() { require.NoError(t, clientgo.SetGates([]string{"WatchListClient=true"})) })
	args := []string{"run", "informer/resume/version", "informer/sync/watchlist-refused", "--target", "go:client-go/shared-informer", "--format", "json", "--out"}
	with := readReport(t, lwtest(t, append(args, filepath.Join(t.TempDir(), "run"))...).out)

	dir := filepath.Join(t.TempDir(), "run")
	o := lwtest(t, append(args, dir, "--gates", "WatchListClient=false")...)
	require.Equal(t, report.OK, o.status)
	off := readReport(t, o.out)
	assert.Equal(t, []string{"WatchListClient=false"}, off.Settings.Gates)
	for i, r := range off.Results {
		assert.Contains(t, r.Plugin, "WatchListClient=false")
		assert.NotContains(t, with.Results[i].Plugin, "WatchListClient")
		if r.Check == "informer/sync/watchlist-refused" {
			assert.Equal(t, []harness.Verdict{harness.Pass, harness.Skip}, []harness.Verdict{with.Results[i].Verdict, r.Verdict})
		}
	}

	// failures that the dynamic client shows only with lists are known, too
	dynamic := lwtest(t, "run", "informer/sync/has-synced/failing", "--target", "go:client-go/factory-dynamic", "--gates", "WatchListClient=false", "--out", filepath.Join(t.TempDir(), "run"))
	assert.Equal(t, report.OK, dynamic.status, dynamic.out)
	assert.Contains(t, dynamic.out, "1 known failure")

	again := lwtest(t, "run", "--resume", dir, "--gates", "AtomicFIFO=true")
	assert.Equal(t, report.Broken, again.status)
	assert.Contains(t, again.errors, "--gates cannot be changed")
}

func TestGatesThatCannotBe(t *testing.T) {
	for asked, says := range map[string]string{
		"AtomicFifo=false":       "client-go has no feature gate",
		"AtomicFIFO=no":          "say AtomicFIFO=true or AtomicFIFO=false",
		"InOrderInformers=false": "locked",
	} {
		o := lwtest(t, "run", "--target", "go:client-go/store", "--gates", asked, "--out", filepath.Join(t.TempDir(), "run"))
		assert.Equal(t, report.Broken, o.status)
		assert.Contains(t, o.errors, "--gates: ")
		assert.Contains(t, o.errors, says)
	}
}
