package harness

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/history"
)

func TestValidateTakesTheToy(t *testing.T) {
	require.NoError(t, toySuite(nil).Describe().Validate())
}

// Validate reports all faults at once.
func TestValidateTellsEverything(t *testing.T) {
	good := says("a/good", Must, passes)
	naked := Rule{Clause: Clause{ID: "a/naked", Level: Must}}
	odd := says("a/odd", "MAY", passes)
	needy := good
	needy.Aspect, needy.Needs = "needy", []Feature{"tail"}
	k := Suite[*toy]{Kind: "toy", Rules: []Rule{good, good, naked, odd, needy}, Checks: Checks([]Check[*toy]{
		{Info: Info{Name: "a/none", Isolation: Alone + 1}},
		{Info: Info{Name: "a/stranger", Rules: []Rule{says("b/unknown", Must, passes)}}},
		{Info: Info{Name: "a/stranger", Rules: []Rule{good}, Needs: []Feature{"fins", VirtualTime}, Either: []Feature{"gills"}, Unless: []Feature{"scales"},
			Spans: map[Feature]time.Duration{"snail": time.Hour}}},
	}...)}.Describe()
	err := k.Validate()
	require.Error(t, err)
	assert.Equal(t, []string{
		"rule a/good: defined twice",
		"rule a/naked: a rule needs a judge, and its clause a text, a reason and a source",
		`rule a/odd: level is "MAY"`,
		"rule a/good/needy needs tail, which is not in the table of features",
		"check a/none: there is no isolation 4",
		"check a/none: a check without rules tests nothing",
		"check a/stranger: rule b/unknown is not in the suite",
		"check a/stranger: defined twice",
		"check a/stranger needs fins, which is not in the table of features",
		"check a/stranger needs gills, which is not in the table of features",
		"check a/stranger excludes scales, which is not in the table of features",
		"check a/stranger sets a span for snail, which is not in the table of features",
	}, strings.Split(err.Error(), "\n"))
}

func TestDescribeHasSurvivesFirst(t *testing.T) {
	s := toySuite(nil)
	k := s.Describe()
	assert.Equal(t, "subject/survives", k.Rules[0].Address())
	assert.Len(t, s.Rules, 1, "the suite is left alone")
	assert.Equal(t, "7", k.Version)
	got, ok := k.Rule("toy/answers")
	assert.True(t, ok)
	assert.Equal(t, "what toy/answers says", got.Clause.Text)
	_, ok = k.Rule("toy")
	assert.False(t, ok)
}

func TestAddresses(t *testing.T) {
	assert.Equal(t, "a/b", Rule{Clause: Clause{ID: "a/b"}}.Address())
	assert.Equal(t, "a/b/c", Rule{Clause: Clause{ID: "a/b"}, Aspect: "c"}.Address())
	assert.Equal(t, "toy/toy/check", realToy(nil).Address())
}

func TestBindOpensAFreshSubjectForEachCase(t *testing.T) {
	var seen []*toy
	s := toySuite(func(t *T, s *toy) { seen = append(seen, s); ping(t) })
	s.Checks = Checks(append(s.Checks(), s.Checks()[0])...)
	s.Checks()[1].Name = "toy/again"
	cases := s.Bind(toyPlugin("wings"))
	require.Len(t, cases, 2)
	assert.Same(t, cases[0].Kind, cases[1].Kind)
	for _, c := range cases {
		assert.Equal(t, "toy v1", c.Plugin)
		assert.Equal(t, []Feature{"wings"}, c.Has)
		r, _ := Run(c, Options{})
		assert.Equal(t, Pass, r.Verdict)
	}
	require.Len(t, seen, 2)
	assert.NotSame(t, seen[0], seen[1])
}

func TestOpenErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		open func(*T) (*toy, error)
		want string
	}{
		{"an error", func(*T) (*toy, error) { return nil, errors.New("no docker\non this machine") }, "the plugin could not be opened: no docker"},
		{"an error beside a subject", func(*T) (*toy, error) { return &toy{}, errors.New("no docker") }, "the plugin could not be opened: no docker"},
	} {
		t.Run(c.name, func(t *testing.T) {
			driven := false
			s := toySuite(func(*T, *toy) { driven = true })
			r, h := Run(s.Bind(Plugin[*toy]{Open: c.open})[0], Options{})
			assert.Equal(t, Inconclusive, r.Verdict)
			assert.Equal(t, c.want, r.Reason)
			assert.False(t, driven)
			assert.Equal(t, []string{history.GaveUp}, kinds(h))
		})
	}
}

func TestOpenGivesNothing(t *testing.T) {
	s := Suite[error]{Kind: "toy", Rules: []Rule{answers}, Checks: Checks([]Check[error]{{Info: Info{Name: "toy/check", Rules: []Rule{answers}},
		Drive: func(*T, error) { panic("driven") }}}...)}
	r, _ := Run(s.Bind(Plugin[error]{Open: func(*T) (error, error) { return nil, nil }})[0], Options{})
	assert.Equal(t, Inconclusive, r.Verdict)
	assert.Equal(t, "the plugin could not be opened: Open returned neither a subject nor an error", r.Reason)
}

// Each isolation has words: a new one without them would be empty in the arrays.
func TestIsolationHasWords(t *testing.T) {
	for i := Shared; i <= Alone; i++ {
		assert.NotEmpty(t, i.String())
		assert.NotEmpty(t, i.Beside())
	}
	assert.Equal(t, []bool{false, false, true, true}, []bool{Shared.Exclusive(), Quiet.Exclusive(), Disturbs.Exclusive(), Alone.Exclusive()})
}

// A MUST that depends on a feature is a SHOULD for plugins that do not declare it.
func TestMustWith(t *testing.T) {
	bound := Clause{ID: "toy/fails", Level: Must, MustWith: "wings", Text: "t", Why: "w", Sources: []Source{{Name: "s"}}}
	fails := Rule{Clause: bound, Judge: func(*history.History) Judgement { return Judgement{Tested: 1, Bad: []Finding{{Got: "g"}}} }}
	s := toySuite(func(t *T, _ *toy) { ping(t) })
	s.Rules = append(s.Rules, fails)
	s.Checks()[0].Rules = []Rule{answers, fails}
	for level, has := range map[Level][]Feature{Must: {"wings"}, Should: {"wheels"}} {
		r, _ := Run(s.Bind(toyPlugin(has...))[0], Options{})
		assert.Equal(t, Fail, r.Verdict)
		assert.Equal(t, level, rule(t, r, "toy/fails").Level)
		assert.Equal(t, level == Should, r.OnlyShould())
	}
	require.NoError(t, s.Describe().Validate())
	for _, wrong := range []Clause{{Level: Must, MustWith: "fins"}, {Level: Should, MustWith: "wings"}} {
		s.Rules[1].Clause.Level, s.Rules[1].Clause.MustWith = wrong.Level, wrong.MustWith
		assert.ErrorContains(t, s.Describe().Validate(), "only a MUST can depend on a feature")
	}
}
