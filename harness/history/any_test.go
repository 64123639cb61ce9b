package history_test

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/internal/full"
)

// Whatever can be read can be judged: traces of other tools may hold anything.
func TestAnyHistoryCanBeJudged(t *testing.T) {
	k := watchcache.Suite.Describe()
	seeds := int64(100)
	if full.Wanted() {
		seeds = 2000
	}
	for seed := range seeds {
		events := anything(rand.New(rand.NewSource(seed)))
		h, err := history.New(history.Header{Kind: k.Name, Time: history.RealTime, Features: names(k)}, events)
		require.NoError(t, err)
		r := k.Judge(harness.Info{}, h)
		require.NotContains(t, r.Reason, "panicked", "seed %d\n%s", seed, r.Stack)
		for _, rr := range r.Rules {
			require.NotContains(t, rr.Reason, "panicked", "seed %d: %s", seed, rr.Rule)
		}
	}
}

func names(k *harness.Kind) []string {
	var out []string
	for _, f := range k.Features {
		out = append(out, string(f.Name))
	}
	return out
}

// anything returns a history of random events that use the words of lists and watches.
func anything(r *rand.Rand) []history.Event {
	pick := func(s ...string) string { return s[r.Intn(len(s))] }
	in := &history.Interner{}
	ref := func() history.Ref {
		o := history.Ref{Key: pick("", "a/x", "a/x", "a/y", "b/x", "x", "~/f", "a/"), UID: pick("", "u1", "u2"),
			RV: pick("", "", "0", "07", "x", "1", "2", "3", "4", "5", "6", "7"), Body: pick("", "spec=1", "spec=2", "deleting", "finalizers=f", "spec=1 finalizers=f deleting", "node=n", "node=n grace=5 deleting")}
		if r.Intn(3) == 0 {
			o.Labels = in.Set(map[string]string{"app": pick("one", "two")})
		}
		if r.Intn(5) == 0 {
			o.Meta = in.Set(map[string]string{"generation": pick("1", "2")})
			o.Fields = in.Set(map[string]string{replay.InitialEventsEnd: pick("true", "false")})
		}
		return o
	}
	args := func() json.RawMessage {
		if r.Intn(8) == 0 {
			return json.RawMessage(pick(`null`, `[]`, `"x"`, `{"limit":"x"}`, `{"labelSelector":"a in ("}`, `{}`, `7`))
		}
		m := map[string]any{"namespace": pick("", "a", "b"), "resourceVersion": pick("", "0", "1", "3", "5", "99", "x"), "name": pick("", "x")}
		for key, value := range map[string]any{"labelSelector": pick("app=one", "app!=one", "app"), "fieldSelector": pick("metadata.name=x", "spec.a=b", "metadata.name!=x"),
			"limit": r.Intn(3), "continue": pick("t1", "t2"), "sendInitialEvents": r.Intn(2) == 0, "allowWatchBookmarks": true, "dryRun": pick("", "x"), "gracePeriodSeconds": r.Intn(4) - 1,
			"resourceVersionMatch": pick("Exact", "NotOlderThan", "Other")} {
			if r.Intn(4) == 0 {
				m[key] = value
			}
		}
		b, err := json.Marshal(m)
		if err != nil {
			panic(err)
		}
		return b
	}
	ext := func() *history.Ext {
		x := &history.Ext{}
		if r.Intn(3) > 0 {
			x.Args = args()
		}
		if r.Intn(4) == 0 {
			x.Err = &history.Error{Code: r.Intn(600), Reason: pick("", "Conflict", "Expired", "NotFound", "AlreadyExists"), Definite: r.Intn(2) == 0}
		}
		if r.Intn(3) == 0 {
			x.Items = []history.Ref{}
			for range r.Intn(4) {
				x.Items = append(x.Items, ref())
			}
		}
		if r.Intn(5) == 0 {
			x.Body = json.RawMessage(pick(`{"continue":"t1"}`, `{"continue":"t2","remainingItemCount":1}`, `[]`, `null`, `"x"`))
		}
		if x.Args == nil && x.Err == nil && x.Items == nil && x.Body == nil {
			return nil
		}
		return x
	}
	var events []history.Event
	var open []int32
	for i := range r.Intn(40) {
		e := history.Event{Actor: pick("c1", "c2", "w1", "w2", history.Engine), Obj: ref()}
		if r.Intn(3) > 0 {
			e.X = ext()
		}
		switch {
		case r.Intn(3) == 0:
			e.Phase = history.Call
			e.Kind = pick(replay.Create, replay.Update, replay.Patch, replay.Delete, replay.Get, replay.List, replay.List, replay.Watch, replay.Watch, replay.Added, "OTHER")
			if e.Kind == replay.Watch || e.Kind == replay.List {
				e.X = &history.Ext{Args: args()}
			}
			open = append(open, int32(i+1))
		case len(open) > 0 && r.Intn(2) == 0:
			n := r.Intn(len(open))
			e.Phase, e.Call = history.Return, open[n]
			e.Actor, e.Kind = events[e.Call-1].Actor, events[e.Call-1].Kind
			open = append(open[:n], open[n+1:]...)
		default:
			e.Kind = pick(replay.Added, replay.Modified, replay.Deleted, replay.Bookmark, replay.Errored, replay.Watch, replay.Create,
				history.Settled, history.Ended, history.Stopped, history.Left, history.GaveUp, history.Panic, history.Exited)
			var calls []int32
			for j := range events {
				if events[j].Phase == history.Call {
					calls = append(calls, int32(j+1))
				}
			}
			if len(calls) > 0 && r.Intn(5) > 0 {
				e.Call = calls[r.Intn(len(calls))]
				e.Actor = events[e.Call-1].Actor
				if r.Intn(10) == 0 {
					e.Actor = "someone else"
				}
			}
		}
		events = append(events, e)
	}
	return events
}

// A suite's rules give the same answers for a history and for the file that it was saved in.
func TestAnyHistoryIsJudgedTheSameFromItsFile(t *testing.T) {
	if full.Race {
		t.Skip("judges for half a minute, on one goroutine")
	}
	k := watchcache.Suite.Describe()
	for seed := range int64(500) {
		h, err := history.New(history.Header{Kind: k.Name, Time: history.RealTime, Features: names(k)}, anything(rand.New(rand.NewSource(seed))))
		require.NoError(t, err)
		var b strings.Builder
		require.NoError(t, h.Write(&b))
		saved, err := history.Read(strings.NewReader(b.String()))
		require.NoError(t, err)
		judged := fmt.Sprintf("%+v", k.Judge(harness.Info{}, h))
		require.NotContains(t, judged, "panicked", "seed %d", seed)
		require.Equal(t, judged, fmt.Sprintf("%+v", k.Judge(harness.Info{}, saved)), "seed %d", seed)
	}
}
