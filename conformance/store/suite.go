package store

import (
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Suite is the whole contract of this kind, in its order.
var Suite = harness.Suite[Open]{
	Kind:     "store",
	Version:  "1",
	Features: features,
	Rules: []harness.Rule{basicAdd, basicUpdate, basicDelete, basicGet, basicList, basicKeys, keyError,
		replaceAtomic, replaceExact, versionTold, indexFunction, indexQuery, indexLate, concurrentLinear,
		queueOrder, queueDedup, queueUnknown, queueReplace, queueGhost, queueSynced, queueInitial, queueResync, queueBookmark, queueBatch, queueClose,
		undeltaPush, undeltaNoPush, expireTTL},
	Checks:   checksOf(mapChecks, indexChecks, racingChecks, queueChecks, pairChecks, syncedChecks, ttlChecks),
	Score:    score,
	Language: vocabulary,
	Play:     func(t *harness.T, open Open, s harness.Script) { play(t, open, story.Of(s)) },
}
