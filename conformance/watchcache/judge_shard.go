package watchcache

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

func isShard(l *listed) bool { return l.Scope.Restricted(replay.ByShard) }

// judgeShardLists: each shard is what the state has in its ranges, and nothing
// else. So shards of one state whose ranges divide the hashes are disjoint and
// together the whole, without being laid side by side.
func judgeShardLists(h *history.History) harness.Judgement {
	r := replay.Of(h)
	if !r.Shards() {
		return harness.Judgement{}
	}
	j := judgeSnapshots(h, isShard)
	for i := range r.Lists {
		l := &r.Lists[i]
		if !isShard(l) {
			continue
		}
		m := replay.NewMatcher(h, l.Scope)
		for n := range l.Items {
			item := &l.Items[n]
			if !strings.HasPrefix(item.Key, replay.Foreign) && !m.MatchesAspect(replay.ByShard, item) {
				j.Fail("only what hashes into "+l.Scope.Shard.String(), hashed(l.Scope.Shard, item), l.Call, l.Return)
			}
		}
	}
	return j
}

// hashed is an object with what decides in which shard it is.
func hashed(s *replay.Shard, o *history.Ref) string {
	value := s.Value(o.Key, o)
	return fmt.Sprintf("%s, whose %s %q hashes to 0x%016x", o.Key, s.Field, value, replay.Hash(value))
}

// judgeShardEcho compares selectors by what they select: a server prints them in its own way.
func judgeShardEcho(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, q := range replay.Asked(h) {
		asked := q.Args.Options.ShardSelector
		if q.Kind != replay.List || !q.Answered() || asked == "" {
			continue
		}
		s, err := replay.ParseShard(asked)
		if err != nil {
			continue // shard/partition/unreadable
		}
		j.Tested++
		want := "shardInfo with the selector " + s.String()
		info := replay.ListBodyOf(h.Event(q.Return)).ShardInfo
		if info == nil {
			j.Fail(want, "a list without shardInfo", q.Call, q.Return)
		} else if told, err := replay.ParseShard(info.Selector); info.Selector != asked && (err != nil || !told.Same(s)) {
			j.Fail(want, "the selector "+info.Selector, q.Call, q.Return)
		}
	}
	return j
}

// judgeShardUnreadable: whatever the refusal looks like (kube-apiserver answers
// with a bare 500), it must be one. What we cannot read and the server can, as
// its shardInfo shows, is not unreadable; of a watch nobody can tell, unless
// nothing like a range is in its selector.
func judgeShardUnreadable(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, q := range replay.Asked(h) {
		asked := q.Args.Options.ShardSelector
		if _, err := replay.ParseShard(asked); q.Kind == replay.Get || q.Return == 0 || asked == "" || err == nil {
			continue
		}
		want := fmt.Sprintf("an error: %q is no shardSelector", asked)
		switch {
		case q.Err != nil && (!q.Refused() || replay.Retriable(q.Err, q.Refusal)):
		case q.Refused():
			j.Tested++
		case q.Kind == replay.List:
			info := replay.ListBodyOf(h.Event(q.Return)).ShardInfo
			if info != nil && info.Selector != asked {
				if _, err := replay.ParseShard(info.Selector); err == nil {
					continue
				}
			}
			j.Tested++
			j.Fail(want, answer(h, &q), q.Call, q.Return)
		case !strings.Contains(asked, "shardRange("):
			if first := firstOf(h, &q); first != nil && first.Kind == replay.Errored {
				j.Tested++
			} else if first != nil {
				j.Tested++
				j.Fail(want, "a watch, with "+first.Kind+" "+at(first), q.Call, first.Num)
			}
		}
	}
	return j
}

// askedShards are the lists and watches that asked for a shard: those that were
// given one, or those that were given the whole.
func askedShards(r *replay.Replay, shards bool) map[int32]bool {
	out := map[int32]bool{}
	for i := range r.Lists {
		if l := &r.Lists[i]; r.AsksShard(l.Call) && isShard(l) == shards {
			out[l.Call] = true
		}
	}
	for i := range r.Watches {
		if w := &r.Watches[i]; r.AsksShard(w.Call) && w.Scope.Restricted(replay.ByShard) == shards {
			out[w.Call] = true
		}
	}
	return out
}

// foundOf is what all other rules find of some requests; what a list has and
// has not is for the rule that asks.
func foundOf(h *history.History, calls map[int32]bool) (out []harness.Finding) {
	if len(calls) == 0 {
		return nil
	}
	for _, rule := range requestRules {
		if rule.Address() == listSnapshot.Address() || rule.Address() == listScope.Address() || !offers(h, rule.Needs) {
			continue
		}
		for _, f := range rule.Judge(h).Bad {
			if calls[callOf(h, f)] {
				f.Want = rule.Address() + ": " + f.Want
				out = append(out, f)
			}
		}
	}
	return out
}

func judgeShardClauses(h *history.History) harness.Judgement {
	shards := askedShards(replay.Of(h), true)
	return harness.Judgement{Tested: len(shards), Bad: foundOf(h, shards)}
}

// offers says whether the subject of a history has declared features; where nobody has said what it declares, it may.
func offers(h *history.History, needs []harness.Feature) bool {
	has := h.Header.Features
	return has == nil || !slices.ContainsFunc(needs, func(f harness.Feature) bool { return !slices.Contains(has, string(f)) })
}

// judgeShardAbsent: what asked for a shard, and does not say that it is one, is a
// whole of which every clause holds. That a list does not say so where it did not
// ask counts as tested where another was told so. Watches say nothing: where no
// list is a shard, none of them is.
func judgeShardAbsent(h *history.History) harness.Judgement {
	r := replay.Of(h)
	j := judgeSnapshots(h, func(l *listed) bool { return r.AsksShard(l.Call) && !isShard(l) })
	for i := range r.Lists {
		l := &r.Lists[i]
		if r.AsksShard(l.Call) {
			continue
		}
		if r.Shards() {
			j.Tested++
		}
		if info := l.Body.ShardInfo; info != nil {
			j.Fail("no shardInfo: the list was asked for whole", "the selector "+info.Selector, l.Call, l.Return)
		}
	}
	wholes := askedShards(r, false)
	j.Bad = append(j.Bad, foundOf(h, wholes)...)
	if r.Unordered == "" {
		r.Dues(func(w *replay.WatchCall, _ *replay.Matcher, _ replay.Due) {
			if wholes[w.Call] { // that all of it comes is watch/reliable's
				j.Tested++
			}
		})
	}
	return j
}
