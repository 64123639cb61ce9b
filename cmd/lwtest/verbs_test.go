package main

import (
	"bytes"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/mutants"
)

// chdir works in an empty directory, in which runs without --out go. The name of the test binary must not depend on
// it.
func chdir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	return dir
}

// refuses checks that a command line is refused, and why.
func refuses(t *testing.T, says string, args ...string) {
	t.Helper()
	o := lwtest(t, args...)
	assert.Equal(t, report.Broken, o.status, "%q", args)
	assert.Contains(t, o.errors, says, "%q", args)
	assert.Contains(t, o.errors, "lwtest: ", "%q", args)
	assert.Empty(t, o.out, "%q", args)
}

// TestBadInput gives every verb unusable input. The status is 3, stdout is empty, and stderr says what to do.
func TestBadInput(t *testing.T) {
	dir := chdir(t)
	require.NoError(t, os.WriteFile("garbage.jsonl", []byte("garbage\n"), 0o644))
	require.NoError(t, os.WriteFile("empty.jsonl", nil, 0o644))
	require.NoError(t, os.WriteFile("alien.jsonl", []byte(`{"lwtest":"history/v1","kind":"alien","time":"real"}`+"\n"), 0o644))
	require.NoError(t, os.WriteFile("trace.jsonl", []byte(`{"lwtest":"history/v1","kind":"toy","time":"real"}`+"\n"), 0o644))
	require.NoError(t, os.WriteFile("gotest.jsonl", []byte(`{"lwtest":"history/v1","kind":"toy","time":"real","check":"toy/map/reads","target":"go test","plugin":"TestToy","seed":4}`+"\n"), 0o644))
	require.NoError(t, os.WriteFile("gone.jsonl", []byte(`{"lwtest":"history/v1","kind":"toy","time":"virtual","check":"toy/map/gone","target":"good"}`+"\n"), 0o644))
	for name, feature := range map[string]string{"wings.jsonl": "wings", "minus.jsonl": "-ordered"} {
		require.NoError(t, os.WriteFile(name, []byte(`{"lwtest":"history/v1","kind":"toy","time":"real","check":"toy/map/reads","target":"good","features":["ordered","`+feature+`"]}`+"\n"), 0o644))
	}
	require.NoError(t, os.WriteFile("known.json", []byte(`[{"check":"toy/*"}]`), 0o644))
	require.NoError(t, os.Mkdir("none", 0o777))
	cases := []struct {
		args []string
		says string
	}{
		{[]string{"nonsense"}, "there is no verb \"nonsense\": `lwtest --help` names them all"},
		{[]string{"watchcache/*"}, "there is no verb \"watchcache/*\": `lwtest run 'watchcache/*'` runs"},
		{[]string{"rum"}, "did you mean `lwtest run`?"},
		{[]string{"explan"}, "did you mean `lwtest show`?"},
		{[]string{"--nonsense"}, "unknown flag: --nonsense"},
		{[]string{"--paralel", "2"}, "unknown flag: --paralel (did you mean --parallel?)"},
		{[]string{"run", "--target", "god"}, "unknown target \"god\" (did you mean good?): `lwtest list --targets` shows them all"},
		{[]string{"run", "toy/map/raeds"}, "no check matches \"toy/map/raeds\" (did you mean toy/map/reads?)"},
		{[]string{"run", "--suite", "informers"}, "unknown kind \"informers\" (did you mean informer?)"},
		{[]string{"run", "--keep", "some"}, "say new or all"},
		{[]string{"run", "--show", "all"}, "say known or skipped"},
		{[]string{"help", "judgee"}, "there is no verb \"judgee\" (did you mean judge?)"},
		{[]string{"--seed", "x"}, "--seed is \"x\": say a whole number"},
		{[]string{"run", "nonsense"}, "no check matches \"nonsense\""},
		{[]string{"run", "map/reads"}, "(did you mean toy/map/reads?)"},
		{[]string{"run", "--target", "nonsense"}, "unknown target \"nonsense\": `lwtest list --targets` shows them all"},
		{[]string{"run", "--target", "good:x"}, "nothing follows good"},
		{[]string{"run", "--target", "hostile-toy"}, "say hostile-toy:NAME"},
		{[]string{"run", "--target", "hostile:nonsense"}, "there is no hostile subject"},
		{[]string{"run", "--target", "fake:nonsense"}, "there is no fake \"nonsense\": say fake:mutant/NAME"},
		{[]string{"run", "--target", "fake:mutant/lost-delete"}, "(did you mean fake:mutant/lost-deleted?)"},
		{[]string{"run", "--target", "informer:mutant/adds-unkep"}, "(did you mean informer:mutant/adds-unkept"},
		{[]string{"run", "--target", "informer:adds-unkept"}, "(did you mean informer:mutant/adds-unkept"},
		{[]string{"run", "--target", "store:mutant/ttl-longe"}, "(did you mean store:mutant/ttl-longer"},
		{[]string{"run", "--target", "exc:foo"}, "unknown target \"exc:foo\" (did you mean exec?)"},
		{[]string{"run", "--target", "good", "--target", "fake", "--feature", "wtchlist"}, "(did you mean watchlist?)"},
		{[]string{"run", "--target", "fake", "watchcache/bookmrk/*"}, "no check matches \"watchcache/bookmrk/*\" (did you mean watchcache/bookmark?)"},
		{[]string{"run", "--target", "kubeconfig:nowhere"}, "nowhere"},
		{[]string{"run", "--target", "kubeconfig:nowhere?colour=red"}, "unknown option \"colour\""},
		{[]string{"run", "--target", "broken"}, "target broken: connection refused"},
		{[]string{"run", "--target", "good", "--target", "good"}, "given twice"},
		{[]string{"run", "--context", "c"}, "only for a cluster"},
		{[]string{"run", "--feature", "nonsense"}, "unknown feature \"nonsense\": there are ordered, virtual-time"},
		{[]string{"run", "--suite", "nonsense"}, "unknown kind \"nonsense\": there are toy, watchcache"},
		{[]string{"run", "--format", "yaml"}, "say text, json, junit, markdown or github"},
		{[]string{"run", "--color", "blue"}, "say auto, always or never"},
		{[]string{"run", "--level", "may"}, "say must or should"},
		{[]string{"run", "--parallel", "-1"}, "say how many processes"},
		{[]string{"run", "--timeout", "0s"}, "a check needs some time"},
		{[]string{"run", "--span", "-1s"}, "give a time above 0"},
		{[]string{"run", "--known", "nowhere.json"}, "nowhere.json: no such file"},
		{[]string{"run", "--known", "known.json"}, "check, rule, got and reason are required"},
		{[]string{"run", "--resume", "nowhere"}, "holds no run to resume"},
		{[]string{"run", "--out", "garbage.jsonl"}, "give another with --out"},
		{[]string{"list", "nonsense"}, "no check matches \"nonsense\""},
		{[]string{"list", "infomer"}, "no check matches \"infomer\" (did you mean informer?)"},
		{[]string{"list", "--rules", "informer/synch"}, "no rule matches \"informer/synch\" (did you mean informer/sync?)"},
		{[]string{"show", "informer/sink/*"}, "(did you mean informer/sync or informer/stop?)"},
		{[]string{"list", "--rules", "--targets"}, "none of the others can be"},
		{[]string{"show"}, "say which check or rule"},
		{[]string{"show", "nonsense"}, "there is no check or rule \"nonsense\""},
		{[]string{"show", "read"}, "(there is toy/map/reads"},
		{[]string{"play"}, "say what to play: a story, a check or a history"},
		{[]string{"play", "a", "b"}, "2 were given"},
		{[]string{"play", "nowhere.jsonl"}, "there is no file nowhere.jsonl"},
		{[]string{"play", dir}, "is a directory"},
		{[]string{"play", "garbage.jsonl"}, "line 1: not a header"},
		{[]string{"play", "empty.jsonl"}, "empty.jsonl is empty: it holds neither a story nor a history"},
		{[]string{"judge", "empty.jsonl"}, "a history begins with a header"},
		{[]string{"play", "trace.jsonl"}, "`lwtest judge trace.jsonl` judges it as it is"},
		{[]string{"play", "gotest.jsonl"}, "LWTEST_SEED=4 go test -run 'TestToy/map/reads'"},
		{[]string{"play", "gone.jsonl"}, "target good has no check toy/map/gone"},
		{[]string{"judge"}, "say which history or directory to judge"},
		{[]string{"envtest", "a", "b"}, "`lwtest envtest` takes one folder, 2 were given"},
		{[]string{"envtest", "garbage.jsonl"}, "garbage.jsonl"},
		{[]string{"judge", "nowhere"}, "there is no file nowhere"},
		{[]string{"judge", "none"}, "a run directory holds results.jsonl, and a history is a .jsonl or .jsonl.gz file"},
		{[]string{"judge", "garbage.jsonl"}, "line 1: not a header"},
		{[]string{"judge", "alien.jsonl"}, "unknown kind \"alien\": there are toy, watchcache"},
		{[]string{"judge", "wings.jsonl"}, "wings.jsonl: line 1: features: unknown feature \"wings\": there are ordered, virtual-time"},
		{[]string{"play", "wings.jsonl"}, "wings.jsonl: line 1: features: unknown feature \"wings\": there are ordered, virtual-time"},
		{[]string{"judge", "minus.jsonl"}, "unknown feature \"-ordered\""},
		{[]string{"run", ""}, "a glob is empty"},
		{[]string{"run", "toy/map/reads", ""}, "a glob is empty"},
		{[]string{"list", ""}, "a glob is empty"},
		{[]string{"list", "--rules", ""}, "a glob is empty"},
		{[]string{"record", "--out", "o", "--target", "good", ""}, "a glob is empty"},
		{[]string{"record"}, "--out DIR"},
		{[]string{"record", "--out", "o", "--target", "good", "--target", "bad"}, "record needs one target"},
		{[]string{"mutants", "nonsense"}, "there is no mutant \"nonsense\""},
		{[]string{"version", "x"}, "takes no arguments"},
		{[]string{"bench", "nope"}, "unknown command \"nope\" of `lwtest bench`: there is apiserver"},
		{[]string{"serve", "nope"}, "unknown command \"nope\" of `lwtest serve`: there is apiserver"},
		{[]string{"worker", "x"}, "takes no arguments"},
	}
	for _, flag := range []string{"target", "context", "resource", "suite", "feature", "format", "color", "known", "level"} {
		cases = append(cases, struct {
			args []string
			says string
		}{[]string{"mutants", "lost-deleted", "--" + flag, "text"}, "unknown flag: --" + flag})
	}
	for _, c := range cases {
		refuses(t, c.says, c.args...)
	}
	assert.NoDirExists(t, "runs", "what cannot run leaves nothing behind")
}

