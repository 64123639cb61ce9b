package watchcache

import (
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// check is a check whose drive is a story, as a literal.
type check struct {
	Name  string            // a clause, or a clause and a variant
	About string            // what happens, in sentences
	Needs []harness.Feature // features without which the check is skipped
	Rules []harness.Rule    // rules that it must test
	Span  time.Duration     // how long it takes in real time at most; 0: twenty seconds
	Steps []story.Step
}

// checks makes checks of the suite from literals.
func checks(all ...check) (out []harness.Check[Subject]) {
	for _, c := range all {
		s := story.Story{Kind: "watchcache", About: c.About, Needs: c.Needs, Steps: c.Steps}
		for _, r := range c.Rules {
			s.Rules = append(s.Rules, r.Address())
		}
		info := harness.Info{Name: c.Name, About: c.About, Needs: c.Needs, Rules: c.Rules, Span: c.Span, Script: vocabulary.Script(s)}
		out = append(out, harness.Check[Subject]{Info: info, Drive: func(t *harness.T, s0 Subject) { play(t, s0, s) }})
	}
	return out
}

// storyChecks are the checks whose drives are stories. They are made once the vocabulary is.
func storyChecks() []harness.Check[Subject] {
	return checks(contendedCheck, deleteAnswerCheck, progressCheck, clusterCheck, subresourceCheck)
}

// watched puts steps under a watch of the own namespace that begins at a list.
func watched(steps ...[]story.Step) []story.Step {
	begin := []story.Step{
		{Op: "list", As: firstMoment},
		{Op: "watch", Actor: "w1", With: Watch{At: firstMoment, Follow: true}},
	}
	return story.Concat(begin, story.Concat(steps...), []story.Step{{Op: "settle"}})
}

// storyRules are the rules of the clauses that stories test.
var storyRules = []harness.Rule{writeContended, writeDeleteAnswer, cacheProgress, watchCluster, writeSubresource}
