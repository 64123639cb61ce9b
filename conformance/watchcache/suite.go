package watchcache

import (
	"cmp"
	"slices"
	"sync"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

// Suite is the whole contract of this kind, in its order.
var Suite = harness.Suite[Subject]{
	Kind:     "watchcache",
	Version:  "1",
	Features: features,
	Rules:    slices.Concat(onWhole(slices.Concat(butShards(requestRules), shardRules, butShards(cacheRules))), formRules),
	Checks: sync.OnceValue(func() []harness.Check[Subject] {
		return slices.Concat(getChecks, listChecks, listModeChecks, versionChecks, listRefusedChecks, listPageChecks, watchChecks, watchStartChecks, watchEndChecks, bookmarkChecks, bookmarkMoreChecks, watchlistChecks, wideChecks, writeChecks, writeMoreChecks, writeApplyChecks, writePatchChecks, writeStatusChecks, writeGraceChecks, writeLastChecks, shardChecks, cacheChecks, story.Checks(vocabulary, play, storyChecks)())
	}),
	Score:    replay.Score,
	Language: vocabulary,
	Play:     func(t *harness.T, s Subject, x harness.Script) { play(t, s, story.Of(x)) },
}

// requestRules are about what is asked and answered.
var requestRules = slices.Concat(getRules, listRules, listModeRules, versionRules, listRefusedRules, listPageRules, watchRules, watchStartRules, watchEndRules, bookmarkRules, bookmarkMoreRules, watchlistRules, writeRules, writeMoreRules, writeStatusRules, writeGraceRules, writeLastRules, storyRules)

// butDoubts is for judges of what writes make true: what they find in a trace of anybody counts only if they find it
// without the objects whose ends are in doubt there, too: see replay.Aside.
func butDoubts(judge func(*history.History) harness.Judgement) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		j := judge(h)
		if len(j.Bad) == 0 {
			return j
		}
		aside := replay.Aside(h)
		if aside == nil {
			return j
		}
		left := judge(aside)
		j.Bad = slices.DeleteFunc(j.Bad, func(f harness.Finding) bool { return !slices.ContainsFunc(left.Bad, same(f)) })
		if len(j.Bad) == 0 && j.Undecided == "" {
			j.Undecided = "what was found is of objects that were deleted while something may have kept them, which this trace does not tell, or comes of that"
		}
		return j
	}
}

// same says of a finding that it is the same.
func same(f harness.Finding) func(harness.Finding) bool {
	return func(g harness.Finding) bool { return f.Want == g.Want && f.Got == g.Got && slices.Equal(f.At, g.At) }
}

// onState is for judges of what writes make true: where of some objects that is
// not known, or of some request what it asked for, finding nothing wrong with
// the others is no pass.
func onState(judge func(*history.History) harness.Judgement) func(*history.History) harness.Judgement {
	judge = butDoubts(judge)
	return func(h *history.History) harness.Judgement {
		j := judge(h)
		if len(j.Bad) == 0 && j.Undecided == "" {
			r := replay.Of(h)
			j.Undecided = cmp.Or(r.Disturbed, r.NotRead)
		}
		return j
	}
}
