package node_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/cri"
)

func TestNode(t *testing.T) {
	inBubble(t, cri.Options{Handlers: []string{"runc"}}, nil, func(w *world) {
		n, err := w.k.CoreV1().Nodes().Get(context.Background(), "node1", metav1.GetOptions{})
		require.NoError(t, err)
		for _, c := range n.Status.Conditions {
			assert.Equal(t, c.Type == v1.NodeReady, c.Status == v1.ConditionTrue, c)
		}
		assert.Len(t, n.Status.RuntimeHandlers, 2)
		assert.IsIncreasing(t, n.Status.DeclaredFeatures)
		l, err := w.k.CoordinationV1().Leases("kube-node-lease").Get(context.Background(), "node1", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, n.UID, l.OwnerReferences[0].UID)
		assert.EqualValues(t, 8, *l.Spec.LeaseDurationSeconds)

		before, leases := len(w.requests("patch", "nodes", "status")), len(w.requests("update", "leases", ""))
		time.Sleep(time.Minute)
		assert.Len(t, w.requests("patch", "nodes", "status"), before, "nothing has changed")
		assert.InDelta(t, 30, len(w.requests("update", "leases", ""))-leases, 2, "each two seconds")
		w.rt.SetReady("it is broken", "")
		time.Sleep(15 * time.Second)
		n, err = w.k.CoreV1().Nodes().Get(context.Background(), "node1", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Contains(t, n.Status.Conditions[3].Message, "it is broken")
	})
}

func TestPod(t *testing.T) {
	inBubble(t, cri.Options{Images: []string{"busybox"}}, nil, func(w *world) {
		w.create(parse(t, "a", `
terminationGracePeriodSeconds: 5
initContainers:
- {name: i1, image: busybox, command: [sh, -c, exit 0]}
- {name: side, image: busybox, restartPolicy: Always, command: [sh, -c, "trap 'exit 3' TERM; sleep 600 & wait"]}
containers:
- {name: m, image: busybox, command: [sh, -c, "trap 'exit 0' TERM; sleep 600 & wait"], lifecycle: {preStop: {sleep: {seconds: 2}}}}
`))
		time.Sleep(5 * time.Second)
		p := w.pod("a")
		require.Equal(t, v1.PodRunning, p.Status.Phase)
		for _, c := range p.Status.Conditions {
			assert.Equal(t, v1.ConditionTrue, c.Status, c)
			assert.EqualValues(t, 1, c.ObservedGeneration)
		}
		assert.Equal(t, []string{"RunPodSandbox a", "CreateContainer i1.0", "StartContainer i1.0", "CreateContainer side.0", "StartContainer side.0", "CreateContainer m.0", "StartContainer m.0"}, w.calls(life...))
		patches := len(w.requests("patch", "pods", "status"))
		time.Sleep(time.Minute)
		assert.Len(t, w.requests("patch", "pods", "status"), patches, "nothing has changed")

		w.remove("a", nil)
		time.Sleep(5 * time.Second)
		assert.Nil(t, w.pod("a"))
		assert.Equal(t, []string{"StopContainer m.0 3", "StopContainer side.0 3", "StopPodSandbox a"}, w.calls(life...)[7:10], "then its containers are removed")
		deletes := w.requests("delete", "pods", "")
		require.Len(t, deletes, 1)
		assert.JSONEq(t, `{"gracePeriodSeconds":0,"preconditions":{"uid":"`+string(p.UID)+`"}}`, string(deletes[0].Options))
		time.Sleep(2 * time.Minute)
		assert.Empty(t, w.rt.Sandboxes())
	})
}

func TestForceDelete(t *testing.T) {
	inBubble(t, cri.Options{Images: []string{"busybox"}}, nil, func(w *world) {
		w.create(simple("a", "trap '' TERM; sleep 600"))
		time.Sleep(5 * time.Second)
		w.remove("a", new(int64(0)))
		p := w.create(simple("a", "sleep 600"))
		time.Sleep(15 * time.Second)
		assert.Equal(t, v1.PodRunning, w.pod("a").Status.Phase)
		assert.Equal(t, p.UID, w.pod("a").UID)
		calls := slices.DeleteFunc(w.calls(life...), func(s string) bool { return strings.HasPrefix(s, "Remove") }) // of the old one, at any time
		assert.Equal(t, []string{"StopContainer m.0 2", "StopPodSandbox a"}, calls[3:5], "the old one ends first: %v", calls)
		assert.Equal(t, "RunPodSandbox a", calls[5])
	})
}

func TestRestartOfTheAgent(t *testing.T) {
	inBubble(t, cri.Options{Images: []string{"busybox"}}, nil, func(w *world) {
		w.create(simple("stays", "sleep 600"))
		w.create(simple("goes", "trap '' TERM; sleep 600"))
		orphan := w.create(simple("orphan", "sleep 600"))
		time.Sleep(5 * time.Second)
		uid := w.pod("stays").UID
		w.remove("goes", nil)
		time.Sleep(2 * time.Second)
		w.stop()
		w.remove("orphan", new(int64(0)))
		_ = orphan
		w.start()
		time.Sleep(20 * time.Second)
		assert.Nil(t, w.pod("goes"))
		assert.Equal(t, v1.PodRunning, w.pod("stays").Status.Phase)
		assert.Equal(t, uid, w.pod("stays").UID)
		assert.Zero(t, w.pod("stays").Status.ContainerStatuses[0].RestartCount)
		assert.Len(t, w.calls("CreateContainer"), 3)
		assert.Len(t, w.calls("StopContainer"), 3, "twice for goes, once for orphan")
		time.Sleep(2 * time.Minute)
		assert.Len(t, w.rt.Sandboxes(), 1)
	})
}

// P15: after a reboot init containers run first.
func TestReboot(t *testing.T) {
	inBubble(t, cri.Options{Images: []string{"busybox"}}, nil, func(w *world) {
		p := simple("a", "sleep 600")
		p.Spec.InitContainers = []v1.Container{{Name: "i", Image: "busybox", Command: []string{"true"}, ImagePullPolicy: v1.PullIfNotPresent}}
		w.create(p)
		time.Sleep(5 * time.Second)
		w.stop()
		for _, id := range w.rt.Sandboxes() {
			w.rt.KillSandbox(id)
		}
		before := len(w.calls(life...))
		w.start()
		time.Sleep(10 * time.Second)
		assert.Equal(t, []string{"StopContainer m.0 5", "StopPodSandbox a", "RemoveContainer i.0", "RunPodSandbox a", "CreateContainer i.1", "StartContainer i.1", "CreateContainer m.1", "StartContainer m.1"}, w.calls(life...)[before:])
		assert.Equal(t, v1.PodRunning, w.pod("a").Status.Phase)
		w.rt.Restart(cri.ForgetsAll)
		time.Sleep(10 * time.Second)
		assert.Equal(t, v1.PodRunning, w.pod("a").Status.Phase)
	})
}
