package apiserver

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The tree against a map, and each old tree against what it was.
func TestTreeIsAMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	model, now := map[string]uint64{}, tree{}
	type past struct {
		tree  tree
		model map[string]uint64
	}
	var pasts []past
	for i := range 2000 {
		key := fmt.Sprintf("n%d/o%d", r.IntN(4), r.IntN(60))
		if r.IntN(3) == 0 {
			now = now.drop(key)
			delete(model, key)
		} else {
			now = now.put(&record{key: key, rev: uint64(i)})
			model[key] = uint64(i)
		}
		if i%100 == 0 {
			pasts = append(pasts, past{now, maps.Clone(model)})
		}
	}
	for _, p := range append(pasts, past{now, model}) {
		keys := slices.Sorted(maps.Keys(p.model))
		require.Equal(t, len(keys), p.tree.len())
		var got []string
		for rec := range p.tree.within("", "") {
			got = append(got, rec.key)
			require.Equal(t, p.model[rec.key], rec.rev)
		}
		require.Equal(t, keys, got)
		for i, key := range keys {
			require.Equal(t, i, p.tree.rank(key))
			require.Equal(t, p.model[key], p.tree.get(key).rev)
		}
		require.Nil(t, p.tree.get("n0/"))
	}
}

func TestTreeRanges(t *testing.T) {
	keys := []string{"a-b/x", "a/x", "a/y", "a/z", "a0/x", "b/x"} // '-' before '/' before '0'
	var all tree
	for _, k := range keys {
		all = all.put(&record{key: k})
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
		for rec := range all.within(test.prefix, test.start) {
			got = append(got, rec.key)
		}
		require.Equal(t, test.want, got, "%q %q", test.prefix, test.start)
		require.Equal(t, len(test.want), all.countFrom(test.prefix, test.prefix+test.start))
	}
	var down []string
	for rec := range all.down() {
		down = append(down, rec.key)
	}
	slices.Reverse(down)
	require.Equal(t, keys, down)
}

// A tree of n keys in order must not be a list.
func TestTreeIsBalanced(t *testing.T) {
	var all tree
	for i := range 20_000 {
		all = all.put(&record{key: fmt.Sprintf("%06d", i)})
	}
	require.Less(t, depth(all.root), 60)
	require.Less(t, depth(all.drop("010000").root), 60)
}

func depth(n *node) int {
	if n == nil {
		return 0
	}
	return 1 + max(depth(n.left), depth(n.right))
}

// A window doubles while it is full of young changes, and halves when most are old, as
// kube-apiserver's does.
func TestWindow(t *testing.T) {
	w := window{floor: 1, size: 4, count: 4, age: 10}
	rev := uint64(1)
	add := func(n int, at int64) {
		for range n {
			rev++
			w.add(&change{rev: rev}, epoch(at))
		}
	}
	add(10, 0) // @2 to @11
	require.Len(t, w.log, 10, "young: kept beyond the count")
	require.Equal(t, 16, w.size)
	require.EqualValues(t, 1, w.floor)
	add(6, 9)
	require.Len(t, w.log, 16)
	add(1, 12) // @18: the oldest is old, its newest quarter young
	require.Equal(t, 16, w.size)
	require.Len(t, w.log, 16)
	require.EqualValues(t, 2, w.floor, "one in, one out")
	require.EqualValues(t, 1, w.first)
	add(1, 30)
	require.Equal(t, 8, w.size, "all old: half")
	require.Len(t, w.log, 8)
	require.EqualValues(t, 11, w.floor)
	add(1, 50)
	require.Equal(t, 4, w.size)
	add(5, 70)
	require.Equal(t, 8, w.size, "four young ones had filled it")
	require.Len(t, w.log, 5)

	require.Equal(t, 3, w.after(23))
	first := w.first
	_, _, gone := w.read(first-1, make([]*change, 8), epoch(70), 0)
	require.True(t, gone)
	n, _, gone := w.read(first+1, make([]*change, 8), epoch(70), 0)
	require.Equal(t, 4, n)
	require.False(t, gone)

	w.forget(23)
	require.Len(t, w.log, 2)
	require.EqualValues(t, 23, w.floor)
	w.forget(9)
	require.EqualValues(t, 23, w.floor, "what is gone does not come back")
	w.forget(99)
	require.Empty(t, w.log)
	require.EqualValues(t, 99, w.floor)
	require.EqualValues(t, first+5, w.end())
}

// Changes of one revision are dropped together: half of them would be a gap nobody is told of.
func TestWindowKeepsRevisionsWhole(t *testing.T) {
	w := window{floor: 1, size: 2, count: 2, age: -1}
	for _, rev := range []uint64{2, 3, 3, 3} {
		w.add(&change{rev: rev}, epoch(0))
	}
	require.EqualValues(t, 3, w.floor)
	require.Equal(t, len(w.log), w.after(w.floor), "what is left of it is sent to nobody who begins")
}

func TestWindowLag(t *testing.T) {
	w := window{floor: 1, count: -1}
	for rev := range uint64(4) {
		w.add(&change{rev: rev + 2}, epoch(int64(rev)))
	}
	buf := make([]*change, 8)
	n, wait, _ := w.read(0, buf, epoch(7), 5)
	require.Equal(t, 3, n)
	require.EqualValues(t, 1, wait)
	n, wait, _ = w.read(0, buf[:2], epoch(70), 5)
	require.Equal(t, 2, n)
	require.LessOrEqual(t, int64(wait), int64(0), "nothing to wait for, the buffer was full")
}

func TestKeysSortAsInEtcd(t *testing.T) {
	r := Resource{Namespaced: true}
	require.Negative(t, strings.Compare(r.key("a-b", "z"), r.key("a", "a")))
}
