package apiserver_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

var inNS = apiserver.Request{Resource: configMaps, Namespace: "ns"}

// Where a watch starts: the state is b@5 c@4 d@7, and e@8 comes afterwards.
func TestWatchStarts(t *testing.T) {
	state := []string{"ADDED b@5", "ADDED c@4", "ADDED d@7"}
	end, e := "BOOKMARK @7 end", "ADDED e@8"
	plus := func(a []string, b ...string) []string { return append(append([]string(nil), a...), b...) }
	for _, test := range []struct {
		rv        string
		initial   *bool
		bookmarks bool
		want      []string
	}{
		{"", nil, false, plus(state, e)},
		{"0", nil, false, plus(state, e)},
		{"", nil, true, plus(state, end, e)}, // unasked
		{"0", nil, true, plus(state, end, e)},
		{"", ptr(true), false, plus(state, e)},
		{"", ptr(true), true, plus(state, end, e)},
		{"3", ptr(true), true, plus(state, end, e)},
		{"7", ptr(true), true, plus(state, end, e)},
		{"", ptr(false), true, []string{e}},
		{"0", ptr(false), false, []string{e}},
		{"5", ptr(false), true, []string{"DELETED a@6", "ADDED d@7", e}},
		{"5", nil, false, []string{"DELETED a@6", "ADDED d@7", e}},
		{"1", nil, true, []string{"ADDED a@2", "ADDED b@3", "ADDED c@4", "MODIFIED b@5", "DELETED a@6", "ADDED d@7", e}},
		{"7", nil, true, []string{e}},
		{"8", nil, true, nil}, // from the future: only what is above it
	} {
		name := fmt.Sprintf("rv=%s,bookmarks=%v", test.rv, test.bookmarks)
		if test.initial != nil {
			name += fmt.Sprintf(",initial=%v", *test.initial)
		}
		t.Run(name, func(t *testing.T) {
			bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
				history(t, s)
				o := metav1.ListOptions{ResourceVersion: test.rv, AllowWatchBookmarks: test.bookmarks, SendInitialEvents: test.initial}
				if test.initial != nil {
					o.ResourceVersionMatch = notOlderThan
				}
				w := record(t, s, inNS, o)
				create(t, s, "ns", cm("e"))
				require.Equal(t, test.want, w.got())
			})
		})
	}
}

func TestWatchRefusals(t *testing.T) {
	invalid := `ListOptions.meta.k8s.io "" is invalid: `
	token := "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6Nywic3RhcnQiOiJhXHUwMDAwIn0"
	for _, test := range []struct {
		opts metav1.ListOptions
		code int32
		want string
	}{
		{metav1.ListOptions{ResourceVersion: "xyz"}, 500,
			`resourceVersion: Invalid value: "xyz": strconv.ParseUint: parsing "xyz": invalid syntax`},
		{metav1.ListOptions{SendInitialEvents: ptr(true)}, 422, invalid +
			"resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"},
		{metav1.ListOptions{ResourceVersion: "5", ResourceVersionMatch: notOlderThan}, 422, invalid +
			"resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"},
		{metav1.ListOptions{Continue: token}, 422, invalid +
			"resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided"},
		{metav1.ListOptions{FieldSelector: "spec.foo=1"}, 400,
			`"spec.foo" is not a known field selector: only "metadata.name", "metadata.namespace"`},
	} {
		bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
			_, err := s.Watch(ctx, inNS, test.opts)
			got := status(t, err)
			require.Equal(t, test.want, got.Message)
			require.Equal(t, test.code, got.Code)
		})
	}
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		history(t, s)
		w := record(t, s, inNS, metav1.ListOptions{Continue: token, ResourceVersion: "6"}) // ignored with a version
		require.Equal(t, []string{"ADDED d@7"}, w.got())
	})
}

func TestTransitions(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "ns", cm("a", "k", "v")) // @2
		w := record(t, s, inNS, metav1.ListOptions{LabelSelector: "k=v", ResourceVersion: "1"})
		before := record(t, s, inNS, metav1.ListOptions{LabelSelector: "k=v", ResourceVersion: "1"})
		touch(t, s, "ns", "a")                                                                        // @3
		update(t, s, "ns", "a", func(o *corev1.ConfigMap) { o.Labels["k"], o.Data = "w", nil })       // @4 leaves
		require.Equal(t, []string{"ADDED a@2", "MODIFIED a@3", "DELETED a@4"}, w.got())               //
		require.Equal(t, "v", w.last.Object.(*corev1.ConfigMap).Labels["k"], "as it was before")      //
		require.Equal(t, "2", w.last.Object.(*corev1.ConfigMap).Data["n"])                            //
		touch(t, s, "ns", "a")                                                                        // @5 outside
		remove(t, s, "ns", "a")                                                                       // @6 outside
		require.Empty(t, w.got())                                                                     //
		create(t, s, "ns", cm("a"))                                                                   // @7
		update(t, s, "ns", "a", func(o *corev1.ConfigMap) { o.Labels = map[string]string{"k": "v"} }) // @8 enters
		remove(t, s, "ns", "a")                                                                       // @9
		require.Equal(t, []string{"ADDED a@8", "DELETED a@9"}, w.got())
		require.Equal(t, "v", w.last.Object.(*corev1.ConfigMap).Labels["k"])
		require.Equal(t, []string{"ADDED a@2", "MODIFIED a@3", "DELETED a@4", "ADDED a@8", "DELETED a@9"}, before.got())
	})
}