func TestStatuses(t *testing.T) {
	chdir(t)
	require.NoError(t, os.WriteFile("known.json", []byte(`[{"check":"toy/map","rule":"map/reads","verdict":"fail","got":".","reason":"so it is"}]`), 0o644))
	for _, c := range []struct {
		want int
		args []string
	}{
		{report.OK, []string{}},
		{report.OK, []string{"run", "--target", "good", "--target", "ordered"}},
		{report.OK, []string{"run", "--target", "excused"}},
		{report.OK, []string{"run", "--target", "bad", "--known", "known.json"}},
		{report.Failed, []string{"run", "--target", "bad"}},
		{report.Failed, []string{"run", "--target", "bad", "--target", "excused"}},
		{report.Failed, []string{"run", "--target", "stale"}},
		{report.Failed, []string{"run", "--target", "good", "--known", "known.json"}},
		{report.Unproven, []string{"run", "toy/map/order"}},
		{report.Unproven, []string{"run", "toy/map/reads", "--target", "hostile-toy:deadlock"}},
		{report.OK, []string{"run", "toy/map/order", "--feature", "ordered"}},
		{report.Unproven, []string{"run", "toy/map/order", "--target", "ordered", "--feature=-ordered"}},
	} {
		o := lwtest(t, c.args...)
		assert.Equal(t, c.want, o.status, "%q\n%s%s", c.args, o.out, o.errors)
	}
}

