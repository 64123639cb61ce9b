package replay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade"
	"github.com/lwtest/lwtest/harness/history"
)

func TestWatchStart(t *testing.T) {
	const text = `
		c1 -> CREATE a/x v=1
		c1 <- @3
		l1 -> LIST
		l1 <- @3 [a/x @3 v=1]
		c1 -> CREATE a/y v=1
		c1 <- @7
	`
	for _, c := range []struct {
		name, watch string
		known       bool
		start       string // the resourceVersion of its rank
		list        int32
		mark        int32
	}{
		{"from a list", "w1 -> WATCH rv=3", true, "3", 3, 0},
		{"from a resourceVersion that nothing has", "w1 -> WATCH rv=5", true, "3", 0, 0},
		{"from before everything", "w1 -> WATCH rv=1", true, "", 0, 0},
		{"from the future", "w1 -> WATCH rv=99999999999999999999999", true, "7", 0, 0},
		{"unreadable", "w1 -> WATCH rv=x", false, "", 0, 0},
		{"unset", "w1 -> WATCH", false, "", 0, 0},
		{"zero", "w1 -> WATCH rv=0", false, "", 0, 0},
		{"initial events", "w1 -> WATCH rv=3 initial=true", false, "", 0, 0},
		{"initial events with their end", "w1 -> WATCH initial=true bookmarks\nw1 <- END-MARK @7", true, "7", 0, 8},
		{"an end that nobody asked for", "w1 -> WATCH rv=0 bookmarks\nw1 <- END-MARK @7", true, "7", 0, 8},
		{"from about now", "w1 -> WATCH initial=false", false, "", 0, 0},
		{"an end mark of another watch", "w1 -> WATCH\nw1 -> WATCH bookmarks\nw1 <- END-MARK @7", false, "", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := of(t, text+c.watch)
			w := r.Watches[0]
			assert.Equal(t, c.known, w.Known)
			assert.Equal(t, c.start, r.H.RV(w.Start))
			assert.Equal(t, c.list, w.List)
			assert.Equal(t, c.mark, w.Mark)
		})
	}
}

func TestWatchEvents(t *testing.T) {
	r := of(t, `
		w1 -> WATCH rv=1
		w1 <- ADDED a/x @2
		w1 -> WATCH rv=2
		w2 -> WATCH rv=1
		w1 <- #1 ADDED a/y @3
		w1 <- ADDED a/z @4
		w1 -> WATCH rv=4
		w1 -> WATCH rv=4
		w1 <- 410 Expired`)
	var got [][]int32
	for _, w := range r.Watches {
		var nums []int32
		for _, e := range w.Events {
			nums = append(nums, e.Num)
		}
		got = append(got, nums)
	}
	assert.Equal(t, [][]int32{{2, 5}, {6}, nil, nil, nil}, got)
	assert.Equal(t, 410, r.Watches[4].Err.Code)
}

func TestLists(t *testing.T) {
	r := of(t, `
		l1 -> LIST ns=a limit=1
		l1 <- @5 [a/x @2, ~/1 @3] continue=tok
		l1 -> LIST ns=b limit=1
		l1 <- @5 [b/x @2] continue=tok
		l1 -> LIST ns=a continue=tok
		l1 <- @5 [] continue=next
		l1 -> LIST ns=a continue=next
		l1 <- @5 [a/z @4]
		l1 -> LIST ns=a continue=other
		l1 <- @5 []
		l1 -> LIST ns=a
		l1 <- 410 Expired
		l1 -> LIST ns=a`)
	require.Len(t, r.Lists, 5)
	assert.Equal(t, "a/x", r.Lists[2].From, "after the last own item of that list")
	assert.Equal(t, "a/x", r.Lists[3].From, "after an empty page: where that one began")
	assert.True(t, r.Lists[2].Page)
	assert.False(t, r.Lists[3].Astray)
	assert.True(t, r.Lists[4].Astray, "nobody gave that token")
	assert.False(t, r.Lists[0].Page)
}

// Without resourceVersions a list shows a state between its call and its answer.
func TestListsByOrder(t *testing.T) {
	r := of(t, `
		c1 -> CREATE a/x v=1
		c1 <- ok
		c1 -> CREATE a/y v=1
		l1 -> LIST limit=1
		c1 <- ok
		c1 -> CREATE a/z v=1
		l1 <- @7 [a/x v=1] continue=tok
		c1 <- ok
		l1 -> LIST continue=tok
		l1 <- @7 []
		w1 -> WATCH rv=7`)
	require.Len(t, r.Lists, 2)
	for _, l := range r.Lists {
		assert.EqualValues(t, 1, l.N, "answered before it was called")
		assert.EqualValues(t, 3, l.Upto, "called before it was answered; a page is of the first page's state")
	}
	assert.False(t, r.Watches[0].Known, "it begins somewhere in between")
}

// Of a list that is not of the most recent state nobody knows of when it is.
func TestListsOfLongAgoByOrder(t *testing.T) {
	r := of(t, `
		c1 -> CREATE a/x v=1
		c1 <- ok
		l1 -> LIST
		l1 <- @seven [a/x v=1]
		c1 -> UPDATE a/x v=2
		c1 <- ok
		l1 -> LIST rv=seven match=Exact limit=1
		l1 <- @seven [a/x v=1] continue=tok
		l1 -> LIST continue=tok
		l1 <- @seven []
		l1 -> LIST rv=0
		l1 <- @six []
		w1 -> WATCH rv=seven
		w2 -> WATCH rv=six`)
	var recent []bool
	for _, l := range r.Lists {
		recent = append(recent, l.Recent)
	}
	assert.Equal(t, []bool{true, false, false, false}, recent)
	assert.True(t, r.Watches[0].Known)
	assert.EqualValues(t, 1, r.Watches[0].Start, "of the list that was the first to give it")
	assert.False(t, r.Watches[1].Known)
}

