package apiserver_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// took is how long f takes, in the bubble's time.
func took(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// A cache behind by 1.5 s: what must be recent waits and is right, "0" is answered with what there is.
func TestLagWithinPatience(t *testing.T) {
	const lag = 1500 * time.Millisecond
	for _, test := range []struct {
		name string
		opts metav1.ListOptions
		took time.Duration
		want []string
	}{
		{"unset", metav1.ListOptions{}, lag, []string{"a@2", "b@3", "@3"}},
		{"unset, paged", metav1.ListOptions{Limit: 5}, lag, []string{"a@2", "b@3", "@3"}},
		{"zero", metav1.ListOptions{ResourceVersion: "0"}, 0, []string{"a@2", "@2"}},
		{"not older, old", metav1.ListOptions{ResourceVersion: "2"}, 0, []string{"a@2", "@2"}},
		{"not older, new", metav1.ListOptions{ResourceVersion: "3", ResourceVersionMatch: notOlderThan}, lag, []string{"a@2", "b@3", "@3"}},
		{"exact, old", metav1.ListOptions{ResourceVersion: "2", ResourceVersionMatch: exact}, 0, []string{"a@2", "@2"}},
		{"exact, new", metav1.ListOptions{ResourceVersion: "3", ResourceVersionMatch: exact}, lag, []string{"a@2", "b@3", "@3"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
				create(t, s, "ns", cm("a"))
				s.SetLag(lag)
				create(t, s, "ns", cm("b"))
				require.Equal(t, "2", s.Reached())
				require.Equal(t, "3", s.Revision())
				require.Equal(t, test.took, took(func() {
					l, err := apiserver.ConfigMaps(s, "ns").List(ctx, test.opts)
					require.NoError(t, err)
					require.Equal(t, test.want, names(l))
				}))
			})
		})
	}
}

// A cache behind by 8 s: a list without a version comes from the store after 3 s, what needs the cache
// is 504 by then.
func TestLagBeyondPatience(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "ns", cm("a"))
		s.SetLag(8 * time.Second)
		at := time.Now()
		create(t, s, "ns", cm("b"))
		c := apiserver.ConfigMaps(s, "ns")
		var first *corev1.ConfigMapList
		require.Equal(t, 3*time.Second, took(func() {
			var err error
			first, err = c.List(ctx, metav1.ListOptions{Limit: 1})
			require.NoError(t, err)
			require.Equal(t, []string{"a@2", "@3"}, names(first))
		}))
		o, err := c.Get(ctx, "b", metav1.GetOptions{})
		require.NoError(t, err, "a get without a version does not ask the cache")
		require.Equal(t, "3", o.ResourceVersion)
		_, err = c.Get(ctx, "b", metav1.GetOptions{ResourceVersion: "0"})
		require.EqualError(t, err, `configmaps "b" not found`)
		require.Equal(t, 3*time.Second, took(func() {
			_, err = c.List(ctx, metav1.ListOptions{Continue: first.Continue})
			require.EqualError(t, err, "Timeout: Too large resource version: 3, current: 2")
			require.EqualValues(t, 1, status(t, err).Details.RetryAfterSeconds)
		}))
		require.Equal(t, 2*time.Second, took(func() { // the cache is there by now
			_, err = c.Get(ctx, "b", metav1.GetOptions{ResourceVersion: "3"})
			require.NoError(t, err)
		}))
		require.Equal(t, 8*time.Second, time.Since(at))
	})
}

func TestLagOnWatch(t *testing.T) {
	bubble(t, apiserver.Options{BookmarkEvery: 2 * time.Second}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "ns", cm("a")) // @2
		s.SetLag(8 * time.Second)
		create(t, s, "ns", cm("b")) // @3
		var fresh, zero, from *tape
		require.Equal(t, 3*time.Second, took(func() { fresh = record(t, s, inNS, metav1.ListOptions{}) }))
		require.Equal(t, []string{"ERROR 504 Timeout: Too large resource version: 3, current: 2"}, fresh.got())
		zero = record(t, s, inNS, metav1.ListOptions{ResourceVersion: "0", AllowWatchBookmarks: true})
		from = record(t, s, inNS, metav1.ListOptions{ResourceVersion: "2", AllowWatchBookmarks: true})
		future := record(t, s, inNS, metav1.ListOptions{ResourceVersion: "3"})
		uncached := record(t, s, apiserver.Request{Resource: events}, metav1.ListOptions{ResourceVersion: "1"})
		_, err := s.Update(ctx, apiserver.Request{Resource: events, Namespace: "ns", Name: "e"}, &corev1.Event{InvolvedObject: corev1.ObjectReference{Namespace: "ns"}, ObjectMeta: metav1.ObjectMeta{Name: "e"}}, metav1.UpdateOptions{}) // @4
		require.NoError(t, err)
		require.Equal(t, []string{"ADDED e@4"}, uncached.got(), "a kind without a cache does not lag")
		require.Equal(t, []string{"ADDED a@2", "BOOKMARK @2 end"}, zero.got())
		time.Sleep(4 * time.Second)
		require.Empty(t, from.got(), "no bookmark covers what has not come")
		time.Sleep(time.Second) // 8 s after the creation
		require.Equal(t, []string{"ADDED b@3"}, zero.got())
		require.Equal(t, []string{"ADDED b@3"}, from.got())
		require.Empty(t, future.got())
		require.Equal(t, "3", s.Reached())
		time.Sleep(6 * time.Second)
		require.Equal(t, "4", s.Reached())
		require.Contains(t, zero.got(), "BOOKMARK @4")
	})
}

