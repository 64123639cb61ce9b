package history

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write golden files")

// golden compares a text with a file of testdata. go test -update writes the file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

func history(t *testing.T, events ...Event) *History {
	t.Helper()
	h, err := New(Header{Kind: "toy", Time: RealTime}, events)
	require.NoError(t, err)
	return h
}

var labels = &Interner{}

func set(pairs ...string) *Set {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return labels.Set(m)
}

func args(s string) *Ext { return &Ext{Args: json.RawMessage(s)} }

// writerAndTwoWatchers returns a history in which several actors act at once.
func writerAndTwoWatchers(t *testing.T) *History {
	return history(t,
		Event{Actor: "c1", Kind: "CREATE", Phase: Call, Obj: Ref{Key: "a/x", Labels: set("app", "one")}},
		Event{Actor: "w1", Kind: "WATCH", Phase: Call, X: args(`{"resourceVersion":"4","namespace":"a"}`)},
		Event{Actor: "w2", Kind: "WATCH", Phase: Call, X: args(`{"labelSelector":"app=one"}`)},
		Event{Actor: "c1", Kind: "CREATE", Phase: Return, Call: 1, Obj: Ref{Key: "a/x", RV: "5", Labels: set("app", "one")}},
		Event{Actor: "w1", Kind: "WATCH", Phase: Return, Call: 2},
		Event{Actor: "w2", Kind: "WATCH", Phase: Return, Call: 3},
		Event{Actor: "w1", Kind: "ADDED", Call: 2, Obj: Ref{Key: "a/x", RV: "5", Labels: set("app", "one")}},
		Event{Actor: "w2", Kind: "BOOKMARK", Call: 3, Obj: Ref{RV: "5", Fields: set("k8s.io/initial-events-end", "true")}},
		Event{Actor: "w2", Kind: "ADDED", Call: 3, Obj: Ref{Key: "a/x", RV: "5", Labels: set("app", "one")}},
	)
}

// longWatch returns n events of one watch, with a list of the same actor among them.
func longWatch(t *testing.T, n int) *History {
	events := []Event{{Actor: "w1", Kind: "WATCH", Phase: Call, X: args(`{}`)}, {Actor: "w1", Kind: "WATCH", Phase: Return, Call: 1}}
	for i := range n {
		events = append(events, Event{Actor: "w1", Kind: "MODIFIED", Call: 1, Obj: Ref{Key: "a/x", RV: fmt.Sprint(100 + i)}})
		if i == n/2 {
			events = append(events, Event{Actor: "w1", Kind: "LIST", Phase: Call}, Event{Actor: "c9", Kind: "GET", Phase: Call})
		}
	}
	return history(t, events...)
}

func TestTimeline(t *testing.T) {
	many := longWatch(t, 200)
	last := int32(len(many.Events))
	for _, c := range []struct {
		name string
		h    *History
		at   []int32
	}{
		{"several-actors", writerAndTwoWatchers(t), []int32{1, 4, 8, 9}},
		{"one-event", writerAndTwoWatchers(t), []int32{7}},
		{"cause-after-violation", writerAndTwoWatchers(t), []int32{8, 7}},
		{"long", many, []int32{1, 60, last}},
		{"long-many-causes", many, []int32{1, 20, 22, 40, 44, 60, 66, 80, 88, 100, 110, 120, 132, 140, last}},
		{"just-short-enough", longWatch(t, 12), []int32{1, 16}},
		{"just-too-long", longWatch(t, 16), []int32{1, 20}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.h.Timeline(c.at)
			golden(t, "timeline-"+c.name+".txt", got)
			for _, n := range c.at {
				assert.Contains(t, got, fmt.Sprintf("#%-3d", n), "each cause is shown")
			}
			assert.Equal(t, 1, strings.Count("\n"+got, "\nx "), "one violation")
			assert.Less(t, strings.Count(got, "\n"), 40)
		})
	}
}

// Of a request that fails the same way again and again the beginning and the end are shown.
func TestTimelineOfManyCauses(t *testing.T) {
	var events []Event
	var at []int32
	for i := range 60 {
		events = append(events, Event{Actor: "w1", Kind: "WATCH", Phase: Call}, Event{Actor: "w1", Kind: "WATCH", Phase: Return, Call: int32(2*i + 1)})
		at = append(at, int32(2*i+1), int32(2*i+2))
	}
	got := history(t, events...).Timeline(at)
	assert.Contains(t, got, "#1   ->")
	assert.Contains(t, got, "… 100 more\n")
	assert.Contains(t, got, "x #120 <-")
	assert.Equal(t, 22, strings.Count(got, "\n"), got)
}

// A finding with a wrong number is a fault of the rule and must still be shown.
func TestTimelineOfNumbersThatAreNone(t *testing.T) {
	h := writerAndTwoWatchers(t)
	assert.Empty(t, h.Timeline(nil))
	assert.Empty(t, h.Timeline([]int32{0, -1, 10, 1 << 30}))
	assert.Equal(t, h.Timeline([]int32{7}), h.Timeline([]int32{0, 7, 10}))
	assert.Empty(t, history(t).Timeline([]int32{1}))
}

