package workloads_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/schemas"
	"github.com/lwtest/lwtest/fakes/workloads"
)

// TestBadServer has caches that are behind, watches that end after three changes, and a window that forgets.
func TestBadServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apiserver.New(apiserver.Options{Namespaces: true, Types: schemas.Types, CacheLag: 300 * time.Millisecond, WindowCount: 5, WindowAge: time.Millisecond,
			Quirks: apiserver.Quirks{EndAfter: 3}})
		ctx, cancel := context.WithCancel(ctx)
		c := &cluster{t: t, Server: s, kubelet: &kubelet{api: s, ready: time.Second}}
		c.create(readyNode("node-1"))
		var running sync.WaitGroup
		running.Go(func() { assert.NoError(t, workloads.Run(ctx, s, everything)) })
		running.Go(func() { c.kubelet.run(ctx) })
		defer func() {
			cancel()
			running.Wait()
			require.NoError(t, s.Close())
		}()
		c.apply(web)
		c.apply(jobOf("Succeeded", "completions: 3"))
		c.wait(time.Second)
		s.Restart()
		require.NoError(t, s.Compact(""))
		c.wait(2 * time.Minute)
		assert.Equal(t, int32(4), the[*appsv1.Deployment](c, deployments, "web").Status.AvailableReplicas)
		assert.Len(t, list[*appsv1.ReplicaSet](c, replicaSets), 1)
		assert.Len(t, list[*corev1.Pod](c, pods), 7)
		assert.Equal(t, int32(3), the[*batchv1.Job](c, jobs, "work").Status.Succeeded)
		assert.Equal(t, completed, conditions(the[*batchv1.Job](c, jobs, "work")))
	})
}

// TestRunAgain ends a run in the middle of work, and starts another.
func TestRunAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apiserver.New(apiserver.Options{Namespaces: true, Types: schemas.Types})
		defer s.Close()
		c := &cluster{t: t, Server: s, kubelet: &kubelet{api: s, ready: time.Second}}
		c.create(readyNode("node-1"))
		c.apply(web)
		c.apply(jobOf("Succeeded", "completions: 9\n  parallelism: 3"))
		kubelet, stop := context.WithCancel(ctx)
		var running sync.WaitGroup
		running.Go(func() { c.kubelet.run(kubelet) })
		defer running.Wait()
		defer stop()
		for range 300 {
			ctx, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
			assert.NoError(t, workloads.Run(ctx, s, everything))
			cancel()
		}
		assert.Equal(t, completed, conditions(the[*batchv1.Job](c, jobs, "work")))
		assert.Equal(t, 13, len(list[*corev1.Pod](c, pods)), "nothing was made twice")
	})
}
