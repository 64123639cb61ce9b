package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/history"
)

// childEnv names what TestChild does in a process of its own: tests that fail on purpose, or that leave goroutines
// behind.
const childEnv = "LWTEST_TEST_CHILD"

func TestChild(t *testing.T) {
	name := os.Getenv(childEnv)
	if name == "" {
		t.Skip("only in a process of its own")
	}
	if c, ok := hostile[name]; ok {
		wall := 5 * time.Minute
		if c.reason == "" || strings.HasPrefix(c.reason, "hang") {
			wall = 300 * time.Millisecond
		}
		r, _ := Run(c.make(), Options{TB: t, Wall: wall})
		b, err := json.Marshal(struct {
			Result
			Damaged bool
		}{r, r.Damaged()})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("\nRESULT %s\n", b)
		return
	}
	vendors[name].test(t)
}

// child runs TestChild in a process of its own. It returns the output and whether the exit status was 0.
func child(t *testing.T, name string, flags []string, env ...string) (string, bool) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, os.Args[0], append([]string{"-test.run=^TestChild$", "-test.v"}, flags...)...)
	cmd.Env = append(os.Environ(), append(env, childEnv+"="+name, "TMPDIR="+t.TempDir())...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	require.NoError(t, ctx.Err(), "the child hangs:\n%s", out)
	return string(out), err == nil
}

// vendor is a test as a vendor writes it, and the output that it must print.
type vendor struct {
	test  func(*testing.T)
	flags []string
	env   []string
	files map[string]string // created in a folder that env may name as DIR
	ok    bool
	want  []string // regular expressions, in this order
	not   []string // texts that must not occur
}

// several is a suite with a check of each kind.
func several(t *testing.T) Suite[*toy] {
	should, wings := says("should/fail", Should, Judgement{}), says("feature/wings", Must, passes)
	should.Judge = onDrive("shoulder", fails)
	wings.Needs = []Feature{"wings"}
	lost := says("must/fail", Must, Judgement{})
	lost.Judge = onDrive("loser", Judgement{Tested: 1, Bad: []Finding{{At: []int32{1}, Want: "all", Got: "lost 1"}}})
	check := func(name string, r Rule, exclusive bool) Check[*toy] {
		return Check[*toy]{Info: Info{Name: name, Rules: []Rule{r}, Isolation: map[bool]Isolation{true: Alone}[exclusive]}, Drive: func(t *T, _ *toy) { pingOf(t, strings.TrimPrefix(name, "must/")) }}
	}
	return Suite[*toy]{Kind: "toy", Version: "7", Features: []FeatureInfo{{"wings", ""}},
		Rules: []Rule{answers, should, wings, lost},
		Checks: Checks([]Check[*toy]{
			check("must/alone", answers, true),
			check("must/pass", answers, false),
			check("must/loser", lost, false),
			check("shoulder", should, false),
			check("must/wings", wings, false),
			{Info: Info{Name: "must/open", Rules: []Rule{answers}}, Drive: func(*T, *toy) {}},
		}...)}
}

// onDrive returns a judge that gives j for histories in which this actor acts, and passes all others.
func onDrive(actor string, j Judgement) func(*history.History) Judgement {
	return func(h *history.History) Judgement {
		if len(h.By(actor)) == 0 {
			return passes
		}
		return j
	}
}

func allOf(t *testing.T) []Case { return several(t).Bind(toyPlugin()) }

func only(t *testing.T, names ...string) []Case {
	var out []Case
	for _, c := range allOf(t) {
		for _, n := range names {
			if c.Name == n {
				out = append(out, c)
			}
		}
	}
	return out
}

const knownLoser = `[{"check":"toy/must/loser","rule":"must/fail","verdict":"fail","got":"^lost \\d$","reason":"we know","link":"https://example.com/7"}]`