// Without comparable-rv nothing orders resourceVersions but the calls; where
// nobody has said what is declared, what creates answer with tells.
func TestWhatOrdersWrites(t *testing.T) {
	const grow, one = `
		c1 -> CREATE a/x v=1
		c1 <- @7
		c1 -> CREATE a/y v=1
		c1 <- @3`, `
		c1 -> CREATE a/x v=1
		c1 <- @1
		c1 -> CREATE a/y v=1
		c1 <- @1`
	for _, c := range []struct {
		text     string
		features []string
		byOrder  bool
	}{
		{grow, nil, false}, {grow, []string{}, true}, {grow, []string{"pages"}, true}, {grow, []string{"comparable-rv"}, false},
		{one, nil, true}, {one, []string{}, true}, {one, []string{"comparable-rv"}, false},
	} {
		h := handmade.History(t, c.text)
		head := h.Header
		head.Features = c.features
		h, err := history.New(head, h.Events)
		require.NoError(t, err)
		assert.Equal(t, c.byOrder, replay.Of(h).ByOrder, "%v %s", c.features, c.text)
	}
}

func TestWatchFromListByOrder(t *testing.T) {
	r := of(t, `
		c1 -> CREATE a/x v=1
		c1 <- ok
		l1 -> LIST
		l1 <- @7 [a/x v=1]
		c1 -> CREATE a/y v=1
		c1 <- ok
		w1 -> WATCH rv=7`)
	w := r.Watches[0]
	assert.True(t, w.Known)
	assert.EqualValues(t, 1, w.Start)
	assert.EqualValues(t, 3, w.List)
}

func TestScore(t *testing.T) {
	for _, c := range []struct{ name, history, want string }{
		{"list", "l1 -> LIST ns=a rv=3 match=Exact limit=2 labels=app=one\n l1 <- @3 [a/x @3]", "LIST rv=past match=Exact paging=limit initial=unset selector=label scope=namespace outcome=items"},
		{"list without arguments", "l1 -> LIST\n l1 <- @5 []", "LIST rv=unset match=unset paging=none initial=unset selector=none scope=all outcome=empty"},
		{"list, refused", "l1 -> LIST ns=none continue=tok\n l1 <- 410 Expired", "LIST rv=unset match=unset paging=continue initial=unset selector=none scope=absent outcome=410"},
		{"list with a selector that cannot be read", "l1 -> LIST labels=a+b\n l1 <- 400", "LIST rv=unset match=unset paging=none initial=unset selector=unreadable scope=all outcome=400"},
		{"list of a shard", "l1 -> LIST shard=low\n l1 <- @5 [a/x @5] shard=low", "LIST rv=unset match=unset paging=none initial=unset selector=shard scope=all outcome=items"},
		{"list of what is no shard", "l1 -> LIST shard=bad\n l1 <- 500", "LIST rv=unset match=unset paging=none initial=unset selector=unreadable scope=all outcome=500"},
		{"list of the future", "l1 -> LIST rv=99\n l1 <- 504", "LIST rv=future match=unset paging=none initial=unset selector=none scope=all outcome=504"},
		{"watch, current", "w1 -> WATCH rv=5 bookmarks fields=metadata.name=x\n w1 <- ADDED a/z @6", "WATCH rv=current match=unset initial=unset bookmarks=true timeout=unset selector=name scope=all outcome=events"},
		{"watch, silent", "w1 -> WATCH rv=0 initial=true fields=metadata.name!=x", "WATCH rv=zero match=unset initial=true bookmarks=false timeout=unset selector=field scope=all outcome=silent"},
		{"watch, unreadable", "w1 -> WATCH rv=x\n w1 <- 400", "WATCH rv=unreadable match=unset initial=unset bookmarks=false timeout=unset selector=none scope=all outcome=400"},
		{"write, right", "c1 -> UPDATE a/x @5 uid=u3 v=3\n c1 <- @6", "UPDATE rv=right uid=right dry=false outcome=ok"},
		{"write, stale", "c1 -> DELETE a/x @3 uid=u9\n c1 <- 409", "DELETE rv=stale uid=stale dry=false outcome=409"},
		{"write, lost", "c1 -> CREATE a/z v=1\n c1 <- lost", "CREATE rv=none uid=none dry=false outcome=lost"},
		{"events", "w1 -> WATCH\n w1 <- END-MARK @5", "EVENT type=END-MARK"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := of(t, `
				c1 -> CREATE a/x v=1
				c1 <- @3
				c1 -> UPDATE a/x v=2
				c1 <- @5
			`+c.history)
			assert.Equal(t, 1, replay.Score(r.H)[c.want], "%v", replay.Score(r.H))
		})
	}
}

// A history without any resourceVersion has a future, too.
func TestScoreWithoutResourceVersions(t *testing.T) {
	r := of(t, "c1 -> CREATE a/x v=1\n c1 <- ok\n w1 -> WATCH rv=5")
	assert.Equal(t, 1, replay.Score(r.H)["WATCH rv=future match=unset initial=unset bookmarks=false timeout=unset selector=none scope=all outcome=silent"])
}
