package watchcache

import (
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
)

// Suite is the whole contract of this kind, in its order.
var Suite = harness.Suite[Subject]{
	Kind:     "watchcache",
	Version:  "1",
	Features: features,
	Rules:    slices.Concat(listRules, watchRules, bookmarkRules, writeRules),
	Checks:   slices.Concat(listChecks, watchChecks, bookmarkChecks, writeChecks),
	Score:    replay.Score,
}