func TestFormats(t *testing.T) {
	chdir(t)
	args := []string{"run", "--target", "bad", "--target", "good", "--format"}
	text := lwtest(t, append(args, "text")...)
	for _, want := range []string{"want    the value", "got     the value", "seen", "why     or else the toy is broken", "again   lwtest play runs/", "exit status 1"} {
		assert.Contains(t, text.out, want)
	}
	assert.NotContains(t, text.out, "\x1b")
	assert.Contains(t, lwtest(t, append(args, "text", "--color", "always")...).out, "\x1b[31m")
	assert.Regexp(t, `^12 checks; the run directory is runs/\S+\n$`, text.errors, "a short run needs no progress in a log")

	r := readReport(t, lwtest(t, append(args, "json")...).out)
	assert.Len(t, r.Results, 12)
	assert.Equal(t, report.Failed, r.Status)
	assert.Equal(t, map[string]string{"toy": "v1"}, r.Contract)

	junit := lwtest(t, append(args, "junit")...)
	var x struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
	}
	require.NoError(t, xml.Unmarshal([]byte(junit.out), &x))
	assert.Equal(t, 12, x.Tests)
	assert.Equal(t, 5, x.Failures)
	runs, err := filepath.Glob("runs/*")
	require.NoError(t, err)
	assert.Len(t, runs, 4, "each run has a directory of its own")
}

