package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/history"
)

const knownLine = `{"check":"toy/*","rule":"a","verdict":"fail","got":"x","reason":"r"}`

// The errors say what to write instead.
func TestParseKnownTeaches(t *testing.T) {
	line := func(field, value string) string {
		fields := map[string]string{"check": `"toy/*"`, "rule": `"a"`, "verdict": `"fail"`, "got": `"x"`, "reason": `"r"`}
		fields[field] = value
		var p []string
		for k, v := range fields {
			p = append(p, fmt.Sprintf("%q:%s", k, v))
		}
		return "[" + knownLine + ",{" + strings.Join(p, ",") + "}]"
	}
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", "k.json: EOF: want an array of"},
		{"an object", knownLine, `want an array of {"target","check","rule","verdict","got","reason","link","sometimes"}`},
		{"nothing", "null", "k.json holds null: write [] where nothing is known to fail"},
		{"text", "hello", "want an array of"},
		{"an unknown field", `[{"chek":"a"}]`, `unknown field "chek": want an array of`},
		{"two arrays", "[] []", "k.json: unexpected text after the array"},
		{"rubbish after it", "[] x", "k.json: unexpected text after the array"},
		{"no check", line("check", `""`), "k.json, line 2 of the array: check, rule, got and reason are required"},
		{"no rule", line("rule", `""`), "check, rule, got and reason are required"},
		{"no pattern", line("got", `""`), "check, rule, got and reason are required"},
		{"no reason", line("reason", `""`), "check, rule, got and reason are required"},
		{"passes", line("verdict", `"pass"`), `line 2 of the array: verdict is "pass": say "fail" or "inconclusive"`},
		{"skips", line("verdict", `"skip"`), `verdict is "skip"`},
		{"a bad glob", line("check", `"toy/["`), `line 2 of the array: "toy/[" is not a glob: syntax error in pattern`},
		{"a bad glob of rules", line("rule", `"["`), `"[" is not a glob`},
		{"a bad pattern", line("got", `"("`), "line 2 of the array: got is not a regular expression: error parsing regexp"},
		{"a wrong type", line("got", `7`), "want an array of"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseKnown("k.json", []byte(c.in))
			require.ErrorContains(t, err, c.want)
			assert.Contains(t, err.Error(), "k.json")
		})
	}
}

