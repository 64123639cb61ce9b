package runner

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

// asWorker makes the test binary a worker. It names the folder in which checks report their progress to each other.
const asWorker = "LWTEST_RUNNER_TEST_AS_WORKER"

func TestMain(m *testing.M) {
	if os.Getenv(asWorker) != "" {
		Work(isolated)
	}
	os.Exit(m.Run())
}

// info is a check of this name, isolation and span.
func info(name string, i harness.Isolation, span time.Duration) harness.Info {
	return harness.Info{Name: name, Isolation: i, Span: span}
}

// long is more than any pause of a machine, and what a test that hangs takes.
const long = 5 * time.Minute

// isolated has checks of every isolation, in real time; in virtual time as
// "virtual". "waits" goes on until "disturbs/last" is there.
func isolated(_ context.Context, connect string) (harness.Target, error) {
	s := suite("k")
	var dir string
	s.Checks = harness.Checks([]harness.Check[int]{
		{Info: info("alone", harness.Alone, long)},
		{Info: info("disturbs/first", harness.Disturbs, long)},
		{Info: info("disturbs/last", harness.Disturbs, long), Drive: func(*harness.T, int) { _ = os.WriteFile(filepath.Join(dir, "forgotten"), nil, 0o666) }},
		{Info: info("short", harness.Shared, long)},
		{Info: info("long", harness.Shared, 2*long)},
		{Info: info("quiet", harness.Quiet, long)},
		{Info: info("waits", harness.Quiet, long), Drive: func(t *harness.T, _ int) { appears(t, filepath.Join(dir, "forgotten")) }},
	}...)
	if connect == "again" {
		s.Checks = harness.Checks([]harness.Check[int]{
			{Info: info("short", harness.Shared, 0)},
			{Info: info("second", harness.Shared, 0), Drive: secondTime(&dir, "second")},
			{Info: info("alone", harness.Alone, long), Drive: secondTime(&dir, "alone")},
			{Info: info("never", harness.Quiet, 0), Drive: func(t *harness.T, _ int) { t.GiveUp("never") }},
		}...)
	}
	for i := range s.Checks() {
		s.Checks()[i].Rules = s.Rules
		if s.Checks()[i].Drive == nil {
			s.Checks()[i].Drive = func(*harness.T, int) {}
		}
	}
	p := plugin()
	if connect == "virtual" {
		p = plugin(harness.VirtualTime)
	}
	p.Open = func(*harness.T) (int, error) { dir = os.Getenv(asWorker); return 0, nil }
	return harness.Target{Name: connect, Cases: s.Bind(p)}, nil
}

// secondTime is a drive that gives up the first time.
func secondTime(dir *string, name string) func(*harness.T, int) {
	return func(t *harness.T, _ int) {
		if _, err := os.Stat(filepath.Join(*dir, name)); err != nil {
			_ = os.WriteFile(filepath.Join(*dir, name), nil, 0o666)
			t.GiveUp("the first time")
		}
	}
}

// appears waits for a file until the deadline of the case.
func appears(t *harness.T, file string) {
	for {
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			return
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-t.Context().Done():
			return
		}
	}
}

func TestSchedule(t *testing.T) {
	p, err := Select(t.Context(), isolated, report.Settings{Targets: []string{"virtual", "real"}})
	require.NoError(t, err)
	s := Runner{Parallel: 3}.schedule(p.Items)
	assert.Equal(t, []string{"virtual k/alone", "virtual k/disturbs/first", "virtual k/disturbs/last", "virtual k/short", "virtual k/long", "virtual k/quiet", "virtual k/waits"},
		addresses(s.virtual.items), "in virtual time each has a server of its own")
	assert.Equal(t, []string{"real k/quiet", "real k/waits"}, addresses(s.quiet.items))
	assert.Equal(t, []string{"real k/long", "real k/short"}, addresses(s.live.items), "the longest first")
	assert.Equal(t, []string{"real k/disturbs/first", "real k/disturbs/last"}, addresses(s.disturbs.items))
	assert.Equal(t, []string{"real k/alone"}, addresses(s.alone.items))
	assert.Equal(t, []int{3, 2, 3, 1, 1}, []int{s.virtual.size, s.quiet.size, s.live.size, s.disturbs.size, s.alone.size})
	live := Runner{Settings: report.Settings{RealTime: true}}.schedule(p.Items)
	assert.Empty(t, live.virtual.items)
	assert.Len(t, live.alone.items, 2)
}