// Field transitions, on a field that an update changes.
func TestFieldTransitions(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		req := apiserver.Request{Resource: pods, Namespace: "ns"}
		w := record(t, s, req, metav1.ListOptions{FieldSelector: "status.phase=Running", ResourceVersion: "1"})
		obj, err := s.Create(ctx, req, pod("p", ""), metav1.CreateOptions{})
		require.NoError(t, err)
		req.Name = "p"
		for _, phase := range []corev1.PodPhase{corev1.PodRunning, corev1.PodSucceeded} {
			obj.(*corev1.Pod).Status.Phase = phase
			req.Subresource = "status"
			obj, err = s.Update(ctx, req, obj, metav1.UpdateOptions{})
			require.NoError(t, err)
		}
		require.Equal(t, []string{"ADDED p@3", "DELETED p@4"}, w.got())
	})
}

func TestWatchScope(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		from := func(ns, field string) *tape {
			return record(t, s, apiserver.Request{Resource: configMaps, Namespace: ns}, metav1.ListOptions{ResourceVersion: "1", FieldSelector: field})
		}
		for _, ns := range []string{"ns", "ns-1", "n"} {
			create(t, s, ns, cm("a"))
			create(t, s, ns, cm("a-1"))
		}
		require.Equal(t, []string{"ADDED a@2", "ADDED a-1@3"}, from("ns", "").got())
		require.Equal(t, []string{"ADDED a@4"}, from("ns-1", "metadata.name=a").got())
		require.Equal(t, []string{"ADDED a@6", "ADDED a-1@7"}, from("", "metadata.namespace=n").got())
		require.Len(t, from("", "").got(), 6)
		byName := record(t, s, apiserver.Request{Resource: configMaps, Namespace: "ns", Name: "a-1"}, metav1.ListOptions{ResourceVersion: "1"})
		require.Equal(t, []string{"ADDED a-1@3"}, byName.got())
	})
}

func TestWatchTooOld(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "ns", cm("a"))
		for range 150 {
			touch(t, s, "ns", "a")
		}
		time.Sleep(82 * time.Second)
		for range 150 {
			touch(t, s, "ns", "a")
		}
		// @2 to @302; the second 150 are young and are all kept
		w := record(t, s, inNS, metav1.ListOptions{ResourceVersion: "2"})
		require.Equal(t, []string{"ERROR 410 too old resource version: 2 (152)"}, w.got())
		require.Equal(t, metav1.StatusReasonExpired, w.last.Object.(*metav1.Status).Reason)
		require.True(t, w.over())
		require.Len(t, record(t, s, inNS, metav1.ListOptions{ResourceVersion: "152"}).got(), 150)
		require.Len(t, record(t, s, inNS, metav1.ListOptions{ResourceVersion: "151"}).got(), 1)

		_, err := apiserver.ConfigMaps(s, "ns").List(ctx, metav1.ListOptions{ResourceVersion: "2", ResourceVersionMatch: exact})
		require.NoError(t, err, "lists are another matter")

		open := record(t, s, inNS, metav1.ListOptions{ResourceVersion: "302"})
		require.NoError(t, s.ForgetEvents(configMaps, ""))
		require.Equal(t, []string{"ERROR 410 too old resource version: 301 (302)"}, record(t, s, inNS, metav1.ListOptions{ResourceVersion: "301"}).got())
		touch(t, s, "ns", "a")
		require.Equal(t, []string{"MODIFIED a@303"}, open.got(), "one that is open and up to date goes on")
		require.Error(t, s.ForgetEvents(events, ""))
	})
}

