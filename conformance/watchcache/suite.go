package watchcache

import (
	"cmp"
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// Suite is the whole contract of this kind, in its order.
var Suite = harness.Suite[Subject]{
	Kind:     "watchcache",
	Version:  "1",
	Features: features,
	Rules:    slices.Concat(butShards(requestRules), shardRules, butShards(cacheRules)),
	Checks:   slices.Concat(getChecks, listChecks, listModeChecks, versionChecks, listRefusedChecks, listPageChecks, watchChecks, watchStartChecks, watchEndChecks, bookmarkChecks, bookmarkMoreChecks, watchlistChecks, wideChecks, writeChecks, writeMoreChecks, writeApplyChecks, writePatchChecks, writeStatusChecks, writeGraceChecks, writeLastChecks, shardChecks, cacheChecks),
	Score:    replay.Score,
}

// requestRules are about what is asked and answered.
var requestRules = slices.Concat(getRules, listRules, listModeRules, versionRules, listRefusedRules, listPageRules, watchRules, watchStartRules, watchEndRules, bookmarkRules, bookmarkMoreRules, watchlistRules, writeRules, writeMoreRules, writeStatusRules, writeGraceRules, writeLastRules)

// onState is for judges of what writes make true: where of some objects that is
// not known, or of some request what it asked for, finding nothing wrong with
// the others is no pass.
func onState(judge func(*history.History) harness.Judgement) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		j := judge(h)
		if len(j.Bad) == 0 && j.Undecided == "" {
			r := replay.Of(h)
			j.Undecided = cmp.Or(r.Disturbed, r.NotRead)
		}
		return j
	}
}