func TestReplayAndJudge(t *testing.T) {
	chdir(t)
	for target, want := range map[string]int{"good": report.OK, "bad": report.Failed, "hostile-toy:exit7": report.Failed, "hostile-toy:deadlock": report.Unproven} {
		o := lwtest(t, "run", "toy/map/reads/many", "--target", target, "--seed", "5", "--keep", "all", "--out", "run-"+report.Safe(target))
		require.Equal(t, want, o.status, o.out)
		file := filepath.Join("run-"+report.Safe(target), report.History(target, "toy/map/reads/many"))
		require.FileExists(t, file)
		judged := lwtest(t, "judge", file, "--format", "json")
		assert.Equal(t, want, judged.status, "judged alone: %s", judged.out)
		again := lwtest(t, "play", file, "--format", "json")
		assert.Equal(t, want, again.status, again.errors)
		r := readReport(t, again.out)
		require.Len(t, r.Results, 1)
		assert.EqualValues(t, 5, r.Results[0].Seed)
		assert.Equal(t, target, r.Results[0].Target)
	}
}

// A withdrawn feature stays withdrawn when the check is repeated.
func TestReplayKeepsFeatures(t *testing.T) {
	chdir(t)
	require.Equal(t, report.OK, lwtest(t, "run", "toy/map/order", "--feature", "ordered", "--keep", "all", "--out", "run").status)
	o := lwtest(t, "play", filepath.Join("run", report.History("good", "toy/map/order")))
	assert.Equal(t, report.OK, o.status, "and not skipped: %s", o.out)
}

func TestJudgeOwnTrace(t *testing.T) {
	chdir(t)
	trace := `{"lwtest":"history/v1","kind":"toy","time":"real"}
{"n":1,"phase":"call","actor":"c","kind":"PUT","obj":{"key":"a","body":"1"}}
{"n":2,"call":1,"phase":"return","actor":"c","kind":"PUT","obj":{"key":"a","body":"1"}}
{"n":3,"phase":"call","actor":"c","kind":"GET","obj":{"key":"a"}}
{"n":4,"call":3,"phase":"return","actor":"c","kind":"GET","obj":{"key":"a","body":"2"}}
{"end":true,"events":4}
`
	require.NoError(t, os.WriteFile("trace.jsonl", []byte(trace), 0o644))
	o := lwtest(t, "judge", "trace.jsonl")
	assert.Equal(t, report.Failed, o.status)
	assert.Contains(t, o.out, "want    the value 1\n  got     the value 2")
	assert.NotContains(t, o.out, "again", "nothing can repeat it")
	cut := trace[:len(trace)-30]
	require.NoError(t, os.WriteFile("cut.jsonl", []byte(cut[:len(cut)-20]), 0o644))
	assert.Equal(t, report.Unproven, lwtest(t, "judge", "cut.jsonl").status, "a truncated history proves nothing")
}

// A directory that is not a run is judged history by history, even if two are of one check.
func TestJudgeFolder(t *testing.T) {
	chdir(t)
	require.Equal(t, report.Failed, lwtest(t, "run", "toy/map/reads", "--target", "good", "--target", "bad", "--keep", "all", "--out", "run").status)
	for target, as := range map[string]string{"good": "all/one/a.jsonl", "bad": "all/two/b.jsonl"} {
		b := uncompressed(t, filepath.Join("run", report.History(target, "toy/map/reads")))
		b = bytes.Replace(b, []byte(`"target":"bad"`), []byte(`"target":"good"`), 1)
		require.NoError(t, os.MkdirAll(filepath.Dir(as), 0o777))
		require.NoError(t, os.WriteFile(as, b, 0o644))
	}
	require.NoError(t, os.WriteFile("all/README.md", []byte("not a history\n"), 0o644))
	o := lwtest(t, "judge", "all", "--format", "json")
	assert.Equal(t, report.Failed, o.status, o.errors)
	r := readReport(t, o.out)
	require.Len(t, r.Results, 2)
	assert.Equal(t, []string{"good", "all/two/b.jsonl"}, []string{r.Results[0].Target, r.Results[1].Target})
	assert.Equal(t, []harness.Verdict{harness.Pass, harness.Fail}, []harness.Verdict{r.Results[0].Verdict, r.Results[1].Verdict})
	require.NoError(t, os.WriteFile("all/two/c.jsonl", []byte("garbage\n"), 0o644))
	o = lwtest(t, "judge", "all")
	assert.Equal(t, report.Broken, o.status)
	assert.Contains(t, o.errors, "c.jsonl", "and not left out")
}

