package handmade

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

const sample = `
	# a little of everything
	c1 -> CREATE a/x v=1 app=one
	c1 <- @2
	c1 -> UPDATE a/x @2 uid=u2 v=2 .status.phase=done
	c1 <- 409 Conflict
	c1 -> DELETE a/x
	c1 <- lost
	c1 -> CREATE a/y v=3 dry
	c1 <- ok uid=-
	l1 -> LIST ns=a labels=app=one rv=2 match=Exact limit=2
	l1 <- @5 [a/x @2 v=1 app=one, a/y @3 body=spec=1+deleting] continue=tok remaining=4
	l1 -> LIST
	l1 <- @5 []
	w1 -> WATCH ns=a rv=2 fields=metadata.name=x bookmarks initial=true
	w2 -> WATCH
	w1 <- ADDED a/x @2 v=1 app=one
	w1 <- END-MARK @8
	w2 <- #13 DELETED a/x @9
	w1 <- ERROR 410 Expired
	w1 <- SETTLED @9
	c1 -> CREATE a/x v=5
	c2 -> GET a/x
	c1 <- @10
	c2 <- a/x @10 v=5
`

func TestParse(t *testing.T) {
	h := History(t, sample)
	require.Len(t, h.Events, 23)

	create, created := h.Event(1), h.Event(2)
	assert.Equal(t, "c1 CREATE a/x spec=1 app=one", strings.Join([]string{create.Actor, create.Kind, create.Obj.Key, create.Obj.Body, create.Obj.Labels.String()}, " "))
	assert.Equal(t, create.Num, created.Call)
	assert.Equal(t, "a/x @2 u2 spec=1 app=one", strings.Join([]string{created.Obj.Key, "@" + created.Obj.RV, created.Obj.UID, created.Obj.Body, created.Obj.Labels.String()}, " "))

	update := h.Event(3)
	assert.Equal(t, "u2 2 done", strings.Join([]string{update.Obj.UID, update.Obj.RV, update.Obj.Fields.Get("status.phase")}, " "))
	assert.Equal(t, &history.Error{Code: 409, Reason: "Conflict", Definite: true}, h.Event(4).Err())
	assert.Equal(t, &history.Error{Msg: "lost"}, h.Event(6).Err())
	assert.JSONEq(t, `{"dryRun":true}`, string(h.Event(7).X.Args))
	assert.Empty(t, h.Event(8).Obj.UID)
	assert.Equal(t, history.Return, h.Event(8).Phase)
}

func TestParseRequests(t *testing.T) {
	h := History(t, sample)
	assert.JSONEq(t, `{"namespace":"a","labelSelector":"app=one","resourceVersion":"2","resourceVersionMatch":"Exact","limit":2}`, string(h.Event(9).X.Args))
	list := h.Event(10)
	assert.Equal(t, "5", list.Obj.RV)
	require.Len(t, list.X.Items, 2)
	assert.Equal(t, "u2", list.X.Items[0].UID, "the uid of the last creation")
	assert.Equal(t, "spec=1 deleting", list.X.Items[1].Body)
	assert.JSONEq(t, `{"continue":"tok","remainingItemCount":4}`, string(list.X.Body))
	assert.NotNil(t, h.Event(12).X.Items, "an empty list is a list")

	assert.JSONEq(t, `{"namespace":"a","resourceVersion":"2","fieldSelector":"metadata.name=x","allowWatchBookmarks":true,"sendInitialEvents":true}`, string(h.Event(13).X.Args))
	assert.EqualValues(t, 13, h.Event(15).Call, "what a watch brings")
	assert.True(t, replay.IsMark(h.Event(16)))
	assert.EqualValues(t, 13, h.Event(17).Call, "the call that the line names")
	assert.Equal(t, 410, h.Event(18).Err().Code)
	assert.Equal(t, history.Settled, h.Event(19).Kind)
	assert.Equal(t, history.Notice, h.Event(19).Phase)

	created, got := h.Event(22), h.Event(23)
	assert.EqualValues(t, 20, created.Call, "calls that overlap")
	assert.EqualValues(t, 21, got.Call)
	assert.Equal(t, "u10", got.Obj.UID, "of the second creation")
}

func TestParseTime(t *testing.T) {
	h := History(t, `
		w1 -> WATCH timeout=5
		... 1m30s
		w1 <- PAUSED
		w1 <- RESUMED
		... 250ms
		admin -> COMPACT
		admin <- @7
		admin -> MOVE-WINDOW
		admin <- ok`)
	require.Len(t, h.Events, 7)
	assert.Equal(t, history.VirtualTime, h.Header.Time)
	assert.JSONEq(t, `{"timeoutSeconds":5}`, string(h.Event(1).X.Args))
	assert.Zero(t, h.Event(1).At)
	assert.Equal(t, replay.Paused, h.Event(2).Kind)
	assert.EqualValues(t, 1, h.Event(3).Call)
	assert.EqualValues(t, 90*time.Second, h.Event(3).At)
	assert.EqualValues(t, 90250*time.Millisecond, h.Event(4).At)
	assert.Equal(t, "7", h.Event(5).Obj.RV)
	assert.Equal(t, history.Return, h.Event(7).Phase)

	assert.Equal(t, history.RealTime, History(t, "... real time\nw1 -> WATCH").Header.Time)
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"arrow", "c1 => CREATE a/x", `line 1: "c1 => CREATE a/x": "=>" is no arrow`},
		{"nothing said", "\nc1 ->", "line 2"},
		{"call", "c1 -> MAKE a/x", "no call MAKE"},
		{"no call", "c1 <- @2", "no call that this could answer"},
		{"answered", "c1 -> DELETE a/x\nc1 <- ok\nc1 <- ok", "line 3"},
		{"number", "c1 -> DELETE a/x\nc1 <- #9 ok", "#9 is no event before"},
		{"key last", "c1 -> CREATE v=1 a/x", "a key comes first"},
		{"argument", "l1 -> LIST namespace=a", "no argument"},
		{"limit", "l1 -> LIST limit=x", "invalid syntax"},
		{"items", "l1 -> LIST\nl1 <- @5", "in brackets"},
		{"after the items", "l1 -> LIST\nl1 <- @5 [] @6", "after the items"},
		{"time", "... soon", "invalid duration"},
		{"error event", "w1 -> WATCH\nw1 <- ERROR", "want a code"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(c.text)
			assert.ErrorContains(t, err, c.want)
		})
	}
}