var vendors = map[string]vendor{
	"everything": {
		test: func(t *testing.T) { Test(t, allOf(t)) },
		want: []string{
			`--- FAIL: TestChild `,
			`--- PASS: TestChild/must/pass `,
			`--- FAIL: TestChild/must/loser `,
			`toy/must/loser: fail\n`, `MUST toy/must/fail\n`, `clause  what must/fail says`, `want    all`, `got     lost 1`, `x #1 +-> PING`, `why     why must/fail matters`,
			`again   LWTEST_SEED=1 go test -run 'TestChild/must/loser'\n`, `history \S+\.jsonl\n`,
			`--- PASS: TestChild/shoulder `, `toy/shoulder: fail\n`, `SHOULD toy/should/fail`,
			`--- SKIP: TestChild/must/wings `, `needs the feature wings, which is not declared`,
			`--- FAIL: TestChild/must/open `, `toy/must/open: inconclusive: toy/answers: never put to the test`,
			`--- PASS: TestChild/must/alone `, // alone and last, though it is the first in the contract
		},
	},
	"passes": {test: func(t *testing.T) { Test(t, only(t, "must/pass")) }, ok: true, want: []string{`--- PASS: TestChild `}},
	"virtual": {test: func(t *testing.T) {
		s := several(t)
		s.Checks = Checks(s.Checks()[:2]...)
		Test(t, s.Bind(toyPlugin(VirtualTime)))
	}, ok: true, want: []string{`--- PASS: TestChild/must/pass`, `--- PASS: TestChild/must/alone`}},
	"no cases":    {test: func(t *testing.T) { Test(t, nil) }, want: []string{`no checks: nothing would be tested`}},
	"all skipped": {test: func(t *testing.T) { Test(t, only(t, "must/wings")) }, want: []string{`all 1 checks were skipped: nothing was tested`}},
	"a SHOULD":    {test: func(t *testing.T) { Test(t, only(t, "shoulder")) }, ok: true, want: []string{`toy/shoulder: fail`}},
	"a SHOULD, strictly": {test: func(t *testing.T) { Test(t, only(t, "shoulder")) }, env: []string{"LWTEST_SHOULD=fail"},
		want: []string{`--- FAIL: TestChild/shoulder`, `toy/shoulder: fail`, `again   LWTEST_SEED=1`}},
	"a SHOULD, its history": {test: func(t *testing.T) { Test(t, only(t, "shoulder")) }, ok: true, env: []string{"LWTEST_OUT=DIR/new"},
		want: []string{`history \S+/new/TestChild\.shoulder\.jsonl\n`, `1 of 1 checks broke a SHOULD`}},
	"a SHOULD beside a known MUST": {test: func(t *testing.T) {
		s := several(t)
		s.Checks = Checks(Check[*toy]{Info: Info{Name: "must/loser", Rules: []Rule{s.Rules[3], s.Rules[1]}}, Drive: func(t *T, _ *toy) { pingOf(t, "loser"); pingOf(t, "shoulder") }})
		Test(t, s.Bind(toyPlugin()))
	}, ok: true, env: []string{"LWTEST_KNOWN=DIR/k.json"}, files: map[string]string{"k.json": knownLoser}, want: []string{`--- PASS: TestChild/must/loser`, `SHOULD toy/should/fail`}},
	"a SHOULD, otherwise": {test: func(t *testing.T) { Test(t, only(t, "shoulder")) }, env: []string{"LWTEST_SHOULD=yes"},
		want: []string{`LWTEST_SHOULD is "yes": want log or fail`}, not: []string{"TestChild/shoulder"}},
	"a folder for histories":        {test: func(t *testing.T) { Test(t, only(t, "must/loser")) }, env: []string{"LWTEST_OUT=DIR/new"}, want: []string{`history \S+/new/TestChild\.must\.loser\.jsonl\n`}},
	"a folder, relative":            {test: func(t *testing.T) { Test(t, only(t, "must/pass")) }, env: []string{"LWTEST_OUT=new"}, want: []string{`LWTEST_OUT is "new": .* such as \$PWD/new\n`}},
	"a folder that cannot be there": {test: func(t *testing.T) { Test(t, only(t, "must/loser")) }, env: []string{"LWTEST_OUT=DIR/f/new"}, files: map[string]string{"f": ""}, want: []string{`history not saved: mkdir \S+/f`}},
	"one is skipped":                {test: func(t *testing.T) { Test(t, only(t, "must/pass", "must/wings")) }, ok: true, want: []string{`SKIP: TestChild/must/wings`}},
	"selected by -run": {test: func(t *testing.T) { Test(t, allOf(t)) }, flags: []string{"-test.run=^TestChild$/^must$/^pass$"}, ok: true,
		env: []string{"LWTEST_KNOWN=DIR/k.json"}, files: map[string]string{"k.json": knownLoser},
		want: []string{`PASS: TestChild/must/pass`}, not: []string{"TestChild/must/loser", "stale"}},
	"selected by -run, skipped": {test: func(t *testing.T) { Test(t, allOf(t)) }, flags: []string{"-test.run=^TestChild$/^must$/^wings$"}, ok: true, want: []string{`SKIP: TestChild/must/wings`}},
	"faulty suite": {test: func(t *testing.T) {
		s := several(t)
		s.Checks()[0].Rules = nil
		s.Rules[0].Clause.Why = ""
		Test(t, s.Bind(toyPlugin()))
	}, want: []string{`rule toy/answers: a rule needs`, `check must/alone: a check without rules tests nothing`}, not: []string{"TestChild/must"}},
	"second suite faulty": {test: func(t *testing.T) {
		s := several(t)
		s.Checks()[0].Rules = nil
		Test(t, append(only(t, "must/pass"), s.Bind(toyPlugin())...))
	}, want: []string{`check must/alone: a check without rules`}},
	"unknown features": {test: func(t *testing.T) { Test(t, several(t).Bind(toyPlugin("wing", "tail"))) },
		want: []string{`plugin toy v1 declares an unknown feature "wing" \(did you mean wings\?\): there are virtual-time, wings\n`, `unknown feature "tail": there`}, not: []string{"TestChild/must"}},
	"known": {test: func(t *testing.T) { Test(t, only(t, "must/pass", "must/loser")) }, env: []string{"LWTEST_KNOWN=DIR/k.json"},
		files: map[string]string{"k.json": knownLoser}, ok: true,
		want: []string{`--- PASS: TestChild/must/loser`, `known: we know \(https://example.com/7\)`, `got     lost 1`}},
	"known, another got": {test: func(t *testing.T) { Test(t, only(t, "must/loser")) }, env: []string{"LWTEST_KNOWN=DIR/k.json"},
		files: map[string]string{"k.json": strings.Replace(knownLoser, "lost", "late", 1)},
		want:  []string{`stale known failure`, `--- FAIL: TestChild/must/loser`}},
	"known, the rule with its kind": {test: func(t *testing.T) { Test(t, only(t, "must/loser")) }, env: []string{"LWTEST_KNOWN=DIR/k.json"},
		files: map[string]string{"k.json": strings.Replace(knownLoser, "must/fail", "toy/must/fail", 1)}, ok: true, want: []string{`known: we know`}},
	"known, no such rule": {test: func(t *testing.T) { Test(t, only(t, "must/loser")) }, env: []string{"LWTEST_KNOWN=DIR/k.json"},
		files: map[string]string{"k.json": strings.Replace(knownLoser, "must/fail", "toy/must/fial", 1)},
		want:  []string{`LWTEST_KNOWN: \S+k.json, line 1 of the array: no rule of these checks matches "toy/must/fial", so it would cover nothing \(did you mean toy/must/fail`}, not: []string{"TestChild/must"}},
	"known, no such check": {test: func(t *testing.T) { Test(t, only(t, "must/loser")) }, env: []string{"LWTEST_KNOWN=DIR/k.json"},
		files: map[string]string{"k.json": strings.Replace(knownLoser, "must/loser", "must/losr", 1)},
		want:  []string{`line 1 of the array: no check matches "toy/must/losr", so it would cover nothing \(did you mean toy/must/loser`}, not: []string{"TestChild/must"}},
	"known of another kind": {test: func(t *testing.T) { Test(t, only(t, "must/pass")) }, env: []string{"LWTEST_KNOWN=DIR/k.json"},
		files: map[string]string{"k.json": strings.Replace(knownLoser, "toy/must/loser", "other/must/loser", 1)}, ok: true},
	"no known file here": {test: func(t *testing.T) { Test(t, allOf(t)) }, env: []string{"LWTEST_KNOWN=none.json"},
		want: []string{`LWTEST_KNOWN: open none.json: no such file or directory in \S+harness: go test runs in the folder of each package, so give the whole path, such as \$PWD/none.json`}, not: []string{"TestChild/must"}},
	"stale": {test: func(t *testing.T) { Test(t, only(t, "must/pass")) }, env: []string{"LWTEST_KNOWN=DIR/k.json"},
		files: map[string]string{"k.json": strings.Replace(knownLoser, "must/loser", "must/pass", 1)},
		want:  []string{`stale known failure \(\S+k.json, line 1 of the array\): toy/must/pass must/fail no longer ends as fail`, `--- PASS: TestChild/must/pass`}},
	"no known file":   {test: func(t *testing.T) { Test(t, allOf(t)) }, env: []string{"LWTEST_KNOWN=DIR/none.json"}, want: []string{`LWTEST_KNOWN: open \S+none.json: no such file`}, not: []string{"TestChild/must", "whole path"}},
	"bad known file":  {test: func(t *testing.T) { Test(t, allOf(t)) }, env: []string{"LWTEST_KNOWN=DIR/k.json"}, files: map[string]string{"k.json": `{}`}, want: []string{`LWTEST_KNOWN: \S+k.json: json: .*want an array of`}, not: []string{"TestChild/must"}},
	"bad seed":        {test: func(t *testing.T) { Test(t, allOf(t)) }, env: []string{"LWTEST_SEED=x"}, want: []string{`LWTEST_SEED is "x": want a whole number`}, not: []string{"TestChild/must"}},
	"seed too large":  {test: func(t *testing.T) { Test(t, allOf(t)) }, env: []string{"LWTEST_SEED=99999999999999999999"}, want: []string{`LWTEST_SEED is "99999999999999999999"`}},
	"bad span":        {test: func(t *testing.T) { Test(t, allOf(t)) }, env: []string{"LWTEST_SPAN=30"}, want: []string{`LWTEST_SPAN is "30": want a duration such as 30s`}, not: []string{"TestChild/must"}},
	"span of nothing": {test: func(t *testing.T) { Test(t, allOf(t)) }, env: []string{"LWTEST_SPAN=0s"}, want: []string{`LWTEST_SPAN is "0s": want a duration above 0`}},
	"short span":      {test: func(t *testing.T) { Test(t, only(t, "must/pass")) }, env: []string{"LWTEST_SPAN=1s"}, want: []string{`takes 20s of real time, longer than --span 1s \(LWTEST_SPAN under go test\)`, `all 1 checks were skipped`}},
	"seed is shown":   {test: func(t *testing.T) { Test(t, only(t, "must/loser")) }, env: []string{"LWTEST_SEED=-42"}, want: []string{`LWTEST_SEED=-42 go test`}},
	"vendor's Fatal": {test: func(t *testing.T) {
		p := toyPlugin()
		p.Open = func(t *T) (*toy, error) { t.Testing().Fatal("no docker here"); return nil, nil }
		Test(t, several(t).Bind(p)[:2])
	}, want: []string{`FAIL: TestChild/must/pass`, `no docker here`, `toy/must/pass: inconclusive: the drive did not return: its goroutine was ended, as Fatal`, `FAIL: TestChild/must/alone`}},
	"vendor's Fatal in virtual time": {test: func(t *testing.T) {
		p := toyPlugin(VirtualTime)
		p.Open = func(t *T) (*toy, error) { t.Testing().Fatal("no docker here"); return nil, nil }
		Test(t, several(t).Bind(p)[:2])
	}, want: []string{`FAIL: TestChild/must/pass`, `no docker here`, `toy/must/pass: inconclusive: the drive did not return: its goroutine was ended, as Fatal`, `FAIL: TestChild/must/alone`}},
	"vendor's Fatal of the outer test": {test: func(outer *testing.T) {
		p := toyPlugin(VirtualTime)
		p.Open = func(*T) (*toy, error) { outer.Fatal("no docker here"); return nil, nil }
		Test(outer, several(outer).Bind(p)[:2])
	}, want: []string{`toy/must/pass: inconclusive: the drive did not return: its goroutine was ended, as Fatal`, `toy/must/alone: inconclusive`}},
	"vendor's Skip": {test: func(t *testing.T) {
		p := toyPlugin()
		p.Open = func(t *T) (*toy, error) { t.Testing().Skip("no docker here"); return nil, nil }
		Test(t, several(t).Bind(p)[:2])
	}, want: []string{`FAIL: TestChild/must/pass`, `no docker here`, `toy/must/pass: inconclusive: the drive did not return`}},
	"vendor's Parallel": {test: func(t *testing.T) {
		p := toyPlugin()
		p.Open = func(t *T) (*toy, error) { t.Testing().Parallel(); return &toy{}, nil }
		Test(t, several(t).Bind(p)[:3])
	}, env: []string{"LWTEST_KNOWN=DIR/k.json"}, files: map[string]string{"k.json": strings.Replace(knownLoser, "must/loser", "must/pass", 1)},
		want: []string{`FAIL: TestChild/must/loser`, `stale known failure`}, not: []string{"DATA RACE"}},
	"vendor's Parallel in virtual time": {test: func(t *testing.T) {
		p := toyPlugin(VirtualTime)
		p.Open = func(t *T) (*toy, error) { t.Testing().Parallel(); return &toy{}, nil }
		Test(t, several(t).Bind(p)[:2])
	}, want: []string{`got     panic: testing: t.Parallel called inside synctest bubble`}},
	"vendor's require in a subject's method": {test: func(t *testing.T) {
		s := several(t)
		s.Checks = Checks(s.Checks()[1:2]...)
		s.Checks()[0].Drive = func(t *T, _ *toy) {
			ping(t)
			t.Go(func() {
				t.Do(Call{Actor: "c1", Kind: "PING"}, func(context.Context) Answer { t.Testing().FailNow(); return Answer{} })
			})
		}
		Test(t, s.Bind(toyPlugin(VirtualTime)))
	}, want: []string{`toy/must/pass: inconclusive: the drive did not return`}},
	"vendor's cleanups": {test: func(t *testing.T) {
		p := toyPlugin(VirtualTime)
		p.Open = func(t *T) (*toy, error) {
			t.Testing().Cleanup(func() { fmt.Println("closed in the bubble") })
			t.Cleanup(func() { fmt.Println("closed by the engine") })
			return &toy{}, nil
		}
		Test(t, several(t).Bind(p)[1:2])
	}, ok: true, want: []string{`closed by the engine`, `closed in the bubble`}},
	"crash": {test: func(t *testing.T) {
		s := several(t)
		s.Checks = Checks(s.Checks()[:2]...)
		s.Checks()[1].Drive = func(t *T, _ *toy) {
			t.Do(Call{Actor: "c1", Kind: "PING"}, func(context.Context) Answer { panic("boom") })
		}
		Test(t, s.Bind(toyPlugin()))
	}, want: []string{`FAIL: TestChild/must/pass`, `MUST toy/subject/survives`, `got     panic: boom`, `goroutine \d+ \[running\]`, `PASS: TestChild/must/alone`}},
}

