package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
)

func on(verb string, f faults.Fault) faults.Fault {
	f.Resource, f.Verbs = "configmaps", []string{verb}
	return f
}

// Who is told when to come back comes back then: client-go, that is; the client in the process is told.
func TestRetryAfter(t *testing.T) {
	for _, code := range []int32{429, 503} {
		meet(t, false, func(t *testing.T, w *world) {
			var err error
			d := took(func() { _, err = w.List(t.Context(), metav1.ListOptions{}) })
			require.Equal(t, []string{"fault-1: status " + map[int32]string{429: "429", 503: "503"}[code]}, w.log.strikes())
			if w.wire {
				require.NoError(t, err)
				require.Equal(t, 2*time.Second, d)
				return
			}
			seconds, ok := apierrors.SuggestsClientDelay(err)
			require.True(t, ok, "%v", err)
			require.Equal(t, 2, seconds)
			_, err = w.List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err, "it strikes once")
		}, on("list", faults.Fault{Nth: 1, Status: &faults.Status{Code: code, RetryAfter: 2}}))
	}
}

// Other refusals come to the caller, with the reason that belongs to the code, and nothing is done.
func TestStatus(t *testing.T) {
	for code, is := range map[int32]func(error) bool{
		401: apierrors.IsUnauthorized, 403: apierrors.IsForbidden, 410: apierrors.IsResourceExpired, 429: apierrors.IsTooManyRequests,
		500: apierrors.IsInternalError, 503: apierrors.IsServiceUnavailable, 504: apierrors.IsTimeout,
	} {
		meet(t, false, func(t *testing.T, w *world) {
			_, err := w.Create(t.Context(), named("b"), metav1.CreateOptions{})
			require.True(t, is(err), "%d: %v", code, err)
			require.ErrorContains(t, err, "the fault refuses")
			_, err = w.Watch(t.Context(), metav1.ListOptions{})
			require.True(t, is(err), "%d: %v", code, err)
			require.Equal(t, []string{"a"}, w.names(t))
		}, faults.Fault{Name: "refuses", Status: &faults.Status{Code: code}})
	}
}

// Pages are shorter than is asked for, and lead on; a list without a limit, and one with less, is as it is.
func TestLimit(t *testing.T) {
	meet(t, false, func(t *testing.T, w *world) {
		for _, name := range []string{"b", "c", "d", "e"} {
			_, err := w.store.Create(t.Context(), named(name), metav1.CreateOptions{})
			require.NoError(t, err)
		}
		for limit, want := range map[int64][]int{0: {5}, 1: {1, 1, 1, 1, 1}, 2: {2, 2, 1}, 3: {2, 2, 1}, 500: {2, 2, 1}} {
			var got []int
			for o := (metav1.ListOptions{Limit: limit}); len(got) == 0 || o.Continue != ""; {
				l, err := w.List(t.Context(), o)
				require.NoError(t, err)
				got, o.Continue = append(got, len(l.Items)), l.Continue
			}
			require.Equal(t, want, got, "limit %d", limit)
		}
	}, on("list", faults.Fault{Limit: 2}))
}

func TestLatency(t *testing.T) {
	meet(t, false, func(t *testing.T, w *world) {
		require.Equal(t, 7*time.Second, took(func() {
			_, err := w.Get(t.Context(), "a", metav1.GetOptions{})
			require.NoError(t, err)
		}))
		require.Zero(t, took(func() {
			_, err := w.Get(t.Context(), "a", metav1.GetOptions{})
			require.NoError(t, err)
		}))
	}, on("get", faults.Fault{Nth: 1, Latency: lasting(7 * time.Second)}))
}

// A request that hangs ends with its context; what it asked for is not done.
func TestHang(t *testing.T) {
	meet(t, false, func(t *testing.T, w *world) {
		ctx, cancel := timeout(t, 5*time.Second)
		defer cancel()
		require.Equal(t, 5*time.Second, took(func() {
			_, err := w.Create(ctx, named("b"), metav1.CreateOptions{})
			require.ErrorContains(t, err, "deadline exceeded")
		}))
		require.Equal(t, []string{"a"}, w.names(t))
		require.Equal(t, 3*time.Second, took(func() {
			_, err := w.List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
		}))
	}, on("create", faults.Fault{Hang: faults.Headers}), on("list", faults.Fault{Hang: faults.Headers, For: lasting(3 * time.Second)}))
}

