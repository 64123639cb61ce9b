package watchcache

import (
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// storyChecks are the checks whose drives are stories.
func storyChecks() []story.Check {
	return append([]story.Check{contendedCheck, readCheck, pageCheck, deleteAnswerCheck, progressCheck, behindCheck, clusterCheck, subresourceCheck, versionsCheck, ancientCheck, edgeCheck}, formChecks()...)
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
