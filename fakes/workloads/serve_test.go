package workloads_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/lwtest/lwtest/fakes/apiserver/serve"
)

func TestServedWithWorkloads(t *testing.T) {
	for _, c := range []struct {
		name        string
		o           serve.Options
		pods, bound int
	}{
		{"all", serve.Options{Workloads: true, Scheduler: true}, 4, 4},
		{"no scheduler", serve.Options{Workloads: true}, 4, 0},
		{"none", serve.Options{}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.o.InMemory = true
				s, err := serve.Start(ctx, c.o)
				require.NoError(t, err)
				k := &cluster{t: t, Server: s.Store}
				k.create(readyNode("node-1"))
				k.apply(web)
				k.wait(time.Minute)
				bound := 0
				all := list[*corev1.Pod](k, pods)
				for _, p := range all {
					if p.Spec.NodeName == "node-1" {
						bound++
					}
				}
				assert.Equal(t, []int{c.pods, c.bound}, []int{len(all), bound})
				require.NoError(t, s.Close())
			})
		})
	}
}
