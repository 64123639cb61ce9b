package node_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/cri"
)

func execOf(script string) *v1.Probe {
	return &v1.Probe{ProbeHandler: v1.ProbeHandler{Exec: &v1.ExecAction{Command: []string{"sh", "-c", script}}}, PeriodSeconds: 2, FailureThreshold: 3}
}

func TestLiveness(t *testing.T) {
	inBubble(t, cri.Options{Images: []string{"busybox"}}, nil, func(w *world) {
		time.Sleep(10 * time.Second)
		p := simple("a", "trap 'exit 0' TERM; sleep 600 & wait")
		p.Spec.Containers[0].LivenessProbe = execOf("exit 1")
		p.Spec.Containers[0].LivenessProbe.TerminationGracePeriodSeconds = new(int64(3))
		w.create(p)
		time.Sleep(4 * time.Second)
		assert.Empty(t, w.calls("StopContainer"))
		time.Sleep(3 * time.Second)
		assert.Equal(t, []string{"StopContainer m.0 3"}, w.calls("StopContainer"))
		time.Sleep(time.Second)
		assert.EqualValues(t, 1, w.pod("a").Status.ContainerStatuses[0].RestartCount)
	})
}

func TestReadinessAndRestart(t *testing.T) {
	for _, ready := range []bool{true, false} {
		inBubble(t, cri.Options{Images: []string{"busybox"}}, nil, func(w *world) {
			script := "exit 1"
			if ready {
				script = "exit 0"
			}
			p := simple("a", "sleep 600")
			p.Spec.Containers[0].ReadinessProbe = execOf(script)
			p.Spec.Containers[0].StartupProbe = execOf("true")
			w.create(p)
			time.Sleep(20 * time.Second)
			want := v1.ConditionFalse
			if ready {
				want = v1.ConditionTrue
			}
			require.Equal(t, want, condition(w.pod("a"), v1.PodReady).Status)
			watch, err := w.k.CoreV1().Pods("default").Watch(context.Background(), metav1.ListOptions{ResourceVersion: w.pod("a").ResourceVersion})
			require.NoError(t, err)
			done := make(chan struct{})
			go func() {
				defer close(done)
				for e := range watch.ResultChan() {
					if p, ok := e.Object.(*v1.Pod); ok {
						assert.Equal(t, want, condition(p, v1.PodReady).Status)
						assert.True(t, *p.Status.ContainerStatuses[0].Started)
					}
				}
			}()
			w.restart()
			time.Sleep(30 * time.Second)
			watch.Stop()
			<-done
			assert.Equal(t, v1.PodRunning, w.pod("a").Status.Phase)
		})
	}
}

func TestStartupGates(t *testing.T) {
	inBubble(t, cri.Options{Images: []string{"busybox"}}, nil, func(w *world) {
		time.Sleep(10 * time.Second)
		p := simple("a", "trap 'exit 0' TERM; sleep 600 & wait")
		p.Spec.Containers[0].StartupProbe = execOf("exit 2")
		p.Spec.Containers[0].LivenessProbe = execOf("exit 3")
		w.create(p)
		time.Sleep(5 * time.Second)
		for _, c := range w.rt.Calls() {
			assert.NotContains(t, fmt.Sprint(c.Request), "exit 3")
		}
		assert.False(t, *w.pod("a").Status.ContainerStatuses[0].Started)
		time.Sleep(3 * time.Second)
		assert.Equal(t, []string{"StopContainer m.0 5"}, w.calls("StopContainer"))
	})
}
