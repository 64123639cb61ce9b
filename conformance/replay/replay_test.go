package replay_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade"
	"github.com/lwtest/lwtest/harness/history"
)

func of(t *testing.T, text string) *replay.Replay {
	t.Helper()
	return replay.Of(handmade.History(t, text))
}

// rank is the N of a resourceVersion.
func rank(t *testing.T, h *history.History, rv string) int32 {
	t.Helper()
	n, ok := h.Floor(rv)
	require.True(t, ok && h.RV(n) == rv, "the history has no resourceVersion %s", rv)
	return n
}

// state is what held of a key: its resourceVersion, - for none; then ? where
// it is not certain, with o and d for another state, and deleted.
func state(r *replay.Replay, s replay.State) string {
	out := "-"
	if s.Version != replay.None {
		out = r.Versions[s.Version].Obj.RV
	}
	if !s.Certain {
		out += "?"
	}
	if s.Other {
		out += "o"
	}
	if s.Gone {
		out += "d"
	}
	return out
}

func TestStateAt(t *testing.T) {
	for _, c := range []struct{ name, history, want string }{ // at 1, 3, 5, 7, 9
		{"certain", `
			c1 -> CREATE a/x v=1
			c1 <- @3
			c1 -> UPDATE a/x v=2
			c1 <- @5
			w1 -> WATCH rv=5
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- DELETED a/x @7 v=2
			c1 -> CREATE a/x v=3
			c1 <- @9`, "- 3 5 - 9"},
		{"a deletion of unknown revision", `
			c1 -> CREATE a/x v=1
			c1 <- @3
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> CREATE a/y v=1
			c1 <- @7`, "- 3 3?d - -"},
		{"a lost delete", `
			c1 -> CREATE a/x v=1
			c1 <- @3
			c1 -> DELETE a/x
			c1 <- lost`, "- 3 3?od 3?od 3?od"},
		{"a lost write that only follows @3", `
			c1 -> CREATE a/x v=1
			c1 <- @3
			c2 -> UPDATE a/x @3 v=2
			c2 <- lost
			c1 -> UPDATE a/x @3 v=3
			c1 <- @7`, "- 3 3?od 7 7"},
		{"a lost create", `
			c1 -> CREATE a/x v=1
			c1 <- lost`, "-?od -?od -?od -?od -?od"},
		{"a lost create, when it had been acknowledged that there was something later", `
			c1 -> CREATE a/y v=1
			c1 <- @5
			c1 -> CREATE a/x v=1
			c1 <- lost`, "- - - -?od -?od"},
		{"older than the run", `
			c1 -> UPDATE a/x @2 v=1
			c1 <- @5`, "-?od -?od 5 5 5"},
		{"never there: refused with 404", `
			c1 -> UPDATE a/x v=1
			c1 <- 404 NotFound
			c1 -> CREATE a/x v=1
			c1 <- @5`, "- - 5 5 5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := of(t, c.history+"\n l1 -> LIST ns=z\n l1 <- @1 [z/a @3, z/b @5, z/c @7, z/d @9]")
			var got []string
			for _, rv := range strings.Fields("1 3 5 7 9") {
				got = append(got, state(r, r.StateAt(keyOf(r.H, "a/x"), rank(t, r.H, rv))))
			}
			assert.Equal(t, c.want, strings.Join(got, " "))
		})
	}
}

// Where a watch starts at a resourceVersion that nothing else has, more may
// have happened than at the one before.
func TestStateAtStart(t *testing.T) {
	const text = `
		c1 -> CREATE a/x v=1
		c1 <- @3
		c1 -> DELETE a/x
		c1 <- ok
		w1 -> WATCH rv=3
		w2 -> WATCH rv=4`
	r := of(t, text)
	k := keyOf(r.H, "a/x")
	require.Len(t, r.Watches, 2)
	assert.Equal(t, r.Watches[0].Start, r.Watches[1].Start)
	assert.Equal(t, "3", state(r, r.StateAtStart(&r.Watches[0], k)))
	assert.Equal(t, "3?d", state(r, r.StateAtStart(&r.Watches[1], k)))
}