// told runs the checks that match and returns what began and ended, in order.
func told(t *testing.T, globs ...string) (out []string) {
	t.Helper()
	tell := func(what string, it Item) { out = append(out, what+" "+it.Case.Name) }
	ran(t, "real", globs, func(it Item) { tell("began", it) }, func(it Item, _ harness.Result) { tell("ended", it) })
	return out
}

// ran runs the checks of a target that match.
func ran(t *testing.T, target string, globs []string, began func(Item), ended func(Item, harness.Result)) {
	t.Helper()
	dir := t.TempDir()
	s := report.Settings{Targets: []string{target}, Globs: globs, Span: 2 * long}
	p, err := Select(t.Context(), isolated, s)
	require.NoError(t, err)
	r := Runner{Parallel: 1, Dir: dir, Settings: s, Started: began, Command: func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asWorker+"="+dir, "GORACE=atexit_sleep_ms=0")
		return cmd
	}}
	require.NoError(t, os.MkdirAll(filepath.Dir(r.file(p.Items[0])), 0o777))
	require.NoError(t, r.Run(t.Context(), p.Items, ended))
}

// A check that was inconclusive beside others runs again, alone, and its result says so. One that was alone does not.
func TestInconclusiveRunsAgainAlone(t *testing.T) {
	got := map[string][]harness.Result{}
	began := map[string]int{}
	ran(t, "again", nil, func(it Item) { began[it.Case.Name]++ }, func(it Item, res harness.Result) { got[it.Case.Name] = append(got[it.Case.Name], res) })
	assert.Equal(t, map[string]int{"short": 1, "second": 2, "alone": 1, "never": 2}, began)
	for name, want := range map[string]harness.Result{
		"second": {Verdict: harness.Inconclusive, Reason: "a/b: never put to the test", First: "the first time"}, // it came to its end
		"alone":  {Verdict: harness.Inconclusive, Reason: "the first time"},
		"never":  {Verdict: harness.Inconclusive, Reason: "never", First: "never"},
	} {
		require.Len(t, got[name], 1)
		assert.Equal(t, want, harness.Result{Verdict: got[name][0].Verdict, Reason: got[name][0].Reason, First: got[name][0].First}, name)
	}
}

// A check that disturbs others waits for them, and runs beside quiet ones. A check that must be alone waits for all.
func TestIsolation(t *testing.T) {
	got := told(t)
	inOrder := func(names ...string) {
		t.Helper()
		var at []int
		for _, n := range names {
			at = append(at, slices.Index(got, n))
		}
		assert.True(t, slices.IsSorted(at) && at[0] >= 0, "%v: want in this order %v", got, names)
	}
	for _, name := range []string{"short", "long"} {
		inOrder("began "+name, "ended "+name, "began disturbs/first", "ended disturbs/first", "began disturbs/last", "ended disturbs/last", "began alone", "ended alone")
	}
	inOrder("ended waits", "began alone")
	assert.Len(t, got, 14, "none gave up: waits has seen disturbs/last run beside it")
}

// If there are only quiet checks beside them, checks that disturb others wait for these, because nothing shows that
// their watches are open.
func TestDisturbingWaitsForQuietOnesAlone(t *testing.T) {
	got := told(t, "k/quiet", "k/disturbs/first")
	assert.Equal(t, []string{"began quiet", "ended quiet", "began disturbs/first", "ended disturbs/first"}, got[len(got)-4:])
}
