package history

import (
	"cmp"
	"fmt"
	"math/big"
	"math/rand"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func withRVs(t *testing.T, rvs ...string) *History {
	t.Helper()
	events := make([]Event, len(rvs))
	for i, rv := range rvs {
		events[i] = Event{Actor: "a", Kind: "K", Obj: Ref{RV: rv}}
	}
	h, err := New(Header{Kind: "toy", Time: RealTime}, events)
	require.NoError(t, err)
	return h
}

func TestComparable(t *testing.T) {
	for s, want := range map[string]bool{
		"1": true, "10": true, "18446744073709551616": true, strings.Repeat("9", 300): true,
		"": false, "0": false, "01": false, "00": false, "-1": false, "+1": false, "1.0": false, "1e3": false,
		" 1": false, "1 ": false, "abc": false, "0x1f": false, "１": false, "1_000": false,
	} {
		assert.Equal(t, want, Comparable(s), "%q", s)
	}
}

func TestRanks(t *testing.T) {
	huge := "1" + strings.Repeat("0", 30)
	h := withRVs(t, "10", "9", "", "0", "9", "009", huge, "abc", "18446744073709551616", "18446744073709551615", "100")
	var got []int32
	for i := range h.Events {
		got = append(got, h.Events[i].Obj.N)
	}
	assert.Equal(t, []int32{2, 1, 0, 0, 1, 0, 6, 0, 5, 4, 3}, got)
	assert.Equal(t, 7, h.Ranks())
	assert.Equal(t, "9", h.RV(1))
	assert.Equal(t, huge, h.RV(6))
}

func TestFloor(t *testing.T) {
	h := withRVs(t, "5", "10", "18446744073709551616")
	for _, c := range []struct {
		rv string
		n  int32
		ok bool
	}{
		{"1", 0, true}, {"4", 0, true}, {"5", 1, true}, {"6", 1, true}, {"9", 1, true}, {"10", 2, true}, {"11", 2, true},
		{"18446744073709551615", 2, true}, {"18446744073709551616", 3, true}, {"99999999999999999999999", 3, true},
		{"", 0, false}, {"0", 0, false}, {"05", 0, false}, {"x", 0, false},
	} {
		n, ok := h.Floor(c.rv)
		assert.Equal(t, c.n, n, c.rv)
		assert.Equal(t, c.ok, ok, c.rv)
	}
	n, ok := withRVs(t).Floor("7")
	assert.Equal(t, int32(0), n)
	assert.True(t, ok)
}

// Ranks and Floor agree with numbers of any size.
func TestRanksAgreeWithNumbers(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	number := func() string {
		b := make([]byte, 1+r.Intn(25))
		for i := range b {
			b[i] = byte('0' + r.Intn(10))
		}
		b[0] = byte('1' + r.Intn(9))
		return string(b)
	}
	value := func(s string) *big.Int {
		v, ok := new(big.Int).SetString(s, 10)
		require.True(t, ok)
		return v
	}
	for range 50 {
		var rvs []string
		for range r.Intn(30) {
			rvs = append(rvs, number())
		}
		h := withRVs(t, rvs...)
		for range 50 {
			s := number()
			n, ok := h.Floor(s)
			require.True(t, ok)
			for i := range h.Events {
				e := &h.Events[i]
				require.Equal(t, value(e.Obj.RV).Cmp(value(s)) > 0, e.Obj.N > n, "%s and %s", e.Obj.RV, s)
			}
		}
		for i := range h.Events {
			for j := range h.Events {
				a, b := &h.Events[i].Obj, &h.Events[j].Obj
				require.Equal(t, value(a.RV).Cmp(value(b.RV)), cmp.Compare(a.N, b.N))
				require.Equal(t, value(a.RV).Cmp(value(b.RV)), CompareRV(a.RV, b.RV))
			}
		}
	}
}

func TestKeysAndActors(t *testing.T) {
	in := &Interner{}
	one := in.Set(map[string]string{"app": "one"})
	h, err := New(Header{}, []Event{
		{Actor: "w1", Kind: "K", Obj: Ref{Key: "b"}},
		{Actor: "c1", Kind: "K"},
		{Actor: "w1", Kind: "L", Obj: Ref{Key: "a"}, X: &Ext{Items: []Ref{{Key: "b", RV: "3"}, {Key: "c", Labels: one}}}},
		{Actor: "w2", Kind: "K", Obj: Ref{Key: "b", Fields: in.Set(map[string]string{"app": "two"})}},
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"w1", "c1", "w2"}, h.Actors(), "in order of their first event")
	var numbers []int32
	for _, e := range h.By("w1") {
		numbers = append(numbers, e.Num)
	}
	assert.Equal(t, []int32{1, 3}, numbers)
	assert.Empty(t, h.By("nobody"))
	assert.Equal(t, "L", h.Event(3).Kind)

	assert.Equal(t, 4, h.Keys())
	assert.Equal(t, []string{"", "b", "a", "c"}, []string{h.Key(0), h.Key(1), h.Key(2), h.Key(3)})
	assert.Equal(t, int32(1), h.Event(3).X.Items[0].K)
	assert.Equal(t, int32(1), h.Event(3).X.Items[0].N)
	assert.Equal(t, int32(0), h.Event(2).Obj.K)
	assert.Equal(t, 2, h.Sets())
}

func TestSets(t *testing.T) {
	in := &Interner{}
	assert.Nil(t, in.Set(nil))
	assert.Nil(t, in.Set(map[string]string{}))
	m := map[string]string{"b": "2", "a": "1"}
	s := in.Set(m)
	m["a"] = "changed"
	assert.Equal(t, "a=1,b=2", s.String(), "it keeps a copy")
	assert.Same(t, s, in.Set(map[string]string{"a": "1", "b": "2"}))
	assert.NotSame(t, s, in.Set(m))
	assert.Equal(t, "1", s.Get("a"))
	assert.Empty(t, s.Get("c"))

	var none *Set
	assert.Empty(t, none.Get("a"))
	assert.Nil(t, none.Map())
	assert.Empty(t, none.String())
}

// Sets that look alike when written one after the other are still two.
func TestSetsCannotBeForged(t *testing.T) {
	in := &Interner{}
	seen := map[*Set]map[string]string{}
	for _, m := range []map[string]string{
		{"a": "b", "c": "d"}, {"a": "b\x00c\x00d"}, {"a\x00b\x00c": "d"}, {"a": "b,c=d"}, {"a=b,c": "d"},
		{"a": "b1:c1:d"}, {"a1:b1:c": "d"}, {"": ""}, {"": "\x00"}, {"\x00": ""}, {"1:a": ""}, {"": "1:a"},
	} {
		s := in.Set(m)
		require.NotContains(t, seen, s, "%q and %q", m, seen[s])
		seen[s] = m
	}
}

func TestInternerIsSafeForConcurrentUse(t *testing.T) {
	in := &Interner{}
	var wg sync.WaitGroup
	got := make([][]*Set, 8)
	for w := range got {
		wg.Go(func() {
			for i := range 200 {
				got[w] = append(got[w], in.Set(map[string]string{"n": fmt.Sprint(i)}))
			}
		})
	}
	wg.Wait()
	ids := map[int32]bool{}
	for i := range 200 {
		ids[got[0][i].ID] = true
		for w := range got {
			require.Same(t, got[0][i], got[w][i])
		}
	}
	assert.Len(t, ids, 200)
}

type countedA struct{ n int }

type countedB struct{ of *countedA }

func TestDeriveBuildsOncePerType(t *testing.T) {
	h := withRVs(t, "1", "2")
	var a, b atomic.Int32
	buildA := func(h *History) *countedA { a.Add(1); return &countedA{len(h.Events)} }
	buildB := func(h *History) *countedB { b.Add(1); return &countedB{Derive(h, buildA)} } // one may ask another
	var wg sync.WaitGroup
	got := make([]*countedB, 16)
	for i := range got {
		wg.Go(func() { got[i] = Derive(h, buildB) })
	}
	wg.Wait()
	assert.Equal(t, int32(1), a.Load())
	assert.Equal(t, int32(1), b.Load())
	for _, g := range got {
		assert.Same(t, got[0], g)
	}
	assert.Equal(t, 2, Derive(h, buildA).n)
	assert.NotSame(t, got[0], Derive(withRVs(t, "1"), buildB), "another history has its own")
}

// The second rule that derives a value whose build panicked must get the same panic.
func TestDerivePanicsForEveryCaller(t *testing.T) {
	h := withRVs(t, "1")
	for range 2 {
		assert.PanicsWithValue(t, "boom", func() { Derive(h, func(*History) *countedA { panic("boom") }) })
	}
}

func TestDeriveMayGiveNothing(t *testing.T) {
	h := withRVs(t)
	for range 2 {
		assert.NoError(t, Derive(h, func(*History) error { return nil }))
	}
}

func TestReadersOfOneHistory(t *testing.T) {
	header, events := randomHistory(3, 40)
	h, err := New(header, events)
	require.NoError(t, err)
	want := written(t, h)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			assert.Equal(t, want, written(t, h))
			for _, a := range h.Actors() {
				assert.True(t, slices.IsSortedFunc(h.By(a), func(a, b Event) int { return cmp.Compare(a.Num, b.Num) }))
			}
			_, _ = h.Floor("7")
			_ = h.Timeline([]int32{1, int32(len(h.Events))})
		})
	}
	wg.Wait()
}
