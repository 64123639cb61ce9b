package replay_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/sharding"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade"
	"github.com/lwtest/lwtest/harness/history"
)

const (
	low  = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"
	high = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')"
)

func TestParseShard(t *testing.T) {
	for text, want := range map[string]string{
		low: low,
		"shardRange(object.metadata.uid,'0x0000000000000000','0x8000000000000000')||" + high:    low + " || " + high,
		" ( shardRange( object.metadata.uid ,\n\"0x0000000000000000\",'0x8000000000000000' ) )": low,
		"shardRange(object.metadata.namespace,'0x00000000000000aa','0xffffffffffffffff')":       "shardRange(object.metadata.namespace, '0x00000000000000aa', '0xffffffffffffffff')",
	} {
		s, err := replay.ParseShard(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, s.String(), text)
	}
	for _, text := range []string{
		"", " ", "bad", low + "||", low + " | " + high, low + " && " + high, low + high, "x." + low, "!" + low,
		"shardRange(object.metadata.uid,'0x8000000000000000','0x8000000000000000')", "shardRange(object.metadata.uid,'0x0','0x8')",
		"shardRange(object.metadata.uid,'0x8000000000000000','0x20000000000000000')", "shardRange(object.metadata.name,'0x0000000000000000','0x8000000000000000')",
		low + "||shardRange(object.metadata.namespace,'0x8000000000000000','0x10000000000000000')",
	} {
		_, err := replay.ParseShard(text)
		assert.ErrorContains(t, err, "shard selector", text)
	}
}

// What is in a shard is what apimachinery's own selectors have in it, at the edges of ranges too.
func TestShardHas(t *testing.T) {
	for i := range 200 {
		m := &corev1.ConfigMap{}
		m.UID, m.Namespace = types.UID(fmt.Sprint("uid-", i)), fmt.Sprint("ns", i%7)
		for field, value := range map[string]string{replay.HashedUID: string(m.UID), replay.HashedNamespace: m.Namespace} {
			h := replay.Hash(value)
			assert.Equal(t, sharding.HashField(value), fmt.Sprintf("%016x", h))
			for _, r := range [][]replay.HashRange{
				{{First: h, Last: h}}, {{First: 0, Last: h}}, {{First: h, Last: math.MaxUint64}}, {{First: h + 1, Last: math.MaxUint64}}, {{First: 0, Last: h - 1}},
				{{First: 0, Last: 1<<63 - 1}}, {{First: 1 << 63, Last: math.MaxUint64}}, {{First: 0, Last: 1 << 61}, {First: 1 << 62, Last: 3 << 62}}, {{First: 0, Last: math.MaxUint64}},
			} {
				s := &replay.Shard{Field: field, Ranges: r}
				again, err := replay.ParseShard(s.String())
				require.NoError(t, err)
				require.Equal(t, s, again)
				want, err := theirs(s).Matches(m)
				require.NoError(t, err)
				assert.Equal(t, want, s.Has(value), "%s of %s", value, s)
			}
		}
	}
}

func theirs(s *replay.Shard) sharding.Selector {
	var all []sharding.ShardRangeRequirement
	for _, r := range s.Ranges {
		end := "0x10000000000000000"
		if r.Last < math.MaxUint64 {
			end = fmt.Sprintf("0x%016x", r.Last+1)
		}
		all = append(all, sharding.ShardRangeRequirement{Key: s.Field, Start: fmt.Sprintf("0x%016x", r.First), End: end})
	}
	return sharding.NewSelector(all...)
}

func TestShardSame(t *testing.T) {
	shard := func(text string) *replay.Shard {
		s, err := replay.ParseShard(text)
		require.NoError(t, err)
		return s
	}
	const all = "shardRange(object.metadata.uid,'0x0000000000000000','0x10000000000000000')"
	assert.True(t, shard(low).Same(shard(low+"||"+low)))
	assert.True(t, shard(high+"||"+low).Same(shard(all)))
	assert.True(t, shard(all+"||"+high).Same(shard(all)))
	assert.False(t, shard(low).Same(shard(high)))
	assert.False(t, shard(low).Same(shard(all)))
	assert.False(t, shard(low).Same(shard("shardRange(object.metadata.namespace,'0x0000000000000000','0x8000000000000000')")))
}