func TestRecord(t *testing.T) {
	chdir(t)
	o := lwtest(t, "record", "watchcache/write", "--target", "fake", "--out", "goldens")
	require.Equal(t, report.OK, o.status, o.errors)
	files, err := filepath.Glob("goldens/watchcache/*.jsonl")
	require.NoError(t, err)
	assert.NotEmpty(t, files)
	for _, f := range files {
		j := lwtest(t, "judge", f)
		assert.Equal(t, report.OK, j.status, "%s: %s", f, j.out)
	}
	j := lwtest(t, "judge", "goldens", "--format", "json")
	assert.Equal(t, report.OK, j.status, j.errors)
	assert.Len(t, readReport(t, j.out).Results, len(files), "one for each history")
	o = lwtest(t, "record", "toy/map/reads", "--target", "hostile-toy:deadlock", "--out", "none")
	assert.Equal(t, report.Unproven, o.status)
	assert.Contains(t, o.errors, "not recorded: toy/map/reads")
	assert.NoDirExists(t, "none")
}

func TestListAndExplain(t *testing.T) {
	o := lwtest(t, "list", "toy/map/*")
	assert.Equal(t, report.OK, o.status)
	assert.Contains(t, o.out, "toy/map/order       MUST         Writes and reads. [needs ordered]")
	assert.NotContains(t, o.out, "watchcache")
	assert.Contains(t, lwtest(t, "list", "--rules", "toy/*").out, "toy/subject/survives  MUST")
	assert.Contains(t, lwtest(t, "list", "--features").out, "keys have an order")
	assert.Contains(t, lwtest(t, "list", "--targets").out, "go:fakeclientset")
	assert.NotContains(t, lwtest(t, "list", "--targets").out, "hostile:", "hidden")

	o = lwtest(t, "show", "map/reads", "toy/map/alone")
	assert.Equal(t, report.OK, o.status)
	for _, want := range []string{"rule toy/map/reads  MUST", "why     or else", "source  the toy's manual", "tested  by toy/map/reads/many", "check toy/map/alone  MUST", "beside  none: after all others"} {
		assert.Contains(t, o.out, want)
	}
	assert.Contains(t, lwtest(t, "version").out, "contract of watchcache")
}

// TestMutants prints what caught mutants in worker processes: no mutant survives the rule meant for it. It runs one mutant of
// a store. In full it runs one in 240 and all hostile ones, and with LWTEST_FULL=every all,
// which takes many minutes. Each kind has every mutant in its own tests, and TestHostileSubjects has all hostile ones.
func TestMutants(t *testing.T) {
	if full.Race {
		t.Skip("takes minutes; conformance/watchcache runs some of it under the race detector")
	}
	chdir(t)
	args := []string{"mutants", "ttl-longer"}
	if full.Wanted() {
		args = args[:1]
	}
	if full.Wanted() && !full.Every() {
		all, err := chosen(nil)
		require.NoError(t, err)
		for i, m := range all {
			hostile := strings.HasPrefix(m.Target.Name, "hostile:")
			if i%240 == 0 || m.Rule == "" && i%5 == 0 || hostile {
				args = append(args, m.Name)
			}
		}
	}
	o := lwtest(t, args...)
	assert.Equal(t, report.OK, o.status, o.out)
	assert.Contains(t, o.out, ", 0 survivors")
	assert.NotContains(t, o.out, "SURVIVED")
	assert.Contains(t, o.out, "store/expire/ttl, by store/expire/")
	assert.Contains(t, o.out, "the first cause in the report is the rule that the mutant is about: ")
}