func TestReadKnown(t *testing.T) {
	_, err := ReadKnown(filepath.Join(t.TempDir(), "none.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
	path := filepath.Join(t.TempDir(), "k.json")
	require.NoError(t, os.WriteFile(path, []byte("["+knownLine+"]"), 0o666))
	lines, err := ReadKnown(path)
	require.NoError(t, err)
	require.Len(t, lines, 1)
	assert.Equal(t, Fail, lines[0].Verdict)
}

func failed(level Level, gots ...string) RuleResult {
	rr := RuleResult{Rule: "a", Level: level, Verdict: Fail, Required: true, Failures: len(gots)}
	for i, g := range gots {
		if i < maxShown {
			rr.Bad = append(rr.Bad, Shown{Finding: Finding{Got: g}})
		} else if i < maxShown+maxMore {
			rr.More = append(rr.More, g)
		}
	}
	return rr
}

func named(name string, rr RuleResult) RuleResult {
	rr.Rule = name
	return rr
}

func open(name, reason string) RuleResult {
	return RuleResult{Rule: name, Level: Must, Verdict: Inconclusive, Required: true, Reason: reason}
}

func answered(name string) RuleResult {
	return RuleResult{Rule: name, Level: Must, Verdict: Pass, Required: true, Tested: 1}
}

func result(v Verdict, reason string, rules ...RuleResult) Result {
	return Result{Check: "toy/check", Target: "fakes?x=1", Verdict: v, Reason: reason, Rules: rules}
}

func inTime(which string, r Result) Result {
	r.Time = which
	return r
}

func TestCover(t *testing.T) {
	line := func(rule, got, reason string) Known {
		return Known{Check: "toy/*", Rule: rule, Verdict: Fail, Got: got, Reason: reason}
	}
	opens := func(rule, got string) Known {
		return Known{Check: "toy/check", Rule: rule, Verdict: Inconclusive, Got: got, Reason: "so be it"}
	}
	at := func(target string) Known {
		return Known{Target: target, Check: "toy", Rule: "a", Verdict: Fail, Got: "lost", Reason: "r1"}
	}
	sometimes := func(rule, got string) Known {
		return Known{Check: "toy/*", Rule: rule, Verdict: Fail, Got: got, Reason: "luck", Sometimes: true}
	}
	crash := named(Survives.Address(), failed(Must, "panic: boom"))
	stale := "stale known failure"
	for _, c := range []struct {
		name  string
		lines []Known
		r     Result
		known string // reason; empty: not known
		stale string // part of the error; empty: none
	}{
		{"no lines", nil, result(Fail, "", failed(Must, "lost 1")), "", ""},
		{"covered", []Known{line("a", "lost", "r1")}, result(Fail, "", failed(Must, "lost 1")), "r1", ""},
		{"with its link", []Known{{Check: "toy", Rule: "*", Verdict: Fail, Got: ".", Reason: "r1", Link: "https://example.com/1"}}, result(Fail, "", failed(Must, "lost 1")), "r1 (https://example.com/1)", ""},
		{"another got", []Known{line("a", "^late", "r1")}, result(Fail, "", failed(Must, "lost 1")), "", stale},
		{"one of two findings", []Known{line("a", "lost 1", "r1")}, result(Fail, "", failed(Must, "lost 1", "lost 2")), "", ""},
		{"two lines, a finding each", []Known{line("a", "lost 1", "r1"), line("a", "lost 2", "r2")}, result(Fail, "", failed(Must, "lost 1", "lost 2", "lost 1")), "r1; r2", ""},
		{"two lines of one reason", []Known{line("a", "1", "r1"), line("a", "2", "r1")}, result(Fail, "", failed(Must, "1", "2")), "r1", ""},
		{"two lines, one finding", []Known{line("a", "lost", "r1"), line("*", "l", "r2")}, result(Fail, "", failed(Must, "lost")), "r1; r2", ""},
		{"the sixth finding is new", []Known{line("a", "lost", "r1")}, result(Fail, "", failed(Must, "lost", "lost", "lost", "lost", "lost", "new")), "", ""},
		{"many findings", []Known{line("a", "lost", "r1")}, result(Fail, "", failed(Must, make1000("lost")...)), "r1", ""},
		{"more findings than are kept", []Known{line("a", "lost", "r1")}, result(Fail, "", failed(Must, append(make1000("lost"), make([]string, 10)...)...)), "", ""},
		{"another rule fails, too", []Known{line("a", "lost", "r1")}, result(Fail, "", failed(Must, "lost"), named("b", failed(Must, "lost"))), "", ""},
		{"both rules", []Known{line("*", "lost", "r1")}, result(Fail, "", failed(Must, "lost"), named("b", failed(Must, "lost"))), "r1", ""},
		{"aspects of a clause", []Known{line("a", "lost", "r1")}, result(Fail, "", named("a/x", failed(Must, "lost")), named("a/y", failed(Must, "lost"))), "r1", ""},
		{"a provisional one needs no line", []Known{line("a", "lost", "r1")}, result(Fail, "", failed(Must, "lost"), named("b", failed(Provisional, "new"))), "r1", ""},
		{"a line about a provisional one is used", []Known{line("a", "lost", "r1")}, result(Pass, "", failed(Provisional, "lost")), "r1", ""},
		{"it passes now", []Known{line("a", "lost", "r1")}, result(Pass, "", answered("a")), "", `stale known failure (k.json, line 1 of the array): toy/* a no longer ends as fail with "lost": delete the line`},
		{"one of two is stale", []Known{line("a", "lost", "r1"), line("a", "late", "r2")}, result(Fail, "", failed(Must, "lost")), "r1", `a no longer ends as fail with "late", but with "lost": correct its got, or delete the line`},
		{"it fails sometimes, and not now", []Known{sometimes("a", "lost")}, result(Pass, "", answered("a")), "", ""},
		{"it fails sometimes, and now", []Known{sometimes("a", "lost")}, result(Fail, "", failed(Must, "lost")), "luck", ""},
		{"it fails in virtual time, and passes in real time", []Known{{Check: "toy/*", Rule: "a", Verdict: Fail, Got: "lost", Reason: "long", Virtual: true}}, inTime(history.RealTime, result(Pass, "", answered("a"))), "", ""},
		{"it fails in virtual time, and passes there", []Known{{Check: "toy/*", Rule: "a", Verdict: Fail, Got: "lost", Reason: "long", Virtual: true}}, inTime(history.VirtualTime, result(Pass, "", answered("a"))), "", stale},
		{"it fails in virtual time, and in real time", []Known{{Check: "toy/*", Rule: "a", Verdict: Fail, Got: "lost", Reason: "long", Virtual: true}}, inTime(history.RealTime, result(Fail, "", failed(Must, "lost"))), "long", ""},
		{"no such rule", []Known{line("aa", "lost", "r1")}, result(Pass, "", answered("a")), "", stale},
		{"skipped: nothing is known", []Known{line("a", "lost", "r1")}, result(Skip, "needs wings", RuleResult{Rule: "a", Level: Must, Verdict: Skip, Required: true}), "", ""},
		{"not driven at all", []Known{line("a", "lost", "r1")}, result(Inconclusive, "the worker ended"), "", ""},
		{"never tested: not stale", []Known{line("a", "lost", "r1")}, result(Inconclusive, "a: never", open("a", "never")), "", ""},
		{"stopped: not stale", []Known{line("a", "lost", "r1")}, result(Inconclusive, "hang", answered("a")), "", ""},
		{"another check", []Known{{Check: "toy/other", Rule: "a", Verdict: Fail, Got: "lost", Reason: "r1"}}, result(Fail, "", failed(Must, "lost")), "", ""},

		{"inconclusive", []Known{opens("a", "never")}, result(Inconclusive, "a: never tested", open("a", "never tested")), "so be it", ""},
		{"inconclusive of two", []Known{opens("a", "never")}, result(Inconclusive, "a: never tested", open("a", "never tested"), open("b", "never tested")), "", ""},
		{"inconclusive for another reason", []Known{opens("a", "never")}, result(Inconclusive, "a: who knows", open("a", "who knows")), "", stale},
		{"a line of inconclusive, and it fails", []Known{opens("a", "lost")}, result(Fail, "", failed(Must, "lost")), "", ""},
		{"a line of fail, and it is open", []Known{line("a", "never", "r1")}, result(Inconclusive, "a: never", open("a", "never")), "", ""},
		{"one known to fail, one open", []Known{line("a", "lost", "r1")}, result(Fail, "", failed(Must, "lost"), open("b", "never")), "", ""},
		{"one known to fail, one known to be open", []Known{line("a", "lost", "r1"), opens("b", "never")}, result(Fail, "", failed(Must, "lost"), open("b", "never")), "r1; so be it", ""},
		{"an open one that is not required", []Known{line("a", "lost", "r1")}, result(Fail, "", failed(Must, "lost"), RuleResult{Rule: "b", Level: Must, Verdict: Inconclusive}), "r1", ""},
		{"an open one that is provisional", []Known{line("a", "lost", "r1")}, result(Fail, "", failed(Must, "lost"), RuleResult{Rule: "b", Level: Provisional, Verdict: Inconclusive, Required: true}), "r1", ""},

		{"a hang", []Known{opens("*", "^hang: ")}, result(Inconclusive, "hang: no progress", open("a", "never")), "so be it", ""},
		{"a line of a rule does not cover a hang", []Known{opens("a", "never")}, result(Inconclusive, "hang: no progress", open("a", "never")), "", ""},
		{"nor does another pattern", []Known{opens("*", "^never")}, result(Inconclusive, "hang: no progress", open("a", "never")), "", ""},
		{"known to fail, but it hung, too", []Known{line("a", "lost", "r1")}, result(Fail, "hang: no progress", failed(Must, "lost")), "", ""},
		{"known to fail and to hang", []Known{line("a", "lost", "r1"), opens("*", "^hang")}, result(Fail, "hang: no progress", failed(Must, "lost"), open("b", "never")), "so be it; r1", ""},
		{"known to fail, and slow to", []Known{line("a", "lost", "r1")}, result(Fail, deadline+"not finished", failed(Must, "lost")), "r1", ""},
		{"known to fail, and too slow for another rule", []Known{line("a", "lost", "r1")}, result(Fail, deadline+"not finished", failed(Must, "lost"), open("b", "never")), "", ""},
		{"slow, and no failure", []Known{line("a", "lost", "r1")}, result(Inconclusive, deadline+"not finished", answered("a")), "", ""},
		{"a worker that did not start", []Known{opens("*", "^the worker")}, result(Inconclusive, "the worker ended"), "so be it", ""},
		{"a crash, and what it kept from being seen", []Known{line("subject/survives", "boom", "r1")}, result(Fail, "deadlock", crash, open("a", "never")), "r1", ""},
		{"a crash, and a failure", []Known{line("subject/survives", "boom", "r1")}, result(Fail, "", crash, failed(Must, "lost")), "", ""},

		{"a target", []Known{at("fakes")}, result(Fail, "", failed(Must, "lost")), "r1", ""},
		{"a target in full", []Known{at("fakes?x=1")}, result(Fail, "", failed(Must, "lost")), "r1", ""},
		{"the beginning of a name", []Known{at("fake")}, result(Fail, "", failed(Must, "lost")), "", ""},
		{"another target", []Known{at("kind")}, result(Fail, "", failed(Must, "lost")), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i := range c.lines {
				require.NoError(t, c.lines[i].compile(fmt.Sprintf("k.json, line %d of the array", i+1)))
			}
			results := []Result{c.r}
			err := Cover(c.lines, results)
			if c.stale == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, c.stale)
			}
			known := results[0].Known
			if known == "" && c.r.Verdict == Pass { // a provisional rule's
				for _, rr := range results[0].Rules {
					known += rr.Known
				}
			}
			assert.Equal(t, c.known, known)
		})
	}
}

