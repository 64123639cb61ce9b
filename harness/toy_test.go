package harness

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lwtest/lwtest/harness/history"
)

var update = flag.Bool("update", false, "write golden files")

// A hang and a deadlock leave their goroutines for ever, so those tests run in processes of their own (see
// hostile_test.go). All others must leave none.
func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv(childEnv) != "" {
		os.Exit(m.Run())
	}
	goleak.VerifyTestMain(m)
}

// golden compares a text with a file of testdata. go test -update writes the file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// toy is a subject without state.
type toy struct{ opened int }

func clause(id string, level Level) Clause {
	return Clause{ID: id, Level: level, Text: "what " + id + " says", Why: "why " + id + " matters",
		Sources: []Source{{Name: "the book of " + id, URL: "https://example.com/" + id}}}
}

// says returns a rule with the same judgement for every history.
func says(id string, level Level, j Judgement) Rule {
	return Rule{Clause: clause(id, level), Judge: func(*history.History) Judgement { return j }}
}

var (
	passes    = Judgement{Tested: 1}
	untested  = Judgement{}
	undecided = Judgement{Tested: 1, Undecided: "who knows"}
	fails     = Judgement{Tested: 1, Bad: []Finding{{At: []int32{1}, Want: "this", Got: "that"}}}
)

// answers counts the calls that were answered without an error.
var answers = Rule{Clause: clause("toy/answers", Must), Judge: func(h *history.History) Judgement {
	var j Judgement
	for i := range h.Events {
		if e := &h.Events[i]; e.Phase == history.Return && e.Err() == nil {
			j.Tested++
		}
	}
	return j
}}

// toySuite has one check, toy/check, that requires the rule answers.
func toySuite(drive func(*T, *toy)) Suite[*toy] {
	return Suite[*toy]{Kind: "toy", Version: "7", Rules: []Rule{answers},
		Features: []FeatureInfo{{"wings", "it flies"}, {"wheels", "it rolls"}},
		Checks:   Checks([]Check[*toy]{{Info: Info{Name: "toy/check", About: "drives the toy", Rules: []Rule{answers}}, Drive: drive}}...)}
}

func toyPlugin(features ...Feature) Plugin[*toy] {
	return Plugin[*toy]{Name: "toy v1", Features: features, Open: func(*T) (*toy, error) { return &toy{}, nil }}
}

// realToy returns the toy's case in real time, virtualToy the one in virtual time.
func realToy(drive func(*T, *toy)) Case { return toySuite(drive).Bind(toyPlugin())[0] }

func virtualToy(drive func(*T, *toy)) Case { return toySuite(drive).Bind(toyPlugin(VirtualTime))[0] }

// inBoth runs a test in real and in virtual time.
func inBoth(t *testing.T, drive func(*T, *toy), check func(*testing.T, Result, *history.History)) {
	t.Helper()
	for name, c := range map[string]Case{"real": realToy(drive), "virtual": virtualToy(drive)} {
		t.Run(name, func(t *testing.T) {
			var r Result
			var h *history.History
			t.Run("run", func(t *testing.T) { r, h = Run(c, Options{TB: t, Seed: 1, Target: "toys"}) })
			check(t, r, h)
		})
	}
}

// ping makes a call that is answered at once.
func ping(t *T) { pingOf(t, "c1") }

func pingOf(t *T, actor string) {
	t.Do(Call{Actor: actor, Kind: "PING"}, func(context.Context) Answer { return Answer{} })
}

func rule(t *testing.T, r Result, address string) RuleResult {
	t.Helper()
	for _, rr := range r.Rules {
		if rr.Rule == address {
			return rr
		}
	}
	require.Fail(t, "no rule "+address)
	return RuleResult{}
}

func kinds(h *history.History) []string {
	var out []string
	for i := range h.Events {
		out = append(out, h.Events[i].Kind)
	}
	return out
}
