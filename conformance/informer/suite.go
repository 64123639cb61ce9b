package informer

import (
	"slices"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Suite is the contract of this kind, in its order.
var Suite = harness.Suite[Rig]{
	Kind:     "informer",
	Version:  "1",
	Features: features,
	Rules:    slices.Concat(requestRules, syncRules, convergeRules, resumeRules, pagesRules, notifyRules, storeRules, stopRules),
	Score:    score,
	Checks:   checks(syncChecks, convergeChecks, resumeChecks, pagesChecks, notifyChecks, storeChecks, stopChecks),
	Language: vocabulary,
	Play:     func(t *harness.T, r Rig, s harness.Script) { play(t, r, story.Of(s)) },
}
