package apiserver_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// The first event after a pause is sent at once, and those that follow it wait for one another, but not for long.
func TestPushPaces(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		w, err := s.WatchShared(ctx, apiserver.Request{Resource: configMaps, Namespace: "default"}, metav1.ListOptions{})
		require.NoError(t, err)
		defer w.Stop()
		begin, n := time.Now(), 0
		var flushed []string
		go w.(apiserver.Pusher).Push(10*time.Millisecond, func(watch.Event) bool { n++; return true }, func() bool {
			flushed = append(flushed, fmt.Sprint(n, " at ", time.Since(begin)))
			return true
		})
		for i := range 6 {
			synctest.Wait()
			create(t, s, "default", cm(fmt.Sprint("a", i)))
			time.Sleep(2 * time.Millisecond)
		}
		time.Sleep(time.Second)
		cancel()
		<-w.ResultChan() // closed
		synctest.Wait()
		require.Equal(t, []string{"1 at 0s", "3 at 5ms", "6 at 15ms", "6 at 1.012s"}, flushed)
	})
}

// A watch that nobody pushes runs by its channel, and one that nobody reads ends, too.
func TestPusherUnused(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "default", cm("a"))
		req := apiserver.Request{Resource: configMaps}
		w, err := s.WatchShared(ctx, req, metav1.ListOptions{})
		require.NoError(t, err)
		require.Equal(t, watch.Added, (<-w.ResultChan()).Type)
		w.Stop()
		w, err = s.WatchShared(ctx, req, metav1.ListOptions{})
		require.NoError(t, err)
		w.Stop()
	})
}