// Compaction is nothing to a watch with a cache, and decides for one without.
func TestCompactedWatches(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "ns", cm("a")) // @2
		req := apiserver.Request{Resource: events, Namespace: "ns", Name: "e"}
		var e *corev1.Event
		for i := range 4 { // @3 to @6
			obj, err := s.Update(ctx, req, &corev1.Event{InvolvedObject: corev1.ObjectReference{Namespace: "ns"}, ObjectMeta: metav1.ObjectMeta{Name: "e"}, Message: fmt.Sprint(i)}, metav1.UpdateOptions{})
			require.NoError(t, err)
			e = obj.(*corev1.Event)
		}
		require.Equal(t, "6", e.ResourceVersion)
		require.NoError(t, s.Compact("5"))
		require.Error(t, s.Compact("7"))
		at := func(rv string) []string { return record(t, s, req, metav1.ListOptions{ResourceVersion: rv}).got() }
		require.Equal(t, []string{"MODIFIED e@6"}, at("5"))
		require.Equal(t, []string{"ERROR 410 The resourceVersion for the provided watch is too old."}, at("3"))
		require.Equal(t, []string{`ERROR 500 Internal error occurred: etcd event received with PrevKv=nil (key="/registry/events/ns/e", modRevision=5, type=PUT)`}, at("4"))
		require.Equal(t, []string{"ADDED a@2"}, record(t, s, inNS, metav1.ListOptions{ResourceVersion: "1"}).got())

		elsewhere := apiserver.Request{Resource: events, Namespace: "other"}
		require.Empty(t, record(t, s, elsewhere, metav1.ListOptions{ResourceVersion: "4"}).got(), "what is lost is not there")
		in := apiserver.Request{Resource: events, Namespace: "ns"}
		require.Empty(t, record(t, s, in, metav1.ListOptions{ResourceVersion: "4", FieldSelector: "metadata.name=x"}).got(), "nor at that name")
		require.Len(t, record(t, s, in, metav1.ListOptions{ResourceVersion: "4", LabelSelector: "k"}).got(), 1, "labels are not etcd's")
		_, err := s.Delete(ctx, req, metav1.DeleteOptions{}) // @7
		require.NoError(t, err)
		_, err = s.Update(ctx, req, &corev1.Event{InvolvedObject: corev1.ObjectReference{Namespace: "ns"}, ObjectMeta: metav1.ObjectMeta{Name: "e"}}, metav1.UpdateOptions{}) // @8
		require.NoError(t, err)
		require.NoError(t, s.Compact("7"))
		require.Equal(t, []string{`ERROR 500 Internal error occurred: etcd event received with PrevKv=nil (key="/registry/events/ns/e", modRevision=7, type=DELETE)`}, at("6"))
		require.NoError(t, s.Compact("8"))
		require.Equal(t, []string{"ADDED e@8"}, at("7"), "a creation has nothing before it")
	})
}

func TestWatchFuture(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		o := metav1.ListOptions{ResourceVersion: "9", ResourceVersionMatch: notOlderThan, SendInitialEvents: ptr(true)}
		start := time.Now()
		w := record(t, s, inNS, o)
		require.Equal(t, 3*time.Second, time.Since(start))
		require.Equal(t, []string{"ERROR 504 Timeout: Too large resource version: 9, current: 1"}, w.got())
		require.True(t, w.over())

		plain := record(t, s, inNS, metav1.ListOptions{ResourceVersion: "3", AllowWatchBookmarks: true})
		create(t, s, "ns", cm("a")) // @2
		touch(t, s, "ns", "a")      // @3
		time.Sleep(2 * time.Minute)
		require.Empty(t, plain.got(), "neither events nor bookmarks at or before the start")
		touch(t, s, "ns", "a") // @4
		require.Equal(t, []string{"MODIFIED a@4"}, plain.got())
	})
}

// A slow watcher is kept as long as the window reaches; then it is ended after a prefix without a gap.
func TestSlowWatcher(t *testing.T) {
	bubble(t, apiserver.Options{WindowCount: 20, WindowAge: -1}, func(t *testing.T, s *apiserver.Server) {
		w, err := s.Watch(ctx, inNS, metav1.ListOptions{ResourceVersion: "1"})
		require.NoError(t, err)
		create(t, s, "ns", cm("a"))
		synctest.Wait() // it has the first in hand
		for range 200 {
			touch(t, s, "ns", "a")
		}
		var got []string
		for e := range w.ResultChan() {
			got = append(got, e.Object.(*corev1.ConfigMap).ResourceVersion)
			time.Sleep(time.Second)
		}
		require.NotEmpty(t, got)
		for i, rv := range got {
			require.Equal(t, fmt.Sprint(i+2), rv)
		}
	})
}

