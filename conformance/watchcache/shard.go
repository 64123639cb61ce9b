package watchcache

import (
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// The clauses of shards are provisional: what they say is alpha, and nobody
// fails by it. So whatever else is found of a request that asked for a shard is
// theirs, too; see butShards.

// shardPart is a rule of the clause shard/partition.
func shardPart(aspect string, judge func(*history.History) harness.Judgement) harness.Rule {
	return harness.Rule{
		Clause: harness.Clause{
			ID:    "shard/partition",
			Level: harness.Provisional,
			Text: "with a shardSelector a list or a watch has just the objects whose uid (or namespace) hashes into its ranges: lists over ranges that divide the hashes are disjoint and together the whole list, " +
				"and so are watches; metadata.shardInfo of a list echoes the selector; one that cannot be read is refused; every other clause holds of a shard as of a whole",
			Why:     "replicas of a controller share the objects among them in this way: what two shards have is worked on twice, and what none has by nobody",
			Advice:  "Put the hash into the filter of selectors, for pages and events too (a range has its start, not its end). Echo the selector, or refuse what does not parse.",
			Sources: []harness.Source{sources.shardedLists, sources.optShardSelector, sources.listShardInfo, sources.hashField, sources.shardMatches, sources.kep5866},
			Classes: []string{"LIST selector=shard outcome=items", "WATCH selector=shard outcome=events", "LIST paging=limit selector=shard", "LIST selector=unreadable"},
		},
		Aspect: aspect,
		Needs:  []harness.Feature{ComparableRV, Shards},
		Judge:  judge,
	}
}

var (
	shardLists      = shardPart("lists", onState(judgeShardLists))
	shardWatches    = shardPart("watches", onState(judgeScope(replay.ByShard)))
	shardEcho       = shardPart("echo", judgeShardEcho)
	shardUnreadable = shardPart("unreadable", judgeShardUnreadable)
	shardClauses    = shardPart("clauses", judgeShardClauses)
	shardAbsent     = harness.Rule{
		Clause: harness.Clause{
			ID:    "shard/absent",
			Level: harness.Provisional,
			Text: "a list that does not say by shardInfo that it is a shard is whole, whatever shardSelector was sent with it, and a whole one does not say so; " +
				"a server without the feature gives whole lists, and whole watches",
			Why:     "a client can tell by nothing else that it must choose its objects itself: it takes a shard for all there is, or leaves out what the server has left out already",
			Advice:  "Set shardInfo on exactly the lists that you have filtered by shard. If you do not know shards return whole lists and watches, without shardInfo.",
			Sources: []harness.Source{sources.shardSupport, sources.listShardInfo, sources.kep5866},
			Classes: []string{"LIST selector=shard outcome=items", "LIST selector=none outcome=items"},
		},
		Judge: onState(judgeShardAbsent),
	}
)

var shardRules = []harness.Rule{shardLists, shardWatches, shardEcho, shardUnreadable, shardClauses, shardAbsent}

// sharded is a check of a server that has the feature.
func sharded(name, about string, f func(*driver), rules ...harness.Rule) harness.Check[Subject] {
	return harness.Check[Subject]{Info: harness.Info{
		Name: name, About: about, Needs: []harness.Feature{ComparableRV, Shards}, Rules: rules, Span: 20 * time.Second,
	}, Drive: drive(f)}
}

var shardChecks = []harness.Check[Subject]{
	sharded("shard/partition", "lists of halves, quarters, single objects and namespaces, in every way to ask for a list, between writes",
		driveShardLists, shardLists, shardEcho, shardClauses),
	sharded("shard/partition/watches", "watches of halves beside one of the whole, while objects of each come, change, go, and come again with another uid",
		driveShardWatches, shardWatches, shardClauses),
	sharded("shard/partition/unreadable", "lists and watches with what is no shardSelector", driveShardUnreadable, shardUnreadable),
	{Info: harness.Info{
		Name:  "shard/absent",
		About: "lists with a shardSelector and without, and watches, whether or not the server knows what that is",
		Rules: []harness.Rule{shardAbsent},
		Span:  20 * time.Second,
	}, Drive: drive(driveShardAbsent)},
}

// butShards are rules that find nothing of requests that ask for a shard: what
// is provisional fails nobody, whatever a MUST would say of it.
func butShards(rules []harness.Rule) []harness.Rule {
	out := slices.Clone(rules)
	for i := range out {
		judge := out[i].Judge
		out[i].Judge = func(h *history.History) harness.Judgement {
			j := judge(h)
			r := replay.Of(h)
			if len(j.Bad) == 0 || !r.AsksShards() {
				return j
			}
			j.Bad = slices.DeleteFunc(j.Bad, func(f harness.Finding) bool { return r.AsksShard(callOf(h, f)) })
			if len(j.Bad) == 0 && j.Undecided == "" {
				j.Undecided = "all that was found is of requests for a shard, whose clauses are provisional" // no pass, either
			}
			return j
		}
	}
	return out
}
