package informer

import (
	"slices"
	"time"

	"github.com/lwtest/lwtest/harness"
)

// Suite is the contract of this kind, in its order.
var Suite = harness.Suite[Rig]{
	Kind:     "informer",
	Version:  "1",
	Features: features,
	Rules:    slices.Concat(syncRules, convergeRules, resumeRules, pagesRules, notifyRules, storeRules, stopRules),
	Score:    score,
	Checks:   patient(slices.Concat(syncChecks, convergeChecks, resumeChecks, pagesChecks, notifyChecks, storeChecks, stopChecks)),
}

// pollsSpan is how long a drive takes in real time that waits for dozens of lists of what lists each half minute.
const pollsSpan = time.Hour

// prompt are the checks that wait for no list after the first.
var prompt = []string{"stop/clean/list", "stop/clean/page", "stop/clean/at-once"}

// patient has all others take their time of what polls: in real time each waits for what was written last.
func patient(checks []harness.Check[Rig]) []harness.Check[Rig] {
	for i := range checks {
		if !slices.Contains(prompt, checks[i].Name) {
			checks[i].Spans = map[harness.Feature]time.Duration{Polls: pollsSpan}
		}
	}
	return checks
}
