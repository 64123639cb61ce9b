package main

import (
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/report"
)

// TestEmptyIsNotLeftOut gives each text flag an empty value, as an unset variable does. That is an error and not the
// default.
func TestEmptyIsNotLeftOut(t *testing.T) {
	chdir(t)
	verbs := map[string][]string{
		"run":     {"suite", "target", "server", "context", "resource", "feature", "seed", "level", "known", "parallel", "timeout", "span", "out", "format", "color", "resume", "real-time"},
		"record":  {"target", "out", "known", "resource"},
		"play":    {"known", "out", "format"},
		"judge":   {"known", "level", "format", "color"},
		"mutants": {"out", "seed"},
		"list":    {"rules", "role"},
	}
	for verb, flags := range verbs {
		for _, flag := range flags {
			refuses(t, "--"+flag+" is empty: give it a value, or leave it out", verb, "--"+flag+"=")
		}
	}
	refuses(t, "--resume is empty", "--resume", "")
	refuses(t, "--out is empty", "run", "toy/map/reads", "--out", "")
	for _, verb := range []string{"judge", "play"} {
		refuses(t, "an empty name was given", verb, "")
	}
	refuses(t, "an address is empty: say which check or rule", "show", "")
	refuses(t, "an address is empty", "show", "toy/map/reads", "")
	refuses(t, "there is no mutant \"\"", "mutants", "")
	assert.NoDirExists(t, "runs")
}

// TestContradictions gives pairs of values that contradict each other.
func TestContradictions(t *testing.T) {
	chdir(t)
	for _, c := range []struct {
		says string
		args []string
	}{
		{`--seed is given twice, as "1" and as "2": say which`, []string{"run", "--seed", "1", "--seed", "2"}},
		{`--out is given twice`, []string{"run", "--out", "a", "--out", "b"}},
		{`--format is given twice`, []string{"judge", "x", "--format", "text", "--format", "json"}},
		{`--feature ordered and --feature=-ordered contradict each other`, []string{"run", "--feature", "ordered", "--feature=-ordered"}},
		{`already sets its resource: leave out --resource`, []string{"run", "--target", "kubeconfig:x?resource=leases", "--resource", "configmaps"}},
		{`the option resource in "x?resource=leases&resource=configmaps" needs one value`, []string{"run", "--target", "kubeconfig:x?resource=leases&resource=configmaps"}},
		{`the option context in "x?context=" needs one value`, []string{"run", "--target", "kubeconfig:x?context="}},
		{`they are ?context=NAME&resource=NAME`, []string{"run", "--target", "kubeconfig:x?%zz"}},
		{`there is no file a:b: is it a list of files, from $KUBECONFIG? Say kubeconfig alone`, []string{"run", "--target", "kubeconfig:a:b"}},
		{`there is no file a:b: is it a list`, []string{"run", "--target", "kubeconfig:a:b", "--resource", "leases"}},
		{`nothing follows the colon: say kubeconfig[:PATH], or kubeconfig alone for its default`, []string{"run", "--target", "kubeconfig:"}},
		{`nothing follows the colon`, []string{"run", "--target", "kubeconfig:", "--resource", "leases"}},
		{`nothing follows the colon`, []string{"run", "--target", "fake", "--target", "fake:"}},
		{`a glob selects checks, or rules with --rules: leave out "toy/*"`, []string{"list", "--targets", "toy/*"}},
		{`leave out "toy"`, []string{"list", "--role", "toy"}},
		{`leave out "toy"`, []string{"list", "--features", "toy"}},
		{`the mutant lost-deleted is named twice`, []string{"mutants", "lost-deleted", "lost-deleted"}},
		{`there is no check or rule "nonsense"`, []string{"show", "toy/map/reads", "nonsense"}},
	} {
		refuses(t, c.says, c.args...)
	}
	assert.NoDirExists(t, "runs")
	for _, args := range [][]string{{"--seed", "2", "--seed", "2"}, {"--feature", "ordered", "--feature", "ordered"}, {"--suite", "toy", "--suite", "toy"}} {
		o := lwtest(t, append([]string{"run", "toy/map/reads", "--target", "good"}, args...)...)
		assert.Equal(t, report.OK, o.status, "%q: the same twice is no contradiction: %s", args, o.errors)
	}
}