// A cache that stands still, and then has everything at once.
func TestLagOnDemand(t *testing.T) {
	bubble(t, apiserver.Options{WindowCount: 3, WatchTimeout: -1}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "ns", cm("a"))
		w := record(t, s, inNS, metav1.ListOptions{ResourceVersion: "1"})
		require.Equal(t, []string{"ADDED a@2"}, w.got())
		s.SetLag(-1)
		for range 5 {
			touch(t, s, "ns", "a")
			time.Sleep(time.Hour)
		}
		require.Empty(t, w.got())
		require.Equal(t, "2", s.Reached())
		require.NoError(t, s.Compact("")) // the cache has its own state
		l, err := apiserver.ConfigMaps(s, "ns").List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		require.NoError(t, err)
		require.Equal(t, []string{"a@2", "@2"}, names(l))

		waiting := make(chan time.Duration)
		go func() {
			waiting <- took(func() {
				_, err := apiserver.ConfigMaps(s, "ns").List(ctx, metav1.ListOptions{})
				require.NoError(t, err)
			})
		}()
		time.Sleep(time.Second)
		s.SetLag(time.Minute)
		require.Equal(t, time.Second, <-waiting, "all of it is older than a minute")
		require.Equal(t, []string{"MODIFIED a@3", "MODIFIED a@4", "MODIFIED a@5", "MODIFIED a@6", "MODIFIED a@7"}, w.got(),
			"what arrives together is young, and fits")
		touch(t, s, "ns", "a")
		require.Empty(t, w.got())
		s.SetLag(time.Hour)
		time.Sleep(59 * time.Minute)
		require.Equal(t, "7", s.Reached())
		s.SetLag(0)
		require.Equal(t, []string{"MODIFIED a@8"}, w.got())
	})
}

// Two API servers of one store: one is behind, and who goes from one to the other travels in time.
func TestViews(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "ns", cm("a")) // @2
		v := s.AddView()
		v.SetLag(2 * time.Second)
		create(t, v, "ns", cm("b")) // @3, a write is in the store at once
		zero := metav1.ListOptions{ResourceVersion: "0"}
		for api, want := range map[apiserver.API][]string{s: {"a@2", "b@3", "@3"}, v: {"a@2", "@2"}} {
			l, err := apiserver.ConfigMaps(api, "ns").List(ctx, zero)
			require.NoError(t, err)
			require.Equal(t, want, names(l))
		}
		update(t, v, "ns", "b", func(o *corev1.ConfigMap) { o.Data = map[string]string{"k": "v"} }) // no false conflict
		err := creates(cm("b"))(apiserver.ConfigMaps(v, "ns"))
		require.EqualError(t, err, `configmaps "b" already exists`)

		here, there := record(t, s, inNS, metav1.ListOptions{ResourceVersion: "2"}), record(t, v, inNS, metav1.ListOptions{ResourceVersion: "2"})
		require.Equal(t, []string{"ADDED b@3", "MODIFIED b@4"}, here.got())
		require.Empty(t, there.got())
		time.Sleep(2 * time.Second)
		require.Equal(t, []string{"ADDED b@3", "MODIFIED b@4"}, there.got())

		old := record(t, v, inNS, metav1.ListOptions{ResourceVersion: "1"})
		require.Equal(t, []string{"ERROR 410 too old resource version: 1 (2)"}, old.got(), "its window begins when it did")
		require.Len(t, record(t, s, inNS, metav1.ListOptions{ResourceVersion: "1"}).got(), 3)

		require.NoError(t, v.ForgetEvents(configMaps, "3"))
		require.Equal(t, []string{"MODIFIED b@4"}, record(t, v, inNS, metav1.ListOptions{ResourceVersion: "3"}).got())
		require.Equal(t, []string{"ERROR 410 too old resource version: 2 (3)"}, record(t, v, inNS, metav1.ListOptions{ResourceVersion: "2"}).got())
		require.Len(t, record(t, s, inNS, metav1.ListOptions{ResourceVersion: "2"}).got(), 2, "the other's is its own")
		require.NoError(t, s.Close())
		require.True(t, there.over())
	})
}

