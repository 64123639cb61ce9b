package store

import (
	"sync"
	"time"

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
	Checks: sync.OnceValue(func() []harness.Check[Open] {
		return append(story.Checks(vocabulary, play, mapChecks, indexChecks, queueChecks, pairChecks, syncedChecks, ttlChecks)(), checksOf(racingChecks)...)
	}),
	Span:     30 * time.Second, // some checks make a thousand calls, and a store in another process may be slow
	Score:    score,
	Language: vocabulary,
	Play:     func(t *harness.T, open Open, s harness.Script) { play(t, open, story.Of(s)) },
}