func TestPhantoms(t *testing.T) {
	for _, c := range []struct {
		name, history string
		want          []int32
	}{
		{"nobody wrote that", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=1
			w1 <- MODIFIED a/x @3 v=7
			l1 -> LIST
			l1 <- @3 [a/x @4 v=8]`, []int32{4, 6}},
		{"nobody deleted that", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=1
			w1 <- DELETED a/x @3 v=1`, []int32{4}},
		{"a refused write", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> CREATE a/x v=2
			c1 <- @4
			c1 -> UPDATE a/x @2 v=3
			c1 <- 409 Conflict
			w1 -> WATCH rv=4
			w1 <- MODIFIED a/x @5 v=3`, []int32{10}},
		{"lost creates to which admission has added", `
			c1 -> CREATE a/x v=1
			c1 <- lost
			c1 -> CREATE a/y body=spec=1+finalizers=f
			c1 <- lost
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 body=spec=1+status=new team=x
			w1 <- ADDED a/y @3 body=spec=1+finalizers=f,g`, nil},
		{"what a lost create would not have become", `
			c0 -> LIST
			c0 <- @1 []
			c1 -> CREATE a/x body=spec=1+finalizers=f,g
			c1 <- lost
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 body=spec=1+finalizers=g`, []int32{6}},
		{"what a lost create would not have become may be older than the run", `
			c1 -> CREATE a/x body=spec=1+finalizers=f,g
			c1 <- lost
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 body=spec=1+finalizers=g`, nil},
		{"of two lost creates the one with just that content", `
			c1 -> CREATE a/x v=1
			c1 <- lost
			c1 -> CREATE a/x body=spec=1+status=new
			c1 <- lost
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 body=spec=1+status=new
			w1 <- DELETED a/x @3 body=spec=1+status=new
			w1 <- ADDED a/x @4 v=1`, []int32{7}},
		{"foreign objects, and those older than the run", `
			w1 -> WATCH rv=1
			w1 <- ADDED b/x @3 v=7
			w1 <- ADDED a/x @4 v=7
			c1 -> UPDATE a/x v=1
			c1 <- @5`, nil},
		{"without resourceVersions", `
			w1 -> WATCH
			c1 -> CREATE a/x v=1
			c1 <- ok
			w1 <- ADDED a/x v=1
			w1 <- MODIFIED a/x v=2`, []int32{5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, of(t, c.history).Phantoms)
		})
	}
}

func TestFindAndVersionOf(t *testing.T) {
	r := of(t, `
		c1 -> CREATE a/x v=1
		c1 <- @2
		c1 -> CREATE a/y v=1
		c1 <- @3
		w1 -> WATCH rv=1
		w1 <- ADDED a/x @2 v=1
		w1 <- ADDED b/x @2 v=1
		w1 <- ADDED a/x @7 v=1`)
	x, y := keyOf(r.H, "a/x"), keyOf(r.H, "a/y")
	assert.EqualValues(t, 0, r.Find(x, rank(t, r.H, "2")))
	assert.EqualValues(t, replay.None, r.Find(y, rank(t, r.H, "2")))
	assert.EqualValues(t, replay.None, r.Find(x, 0))
	assert.EqualValues(t, replay.None, r.Find(x, 1000))
	assert.EqualValues(t, 0, r.VersionOf(r.H.Event(6)))
	assert.EqualValues(t, replay.None, r.VersionOf(r.H.Event(7)), "foreign")
	assert.EqualValues(t, replay.None, r.VersionOf(r.H.Event(8)), "nobody wrote it")
	assert.True(t, r.Own(x), "in virtual time nobody else can have written it")
	assert.True(t, r.Own(y))
	assert.False(t, r.Own(keyOf(r.H, "b/x")))
	assert.EqualValues(t, rank(t, r.H, "3"), r.Acked(5))
	assert.EqualValues(t, 0, r.Acked(2))
}

// Own says of whom it knows who wrote it. In real time another client may have
// made what no write here explains, but not at the resourceVersion of a write of
// another object: that the server made up, and the rules must see it.
func TestOthersWrite(t *testing.T) {
	const two = `
		c1 -> CREATE a/x v=1
		c1 <- @2
		c1 -> CREATE a/y v=1
		c1 <- @3
		w1 -> WATCH rv=1
		w1 <- ADDED a/x @2 v=1
	`
	for _, c := range []struct {
		name, history string
		own           bool
	}{
		{"a revision of its own", "... real time" + two + "w1 <- MODIFIED a/x @7 v=7", false},
		{"the revision of another's write", "... real time" + two + "w1 <- MODIFIED a/x @3 v=7", true},
		{"deleted at the revision of another's write", "... real time" + two + "w1 <- DELETED a/x @3 v=1", true},
		{"deleted at a revision of its own", "... real time" + two + "w1 <- DELETED a/x @7 v=1", false},
		{"in virtual time: what a lost patch may have left", two + `
			c1 -> PATCH a/x body=status=s
			c1 <- lost
			w2 -> WATCH rv=1
			w2 <- MODIFIED a/x @8 body=spec=1+status=s`, false},
		{"in virtual time: what a lost update cannot have left", two + `
			c1 -> UPDATE a/x v=7
			c1 <- lost
			w2 -> WATCH rv=1
			w2 <- MODIFIED a/x @8 v=9`, true},
		{"not found", "... real time" + two + "c1 -> DELETE a/x\nc1 <- 404 NotFound", false},
		{"in virtual time: a revision of its own", two + "w1 <- MODIFIED a/x @7 v=7", true},
		{"in virtual time: deleted at a revision of its own", two + "w1 <- DELETED a/x @7 v=1", true},
		{"in virtual time: not found", two + "c1 -> DELETE a/x\nc1 <- 404 NotFound", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := of(t, c.history)
			assert.Equal(t, c.own, r.Own(keyOf(r.H, "a/x")), r.Disturbed)
			assert.Equal(t, c.own, r.Disturbed == "", r.Disturbed)
			assert.True(t, r.Own(keyOf(r.H, "a/y")))
		})
	}
}

func TestEmptyAndTruncated(t *testing.T) {
	r := of(t, "")
	assert.Empty(t, r.Versions)
	assert.Empty(t, dues(r))
	assert.Empty(t, replay.Score(r.H))
	assert.Empty(t, replay.Normalise(r.H).Events)

	h := handmade.History(t, "c1 -> CREATE a/x v=1\nl1 -> LIST\nw1 -> WATCH")
	h.Truncated = true
	r = replay.Of(h)
	assert.Equal(t, replay.Unknown, r.Writes[0].Outcome)
	assert.Empty(t, r.Lists)
	assert.Len(t, r.Watches, 1)
}

// What cannot be read is left out: nothing is known of it.
func TestUnreadable(t *testing.T) {
	h, err := history.New(history.Header{Kind: "watchcache", Time: history.RealTime}, []history.Event{
		{Phase: history.Call, Actor: "w1", Kind: replay.Watch, X: &history.Ext{Args: []byte(`[]`)}},
		{Phase: history.Call, Actor: "w2", Kind: replay.Watch, X: &history.Ext{Args: []byte(`{"labelSelector":"a in"}`)}},
		{Phase: history.Call, Actor: "w3", Kind: replay.Watch},
		{Phase: history.Call, Actor: "l1", Kind: replay.List},
		{Phase: history.Return, Call: 4, Actor: "l1", Kind: replay.List, X: &history.Ext{Items: []history.Ref{}, Body: []byte(`{`)}},
	})
	require.NoError(t, err)
	r := replay.Of(h)
	require.Len(t, r.Watches, 1)
	assert.EqualValues(t, 3, r.Watches[0].Call, "no arguments are empty arguments")
	assert.Len(t, r.Lists, 1)
	assert.NotPanics(t, func() { replay.Score(h); replay.Normalise(h) })
}