func TestForgetEvents(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		history(t, s) // @2 to @7
		slow, err := s.Watch(ctx, inNS, metav1.ListOptions{ResourceVersion: "1"})
		require.NoError(t, err)
		for _, bad := range []error{
			s.ForgetEvents(configMaps, "x"), s.ForgetEvents(configMaps, "8"), s.ForgetEvents(events, ""),
			s.ForgetEvents(corev1.SchemeGroupVersion.WithResource("nosuch"), ""),
		} {
			require.Error(t, bad)
		}
		require.NoError(t, s.ForgetEvents(configMaps, "5"))
		require.Equal(t, []string{"DELETED a@6", "ADDED d@7"}, record(t, s, inNS, metav1.ListOptions{ResourceVersion: "5"}).got())
		require.Equal(t, []string{"ERROR 410 too old resource version: 4 (5)"}, record(t, s, inNS, metav1.ListOptions{ResourceVersion: "4"}).got())
		l, err := apiserver.ConfigMaps(s, "ns").List(ctx, metav1.ListOptions{ResourceVersion: "4", ResourceVersionMatch: exact})
		require.NoError(t, err)
		require.Len(t, l.Items, 3)
		n := 0
		for range slow.ResultChan() {
			n++
		}
		require.LessOrEqual(t, n, 6, "whatever it had in hand, and then a clean end")
		require.NoError(t, s.ForgetEvents(configMaps, ""))
		require.Empty(t, record(t, s, inNS, metav1.ListOptions{ResourceVersion: "7"}).got())
		require.Equal(t, []string{"ERROR 410 too old resource version: 6 (7)"}, record(t, s, inNS, metav1.ListOptions{ResourceVersion: "6"}).got())
	})
}

func TestRestart(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		history(t, s) // @2 to @7
		second := s.AddView()
		w, elsewhere := record(t, s, inNS, metav1.ListOptions{}), record(t, second, inNS, metav1.ListOptions{})
		w.got()
		elsewhere.got()
		refused := make(chan error)
		go func() {
			_, err := apiserver.ConfigMaps(s, "ns").List(ctx, metav1.ListOptions{ResourceVersion: "99"})
			refused <- err
		}()
		time.Sleep(time.Second)
		s.View.Restart()
		require.True(t, w.over())
		require.Empty(t, w.got(), "no word of it in the stream")
		require.EqualValues(t, 503, status(t, <-refused).Code)
		require.False(t, elsewhere.over())

		require.Equal(t, []string{"ERROR 410 too old resource version: 6 (7)"}, record(t, s, inNS, metav1.ListOptions{ResourceVersion: "6"}).got())
		l, err := apiserver.ConfigMaps(s, "ns").List(ctx, metav1.ListOptions{ResourceVersion: "3", ResourceVersionMatch: exact})
		require.NoError(t, err, "out of the store")
		require.Equal(t, []string{"a@2", "b@3", "@3"}, names(l))
		again := record(t, s, inNS, metav1.ListOptions{ResourceVersion: "7"})
		create(t, s, "ns", cm("e"))
		require.Equal(t, []string{"ADDED e@8"}, again.got())

		s.Restart()
		require.True(t, again.over())
		require.True(t, elsewhere.over())
		require.Equal(t, []string{"ERROR 410 too old resource version: 7 (8)"}, record(t, second, inNS, metav1.ListOptions{ResourceVersion: "7"}).got())
	})
}

// A kind without a cache resumes whole after a restart; one that lagged is up to date.
func TestRestartOfTheRest(t *testing.T) {
	bubble(t, apiserver.Options{CacheLag: time.Hour}, func(t *testing.T, s *apiserver.Server) {
		req := apiserver.Request{Resource: events, Namespace: "ns", Name: "e"}
		_, err := s.Update(ctx, req, &corev1.Event{InvolvedObject: corev1.ObjectReference{Namespace: "ns"}, ObjectMeta: metav1.ObjectMeta{Name: "e"}}, metav1.UpdateOptions{}) // @2
		require.NoError(t, err)
		create(t, s, "ns", cm("a")) // @3
		require.Equal(t, "1", s.Reached())
		w := record(t, s, req, metav1.ListOptions{ResourceVersion: "1"})
		s.Restart()
		require.True(t, w.over())
		require.Equal(t, []string{"ADDED e@2"}, record(t, s, req, metav1.ListOptions{ResourceVersion: "1"}).got())
		require.Equal(t, "3", s.Reached())
		create(t, s, "ns", cm("b"))
		require.Equal(t, "3", s.Reached(), "the lag is as before")
	})
}

