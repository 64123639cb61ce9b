package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	hostile "github.com/lwtest/lwtest/plugins/mutants/watchcache"
)

// readReport is what a run printed with --format json.
func readReport(t *testing.T, out string) report.Report {
	t.Helper()
	var r report.Report
	require.NoError(t, json.Unmarshal([]byte(out), &r), out)
	return r
}

// TestHostileToys puts one subject of each sort beside a good one: each check
// that it spoils costs one verdict, says why, and the run goes on.
func TestHostileToys(t *testing.T) {
	cases := []struct {
		name   string
		want   harness.Verdict
		reason string // in the reason, in got, or in the stack
	}{
		{"panic", harness.Fail, "panic: boom"},
		{"goroutine", harness.Fail, "panic: boom aside"},
		{"deadlock", harness.Inconclusive, "deadlock"},
		{"mutex", harness.Inconclusive, "--real-time"},
		{"spin", harness.Inconclusive, "no progress"},
		{"exit0", harness.Fail, "exit status 0"},
		{"exit7", harness.Fail, "last words"},
		{"leak", harness.Inconclusive, "leak"},
		{"garbage", harness.Inconclusive, "garbage on the descriptor"},
		{"noise", harness.Pass, ""},
		{"fatal", harness.Fail, "stack overflow"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "run")
			began := time.Now()
			o := lwtest(t, "run", "toy/map/reads", "toy/map/alone", "--target", "hostile-toy:"+c.name, "--target", "good",
				"--timeout", "1s", "--format", "json", "--out", dir)
			assert.Less(t, time.Since(began), 60*time.Second)
			r := readReport(t, o.out)
			require.Len(t, r.Results, 6, "map/reads, map/reads/many and map/alone on both")
			for _, res := range r.Results {
				if res.Target == "good" {
					assert.Equal(t, harness.Pass, res.Verdict, res.Check)
					continue
				}
				assert.Equal(t, c.want, res.Verdict, "%s: %s", res.Check, res.Reason)
				all, _ := json.Marshal(res)
				assert.Contains(t, string(all), c.reason)
				if c.want != harness.Pass {
					assert.NotEmpty(t, res.Stack+said(res), "why is attached")
				}
				if c.want == harness.Fail {
					assert.Equal(t, harness.Fail, res.Rules[0].Verdict, "subject/survives is what it breaks")
				}
			}
			again := lwtest(t, "judge", dir, "--format", "json")
			assert.Equal(t, verdicts(r), verdicts(readReport(t, again.out)), "judged again it is the same")
			assert.Equal(t, o.status, again.status)
		})
	}
}

// TestHostileSubjects puts the hostile subjects of the kind watchcache beside
// lwtest's own server.
func TestHostileSubjects(t *testing.T) {
	for _, h := range hostile.All {
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "run")
			o := lwtest(t, "run", "watchcache/list/snapshot", "watchcache/watch/from-list", "--target", "hostile:"+h.Name, "--target", "fake",
				"--timeout", "5s", "--format", "json", "--out", dir)
			r := readReport(t, o.out)
			require.Len(t, r.Results, 8, o.errors)
			met := 0
			for _, res := range r.Results {
				switch {
				case res.Target == "fake":
					assert.Equal(t, harness.Pass, res.Verdict, "%s: %s", res.Check, res.Reason)
				case res.Verdict == h.Want:
					met++
				default:
					assert.Equal(t, harness.Pass, res.Verdict, "%s: %s", res.Check, res.Reason)
				}
				if res.Verdict == harness.Fail || res.Verdict == harness.Inconclusive && h.Name != "nil" {
					assert.NotEmpty(t, res.Stack, "%s: why is attached", res.Check)
				}
			}
			assert.NotZero(t, met, "no check met the fault")
			assert.Less(t, r.Elapsed, time.Minute)
		})
	}
}

func said(r harness.Result) string {
	var b strings.Builder
	for _, rr := range r.Rules {
		for _, f := range rr.Bad {
			b.WriteString(f.Timeline)
		}
	}
	return b.String()
}

// verdicts are what two runs must agree on.
func verdicts(r report.Report) map[string]string {
	out := map[string]string{}
	for _, res := range r.Results {
		out[res.Target+" "+res.Check] = string(res.Verdict)
		for _, rr := range res.Rules {
			out[res.Target+" "+res.Check+" "+rr.Rule] = string(rr.Verdict)
		}
	}
	return out
}