func TestWatchStops(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "ns", cm("a"))
		unread, err := s.Watch(ctx, inNS, metav1.ListOptions{})
		require.NoError(t, err)
		unread.Stop()
		unread.Stop()
		_, open := <-unread.ResultChan()
		require.False(t, open)

		cancelled, cancel := context.WithCancel(ctx)
		w := recordContext(cancelled, t, s, inNS, metav1.ListOptions{})
		w.got()
		cancel()
		require.True(t, w.over())
		touch(t, s, "ns", "a")
		require.Empty(t, w.got())

		closed := record(t, s, inNS, metav1.ListOptions{})
		require.NoError(t, s.Close())
		require.NoError(t, s.Close())
		require.True(t, closed.over())
		_, err = s.Watch(ctx, inNS, metav1.ListOptions{})
		require.EqualValues(t, 503, status(t, err).Code)
		_, err = s.List(cancelled, inNS, metav1.ListOptions{})
		require.ErrorIs(t, err, context.Canceled)
	})
}

// What a watch gives is the client's own: changing it changes nothing else.
func TestObjectsAreCopies(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		mine := cm("a", "k", "v")
		answer := create(t, s, "ns", mine)
		mine.Labels["k"], answer.Labels["k"] = "mine", "answer"
		w, err := s.Watch(ctx, inNS, metav1.ListOptions{ResourceVersion: "1"})
		require.NoError(t, err)
		e := <-w.ResultChan()
		require.Equal(t, "v", e.Object.(*corev1.ConfigMap).Labels["k"])
		e.Object.(*corev1.ConfigMap).Labels["k"] = "watch"
		l, err := apiserver.ConfigMaps(s, "ns").List(ctx, metav1.ListOptions{})
		require.NoError(t, err)
		l.Items[0].Labels["k"] = "list"
		o, err := apiserver.ConfigMaps(s, "ns").Get(ctx, "a", metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, "v", o.Labels["k"])
	})
}

// A tap stands between the log and the client, and may change what is asked for.
func TestTap(t *testing.T) {
	var causes []apiserver.Cause
	o := apiserver.Options{OnWatch: func(r *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
		r.Namespace = ""
		return func(e watch.Event, c apiserver.Cause) []watch.Event {
			causes = append(causes, c)
			if c == apiserver.End {
				return nil
			}
			return []watch.Event{e, e}
		}
	}}
	bubble(t, o, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "other", cm("a"))
		w := record(t, s, inNS, metav1.ListOptions{AllowWatchBookmarks: true, TimeoutSeconds: ptr(int64(61))})
		w.got()
		touch(t, s, "other", "a")
		remove(t, s, "other", "a")
		time.Sleep(2 * time.Minute)
		require.True(t, w.over())
		require.Equal(t, []string{"MODIFIED a@3", "MODIFIED a@3", "DELETED a@4", "DELETED a@4", "BOOKMARK @4", "BOOKMARK @4"}, w.got())
		want := []apiserver.Cause{apiserver.Initial, apiserver.Bookmark, apiserver.Updated, apiserver.Deleted, apiserver.Bookmark, apiserver.End}
		require.Equal(t, want, causes)
	})
}

// A reader that is too far behind gets what it had been sent, whole, and an end, and goes on from there; one of a
// kind without a cache is not ended.
func TestWatchBehind(t *testing.T) {
	api := apiserver.New(apiserver.Options{WatchBehind: 10})
	defer api.Close()
	maps := apiserver.ConfigMaps(api, "ns")
	slow, err := maps.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
	require.NoError(t, err)
	fast, err := maps.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
	require.NoError(t, err)
	defer fast.Stop()
	events := apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("events"), Namespace: "ns"}
	uncached, err := api.Watch(t.Context(), events, metav1.ListOptions{ResourceVersion: "1"})
	require.NoError(t, err)
	defer uncached.Stop()
	const n = 100
	for i := range n {
		_, err := maps.Create(t.Context(), cm(fmt.Sprint("m", i)), metav1.CreateOptions{})
		require.NoError(t, err)
		<-fast.ResultChan()
		e := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("e", i)}, InvolvedObject: corev1.ObjectReference{Namespace: "ns"}}
		_, err = api.Create(t.Context(), events, e, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	for range n {
		<-uncached.ResultChan()
	}
	got, last := 0, "1"
	for e := range slow.ResultChan() {
		cm := e.Object.(*corev1.ConfigMap)
		require.Equal(t, fmt.Sprint("m", got), cm.Name)
		got, last = got+1, cm.ResourceVersion
	}
	require.Less(t, got, n-10)
	on, err := maps.Watch(t.Context(), metav1.ListOptions{ResourceVersion: last})
	require.NoError(t, err)
	defer on.Stop()
	for ; got < n; got++ { // what was there when it was opened does not count
		require.Equal(t, fmt.Sprint("m", got), (<-on.ResultChan()).Object.(*corev1.ConfigMap).Name)
	}
}
