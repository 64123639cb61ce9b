package harness

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lwtest/lwtest/harness/history"
)

// Test runs cases as subtests named section/clause/variant: virtual-time cases in bubbles, the others in real time. It
// adds no flag to the test binary. It reads these environment variables:
//
//	LWTEST_SEED   seed of the choices (default 1)
//
//	LWTEST_KNOWN  a known-failures file, as an absolute path: go test runs in the package's folder
//
//	LWTEST_SPAN   longest real time of one check (default 30s)
//	LWTEST_SHOULD what a broken SHOULD does: "log" (default) or "fail"
//
//	LWTEST_OUT    an absolute folder for the histories of failed checks, broken SHOULDs included (default: a temporary file for each failure)
//
// A check that fails, or whose rules were never tested, fails its subtest. If only SHOULD clauses are broken, Test
// logs that. Subject and drive run in this process, so a panic in a goroutine of the subject ends the whole test
// binary.
func Test(t *testing.T, cases []Case) {
	t.Helper()
	test(t, cases, fromEnv(t))
}

// TestTarget is Test for the cases of one kind of a target, with the target's known failures. Afterwards it removes what
// unfinished checks left on a server, and closes the target. connect is its connect string, for histories.
func TestTarget(t *testing.T, kind, connect string, target Target) {
	t.Helper()
	o := fromEnv(t)
	o.Target, o.RunID, o.known = connect, strings.ToLower(rand.Text()[:8]), append(target.Known, o.known...)
	t.Cleanup(func() { closeTarget(t, o.RunID, target) })
	for _, n := range target.Notes {
		t.Log(n)
	}
	cases := slices.DeleteFunc(slices.Clone(target.Cases), func(c Case) bool { return c.Kind.Name != kind })
	if len(cases) == 0 {
		t.Skipf("%s is not tested by the suite %s", connect, kind)
	}
	if target.Ready != nil {
		if err := target.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	test(t, cases, o)
}

// closeTarget sweeps and closes a target after a test, whose context has ended.
func closeTarget(t *testing.T, runID string, target Target) {
	ctx := context.WithoutCancel(t.Context())
	if target.Sweep != nil {
		line, err := target.Sweep(ctx, runID)
		report(t, line, err)
	}
	if target.Close != nil {
		line, err := target.Close()
		report(t, line, err)
	}
}

func report(t *testing.T, line string, err error) {
	if line != "" {
		t.Log(line)
	}
	if err != nil {
		t.Error(err)
	}
}

func test(t *testing.T, cases []Case, o settings) {
	t.Helper()
	if len(cases) == 0 {
		t.Fatal("no checks: nothing would be tested")
	}
	valid := map[*Kind]bool{}
	for _, c := range cases {
		if valid[c.Kind] {
			continue
		}
		if err := errors.Join(c.Kind.Validate(), c.UnknownFeatures()); err != nil {
			t.Fatal(err)
		}
		valid[c.Kind] = true
	}
	if err := aimed(o.known, valid); err != nil {
		t.Fatalf("LWTEST_KNOWN: %v", err)
	}
	results, shown := make([]Result, len(cases)), &explained{}
	var all []string
	for _, c := range cases {
		all = append(all, c.Address())
	}
	t.Cleanup(func() { conclude(t, o.known, results, all) }) // also runs after subtests that the plugin made parallel
	for _, exclusive := range []bool{false, true} {
		for i, c := range cases {
			if c.Isolation.Exclusive() == exclusive {
				t.Run(c.Name, func(t *testing.T) { testCase(t, c, o, &results[i], shown) })
			}
		}
	}
}

// aimed returns an error for a known failure that names an unknown check or rule of a kind under test. Lines about other kinds are allowed.
func aimed(known []Known, under map[*Kind]bool) error {
	for i := range known {
		for kind := range under {
			if k := &known[i]; strings.HasPrefix(k.Check+"/", kind.Name+"/") {
				if err := k.Aim(kind.Addresses(), []*Kind{kind}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// conclude reports what only all results together show: stale known failures, and that nothing ran. Checks that go
// test did not select have an empty result. all holds the addresses of all checks.
func conclude(t *testing.T, known []Known, results []Result, all []string) {
	t.Helper()
	var ran []Result
	skipped, should := 0, 0
	for _, r := range results {
		if r.Check != "" {
			ran = append(ran, r)
		}
		if r.Verdict == Skip {
			skipped++
		}
		if r.Known == "" && r.OnlyShould() {
			should++
		}
	}
	if should > 0 {
		t.Logf("%d of %d checks broke a SHOULD, which is no failure; with LWTEST_SHOULD=fail it is", should, len(ran))
	}
	if err := Cover(known, ran, all...); err != nil {
		t.Error(err)
	}
	if skipped == len(results) {
		t.Errorf("all %d checks were skipped: nothing was tested", skipped)
	}
}

func testCase(t *testing.T, c Case, o settings, out *Result, shown *explained) {
	o.TB = t
	r, h := Run(c, o.Options)
	one := []Result{r}
	_ = Cover(o.known, one) // conclude reports stale lines
	r = one[0]
	*out = r
	text := describe(&r, c.Kind, h, shown)
	switch {
	case r.Verdict == Pass:
		for _, text := range r.Idle {
			t.Log("note: " + text)
		}
	case r.Verdict == Skip:
		t.Skip(r.Reason)
	case r.Known != "":
		t.Logf("known: %s\n%s", r.Known, text)
	case r.OnlyShould() && !o.strict:
		if o.out != "" {
			text += repeatCommand(t, o, h)
		}
		t.Log(text)
	default:
		t.Errorf("%s%s", text, repeatCommand(t, o, h))
	}
}

// explained remembers the rules that a test has explained in full. Its methods may be called concurrently.
type explained struct {
	mu    sync.Mutex
	rules map[string]bool
}

// proving is how long a test may look for the evidence of a broken rule, in real time.
const proving = time.Second

// explain explains a broken rule in full the first time, with its evidence, and briefly after that.
func (e *explained) explain(k *Kind, rr RuleResult, h *history.History) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	name := k.Name + "/" + rr.Rule
	if e.rules[name] && len(rr.Bad) > 0 {
		return k.ExplainAgain(rr)
	}
	if e.rules == nil {
		e.rules = map[string]bool{}
	}
	e.rules[name] = rr.After == nil // else it is explained only briefly
	if h != nil && rr.After == nil {
		k.Prove(&rr, h, proving)
	}
	return k.Explain(rr)
}

// stackLines bounds how much a test log shows of a stack or of a process's output.
const stackLines = 40

// describe formats the failures of a result for a test log: clause, want, got, timeline, why.
func describe(r *Result, k *Kind, h *history.History, shown *explained) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", r.Check, r.Verdict)
	if r.Reason != "" {
		fmt.Fprintf(&b, ": %s", r.Reason)
	}
	b.WriteByte('\n')
	for _, rr := range r.Broken() {
		b.WriteString(shown.explain(k, rr, h))
	}
	for i := range r.Rules {
		if rr := &r.Rules[i]; r.Verdict == Fail && rr.open() && rr.Known == "" {
			fmt.Fprintf(&b, "  open    %s\n", rr.summary())
		}
	}
	if r.Stack != "" && r.Stack != r.Reason {
		b.WriteString(firstLines(r.Stack, stackLines))
	}
	return b.String()
}

// firstLines returns the first n lines of s, and a line that counts the rest.
func firstLines(s string, n int) string {
	lines := strings.SplitAfter(strings.TrimSpace(s)+"\n", "\n")
	if more := len(lines) - 1 - n; more > 0 {
		return strings.Join(lines[:n], "") + fmt.Sprintf("… %d more lines\n", more)
	}
	return strings.Join(lines, "")
}

func repeatCommand(t *testing.T, o settings, h *history.History) string {
	s := fmt.Sprintf("LWTEST_SEED=%d go test -run '%s'\n", o.Seed, t.Name())
	if o.Target != GoTest {
		where := ""
		if info, ok := debug.ReadBuildInfo(); ok {
			where = strings.TrimSuffix(info.Path, ".test") + " "
		}
		s = fmt.Sprintf("LWTEST_TARGET='%s' LWTEST_SEED=%d go test %s-run '%s'\n", strings.ReplaceAll(o.Target, "'", `'\''`), o.Seed, where, t.Name())
	}
	s = "  again   " + s
	if h == nil {
		return s
	}
	f, err := o.historyFile(t.Name())
	if err != nil {
		return s + fmt.Sprintf("  history not saved: %v\n", err)
	}
	defer f.Close()
	if err := h.Write(f); err != nil {
		return s + fmt.Sprintf("  history not saved: %v\n", err)
	}
	return s + fmt.Sprintf("  history %s\n", f.Name())
}

// historyFile creates the file for the history of a test that failed.
func (o *settings) historyFile(test string) (*os.File, error) {
	if o.out == "" {
		return os.CreateTemp("", "lwtest-*.jsonl")
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return nil, err
	}
	return os.Create(filepath.Join(o.out, strings.ReplaceAll(test, "/", ".")+".jsonl"))
}

// GoTest is the connect string of what a Go test opens itself, in results and histories.
const GoTest = "go test"

// settings are the options from the environment.
type settings struct {
	Options
	known  []Known
	strict bool   // a broken SHOULD is a failure, too
	out    string // the folder for histories; empty: the temporary one
}

func fromEnv(t *testing.T) settings {
	t.Helper()
	o := settings{Options: Options{Seed: 1, Target: GoTest}, out: os.Getenv("LWTEST_OUT")}
	var err error
	if s := os.Getenv("LWTEST_SEED"); s != "" {
		if o.Seed, err = strconv.ParseInt(s, 10, 64); err != nil {
			t.Fatalf("LWTEST_SEED is %q: want a whole number", s)
		}
	}
	if s := os.Getenv("LWTEST_SPAN"); s != "" {
		if o.Span, err = time.ParseDuration(s); err != nil {
			t.Fatalf("LWTEST_SPAN is %q: want a duration such as 30s", s)
		}
		if o.Span <= 0 {
			t.Fatalf("LWTEST_SPAN is %q: want a duration above 0", s)
		}
	}
	switch s := os.Getenv("LWTEST_SHOULD"); s {
	case "", "log":
	case "fail":
		o.strict = true
	default:
		t.Fatalf("LWTEST_SHOULD is %q: want log or fail", s)
	}
	if o.out != "" && !filepath.IsAbs(o.out) {
		t.Fatalf("LWTEST_OUT is %q: go test runs in the folder of each package, so give the whole path, such as $PWD/%[1]s", o.out)
	}
	if s := os.Getenv("LWTEST_KNOWN"); s != "" {
		if o.known, err = ReadKnown(s); err != nil {
			t.Fatalf("LWTEST_KNOWN: %v%s", err, whereFrom(s, err))
		}
	}
	return o
}

// whereFrom returns a hint for a relative path that does not exist: the folder that it was read from.
func whereFrom(file string, err error) string {
	dir, _ := os.Getwd()
	if filepath.IsAbs(file) || !errors.Is(err, os.ErrNotExist) {
		return ""
	}
	return fmt.Sprintf(" in %s: go test runs in the folder of each package, so give the whole path, such as $PWD/%s", dir, file)
}
