package apiserver_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

func TestBookmarks(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "ns", cm("a"))
		o := metav1.ListOptions{ResourceVersion: "2", AllowWatchBookmarks: true, TimeoutSeconds: ptr(int64(150))}
		w, silent := record(t, s, inNS, o), record(t, s, inNS, metav1.ListOptions{ResourceVersion: "2", TimeoutSeconds: ptr(int64(150))})
		time.Sleep(62 * time.Second)
		require.Empty(t, w.got(), "nothing is newer than the start")
		create(t, s, "other", cm("b"))
		time.Sleep(57 * time.Second)
		require.Empty(t, w.got())
		time.Sleep(5 * time.Second) // 2:04
		require.Equal(t, []string{"BOOKMARK @3"}, w.got(), "of another namespace, even of another kind")
		m := w.last.Object.(*corev1.ConfigMap)
		require.Equal(t, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "3"}}, m)
		time.Sleep(23 * time.Second) // 2:27
		require.Empty(t, w.got())
		time.Sleep(time.Second) // 2:28
		require.Equal(t, []string{"BOOKMARK @3"}, w.got(), "about two seconds before the timeout")
		require.False(t, w.over())
		time.Sleep(2 * time.Second)
		require.True(t, w.over())
		require.Empty(t, w.got(), "a clean end")
		require.Empty(t, silent.got())
	})
}

// A kind without a cache gives the bookmark that ends the initial events, and no other.
func TestUncachedBookmarks(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		w := record(t, s, apiserver.Request{Resource: events}, metav1.ListOptions{AllowWatchBookmarks: true})
		require.Equal(t, []string{"BOOKMARK @1 end"}, w.got())
		create(t, s, "ns", cm("a"))
		time.Sleep(10 * time.Minute)
		require.Empty(t, w.got())
	})
}

func TestWatchLag(t *testing.T) {
	bubble(t, apiserver.Options{WatchLag: 30 * time.Second, BookmarkEvery: 8 * time.Second}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "ns", cm("a"))
		w := record(t, s, inNS, metav1.ListOptions{AllowWatchBookmarks: true})
		touch(t, s, "ns", "a")
		require.Equal(t, []string{"ADDED a@2", "BOOKMARK @2 end"}, w.got(), "what it starts from does not lag")
		time.Sleep(29 * time.Second)
		require.Empty(t, w.got(), "no bookmark covers what has not come")
		time.Sleep(4 * time.Second)
		require.Equal(t, []string{"MODIFIED a@3", "BOOKMARK @3"}, w.got())
		_, err := s.Update(ctx, apiserver.Request{Resource: events, Namespace: "ns", Name: "e"}, &corev1.Event{InvolvedObject: corev1.ObjectReference{Namespace: "ns"}, ObjectMeta: metav1.ObjectMeta{Name: "e"}}, metav1.UpdateOptions{})
		require.NoError(t, err)
		time.Sleep(9 * time.Second)
		touch(t, s, "ns", "a")
		require.Subset(t, w.got(), []string{"BOOKMARK @4"})
		time.Sleep(20 * time.Second)
		require.NotContains(t, w.got(), "BOOKMARK @3", "none goes back")
	})
}

func TestWatchTimeouts(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "ns", cm("a"))
		now := record(t, s, inNS, metav1.ListOptions{TimeoutSeconds: ptr(int64(-1))})
		require.True(t, now.over())
		require.Empty(t, now.got())
		long := record(t, s, inNS, metav1.ListOptions{TimeoutSeconds: ptr(int64(0))})
		time.Sleep(30*time.Minute - time.Second)
		require.False(t, long.over())
		time.Sleep(30 * time.Minute)
		require.True(t, long.over(), "the server's own: 30 to 60 minutes")
	})
	bubble(t, apiserver.Options{WatchTimeout: -1}, func(t *testing.T, s *apiserver.Server) {
		w := record(t, s, inNS, metav1.ListOptions{})
		time.Sleep(1000 * time.Hour)
		require.False(t, w.over())
	})
}

// The timeout ends a watch whose reader has stalled, too.
func TestStalledReaderTimesOut(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "ns", cm("a"))
		w, err := s.Watch(ctx, inNS, metav1.ListOptions{TimeoutSeconds: ptr(int64(5))})
		require.NoError(t, err)
		time.Sleep(6 * time.Second)
		_, open := <-w.ResultChan()
		require.False(t, open)
	})
}