// Whether a request was given a shard a list says itself, and for watches the
// lists say it: of a watch without such lists, or with a selector that nobody
// can read, nothing is known.
func TestShardOf(t *testing.T) {
	for _, c := range []struct {
		name, history string
		lists         []string // shards
		watches       []string
	}{
		{"shards", "l1 -> LIST shard=low\n l1 <- @2 [] shard=low\n l1 -> LIST\n l1 <- @2 []\n w1 -> WATCH rv=2 shard=high\n w2 -> WATCH rv=2\n w3 -> WATCH shard=bad", []string{low, ""}, []string{high, ""}},
		{"none", "l1 -> LIST shard=low\n l1 <- @2 []\n w1 -> WATCH rv=2 shard=high\n w2 -> WATCH shard=bad", []string{""}, []string{"", ""}},
		{"one list did not say so", "l1 -> LIST shard=low\n l1 <- @2 []\n l1 -> LIST shard=low\n l1 <- @2 [] shard=low\n w1 -> WATCH rv=2 shard=high", []string{"", low}, []string{high}},
		{"nobody knows", "l1 -> LIST shard=low\n l1 <- 500\n l1 -> LIST\n l1 <- @2 []\n w1 -> WATCH rv=2 shard=high\n w2 -> WATCH rv=2", []string{""}, []string{""}},
		{"only the server could read it", "l1 -> LIST shard=x\n l1 <- @2 [] shard=low\n l1 -> LIST shard=x\n l1 <- @2 [] shard=x", []string{low}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := of(t, "c1 -> CREATE a/x v=1\n c1 <- @2\n"+c.history)
			var lists, watches []string
			text := func(s replay.Scope) string {
				assert.Equal(t, s.Shard != nil, s.Restricted(replay.ByShard))
				if s.Shard == nil {
					return ""
				}
				return s.Shard.String()
			}
			for _, l := range r.Lists {
				lists = append(lists, text(l.Scope))
			}
			for _, w := range r.Watches {
				watches = append(watches, text(w.Scope))
			}
			assert.Equal(t, c.lists, lists)
			assert.Equal(t, c.watches, watches)
		})
	}
}

// An object is in the shard that its uid says: u2 hashes into the low half, q into the high one.
func TestMatchShard(t *testing.T) {
	h := handmade.History(t, `
		c1 -> CREATE a/x v=1
		c1 <- @2
		c1 -> DELETE a/x
		c1 <- ok
		c1 -> CREATE a/x v=2
		c1 <- @4 uid=q
		l1 -> LIST shard=low
		l1 <- @4 [] shard=low`)
	r := replay.Of(h)
	m := replay.NewMatcher(h, r.Lists[0].Scope)
	assert.True(t, m.Matches(&h.Event(2).Obj))
	assert.False(t, m.Matches(&h.Event(6).Obj))
	assert.False(t, m.MatchesAspect(replay.ByShard, &h.Event(6).Obj))
	assert.True(t, m.OutsideBut(replay.ByShard, &r.Versions[r.Find(h.Event(6).Obj.K, h.Event(6).Obj.N)]))
	assert.False(t, m.Leaves(), "no object changes its uid")
	assert.Contains(t, r.Lists[0].Scope.String(), low, "two shards are two scopes")
}

// What shards are chosen by stays as it is, where there are any.
func TestNormaliseShards(t *testing.T) {
	const history = `
		c1 -> CREATE run-7/x v=1
		c1 <- @1000 uid=8e1c
		l1 -> LIST limit=1 shard=low
		l1 <- @1700 [run-7/x @1000, ~/9 @1300] remaining=3 `
	want := `c1 -> CREATE run-7/x
c1 <- CREATE (#1) run-7/x @2
l1 -> LIST limit=1 shardSelector=` + low + `
l1 <- LIST (#3) @2 [run-7/x @2] shardInfo={"selector":"` + low + `"}`
	h := replay.Normalise(handmade.History(t, history+"shard=low"))
	assert.Equal(t, want, lines(t, h))
	assert.Equal(t, "8e1c", h.Event(2).Obj.UID)
	assert.True(t, replay.Of(h).Shards())
	h = replay.Normalise(handmade.History(t, history))
	assert.Equal(t, "u1", h.Event(2).Obj.UID)
	assert.False(t, replay.Of(h).Shards())
}

// An object of a cluster-scoped resource is in the shard that the empty namespace hashes into.
func TestShardOfObjectsWithoutNamespace(t *testing.T) {
	s := &replay.Shard{Field: replay.HashedNamespace}
	assert.Empty(t, s.Value(replay.InCluster+"/x", &history.Ref{UID: "u"}))
	assert.Equal(t, "a", s.Value("a/x", &history.Ref{UID: "u"}))
	assert.Equal(t, "u", (&replay.Shard{Field: replay.HashedUID}).Value(replay.InCluster+"/x", &history.Ref{UID: "u"}))
}