// An answer that hangs in its midst is not one; a write's was done all the same.
func TestHangInBody(t *testing.T) {
	meet(t, true, func(t *testing.T, w *world) {
		ctx, cancel := timeout(t, 5*time.Second)
		defer cancel()
		require.Equal(t, 5*time.Second, took(func() {
			_, err := w.Create(ctx, named("b"), metav1.CreateOptions{})
			require.ErrorContains(t, err, "deadline exceeded")
		}))
		require.Equal(t, []string{"a", "b"}, w.names(t))
		require.Equal(t, 3*time.Second, took(func() {
			l, err := w.List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			require.Len(t, l.Items, 2)
		}))
	}, on("create", faults.Fault{Hang: faults.Body}), on("list", faults.Fault{Hang: faults.Body, For: lasting(3 * time.Second)}))
}

// A connection that breaks before the headers: client-go asks again for what only reads, a second later.
func TestReset(t *testing.T) {
	meet(t, true, func(t *testing.T, w *world) {
		require.Equal(t, time.Second, took(func() {
			_, err := w.Get(t.Context(), "a", metav1.GetOptions{})
			require.NoError(t, err)
		}))
		_, err := w.Create(t.Context(), named("b"), metav1.CreateOptions{})
		require.ErrorContains(t, err, "EOF")
		require.Equal(t, []string{"a"}, w.names(t))
	}, on("get", faults.Fault{Nth: 1, Reset: faults.Headers}), on("create", faults.Fault{Reset: faults.Headers}))
}

func TestResetInBody(t *testing.T) {
	meet(t, true, func(t *testing.T, w *world) {
		_, err := w.List(t.Context(), metav1.ListOptions{})
		require.ErrorContains(t, err, "unexpected EOF")
		_, err = w.List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
	}, on("list", faults.Fault{Nth: 1, Reset: faults.Body}))
}

// The client has an error, the store the object; and the log what the answer would have been.
func TestLoseAnswer(t *testing.T) {
	meet(t, false, func(t *testing.T, w *world) {
		_, err := w.Create(t.Context(), named("b"), metav1.CreateOptions{})
		require.Error(t, err)
		if !w.wire {
			require.True(t, apierrors.IsTimeout(err), "%v", err)
		}
		require.Equal(t, []string{"a", "b"}, w.names(t))
		_, err = w.Create(t.Context(), named("b"), metav1.CreateOptions{})
		require.True(t, apierrors.IsAlreadyExists(err), "%v", err)
		for _, e := range w.log.all() {
			if e.Fault != "" {
				require.True(t, e.Lost)
				require.Contains(t, string(e.Object), `"name":"b"`)
				return
			}
		}
		t.Error("it is not in the log")
	}, on("create", faults.Fault{Nth: 1, LoseAnswer: true}))
}

// Reads that are stale show what was there some time ago, whatever was asked for.
func TestStale(t *testing.T) {
	meet(t, false, func(t *testing.T, w *world) {
		time.Sleep(time.Minute)
		_, err := w.Create(t.Context(), named("b"), metav1.CreateOptions{})
		require.NoError(t, err)
		_, err = w.Get(t.Context(), "b", metav1.GetOptions{})
		require.True(t, apierrors.IsNotFound(err), "%v", err)
		l, err := w.List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		require.Len(t, l.Items, 1)
		time.Sleep(30 * time.Second)
		_, err = w.Get(t.Context(), "b", metav1.GetOptions{})
		require.NoError(t, err)
	}, faults.Fault{Resource: "configmaps", Stale: lasting(30 * time.Second)})
	set, err := faults.New(1, faults.Fault{Stale: lasting(time.Second)})
	require.NoError(t, err)
	_, err = set.API(struct{ apiserver.API }{}, faults.Options{})
	require.ErrorContains(t, err, "stale answers come from another view")
}