// A name selects a mutant of any kind.
func TestMutantsHaveNames(t *testing.T) {
	all, err := chosen(nil)
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, m := range all {
		assert.False(t, seen[m.Name], "%s is the name of two", m.Name)
		assert.NotEmpty(t, m.Kind(), m.Name)
		seen[m.Name] = true
	}
}

// A mutant that no rule had a chance to flag is a survivor, and that is a failure.
func TestSurvivingMutantFails(t *testing.T) {
	chdir(t)
	o := lwtest(t, "mutants", "ttl-longer", "--real-time", "--span", "1ms")
	assert.Equal(t, report.Failed, o.status, o.errors)
	assert.Contains(t, o.out, "SURVIVED store/expire/ttl")
	assert.Contains(t, o.out, "1 mutant, 1 survivor")
	assert.Equal(t, report.OK, lwtest(t, "mutants", "ttl-longer").status)
}

func TestHelpHasExamples(t *testing.T) {
	for _, verb := range []string{"", "run", "list", "show", "play", "judge", "record", "mutants", "version"} {
		args := []string{verb, "--help"}
		if verb == "" {
			args = args[1:]
		}
		o := lwtest(t, args...)
		assert.Equal(t, report.OK, o.status)
		assert.Contains(t, o.out, "Examples:\n", verb)
	}
}

// TestFlagNames checks that backquotes in a flag's help hold the name of its value: pflag prints it after the flag.
func TestFlagNames(t *testing.T) {
	root := toyApp().root()
	for _, cmd := range append(root.Commands(), root) {
		for _, c := range append(cmd.Commands(), cmd) {
			c.Flags().VisitAll(func(f *pflag.Flag) {
				name, _ := pflag.UnquoteUsage(f)
				assert.NotContains(t, name, " ", "%s --%s", c.CommandPath(), f.Name)
				assert.False(t, f.Value.Type() == "bool" && name != "", "%s --%s takes no value", c.CommandPath(), f.Name)
			})
		}
	}
	assert.Contains(t, lwtest(t, "play", "--help").out, "required, except for a saved history")
	assert.NotContains(t, lwtest(t, "play", "--help").out, "default lwtest's own server")
}

// What a shell offers for values of flags and for names of checks.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"run --suite ": "toy\n", "run --target ": "good\n", "run --format ": "junit\n", "show ": "toy/map/reads\n", "--level ": "should\n",
	} {
		o := lwtest(t, append([]string{"__complete"}, strings.Split(line, " ")...)...)
		assert.Equal(t, 0, o.status)
		assert.Contains(t, "\n"+o.out, "\n"+want, line)
	}
	assert.Equal(t, 3, lwtest(t, "completion", "tcsh").status)
}

// A sample has mutants of each kind in turn, the same for the same seed, and none that only withholds something.
func TestSampled(t *testing.T) {
	all, err := chosen(nil)
	require.NoError(t, err)
	kinds := map[string]int{}
	some := sampled(all, 14, 7)
	for _, m := range some {
		kinds[m.Kind()]++
		assert.NotEmpty(t, m.Rule, m.Name)
	}
	assert.Len(t, some, 14)
	assert.Len(t, kinds, 7, "two of each")
	names := func(ms []mutants.Target) (out []string) {
		for _, m := range ms {
			out = append(out, m.Name)
		}
		return out
	}
	assert.Equal(t, names(some), names(sampled(all, 14, 7)))
	assert.NotEqual(t, names(some), names(sampled(all, 12, 8)))
	assert.Len(t, sampled(all, 0, 7), len(all), "0: all")
	o := lwtest(t, "mutants", "--sample", "-1")
	assert.Equal(t, report.Broken, o.status)
	assert.Contains(t, o.errors, "say how many mutants to run")
}

// --list names mutants and the rules that they break, and runs nothing.
func TestMutantsAreListed(t *testing.T) {
	chdir(t)
	o := lwtest(t, "mutants", "--list", "lost-deleted", "emptied-kept")
	assert.Equal(t, report.OK, o.status, o.errors)
	assert.Regexp(t, `(?m)^fake:mutant/lost-deleted +watchcache/[a-z/-]+: .+\ninformer:mutant/emptied-kept +informer/converge/deletes: .+\n$`, o.out)
	left, err := os.ReadDir(".")
	require.NoError(t, err)
	assert.Empty(t, left, "no run directory")
	assert.Contains(t, lwtest(t, "mutants", "--list", "nonsense").errors, "`lwtest mutants --list` names them all")
}
