package controller

import (
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Suite is the contract of controllers.
var Suite = harness.Suite[Subject]{
	Kind:     "controller",
	Version:  "1",
	Span:     20 * time.Minute,
	PerCore:  3,
	Features: features,
	Rules: []harness.Rule{convergeSame, safetyCreate, safetySurplus, safetyOwnCreates, safetyDelete, quietWrites, quietReads, paceErrors,
		overwriteFields, conflictFresh, statusObserved, cleanupFinalizers, restartQuiet, stopEnds, stopLease, stopGoroutines, undoSame, surviveDisturbances, rightsEnough, rightsUsed},
	Score:    score,
	Compare:  compare,
	Language: vocabulary,
	Play:     func(t *harness.T, s Subject, script harness.Script) { play(t, s, story.Of(script)) },
}

func init() { Suite.Checks = story.Checks(vocabulary, play, stories) } // the vocabulary plays stories, and so do the checks
