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
	Checks:   checks(syncChecks, convergeChecks, resumeChecks, pagesChecks, notifyChecks, storeChecks, stopChecks),
	Words:    words(),
}

func init() { Suite.Play = playStory } // which reads Suite

// words describes the vocabulary.
func words() (out []harness.Word) {
	for _, w := range vocabulary.Words() {
		out = append(out, harness.Word{Name: w.Name, Help: w.Help, Args: w.Args, GoldenOnly: w.GoldenOnly})
	}
	return out
}
