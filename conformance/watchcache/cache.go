package watchcache

import (
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// cacheRule is a rule of a server that keeps a copy of its storage.
func cacheRule(id, text, why, advice string, judge func(*history.History) harness.Judgement, classes []string, needs []harness.Feature, s ...harness.Source) harness.Rule {
	return harness.Rule{
		Clause: harness.Clause{ID: "cache/" + id, Level: harness.Must, Text: text, Why: why, Advice: advice, Classes: classes, Sources: s},
		Needs:  append([]harness.Feature{ComparableRV}, needs...),
		Judge:  judge,
	}
}

var (
	cacheLag = cacheRule("lag",
		"while the cache lags behind its storage, every clause about lists, gets, watches and writes still holds (waiting, or refusing with 504, is allowed, on continue too)",
		"under load every cache lags: that is when clients are taken back in time",
		"Let reads wait until the cache has reached the revision that they need, or answer 504, and check the preconditions of writes against the storage.",
		judgeTrouble("LAG"), []string{"LIST rv=unset", "GET rv=unset", "WATCH rv=unset"}, []harness.Feature{Lag}, sources.kep2340, sources.unavailable)
	cacheStarting = cacheRule("starting",
		"while the cache is not ready it refuses with a retriable 429 or 503, or asks its storage; it never answers with less than the truth",
		"an empty answer from a server that has just started makes controllers delete everything",
		"Until the first full load of the cache is done read from the storage, or refuse with 429 or 503, in lists with selectors and in watches too.",
		judgeTrouble("STARTING"), []string{"LIST outcome=429"}, []harness.Feature{Starting}, sources.kep4568)
	cacheRestart = cacheRule("restart",
		"after a restart resourceVersions do not go back, and an old one resumes rightly or gets 410",
		"a client that resumes over an upgrade of the server misses what happened, and is not told",
		"Keep the revision in the storage, and answer 410 to a watch from before what the new cache knows. Do not let it begin at the present.",
		onState(judgeRestart), []string{"LIST rv=unset outcome=items", "WATCH rv=past"}, []harness.Feature{Restart}, sources.gone, sources.kep1904)
	cacheWindow = cacheRule("window",
		"overflowing the history window gives 410 on watch, not a gap; lists at that resourceVersion may still be served",
		"a client that was away for a while goes on as if it had missed nothing",
		"Remember the revision of the newest event that has dropped out, and answer 410 to a watch from before it in place of beginning with the oldest event left.",
		onState(judgeWindow), []string{"WATCH rv=past outcome=410"}, []harness.Feature{Window}, sources.gone, sources.kep4988)
)

var cacheRules = []harness.Rule{cacheLag, cacheStarting, cacheRestart, cacheWindow}

var cacheChecks = []harness.Check[Subject]{
	{Info: harness.Info{
		Name:  "cache/lag",
		About: "requests of every sort, in one namespace and in all, while the cache is behind its storage, by a little and by more than it waits",
		Needs: []harness.Feature{ComparableRV, Lag},
		Rules: []harness.Rule{cacheLag},
		Span:  2 * time.Minute,
	}, Drive: drive(driveLag)},
	{Info: harness.Info{
		Name:  "cache/starting",
		About: "requests of every sort, in one namespace and in all, while the cache is not ready",
		Needs: []harness.Feature{ComparableRV, Starting},
		Rules: []harness.Rule{cacheStarting},
	}, Drive: drive(driveStarting)},
	{Info: harness.Info{
		Name:      "cache/restart",
		About:     "lists, watches and writes of every sort over a restart of the server",
		Needs:     []harness.Feature{ComparableRV, Restart},
		Rules:     []harness.Rule{cacheRestart},
		Isolation: harness.Alone,
		Span:      2 * time.Minute,
	}, Drive: drive(driveRestart)},
}