// TestWrongValues checks that messages are not those of strconv and json, which help nobody.
func TestWrongValues(t *testing.T) {
	chdir(t)
	require.NoError(t, os.WriteFile("empty.json", nil, 0o644))
	require.NoError(t, os.WriteFile("cut.json", []byte(`[{"check":"a`), 0o644))
	require.NoError(t, os.WriteFile("object.json", []byte(`{"check":"a"}`), 0o644))
	require.NoError(t, os.MkdirAll("run/results.jsonl", 0o777))
	require.NoError(t, os.Mkdir("other", 0o777))
	require.NoError(t, os.WriteFile("other/results.jsonl", []byte(`{"lwtest":"report/v9"}`+"\n"), 0o644))
	for _, c := range []struct {
		says string
		args []string
	}{
		{`--timeout is "fast": say a time such as 30s or 2m`, []string{"run", "--timeout", "fast"}},
		{`--timeout is "99999999h": say a time`, []string{"run", "--timeout", "99999999h"}},
		{`--parallel is "two": say a whole number`, []string{"run", "--parallel", "two"}},
		{`--real-time is "no": say true or false`, []string{"run", "--real-time=no"}},
		{`"[" is not a glob: close each [ with a ]`, []string{"run", "["}},
		{`"toy/[a" is not a glob`, []string{"list", "toy/[a"}},
		{`"[" is not a glob`, []string{"show", "["}},
		{`"[" is not a glob`, []string{"record", "--out", "o", "["}},
		{`--known empty.json is empty: write []`, []string{"run", "--known", "empty.json"}},
		{`--known cut.json ends in the middle`, []string{"run", "--known", "cut.json"}},
		{`--known object.json holds a JSON object instead of a list of known failures`, []string{"judge", ".", "--known", "object.json"}},
		{`--known run is a directory: name a file`, []string{"run", "--known", "run"}},
		{`--known cannot be read: open nowhere.json: no such file`, []string{"run", "--known", "nowhere.json"}},
		{`empty.json is a file: give --resume a run directory`, []string{"run", "--resume", "empty.json"}},
		{`is a directory: this run cannot be resumed; start a new one`, []string{"run", "--resume", "run"}},
		{`this lwtest reads "report/v1" (field "lwtest"): this run cannot be resumed; start a new one`, []string{"run", "--resume", "other"}},
		{`other/results.jsonl tells of a run and is no history: ` + "`lwtest judge other` judges", []string{"judge", "other/results.jsonl"}},
		{`tells of a run and is no history`, []string{"play", "other/results.jsonl"}},
		{`histories cannot be saved in empty.json/o: open empty.json`, []string{"record", "toy/map/reads", "--target", "good", "--out", "empty.json/o"}},
		{`there is no verb "nonsense": ` + "`lwtest --help` names them all", []string{"help", "nonsense"}},
	} {
		refuses(t, c.says, c.args...)
	}
	assert.NoDirExists(t, "runs", "what cannot run leaves nothing behind")
	assert.Equal(t, report.OK, lwtest(t, "help", "run").status)
	assert.NotContains(t, lwtest(t, "run", "--help").out, "(default [])")
}

// broken is a stdout that takes nothing.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestLostOutputIsNoSuccess checks that a run whose output was lost does not succeed.
func TestLostOutputIsNoSuccess(t *testing.T) {
	chdir(t)
	for _, args := range [][]string{{"list"}, {"list", "--targets"}, {"show", "toy"}, {"version"}, {"--help"}, {"mutants", "ttl-longer"},
		{"run", "toy/map/reads", "--target", "good"}, {"run", "toy/map/reads", "--target", "good", "--format", "junit"}} {
		a := toyApp()
		var errs checked
		errs.Writer = io.Discard
		a.stdout, a.stderr = broken{}, &errs
		assert.Equal(t, report.Broken, a.run(t.Context(), args), "%q", args)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer full.Close()
	cmd := exec.Command(os.Args[0], "list")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stdout = full
	assert.Error(t, cmd.Run())
	assert.Equal(t, report.Broken, cmd.ProcessState.ExitCode())
}