func TestNotReady(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		history(t, s) // @2 to @7
		c := apiserver.ConfigMaps(s, "ns")
		w := record(t, s, inNS, metav1.ListOptions{})
		w.got()
		waits := make(chan error)
		go func() {
			_, err := c.List(ctx, metav1.ListOptions{ResourceVersion: "99"})
			waits <- err
		}()
		time.Sleep(time.Second)
		require.NoError(t, s.StopCache(configMaps))
		require.True(t, w.over())
		require.Empty(t, w.got(), "a clean end")
		require.EqualValues(t, 429, status(t, <-waits).Code)

		for _, o := range []metav1.ListOptions{{}, {ResourceVersion: "0"}, {ResourceVersion: "7"}, {LabelSelector: "k", Limit: 1}} {
			_, err := c.List(ctx, o)
			refused := status(t, err)
			require.EqualValues(t, 429, refused.Code)
			require.Equal(t, metav1.StatusReasonTooManyRequests, refused.Reason)
			require.Equal(t, "storage is (re)initializing", refused.Message)
			require.Equal(t, &metav1.StatusDetails{RetryAfterSeconds: 1}, refused.Details)
		}
		_, err := s.Watch(ctx, inNS, metav1.ListOptions{ResourceVersion: "7"})
		require.EqualValues(t, 429, status(t, err).Code)
		_, err = c.List(ctx, metav1.ListOptions{ResourceVersion: "xyz"})
		require.EqualValues(t, 400, status(t, err).Code, "what cannot be read comes first")

		page, err := c.List(ctx, metav1.ListOptions{Limit: 1, ResourceVersion: "0"})
		require.NoError(t, err, "a page without a selector is asked of the store")
		require.Equal(t, []string{"b@5", "@7"}, names(page))
		o, err := c.Get(ctx, "b", metav1.GetOptions{ResourceVersion: "0"})
		require.NoError(t, err)
		require.Equal(t, "5", o.ResourceVersion)
		create(t, s, "ns", cm("e")) // @8: writes go on
		_, err = apiserver.Leases(s, "ns").List(ctx, metav1.ListOptions{})
		require.NoError(t, err, "other kinds too")

		time.Sleep(time.Minute)
		_, err = c.List(ctx, metav1.ListOptions{})
		require.EqualValues(t, 30, status(t, err).Details.RetryAfterSeconds, "it grows with the time")

		require.Error(t, s.StopCache(configMaps))
		require.Error(t, s.StopCache(events))
		require.NoError(t, s.StartCache(configMaps))
		require.Error(t, s.StartCache(configMaps))
		require.Error(t, s.StartCache(events))
		l, err := c.List(ctx, metav1.ListOptions{Continue: page.Continue})
		require.NoError(t, err)
		require.Equal(t, []string{"c@4", "d@7", "@7"}, names(l))
		require.Equal(t, []string{"ERROR 410 too old resource version: 7 (8)"}, record(t, s, inNS, metav1.ListOptions{ResourceVersion: "7"}).got())
	})
}

// A cache that starts while the view lags has what the store has, and takes no change twice.
func TestStartCacheInALaggingView(t *testing.T) {
	bubble(t, apiserver.Options{CacheLag: time.Minute}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "ns", cm("a")) // @2
		require.NoError(t, s.StopCache(configMaps))
		touch(t, s, "ns", "a") // @3
		require.NoError(t, s.StartCache(configMaps))
		w := record(t, s, inNS, metav1.ListOptions{ResourceVersion: "0"})
		touch(t, s, "ns", "a") // @4
		require.Equal(t, []string{"ADDED a@3"}, w.got())
		time.Sleep(time.Minute)
		require.Equal(t, []string{"MODIFIED a@4"}, w.got())
	})
}

// A watch that had nothing to wait for hears of what lags, though nobody else asks for anything.
func TestIdleWatchInALaggingView(t *testing.T) {
	bubble(t, apiserver.Options{CacheLag: time.Minute}, func(t *testing.T, s *apiserver.Server) {
		w := record(t, s, inNS, metav1.ListOptions{ResourceVersion: "1"})
		require.Empty(t, w.got())
		create(t, s, "ns", cm("a")) // @2
		time.Sleep(30 * time.Second)
		create(t, s, "ns", cm("b")) // @3
		time.Sleep(29 * time.Second)
		require.Empty(t, w.got())
		time.Sleep(time.Second)
		require.Equal(t, []string{"ADDED a@2"}, w.got())
		time.Sleep(30 * time.Second)
		require.Equal(t, []string{"ADDED b@3"}, w.got())
	})
}

// A caller who goes away does not wait for a cache.
func TestLagAndContext(t *testing.T) {
	bubble(t, apiserver.Options{CacheLag: -1}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "ns", cm("a"))
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err := apiserver.ConfigMaps(s, "ns").List(short, metav1.ListOptions{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = s.Watch(short, inNS, metav1.ListOptions{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}
