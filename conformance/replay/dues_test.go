package replay_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// dues is what is due to each watch: type, key, and whether it came.
func dues(r *replay.Replay) (out []string) {
	r.Dues(func(w *replay.WatchCall, _ *replay.Matcher, d replay.Due) {
		v := &r.Versions[d.Version]
		out = append(out, fmt.Sprintf("#%d %s %s given #%d witness #%d", w.Call, d.Type, r.H.Key(v.K), d.Given, d.Witness))
	})
	return out
}

func TestDues(t *testing.T) {
	const text = `
		c1 -> CREATE a/x v=1 app=one
		c1 <- @2
		c1 -> UPDATE a/x v=2 app=two
		c1 <- @3
		c1 -> CREATE b/x v=3 app=one
		c1 <- @4
	`
	for _, c := range []struct {
		name, history string
		want          []string
	}{
		{"up to what was given", text + `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED b/x @4 v=3`,
			[]string{"#7 ADDED a/x given #8 witness #9", "#7 MODIFIED a/x given #0 witness #9"}},
		{"a selector with transitions", text + `
			w1 -> WATCH rv=1 labels=app=one
			w1 <- ADDED a/x @2 v=1 app=one
			w1 <- SETTLED`,
			[]string{"#7 ADDED a/x given #8 witness #9", "#7 DELETED a/x given #0 witness #9", "#7 ADDED b/x given #0 witness #9"}},
		{"two watches of one actor", text + `
			w1 -> WATCH ns=a rv=2
			w1 -> WATCH ns=b rv=2
			w1 <- #7 SETTLED
			w1 <- #8 SETTLED`,
			[]string{"#7 MODIFIED a/x given #0 witness #9", "#8 ADDED b/x given #0 witness #10"}},
		{"a start that nobody has seen", text + `
			w1 -> WATCH rv=1000
			w1 <- SETTLED`, nil},
		{"from about now: what is called later", text + `
			w1 -> WATCH rv=0 initial=false
			w1 <- SETTLED
			c1 -> CREATE a/y v=4
			c1 <- @5
			w1 <- SETTLED`,
			[]string{"#7 ADDED a/y given #0 witness #11"}},
		{"a type that a lost write may have made another", `
			c1 -> CREATE a/x v=1 app=two
			c1 <- @2
			c2 -> UPDATE a/x v=2 app=one
			c2 <- lost
			c1 -> UPDATE a/x v=3 app=one
			c1 <- @4
			w1 -> WATCH rv=2 labels=app=one
			w1 <- MODIFIED a/x @4 v=3 app=one
			w1 <- SETTLED`,
			[]string{"#7  a/x given #8 witness #9"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, dues(of(t, c.history)))
		})
	}
}

func TestCovered(t *testing.T) {
	r := of(t, `
		c1 -> CREATE a/x v=1
		c1 <- @2
		w1 -> WATCH initial=true bookmarks
		w1 <- ADDED a/x @2 v=1
		w1 <- END-MARK @2
		c1 -> UPDATE a/x v=2
		c1 <- @3
		w1 <- MODIFIED a/x @3 v=2
		w1 <- BOOKMARK @3
		c1 -> CREATE a/y v=3
		c1 <- @4
		w1 <- BOOKMARK @4
		w1 <- BOOKMARK @4`)
	var got []string
	r.Covered(func(w *replay.WatchCall, b *history.Event, v int32, kind string, given int32) {
		got = append(got, fmt.Sprintf("#%d %s %s given #%d", b.Num, kind, r.H.Key(r.Versions[v].K), given))
	})
	assert.Equal(t, []string{"#5 ADDED a/x given #4", "#9 MODIFIED a/x given #8", "#12 ADDED a/y given #0"}, got)
}