func TestTest(t *testing.T) {
	for name, v := range vendors {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for f, text := range v.files {
				require.NoError(t, os.WriteFile(filepath.Join(dir, f), []byte(text), 0o666))
			}
			env := []string{"LWTEST_SEED=", "LWTEST_SPAN=", "LWTEST_KNOWN=", "LWTEST_SHOULD=", "LWTEST_OUT="}
			for _, e := range v.env {
				env = append(env, strings.ReplaceAll(e, "DIR", dir))
			}
			out, ok := child(t, name, v.flags, env...)
			assert.Equal(t, v.ok, ok, out)
			for _, w := range v.want {
				assert.Regexp(t, regexp.MustCompile(w), out)
			}
			for _, n := range v.not {
				assert.NotContains(t, out, n)
			}
		})
	}
}

// Exclusive checks run last.
func TestExclusiveIsLast(t *testing.T) {
	out, _ := child(t, "everything", nil)
	var order []string
	for _, m := range regexp.MustCompile(`=== RUN   TestChild/(\S+)`).FindAllStringSubmatch(out, -1) {
		order = append(order, m[1])
	}
	assert.Equal(t, []string{"must/pass", "must/loser", "shoulder", "must/wings", "must/open", "must/alone"}, order)
}

// The history file that a failing test names can be read and judged.
func TestFailingTestSavesItsHistory(t *testing.T) {
	dir := t.TempDir()
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), childEnv+"=seed is shown", "TMPDIR="+dir)
	out, _ := cmd.CombinedOutput()
	m := regexp.MustCompile(`history (\S+)`).FindSubmatch(out)
	require.NotNil(t, m, string(out))
	h, err := history.ReadFile(string(m[1]))
	require.NoError(t, err)
	k := several(t).Describe()
	assert.Equal(t, Fail, k.Judge(Info{}, h).Verdict)
}

// A broken SHOULD hides no untested MUST.
func TestWhatIsOpenIsNamed(t *testing.T) {
	r := Result{Check: "toy/c", Verdict: Fail, Rules: []RuleResult{
		{Rule: "toy/a", Level: Should, Verdict: Fail},
		{Rule: "toy/b", Level: Must, Verdict: Inconclusive, Required: true, Reason: neverTested},
		{Rule: "toy/c", Level: Must, Verdict: Inconclusive, Reason: neverTested},
	}}
	text := describe(&r, &Kind{Name: "toy"}, nil, &explained{})
	assert.Contains(t, text, "  open    toy/b: never put to the test\n")
	assert.NotContains(t, text, "toy/c: never")
	r.Rules[1].Known = "as it is said"
	assert.NotContains(t, describe(&r, &Kind{Name: "toy"}, nil, &explained{}), "open")
}