// What each fault makes of: b, c and d created, b deleted. A bookmark is so many revisions after the first.
func TestEvents(t *testing.T) {
	whole := []string{"ADDED b", "ADDED c", "ADDED d", "DELETED b"}
	for name, test := range map[string]struct {
		wire   bool
		events faults.Events
		want   []string
		over   bool
	}{
		"none":         {events: faults.Events{Nth: 9, Do: faults.Drop}, want: whole},
		"drop":         {events: faults.Events{Nth: 2, Do: faults.Drop}, want: []string{"ADDED b", "ADDED d", "DELETED b"}},
		"drop deleted": {events: faults.Events{Types: []string{"DELETED"}, Do: faults.Drop}, want: whole[:3]},
		"drop object":  {events: faults.Events{Object: "b", Do: faults.Drop}, want: []string{"ADDED c", "ADDED d"}},
		"drop two":     {events: faults.Events{Nth: 2, Times: 2, Do: faults.Drop}, want: []string{"ADDED b", "DELETED b"}},
		"double":       {events: faults.Events{Nth: 2, Do: faults.Double}, want: []string{"ADDED b", "ADDED c", "ADDED c", "ADDED d", "DELETED b"}},
		"swap":         {events: faults.Events{Nth: 1, Do: faults.Swap}, want: []string{"ADDED c", "ADDED b", "ADDED d", "DELETED b"}},
		"delay":        {events: faults.Events{Nth: 3, Do: faults.Delay, For: lasting(time.Minute)}, want: whole[:2]},
		"delay little": {events: faults.Events{Nth: 3, Do: faults.Delay, For: lasting(time.Second)}, want: whole},
		"early":        {events: faults.Events{Nth: 3, Do: faults.Early}, want: []string{"ADDED b", "ADDED c", "BOOKMARK +3", "ADDED d", "DELETED b"}},
		"lie":          {events: faults.Events{Nth: 3, Do: faults.Lie}, want: []string{"ADDED b", "ADDED c", "BOOKMARK +1002", "ADDED d", "DELETED b"}},
		"lie back":     {events: faults.Events{Nth: 3, Do: faults.Lie, By: -9}, want: []string{"ADDED b", "ADDED c", "BOOKMARK -7", "ADDED d", "DELETED b"}},
		"lie later":    {events: faults.Events{After: lasting(time.Second), Do: faults.Lie, By: 5}, want: append(whole[:4:4], "BOOKMARK +9")},
		"410":          {events: faults.Events{Nth: 3, Do: faults.Error}, want: []string{"ADDED b", "ADDED c", "ERROR Expired"}, over: true},
		"500 at once":  {events: faults.Events{After: lasting(0), Do: faults.Error, Status: &faults.Status{Code: 500}}, want: []string{"ERROR InternalError"}, over: true},
		"close":        {events: faults.Events{Nth: 3, Do: faults.Close}, want: whole[:2], over: true},
		"close later":  {events: faults.Events{After: lasting(5 * time.Second), Do: faults.Close}, want: whole, over: true},
		"break":        {events: faults.Events{Nth: 3, Do: faults.Break}, want: whole[:2], over: true},
		"stall":        {events: faults.Events{Nth: 3, Do: faults.Stall}, want: whole[:2]},
		"truncate":     {wire: true, events: faults.Events{Nth: 3, Do: faults.Truncate}, want: whole[:2], over: true},
		"garble":       {wire: true, events: faults.Events{Nth: 3, Do: faults.Garble}, want: []string{"ADDED b", "ADDED c", "ERROR InternalError"}, over: true},
	} {
		t.Run(name, func(t *testing.T) {
			meet(t, test.wire, func(t *testing.T, w *world) {
				got, over := w.watched(t)
				require.Equal(t, test.want, got)
				require.Equal(t, test.over, over)
				if name == "none" {
					require.Empty(t, w.log.strikes())
				} else {
					require.NotEmpty(t, w.log.strikes())
				}
			}, on("watch", faults.Fault{Events: &test.events}))
		})
	}
}

// A watch that hangs, or breaks, in its body does so at once.
func TestWatchBody(t *testing.T) {
	meet(t, false, func(t *testing.T, w *world) {
		got, over := w.watched(t)
		require.Empty(t, got)
		require.False(t, over)
		require.Equal(t, []string{"fault-1: stall"}, w.log.strikes())
	}, on("watch", faults.Fault{Hang: faults.Body}))
	meet(t, false, func(t *testing.T, w *world) {
		got, over := w.watched(t)
		require.Empty(t, got)
		require.True(t, over)
	}, on("watch", faults.Fault{Reset: faults.Body}))
}

// Several strike one request, each as it would alone.
func TestCompose(t *testing.T) {
	meet(t, false, func(t *testing.T, w *world) {
		require.Equal(t, 5*time.Second, took(func() {
			_, err := w.Get(t.Context(), "a", metav1.GetOptions{})
			require.True(t, apierrors.IsForbidden(err), "%v", err)
		}))
		got, _ := w.watched(t)
		require.Equal(t, []string{"ADDED c", "ADDED c", "DELETED b"}, got)
	}, on("get", faults.Fault{Latency: lasting(5 * time.Second)}), on("get", faults.Fault{Status: &faults.Status{Code: 403}}),
		on("watch", faults.Fault{Events: &faults.Events{Object: "d", Do: faults.Drop}}),
		on("watch", faults.Fault{Events: &faults.Events{Object: "c", Do: faults.Double}}),
		on("watch", faults.Fault{Events: &faults.Events{Nth: 1, Do: faults.Drop}}))
}

// Who stops a watch that a fault holds up does not wait.
func TestStopWhileHeldUp(t *testing.T) {
	for _, do := range []faults.Events{{Do: faults.Delay, For: lasting(time.Hour)}, {Do: faults.Stall}} {
		meet(t, false, func(t *testing.T, w *world) {
			in, err := w.Watch(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			time.Sleep(time.Second)
			require.Zero(t, took(in.Stop))
		}, on("watch", faults.Fault{Events: &do}))
	}
}
