package listerwatcher

import (
	"slices"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Suite is the contract of this kind, in its order.
var Suite = harness.Suite[Rig]{
	Kind:     "listerwatcher",
	Version:  "1",
	Features: features,
	Rules:    slices.Concat(requestRules, listRules, pagerRules, watchRules, resumeRules, untilRules),
	Score:    score,
	Checks:   story.Checks(vocabulary, play, requestChecks, listChecks, pagerChecks, watchChecks, resumeVersionChecks, resumeWaitsChecks, resumeErrorsChecks, untilChecks),
	Language: vocabulary,
	Play:     func(t *harness.T, r Rig, s harness.Script) { play(t, r, story.Of(s)) },
}
