package story

import (
	"slices"
	"sync"
	"time"

	"github.com/lwtest/lwtest/harness"
)

// Check is a check whose drive is a story, as a literal. All fields but Steps are as in harness.Info.
type Check struct {
	Name, About           string
	Needs, Either, Unless []harness.Feature
	Rules                 []harness.Rule
	Isolation             harness.Isolation
	Span, Grace           time.Duration
	Spans                 map[harness.Feature]time.Duration
	Steps                 []Step
}

// Checks returns the checks of a suite, made from lists of literals when it is first called.
func Checks[S, W any](v *Vocabulary[W], play func(*harness.T, S, Story), all ...func() []Check) func() []harness.Check[S] {
	return sync.OnceValue(func() (out []harness.Check[S]) {
		for _, list := range all {
			for _, c := range list() {
				out = append(out, check(v, play, c))
			}
		}
		return out
	})
}

func check[S, W any](v *Vocabulary[W], play func(*harness.T, S, Story), c Check) harness.Check[S] {
	s := Story{Kind: v.kind, About: c.About, Needs: slices.Clone(c.Needs), Steps: c.Steps}
	for _, f := range c.Unless {
		s.Needs = append(s.Needs, "!"+f)
	}
	for _, r := range c.Rules {
		s.Rules = append(s.Rules, r.Address())
	}
	info := harness.Info{Name: c.Name, About: c.About, Needs: c.Needs, Either: c.Either, Unless: c.Unless, Rules: c.Rules,
		Isolation: c.Isolation, Span: c.Span, Grace: c.Grace, Spans: c.Spans, Script: v.Script(s)}
	return harness.Check[S]{Info: info, Drive: func(t *harness.T, subject S) { play(t, subject, s) }}
}
