package mvcc

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

type item struct {
	key string
	rev uint64
}

// The tree against a map, and each old tree against what it was.
func TestTreeIsAMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	model, now := map[string]uint64{}, Tree[item]{}
	type past struct {
		tree  Tree[item]
		model map[string]uint64
	}
	var pasts []past
	for i := range 2000 {
		key := fmt.Sprintf("n%d/o%d", r.IntN(4), r.IntN(60))
		if r.IntN(3) == 0 {
			now = now.Drop(key)
			delete(model, key)
		} else {
			now = now.Put(key, item{key, uint64(i)})
			model[key] = uint64(i)
		}
		if i%100 == 0 {
			pasts = append(pasts, past{now, maps.Clone(model)})
		}
	}
	for _, p := range append(pasts, past{now, model}) {
		keys := slices.Sorted(maps.Keys(p.model))
		require.Equal(t, len(keys), p.tree.Len())
		var got []string
		for rec := range p.tree.Within("", "") {
			got = append(got, rec.key)
			require.Equal(t, p.model[rec.key], rec.rev)
		}
		require.Equal(t, keys, got)
		for i, key := range keys {
			require.Equal(t, i, p.tree.Rank(key))
			require.Equal(t, p.model[key], p.tree.Get(key).rev)
		}
		require.Zero(t, p.tree.Get("n0/"))
	}
}

func TestTreeRanges(t *testing.T) {
	keys := []string{"a-b/x", "a/x", "a/y", "a/z", "a0/x", "b/x"} // '-' before '/' before '0'
	var all Tree[item]
	for _, k := range keys {
		all = all.Put(k, item{key: k})
	}
	for _, test := range []struct {
		prefix, start string
		want          []string
	}{
		{"", "", keys},
		{"a/", "", []string{"a/x", "a/y", "a/z"}},
		{"a/", "y", []string{"a/y", "a/z"}},
		{"a/", "y\x00", []string{"a/z"}},
		{"a-b/", "", []string{"a-b/x"}},
		{"", "a/y", []string{"a/y", "a/z", "a0/x", "b/x"}},
		{"c/", "", nil},
	} {
		var got []string
		for rec := range all.Within(test.prefix, test.start) {
			got = append(got, rec.key)
		}
		require.Equal(t, test.want, got, "%q %q", test.prefix, test.start)
	}
	var down []string
	for rec := range all.Down() {
		down = append(down, rec.key)
	}
	slices.Reverse(down)
	require.Equal(t, keys, down)
}

// A tree of n keys in order must not be a list.
func TestTreeIsBalanced(t *testing.T) {
	var all Tree[item]
	for i := range 20_000 {
		all = all.Put(fmt.Sprintf("%06d", i), item{})
	}
	require.Less(t, depth(all.root), 60)
	require.Less(t, depth(all.Drop("010000").root), 60)
}

func depth(n *node[item]) int {
	if n == nil {
		return 0
	}
	return 1 + max(depth(n.left), depth(n.right))
}

// A history against the trees that it was given.
func TestHistory(t *testing.T) {
	h := NewHistory[item](5)
	trees := map[uint64]Tree[item]{5: {}}
	for rev := uint64(6); rev < 40; rev++ {
		trees[rev] = trees[rev-1]
		if rev%3 == 0 { // others do not change it
			for i := range 2 { // two writes at one revision are one state
				trees[rev] = trees[rev].Put(fmt.Sprint(i, "-", rev%7), item{rev: rev})
				h.Set(rev, trees[rev])
			}
		}
	}
	for _, compacted := range []uint64{5, 6, 17, 39, 39} {
		h.Compact(compacted)
		for rev := compacted; rev < 45; rev++ {
			require.Equal(t, trees[min(rev, 39)], h.At(rev), "@%d after the compaction at %d", rev, compacted)
		}
		require.Equal(t, trees[39], h.Now())
	}
	h.Replace(Tree[item]{})
	require.Zero(t, h.Now().Len())
	require.Zero(t, h.At(50).Len())
}

// Between is what a range of keys has.
func TestBetween(t *testing.T) {
	var all Tree[item]
	for _, k := range []string{"a", "a/x", "a0", "b"} {
		all = all.Put(k, item{key: k})
	}
	for _, test := range [][]string{{"", "", "a", "a/x", "a0", "b"}, {"a/", "a0", "a/x"}, {"a", "a\x00", "a"}, {"a0", "", "a0", "b"}, {"c", ""}} {
		got := []string{}
		for i := range all.Between(test[0], test[1]) {
			got = append(got, i.key)
		}
		require.Equal(t, test[2:], got)
	}
}
