package runner

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/report"
)

const extra harness.Feature = "extra"

// suite has checks by name; x/alone is alone.
func suite(kind string, names ...string) harness.Suite[int] {
	rule := harness.Rule{Judge: func(*history.History) harness.Judgement { return harness.Judgement{} },
		Clause: harness.Clause{ID: "a/b", Level: harness.Must, Text: "text", Why: "why", Sources: []harness.Source{{Name: "source"}}}}
	s := harness.Suite[int]{Kind: kind, Rules: []harness.Rule{rule}, Features: []harness.FeatureInfo{{Name: extra}}}
	var checks []harness.Check[int]
	for _, n := range names {
		checks = append(checks, harness.Check[int]{Info: harness.Info{Name: n, Rules: s.Rules, Isolation: map[bool]harness.Isolation{true: harness.Alone}[n == "x/alone"]}})
	}
	s.Checks = harness.Checks(checks...)
	return s
}

func plugin(has ...harness.Feature) harness.Plugin[int] {
	return harness.Plugin[int]{Name: "p", Features: has}
}

// opener has the targets one (two kinds, virtual), two (real), and some that are faulty.
func opener(closed *[]string) Opener {
	return func(_ context.Context, connect string) (harness.Target, error) {
		t := harness.Target{Name: connect, Close: func() (string, error) {
			*closed = append(*closed, connect)
			return "", nil
		}}
		s := suite("k", "x/a", "x/alone", "y/a")
		switch connect {
		case "one":
			t.Cases = append(s.Bind(plugin(harness.VirtualTime)), suite("l", "z/a").Bind(plugin())...)
			t.Known = []harness.Known{{Check: "k/x"}}
		case "two":
			t.Cases = s.Bind(plugin())
		case "empty":
		case "doubled":
			t.Cases = append(s.Bind(plugin()), s.Bind(plugin())...)
		case "mistyped":
			t.Cases = s.Bind(plugin("extras"))
		case "unready":
			t.Cases = s.Bind(plugin())
			t.Ready = func(context.Context) error { return errors.New("somebody writes there") }
		case "faulty":
			t.Cases = suite("k", "x/a", "x/a").Bind(plugin())[:1]
		default:
			return harness.Target{}, errors.New("refused")
		}
		return t, nil
	}
}

func addresses(items []Item) []string {
	var out []string
	for _, it := range items {
		out = append(out, it.Target+" "+it.Case.Address())
	}
	return out
}

func TestSelect(t *testing.T) {
	all := []string{"one k/x/a", "one k/x/alone", "one k/y/a", "one l/z/a"}
	cases := []struct {
		name string
		s    report.Settings
		want []string
	}{
		{"all", report.Settings{}, all},
		{"a suite", report.Settings{Suites: []string{"l"}}, all[3:]},
		{"a glob", report.Settings{Globs: []string{"k/*/a"}}, []string{all[0], all[2]}},
		{"a section", report.Settings{Globs: []string{"k/x"}}, all[:2]},
		{"two globs, each once", report.Settings{Globs: []string{"k/x", "k/x/a"}}, all[:2]},
		{"exactly one", report.Settings{Checks: []report.Planned{{Target: "one", Check: "k/y/a"}}}, all[2:3]},
	}
	for _, c := range cases {
		var closed []string
		c.s.Targets = []string{"one"}
		p, err := Select(t.Context(), opener(&closed), c.s)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, addresses(p.Items), c.name)
		assert.Equal(t, []harness.Known{{Target: "one", Check: "k/x"}}, p.Known, "known failures are of their target only")
		require.NoError(t, p.Close())
		assert.Equal(t, []string{"one"}, closed)
	}
}

func TestSelectRefuses(t *testing.T) {
	cases := []struct {
		name string
		s    report.Settings
		want string
	}{
		{"no connection", report.Settings{Targets: []string{"one", "nowhere"}}, "target nowhere: refused"},
		{"no checks", report.Settings{Targets: []string{"empty"}}, "offers no checks"},
		{"two of a name", report.Settings{Targets: []string{"doubled"}}, "two checks k/x/a"},
		{"a faulty suite", report.Settings{Targets: []string{"faulty"}}, "defined twice"},
		{"nothing would be proven", report.Settings{Targets: []string{"one", "unready"}}, "target unready: somebody writes there"},
		{"nothing selected of what would prove nothing", report.Settings{Targets: []string{"unready"}, Globs: []string{"k/w"}}, "no check matches"},
		{"an unknown suite", report.Settings{Targets: []string{"one"}, Suites: []string{"m"}}, "there are k, l"},
		{"a glob for nothing", report.Settings{Targets: []string{"one"}, Globs: []string{"k/x", "k/w/a"}}, `no check matches "k/w/a"`},
		{"a check that there is not", report.Settings{Targets: []string{"one"}, Checks: []report.Planned{{Target: "one", Check: "k/w"}}}, "has no check k/w"},
		{"a plugin's unknown feature", report.Settings{Targets: []string{"mistyped"}}, `target mistyped: plugin p declares an unknown feature "extras" (did you mean extra?)`},
		{"an unknown feature", report.Settings{Targets: []string{"one"}, Features: []string{"nope"}}, "there are extra, virtual-time"},
		{"nothing left", report.Settings{Targets: []string{"one"}, Suites: []string{"l"}, Globs: []string{"k/x"}}, "no check"},
	}
	for _, c := range cases {
		var closed []string
		_, err := Select(t.Context(), opener(&closed), c.s)
		assert.ErrorContains(t, err, c.want, c.name)
		assert.Len(t, closed, len(c.s.Targets)-boolToInt(c.name == "no connection"), "%s: what was opened is closed", c.name)
	}
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestFeaturesAreAdjusted(t *testing.T) {
	var closed []string
	p, err := Select(t.Context(), opener(&closed), report.Settings{Targets: []string{"one"}, Suites: []string{"k"}, Features: []string{"extra", "-virtual-time"}})
	require.NoError(t, err)
	for _, it := range p.Items {
		assert.Equal(t, []harness.Feature{extra}, it.Case.Has)
	}
	again, err := Select(t.Context(), opener(&closed), report.Settings{Targets: []string{"one"}, Suites: []string{"k"}})
	require.NoError(t, err)
	assert.Equal(t, []harness.Feature{harness.VirtualTime}, again.Items[0].Case.Has, "the plugin's own are untouched")
}

func TestRunIDIsForSharedServersOnly(t *testing.T) {
	var closed []string
	p, err := Select(t.Context(), opener(&closed), report.Settings{Targets: []string{"one", "two"}})
	require.NoError(t, err)
	r := Runner{RunID: "abc", Settings: report.Settings{Timeout: time.Minute}}
	assert.Empty(t, r.options(p.Items[0]).RunID, "in virtual time it would be the one thing that differs")
	assert.Equal(t, "abc", r.options(p.Items[len(p.Items)-1]).RunID)
	assert.Equal(t, time.Minute, r.options(p.Items[0]).Wall)
}
