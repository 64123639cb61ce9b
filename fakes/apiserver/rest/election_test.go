package rest_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// client-go's leader election has one leader at a time, and the next when that is gone.
func TestLeaderElection(t *testing.T) {
	inBubble(t, apiserver.Options{}, func(t *testing.T, b both) {
		clients, err := kubernetes.NewForConfig(b.RESTConfig())
		require.NoError(t, err)
		leads := make(chan string, 2)
		run := func(ctx context.Context, name string) chan struct{} {
			e, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
				Lock: &resourcelock.LeaseLock{
					LeaseMeta: metav1.ObjectMeta{Namespace: "default", Name: "lock"}, Client: clients.CoordinationV1(),
					LockConfig: resourcelock.ResourceLockConfig{Identity: name},
				},
				LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: func(ctx context.Context) { leads <- name; <-ctx.Done() },
					OnStoppedLeading: func() {},
				},
			})
			require.NoError(t, err)
			done := make(chan struct{})
			go func() { defer close(done); e.Run(ctx) }()
			return done
		}
		first, stopFirst := context.WithCancel(t.Context())
		second, stopSecond := context.WithCancel(t.Context())
		defer stopSecond()
		firstDone := run(first, "first")
		require.Equal(t, "first", <-leads)
		secondDone := run(second, "second")
		time.Sleep(10 * time.Minute)
		require.Empty(t, leads, "the first renews its lease")
		stopFirst()
		<-firstDone
		from := time.Now()
		require.Equal(t, "second", <-leads)
		require.Greater(t, time.Since(from), 10*time.Second, "not before the lease has run out")
		l, err := clients.CoordinationV1().Leases("default").Get(t.Context(), "lock", metav1.GetOptions{})
		require.NoError(t, err)
		require.EqualValues(t, 1, *l.Spec.LeaseTransitions)
		stopSecond()
		<-secondDone
	})
}