func make1000(s string) []string {
	out := make([]string, maxShown+maxMore)
	for i := range out {
		out[i] = s
	}
	return out
}

// A line about several checks is stale only when all of them have a result.
func TestCoverOfAPart(t *testing.T) {
	line := Known{Check: "toy/c*", Target: "fakes", Rule: "a", Verdict: Fail, Got: "lost", Reason: "r1"}
	here, elsewhere := result(Pass, "", answered("a")), result(Pass, "", answered("a"))
	here.Check, elsewhere.Check, elsewhere.Target = "toy/check", "toy/chess", "kind"
	all := []string{"toy/check", "toy/chess", "toy/dice"}
	require.NoError(t, Cover([]Known{line}, []Result{here}, all...))
	require.NoError(t, Cover([]Known{line}, []Result{here, elsewhere}, all...), "of another target")
	elsewhere.Target = here.Target
	require.ErrorContains(t, Cover([]Known{line}, []Result{here, elsewhere}, all...), "stale")
	elsewhere.Verdict, elsewhere.Rules = Skip, nil
	require.ErrorContains(t, Cover([]Known{line}, []Result{here, elsewhere}, all...), "stale")
	line.Check = "toy/check"
	require.ErrorContains(t, Cover([]Known{line}, []Result{here}, all...), "stale")
}

