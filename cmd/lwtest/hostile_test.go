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
	"github.com/lwtest/lwtest/internal/full"
	hostile "github.com/lwtest/lwtest/plugins/mutants/watchcache"
)

// readReport reads what a run printed with --format json.
func readReport(t *testing.T, out string) report.Report {
	t.Helper()
	var r report.Report
	require.NoError(t, json.Unmarshal([]byte(out), &r), out)
	return r
}

// TestHostileToys runs one hostile subject of each kind beside a good one. Each check that it spoils costs one verdict
// and says why, and the run goes on.
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
		{"reply", harness.Inconclusive, "garbage on the descriptor"},
		{"noise", harness.Pass, ""},
		{"fatal", harness.Fail, "stack overflow"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "run")
			o := lwtest(t, "run", "toy/map/reads", "toy/map/alone", "--target", "hostile-toy:"+c.name, "--target", "good",
				"--timeout", "1s", "--keep", "all", "--format", "json", "--out", dir)
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

// TestWhatIsLeftBehind runs subjects that end the process after their check. That costs no other target a verdict.
func TestWhatIsLeftBehind(t *testing.T) {
	for _, targets := range [][2]string{{"hostile-toy-live:late", "slow"}, {"hostile-toy-live:lateexit", "slow"}, {"hostile-toy:int", "good"}, {"hostile-toy:reply", "good"}} {
		t.Run(targets[0], func(t *testing.T) {
			t.Parallel()
			o := lwtest(t, "run", "toy/map/reads", "toy/map/alone", "--target", targets[0], "--target", targets[1],
				"--parallel", "1", "--format", "json", "--out", filepath.Join(t.TempDir(), "run"))
			r := readReport(t, o.out)
			require.Len(t, r.Results, 6)
			for _, res := range r.Results {
				if res.Target == targets[1] {
					assert.Equal(t, harness.Pass, res.Verdict, "%s: %s", res.Check, res.Reason)
				}
				assert.NotContains(t, res.Reason, "before the check began", res.Check)
			}
		})
	}
}

// TestHistoryStaysWithTheRun checks that a subject that changes directory does not move its history, and that one that
// deletes histories does not pass.
func TestHistoryStaysWithTheRun(t *testing.T) {
	for name, want := range map[string]harness.Verdict{"chdir": harness.Pass, "remove": harness.Inconclusive} {
		chdir(t)
		o := lwtest(t, "run", "toy/map/reads", "--target", "hostile-toy:"+name, "--parallel", "1", "--keep", "all", "--format", "json", "--out", "run")
		r := readReport(t, o.out)
		require.Len(t, r.Results, 2, name)
		for _, res := range r.Results {
			assert.Equal(t, want, res.Verdict, "%s: %s", res.Check, res.Reason)
			if want == harness.Pass {
				assert.FileExists(t, filepath.Join("run", res.History), res.Check)
			} else {
				assert.Contains(t, res.Reason, "its history is gone from the run directory", res.Check)
			}
		}
		assert.Equal(t, o.status, lwtest(t, "judge", "run").status, name)
	}
}

// TestClosedDescriptors checks that a subject that closes foreign files spoils only its own history.
func TestClosedDescriptors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	o := lwtest(t, "run", "toy/map/reads", "--target", "hostile-toy:closes", "--target", "good", "--parallel", "1", "--format", "json", "--out", dir)
	assert.Equal(t, report.Unproven, o.status, o.errors)
	for _, res := range readReport(t, o.out).Results {
		if res.Target == "good" {
			assert.Equal(t, harness.Pass, res.Verdict, "%s: %s", res.Check, res.Reason)
			continue
		}
		assert.Equal(t, harness.Inconclusive, res.Verdict, res.Check)
		assert.Contains(t, res.Reason, "the history could not be saved: ", res.Check)
		assert.Contains(t, res.Reason, "bad file descriptor", res.Check)
	}
	assert.Equal(t, o.status, lwtest(t, "judge", dir).status)
}

// TestLeakInRealTime checks that leaks of a subject in this process are noticed in real time, too.
func TestLeakInRealTime(t *testing.T) {
	o := lwtest(t, "run", "toy/map/reads", "--target", "hostile-toy:leak", "--target", "good", "--real-time", "--format", "json", "--out", filepath.Join(t.TempDir(), "run"))
	for _, res := range readReport(t, o.out).Results {
		if res.Target == "good" {
			assert.Equal(t, harness.Pass, res.Verdict, "%s: %s", res.Check, res.Reason)
			continue
		}
		assert.Equal(t, harness.Inconclusive, res.Verdict, res.Check)
		assert.Equal(t, "leak: 1 goroutines are still there 3s after the end", res.Reason, res.Check)
		assert.Contains(t, res.Stack, "hostileToys", "it is named")
	}
}

// TestHostileSubjects runs the hostile subjects of the kind watchcache beside lwtest's own server.
func TestHostileSubjects(t *testing.T) {
	for _, h := range full.Part(t, hostile.All, 3, 0) {
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()
			timeout := "5s"
			if h.Want == harness.Pass {
				timeout = "40s" // what it prints takes seconds under the race detector, on a machine that does other things
			}
			dir := filepath.Join(t.TempDir(), "run")
			o := lwtest(t, "run", "watchcache/list/modes", "watchcache/watch/from-list", "--target", "hostile:"+h.Name, "--target", "fake",
				"--timeout", timeout, "--format", "json", "--out", dir)
			r := readReport(t, o.out)
			require.Len(t, r.Results, 4, o.errors)
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
			assert.Less(t, r.Elapsed, 10*time.Minute)
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

// verdicts returns what two runs must agree on.
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