func TestDescribe(t *testing.T) {
	many := &Ext{Items: make([]Ref, 9)}
	for i := range many.Items {
		many.Items[i] = Ref{Key: fmt.Sprint("a/", i), RV: fmt.Sprint(i + 1), Labels: set("not", "shown")}
	}
	for _, c := range []struct {
		e    Event
		want string
	}{
		{Event{Kind: "GET", Phase: Call, Obj: Ref{Key: "a/x"}}, `-> GET       a/x`},
		{Event{Kind: "LIST", Phase: Call}, `-> LIST`},
		{Event{Kind: "LIST", Phase: Call, X: args(`{"limit":2,"continue":"abc","nested":{"b":[1, 2]},"on":true,"none":null}`)}, `-> LIST      continue=abc limit=2 nested={"b":[1, 2]} none= on=true`},
		{Event{Kind: "ADD", Phase: Call, X: args(`{"body":"` + strings.Repeat("é", 250) + `"}`)}, `-> ADD       body=` + strings.Repeat("é", 240) + `… (10 more characters)`},
		{Event{Kind: "LIST", Phase: Call, X: args(`{"idle":[9,8,7,6,5,4,3,2,1],"few":[2,1]}`)}, `-> LIST      few=[2,1] idle=[9 … 1] (9 numbers)`},
		{Event{Kind: "LIST", Phase: Call, X: args(`[1, 2]`)}, `-> LIST      [1,2]`},
		{Event{Kind: "LIST", Phase: Call, X: args(`no json`)}, `-> LIST      no json`},
		{Event{Kind: "LIST", Phase: Return, Call: 3, Obj: Ref{RV: "7"}, X: &Ext{Items: []Ref{}}}, `<- LIST      (#3) @7 []`},
		{Event{Kind: "LIST", Phase: Return, Call: 3, Obj: Ref{RV: "7"}, X: many}, `<- LIST      (#3) @7 [a/0 @1, a/1 @2, a/2 @3, a/3 @4, a/4 @5, a/5 @6, … 3 more]`},
		{Event{Kind: "LIST", Phase: Return, Call: 3, X: &Ext{Items: []Ref{{Key: "a"}}, Body: json.RawMessage(`{"continue":"x"}`)}}, `<- LIST      (#3) [a] continue=x`},
		{Event{Kind: "UPDATE", Phase: Return, Call: 12, X: &Ext{Err: &Error{Code: 409, Reason: "Conflict", Msg: "modified", Definite: true}}}, `<- UPDATE    (#12) 409 Conflict modified`},
		{Event{Kind: "ERROR", X: &Ext{Err: &Error{Msg: "EOF"}}}, `<- ERROR     EOF`},
		{Event{Kind: "ERROR", X: &Ext{Err: &Error{}}}, `<- ERROR`},
		{Event{Kind: "ADDED", Obj: Ref{Key: "a/x", RV: "5", UID: "u", Body: "b", Labels: set("z", "1", "a", "2"), Fields: set("f", "3")}}, `<- ADDED     a/x @5 {a=2,z=1} {f=3}`},
		{Event{Kind: "BOOKMARK", Obj: Ref{RV: "5"}}, `<- BOOKMARK  @5`},
		{Event{Kind: Settled, Obj: Ref{RV: "5"}}, `<- SETTLED   @5`},
		{Event{Kind: Panic, X: &Ext{Err: &Error{Msg: "panic: boom\n\ngoroutine 7 [running]:\nmain.main()"}}}, `<- PANIC     panic: boom`},
		{Event{Kind: "StopContainer", Phase: Call}, `-> StopContainer`},
	} {
		assert.Equal(t, c.want, (&History{}).Describe(&c.e))
	}
}

func TestErrorString(t *testing.T) {
	for _, c := range []struct {
		e    Error
		want string
	}{
		{Error{}, ""}, {Error{Code: 500}, "500"}, {Error{Reason: "Gone"}, "Gone"}, {Error{Msg: "m"}, "m"},
		{Error{Code: 410, Msg: "m"}, "410 m"}, {Error{Code: 410, Reason: "Expired", Msg: "m"}, "410 Expired m"},
	} {
		assert.Equal(t, c.want, c.e.String())
	}
	assert.Nil(t, (&Event{}).Err())
	assert.Nil(t, (&Event{X: &Ext{}}).Err())
}

// A key or an actor cannot begin a line of its own.
func TestTimelineKeepsItsLines(t *testing.T) {
	h := history(t, Event{Actor: "w1\nw2", Kind: "ADDED", Obj: Ref{Key: "a/x\n  #2   <- DELETED"}})
	assert.Equal(t, 2, strings.Count(h.Timeline([]int32{1}), "\n"))
	assert.NotContains(t, h.Describe(h.Event(1)), "\n")
}
