package informer

import (
	"slices"

	"github.com/lwtest/lwtest/harness"
)

// Suite is the contract of this kind, in its order.
var Suite = harness.Suite[Rig]{
	Kind:     "informer",
	Version:  "1",
	Features: features,
	Rules:    slices.Concat(syncRules, convergeRules, resumeRules, pagesRules, notifyRules, storeRules, stopRules),
	Score:    score,
	Checks:   slices.Concat(syncChecks, convergeChecks, resumeChecks, pagesChecks, notifyChecks, storeChecks, stopChecks),
}
