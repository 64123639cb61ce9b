package replay_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade"
	"github.com/lwtest/lwtest/conformance/replay/handmade/model"
	"github.com/lwtest/lwtest/harness/history"
)

func lines(t *testing.T, h *history.History) string {
	t.Helper()
	var out []string
	for i := range h.Events {
		e := &h.Events[i]
		out = append(out, e.Actor+" "+strings.Join(strings.Fields(h.Describe(e)), " "))
	}
	return strings.Join(out, "\n")
}

func TestNormalise(t *testing.T) {
	h := handmade.History(t, `
		c1 -> CREATE run-7/x v=1
		c1 <- @1000 uid=8e1c
		c1 -> CREATE run-7-b/x v=1
		c1 <- @1500
		l1 -> LIST ns=run-7
		l1 <- @1700 [run-7/x @1000, ~/9 @1300] continue=opaque
		w1 -> WATCH ns=run-7 rv=1700 fields=metadata.namespace=run-7-b
		w1 <- ADDED ~/9 @1800
		c2 -> UPDATE run-7/x @1 v=2
		c2 <- 409 Conflict
		c1 -> UPDATE run-7/x @1000 v=3
		c1 <- @2000
		w1 <- MODIFIED run-7/x @2000 v=3
		w1 -> WATCH rv=999999 bookmarks
		w1 <- BOOKMARK @2100`)
	want := `c1 -> CREATE a/x
c1 <- CREATE (#1) a/x @2
c1 -> CREATE a-b/x
c1 <- CREATE (#3) a-b/x @3
l1 -> LIST namespace=a
l1 <- LIST (#5) @3 [a/x @2] continue=token-1
w1 -> WATCH fieldSelector=metadata.namespace=a-b namespace=a resourceVersion=3
c2 -> UPDATE a/x @1
c2 <- UPDATE (#8) 409 Conflict
c1 -> UPDATE a/x @2
c1 <- UPDATE (#10) a/x @4
w1 <- MODIFIED a/x @4
w1 -> WATCH allowWatchBookmarks=true resourceVersion=4000000
w1 <- BOOKMARK @4`
	once := replay.Normalise(h)
	assert.Equal(t, want, lines(t, once))
	assert.Equal(t, want, lines(t, replay.Normalise(once)), "again it changes nothing")
	assert.EqualValues(t, 7, once.Event(12).Call, "of what is left")
	assert.Equal(t, "u1", once.Event(2).Obj.UID)
}

// A deletion that nothing shows comes after those that had returned before it
// was sent, also where these are shown later.
func TestNormaliseUnseenDeletion(t *testing.T) {
	h := handmade.History(t, `
		c1 -> CREATE ns/x v=1
		c1 <- @10
		c1 -> CREATE other/y v=1
		c1 <- @20
		w1 -> WATCH ns=ns rv=20
		c1 -> DELETE ns/x
		c1 <- ok
		c1 -> DELETE other/y
		w1 <- DELETED ns/x @30 v=1
		c1 <- ok
		c1 -> CREATE ns/z v=1
		c1 <- @50`)
	n := replay.Normalise(h)
	assert.Equal(t, "4", n.Event(9).Obj.RV)
	assert.Equal(t, "6", n.Event(12).Obj.RV, "the unseen one is the fifth")
}

func TestNormaliseNamespaces(t *testing.T) {
	h := handmade.History(t, `
		l1 -> LIST ns=n
		l1 -> LIST ns=n-1
		l1 -> LIST ns=n-10
		l1 -> LIST ns=n-2
		l1 -> LIST ns=o
		l1 -> LIST ns=b fields=metadata.namespace=o,metadata.namespace!=n-1,metadata.name=n
		l1 -> LIST ns=~x`)
	assert.Equal(t, `l1 -> LIST namespace=b
l1 -> LIST namespace=b-1
l1 -> LIST namespace=b-10
l1 -> LIST namespace=b-2
l1 -> LIST namespace=c
l1 -> LIST fieldSelector=metadata.namespace=c,metadata.namespace!=b-1,metadata.name=n namespace=a
l1 -> LIST namespace=d`, lines(t, replay.Normalise(h)))
}

// What another server would have given in between does not show, and the order
// of this run's own changes stays.
func TestNormaliseModel(t *testing.T) {
	for seed := range uint64(20) {
		h, err := model.New(model.Options{Seed: seed, Ops: 60, Writers: 3, Watchers: 4, Listers: 2, Names: 2, Lost: 0.1, Foreign: true, Long: seed%2 == 0})
		require.NoError(t, err)
		once := replay.Normalise(h)
		var a, b bytes.Buffer
		require.NoError(t, once.Write(&a))
		require.NoError(t, replay.Normalise(once).Write(&b))
		require.Equal(t, a.String(), b.String(), "seed %d", seed)
		for i := range once.Events {
			require.NotContains(t, once.Events[i].Obj.Key, replay.Foreign)
		}
		require.Equal(t, len(replay.Of(h).Versions), len(replay.Of(once).Versions), "seed %d", seed)
	}
}

// Of creationTimestamps no more is kept than whether an object has one and the
// same: two objects may be of one second by chance.
func TestNormaliseCreated(t *testing.T) {
	var in history.Interner
	shown := func(key, uid, at string) history.Event {
		return history.Event{Actor: "w1", Kind: replay.Added, Obj: history.Ref{Key: key, UID: uid, RV: "2", Meta: in.Set(map[string]string{replay.Created: at, replay.Generation: "7"})}}
	}
	h, err := history.New(history.Header{Kind: "watchcache", Time: history.RealTime}, []history.Event{
		shown("a/x", "u1", "2026-03-14T01:59:26Z"), shown("a/y", "u2", "2026-03-14T01:59:26Z"),
		shown("a/x", "u1", "2026-03-14T01:59:27Z"), shown("a/x", "u1", "2026-03-14T01:59:26Z"), shown("a/x", "u3", "2026-03-14T01:59:28Z"),
		shown("a/z", "u4", ""),
	})
	require.NoError(t, err)
	once := replay.Normalise(h)
	for _, n := range []*history.History{once, replay.Normalise(once)} {
		var got []string
		for i := range n.Events {
			require.Equal(t, "7", n.Events[i].Obj.Meta.Get(replay.Generation))
			got = append(got, n.Events[i].Obj.Meta.Get(replay.Created))
		}
		require.Equal(t, []string{"1", "1", "2", "1", "1", ""}, got)
	}
}

func TestNormaliseTests(t *testing.T) {
	h := handmade.History(t, `
		c1 -> CREATE a/x v=1
		c1 <- @1000 uid=8e1c
		c1 -> PATCH a/x v=2 json tests=resourceVersion=1000+uid=8e1c+label:app=1000
		c1 <- @2000`)
	assert.Contains(t, lines(t, replay.Normalise(h)), `tests=["resourceVersion=2","uid=u1","label:app=1000"]`)
}
