package apiserver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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
