package replay

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// What a shard is made of: the field whose hash decides.
const (
	HashedUID       = "object.metadata.uid"
	HashedNamespace = "object.metadata.namespace"
)

// Shard is a part of the objects: those of which the hash of a field lies in
// one of some ranges (KEP-5866).
type Shard struct {
	Field  string // HashedUID or HashedNamespace
	Ranges []HashRange
}

// HashRange has its first hash and its last; a selector names the one after the last.
type HashRange struct{ First, Last uint64 }

// Hash is what a shard looks at: 64 bits, by FNV-1a.
func Hash(value string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(value)) // its error is always nil
	return h.Sum64()
}

// Has says whether an object with this value of the field is in the shard.
func (s *Shard) Has(value string) bool {
	h := Hash(value)
	return slices.ContainsFunc(s.Ranges, func(r HashRange) bool { return r.First <= h && h <= r.Last })
}

// Same says whether both have the same objects, however they say it.
func (s *Shard) Same(o *Shard) bool {
	return s.Field == o.Field && slices.Equal(s.joined(), o.joined())
}

// joined are the ranges in order, those that touch each other as one.
func (s *Shard) joined() []HashRange {
	all := slices.SortedFunc(slices.Values(s.Ranges), func(a, b HashRange) int { return cmp.Compare(a.First, b.First) })
	out := all[:0]
	for _, r := range all {
		if n := len(out); n > 0 && (out[n-1].Last == math.MaxUint64 || r.First <= out[n-1].Last+1) {
			out[n-1].Last = max(out[n-1].Last, r.Last)
			continue
		}
		out = append(out, r)
	}
	return out
}

// String is the selector that asks for the shard, as kube-apiserver prints it.
func (s *Shard) String() string {
	var p []string
	for _, r := range s.Ranges {
		end := "0x10000000000000000"
		if r.Last != math.MaxUint64 {
			end = fmt.Sprintf("0x%016x", r.Last+1)
		}
		p = append(p, fmt.Sprintf("shardRange(%s, '0x%016x', '%s')", s.Field, r.First, end))
	}
	return strings.Join(p, " || ")
}

// shardRange is one term of a shard selector.
var shardRange = regexp.MustCompile(`^\s*\(*\s*shardRange\(\s*(object\.metadata\.(?:uid|namespace))\s*,\s*['"]0x([0-9a-f]{16})['"]\s*,\s*['"]0x([0-9a-f]{16}|10{16})['"]\s*\)\s*\)*\s*$`)

// ParseShard reads a shard selector. An error says no more than that this is
// none of the form that the contract describes: servers that take it for an
// expression of CEL read others, too.
func ParseShard(selector string) (*Shard, error) {
	var s Shard
	for _, term := range strings.Split(selector, "||") {
		m := shardRange.FindStringSubmatch(term)
		if m == nil || s.Field != "" && s.Field != m[1] {
			return nil, fmt.Errorf("shard selector %q: want shardRange(FIELD,'0x…','0x…'), several of one field joined by ||", selector)
		}
		first, _ := strconv.ParseUint(m[2], 16, 64) // 16 digits
		last := uint64(math.MaxUint64)
		if len(m[3]) == 16 {
			end, _ := strconv.ParseUint(m[3], 16, 64)
			if end <= first {
				return nil, fmt.Errorf("shard selector %q: a range must end behind its start", selector)
			}
			last = end - 1
		}
		s.Field, s.Ranges = m[1], append(s.Ranges, HashRange{first, last})
	}
	return &s, nil
}

// findShards says whether the server knows shards: one that does not takes no
// notice of a shardSelector, and only lists tell (by shardInfo) which it is.
func (b *builder) findShards() {
	for i := range b.asked {
		a := &b.asked[i]
		if a.args.Options.ShardSelector == "" {
			continue
		}
		if b.asksShards == nil {
			b.asksShards = map[int32]bool{}
		}
		b.asksShards[a.call] = true
		e := b.H.Event(a.call)
		if e.Kind != List || a.answer == 0 || b.H.Event(a.answer).Err() != nil {
			continue
		}
		if ListBodyOf(b.H.Event(a.answer)).ShardInfo != nil {
			b.shards = yes
		} else if b.shards == unasked {
			b.shards = no
		}
	}
}

// shardOf is the shard that a request was answered with, nil for none; known is
// false where nobody can tell. A list says it itself, a watch is as the lists are.
func (b *builder) shardOf(a *inquiry) (s *Shard, known bool) {
	asked := a.args.Options.ShardSelector
	if asked == "" {
		return nil, true
	}
	sharded, told := b.shards, ""
	if b.H.Event(a.call).Kind == List && a.answer != 0 && b.H.Event(a.answer).Err() == nil {
		sharded = no
		if info := ListBodyOf(b.H.Event(a.answer)).ShardInfo; info != nil {
			sharded, told = yes, info.Selector
		}
	}
	switch sharded {
	case no:
		return nil, true
	case unasked:
		return nil, false
	}
	s, err := ParseShard(asked)
	if err != nil {
		s, err = ParseShard(told) // it has understood what we have not
	}
	return s, err == nil
}

// Shards says that the server has answered a list as a shard.
func (r *Replay) Shards() bool { return r.shards == yes }

// AsksShard says whether a call asks for a shard, whatever it was given.
func (r *Replay) AsksShard(call int32) bool { return r.asksShards[call] }

// AsksShards says whether any does.
func (r *Replay) AsksShards() bool { return len(r.asksShards) > 0 }

// InCluster is the namespace by which a history tells the objects of a cluster-scoped resource from those of others. They have none.
const InCluster = "(cluster)"

// Value returns what a shard looks at of an object.
func (s *Shard) Value(key string, obj *history.Ref) string {
	if s.Field != HashedNamespace {
		return obj.UID
	}
	ns, _ := SplitKey(key)
	if ns == InCluster {
		return ""
	}
	return ns
}