// Lines may be written in Go.
func TestCoverTakesLinesOfGo(t *testing.T) {
	results := []Result{result(Fail, "", failed(Must, "lost"))}
	require.NoError(t, Cover([]Known{{Check: "toy", Rule: "a", Verdict: Fail, Got: "lost", Reason: "r1"}}, results))
	assert.Equal(t, "r1", results[0].Known)
	require.ErrorContains(t, Cover([]Known{{Check: "toy", Rule: "a", Verdict: Fail, Got: "(", Reason: "r1"}}, results), "known failure 1: got is not a regular expression")
	require.NoError(t, Cover(nil, nil))
}

// A line that one of several checks needs is not stale; each stale one is named.
func TestCoverOverSeveralChecks(t *testing.T) {
	lines, err := ParseKnown("k.json", []byte(`[
		{"check":"toy/*","rule":"a","verdict":"fail","got":"lost","reason":"r1"},
		{"check":"toy/*","rule":"a","verdict":"fail","got":"late","reason":"r2"},
		{"check":"toy/b","rule":"a","verdict":"fail","got":"lost","reason":"r3"},
		{"check":"toy/c","rule":"a","verdict":"fail","got":"lost","reason":"r4"}]`))
	require.NoError(t, err)
	a, b := result(Fail, "", failed(Must, "lost")), result(Pass, "", answered("a"))
	a.Check, b.Check = "toy/a", "toy/b"
	results := []Result{a, b}
	err = Cover(lines, results)
	require.Error(t, err)
	stale := strings.Split(err.Error(), "\n")
	require.Len(t, stale, 2)
	assert.Contains(t, stale[0], "line 2 of the array")
	assert.Contains(t, stale[1], "line 3 of the array")
	assert.Equal(t, "r1", results[0].Known)
	assert.Empty(t, results[1].Known)
}
