package node_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/fakes/node"
)

var busybox = cri.Options{Images: []string{"busybox"}}

func TestRestartPolicy(t *testing.T) {
	inBubble(t, busybox, nil, func(w *world) {
		for _, x := range []struct {
			policy v1.RestartPolicy
			code   int
			phase  v1.PodPhase
		}{{v1.RestartPolicyAlways, 0, v1.PodRunning}, {v1.RestartPolicyAlways, 1, v1.PodRunning}, {v1.RestartPolicyOnFailure, 0, v1.PodSucceeded}, {v1.RestartPolicyOnFailure, 1, v1.PodRunning},
			{v1.RestartPolicyNever, 0, v1.PodSucceeded}, {v1.RestartPolicyNever, 1, v1.PodFailed}} {
			name := fmt.Sprintf("p%d-%d", len(x.policy), x.code)
			p := simple(name, fmt.Sprintf("exit %d", x.code))
			p.Spec.RestartPolicy = x.policy
			w.create(p)
			time.Sleep(20 * time.Second)
			st := w.pod(name).Status
			assert.Equal(t, x.phase, st.Phase, name)
			if x.phase == v1.PodRunning {
				assert.Greater(t, st.ContainerStatuses[0].RestartCount, int32(2))
			} else {
				assert.Zero(t, st.ContainerStatuses[0].RestartCount)
			}
		}
	})
}

func TestCrashLoop(t *testing.T) {
	inBubble(t, busybox, func(c *node.Config) { c.MaxContainerRestartPeriod, c.SyncFrequency = 0, 0 }, func(w *world) {
		w.create(simple("a", "exit 1"))
		time.Sleep(15 * time.Minute)
		var starts []time.Duration
		var last time.Time
		for _, c := range w.rt.Calls() {
			if c.Method == "StartContainer" {
				starts, last = append(starts, c.Began.Sub(last)), c.Began
			}
		}
		for i, least := range []time.Duration{0, 10, 20, 40, 80, 160} {
			assert.GreaterOrEqual(t, starts[i+1], least*time.Second)
			assert.Less(t, starts[i+1], least*3/2*time.Second+3*time.Second)
		}
		p := w.pod("a")
		assert.Equal(t, "CrashLoopBackOff", p.Status.ContainerStatuses[0].State.Waiting.Reason)
		assert.Equal(t, v1.PodRunning, p.Status.Phase)
		time.Sleep(2 * time.Minute)
		assert.Equal(t, 1, w.rt.Holds()["containers"], "of dead runs one is kept")
	})
}

func TestImages(t *testing.T) {
	o := cri.Options{Registry: map[string]cri.Image{"busybox": {}, "secret.example.com/x": {Username: "u", Password: "p"}}}
	inBubble(t, o, nil, func(w *world) {
		never := simple("never", "sleep 600")
		never.Spec.Containers[0].ImagePullPolicy = v1.PullNever
		w.create(never)
		absent := simple("absent", "sleep 600")
		absent.Spec.Containers[0].Image = "nothing"
		w.create(absent)
		time.Sleep(5 * time.Second)
		assert.Equal(t, "ErrImageNeverPull", w.pod("never").Status.ContainerStatuses[0].State.Waiting.Reason)
		assert.Equal(t, []string{"PullImage nothing:latest"}, w.calls("PullImage"))
		time.Sleep(4 * time.Minute)
		assert.Equal(t, "ImagePullBackOff", w.pod("absent").Status.ContainerStatuses[0].State.Waiting.Reason)
		assert.Less(t, len(w.calls("PullImage")), 6)

		_, err := w.k.CoreV1().Secrets("default").Create(context.Background(), &v1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Type: v1.SecretTypeDockerConfigJson,
			Data: map[string][]byte{v1.DockerConfigJsonKey: []byte(`{"auths":{"secret.example.com":{"username":"u","password":"p"}}}`)}}, metav1.CreateOptions{})
		require.NoError(t, err)
		with, without := simple("with", "sleep 600"), simple("without", "sleep 600")
		with.Spec.Containers[0].Image, without.Spec.Containers[0].Image = "secret.example.com/x", "secret.example.com/x"
		with.Spec.ImagePullSecrets = []v1.LocalObjectReference{{Name: "s"}}
		w.create(with)
		time.Sleep(5 * time.Second)
		assert.Equal(t, v1.PodRunning, w.pod("with").Status.Phase)
		w.create(without)
		time.Sleep(5 * time.Second)
		assert.Equal(t, v1.PodPending, w.pod("without").Status.Phase)
	})
}

func TestDeadlineAndAdmission(t *testing.T) {
	inBubble(t, busybox, nil, func(w *world) {
		p := simple("late", "trap 'exit 0' TERM; sleep 600 & wait")
		p.Spec.ActiveDeadlineSeconds = new(int64(10))
		w.create(p)
		big := simple("big", "sleep 600")
		big.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceCPU: quantity("100")}
		w.create(big)
		elsewhere := simple("elsewhere", "sleep 600")
		elsewhere.Spec.NodeSelector = map[string]string{"a": "b"}
		w.create(elsewhere)
		time.Sleep(30 * time.Second)
		assert.Equal(t, "DeadlineExceeded", w.pod("late").Status.Reason)
		assert.Equal(t, v1.PodFailed, w.pod("late").Status.Phase)
		assert.Equal(t, "OutOfcpu", w.pod("big").Status.Reason)
		assert.Equal(t, "NodeAffinity", w.pod("elsewhere").Status.Reason)
		assert.Len(t, w.calls("RunPodSandbox"), 1)
		w.remove("big", nil)
		time.Sleep(10 * time.Second)
		assert.Nil(t, w.pod("big"))
	})
}

func TestRestartRules(t *testing.T) {
	inBubble(t, busybox, nil, func(w *world) {
		p := parse(t, "rules", `
restartPolicy: Never
containers:
- {name: m, image: busybox, command: [sh, -c, "sleep 2; exit 42"], restartPolicy: Never, restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [42]}}]}
`)
		w.create(p)
		all := parse(t, "all", `
restartPolicy: Never
initContainers:
- {name: i, image: busybox, command: ["true"]}
containers:
- {name: m, image: busybox, command: [sh, -c, "sleep 20; exit 42"], restartPolicy: Never, restartPolicyRules: [{action: RestartAllContainers, exitCodes: {operator: In, values: [42]}}]}
- {name: other, image: busybox, command: [sh, -c, "sleep 600"]}
`)
		time.Sleep(20 * time.Second)
		assert.Greater(t, w.pod("rules").Status.ContainerStatuses[0].RestartCount, int32(1))
		assert.Equal(t, v1.PodRunning, w.pod("rules").Status.Phase)
		w.remove("rules", new(int64(0)))
		time.Sleep(10 * time.Second)
		w.create(all)
		watch, err := w.k.CoreV1().Pods("default").Watch(context.Background(), metav1.ListOptions{FieldSelector: "metadata.name=all"})
		require.NoError(t, err)
		restarting, done := false, make(chan struct{})
		go func() {
			defer close(done)
			for e := range watch.ResultChan() {
				if p, ok := e.Object.(*v1.Pod); ok {
					c := condition(p, v1.AllContainersRestarting)
					restarting = restarting || c != nil && c.Status == v1.ConditionTrue
					assert.NotContains(t, []v1.PodPhase{v1.PodFailed, v1.PodSucceeded}, p.Status.Phase)
				}
			}
		}()
		time.Sleep(30 * time.Second)
		watch.Stop()
		<-done
		assert.True(t, restarting)
		assert.Equal(t, []string{"StopContainer other.0 2", "RemoveContainer other.0", "RemoveContainer i.0", "RemoveContainer m.0"}, slices.DeleteFunc(w.calls("StopContainer", "RemoveContainer"), func(s string) bool { return strings.Contains(s, " m.") && !strings.HasSuffix(s, "m.0") })[1:])
		assert.Len(t, w.calls("RunPodSandbox"), 2)
		for _, s := range w.pod("all").Status.ContainerStatuses {
			assert.EqualValues(t, 1, s.RestartCount)
		}
	})
}

func TestEphemeralAndHooks(t *testing.T) {
	inBubble(t, busybox, nil, func(w *world) {
		p := simple("a", "sleep 600")
		w.create(p)
		hook := simple("hook", "trap 'exit 0' TERM; sleep 600 & wait")
		hook.Spec.Containers[0].Lifecycle = &v1.Lifecycle{PostStart: &v1.LifecycleHandler{Exec: &v1.ExecAction{Command: []string{"false"}}}}
		w.create(hook)
		time.Sleep(5 * time.Second)
		_, err := w.k.CoreV1().Pods("default").Patch(context.Background(), "a", types.StrategicMergePatchType,
			[]byte(`{"spec":{"ephemeralContainers":[{"name":"e","image":"busybox","command":["sh","-c","exit 3"]}]}}`), metav1.PatchOptions{}, "ephemeralcontainers")
		require.NoError(t, err)
		time.Sleep(10 * time.Second)
		p = w.pod("a")
		require.Len(t, p.Status.EphemeralContainerStatuses, 1)
		assert.EqualValues(t, 3, p.Status.EphemeralContainerStatuses[0].State.Terminated.ExitCode)
		assert.Equal(t, v1.PodRunning, p.Status.Phase)
		assert.Greater(t, w.pod("hook").Status.ContainerStatuses[0].RestartCount, int32(1))
	})
}

func (w *world) resize(name, cpu, memory string) {
	w.Helper()
	_, err := w.k.CoreV1().Pods("default").Patch(context.Background(), name, types.StrategicMergePatchType,
		fmt.Appendf(nil, `{"spec":{"containers":[{"name":"m","resources":{"requests":{"cpu":%q,"memory":%q},"limits":{"cpu":%q,"memory":%q}}}]}}`, cpu, memory, cpu, memory), metav1.PatchOptions{}, "resize")
	require.NoError(w, err)
}

func TestResize(t *testing.T) {
	inBubble(t, busybox, func(c *node.Config) { c.State = t.TempDir() }, func(w *world) {
		p := simple("a", "sleep 600")
		both := v1.ResourceList{v1.ResourceCPU: quantity("1"), v1.ResourceMemory: quantity("100Mi")}
		p.Spec.Containers[0].Resources = v1.ResourceRequirements{Requests: both, Limits: both}
		w.create(p)
		time.Sleep(5 * time.Second)
		updates := []string{"UpdatePodSandboxResources", "UpdateContainerResources"}
		assert.Empty(t, w.calls(updates...))
		w.resize("a", "2", "100Mi")
		time.Sleep(5 * time.Second)
		assert.Equal(t, []string{updates[0], updates[0], updates[1]}, w.calls(updates...), "the limit of the pod, then its request, then the container")
		st := w.pod("a").Status
		assert.Nil(t, condition(w.pod("a"), v1.PodResizeInProgress))
		assert.Equal(t, "2", st.ContainerStatuses[0].Resources.Limits.Cpu().String())
		w.resize("a", "1", "100Mi")
		time.Sleep(5 * time.Second)
		assert.Equal(t, []string{updates[1], updates[0], updates[0]}, w.calls(updates...)[3:])
		w.resize("a", "100", "100Mi")
		time.Sleep(5 * time.Second)
		assert.Equal(t, v1.PodReasonDeferred, condition(w.pod("a"), v1.PodResizePending).Reason)
		w.restart()
		time.Sleep(10 * time.Second)
		assert.Equal(t, v1.PodReasonDeferred, condition(w.pod("a"), v1.PodResizePending).Reason)
		for _, c := range w.rt.Calls() {
			if c.Method == "CreateContainer" {
				w.rt.Exit(c.Reply.(*runtimeapi.CreateContainerResponse).ContainerId, 1)
			}
		}
		time.Sleep(10 * time.Second)
		last := ""
		for _, c := range w.rt.Calls() {
			if q, ok := c.Request.(*runtimeapi.CreateContainerRequest); ok {
				last = fmt.Sprint(q.Config.Linux.Resources.CpuQuota)
			}
		}
		assert.Equal(t, "100000", last, "it runs with what was allocated")
		other := simple("b", "sleep 600")
		other.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceCPU: quantity("2")}
		w.create(other)
		w.resize("a", "3", "100Mi")
		time.Sleep(5 * time.Second)
		assert.Equal(t, v1.PodReasonDeferred, condition(w.pod("a"), v1.PodResizePending).Reason)
		w.remove("b", new(int64(1)))
		time.Sleep(10 * time.Second)
		assert.Nil(t, condition(w.pod("a"), v1.PodResizePending))
		assert.Equal(t, "3", w.pod("a").Status.ContainerStatuses[0].Resources.Limits.Cpu().String())
		w.resize("a", "3", "1Mi")
		time.Sleep(5 * time.Second)
		assert.Equal(t, v1.PodReasonError, condition(w.pod("a"), v1.PodResizeInProgress).Reason, "it uses more than that")
	})
}

func TestEviction(t *testing.T) {
	var used atomic.Uint64
	used.Store(1)
	inBubble(t, busybox, func(c *node.Config) {
		c.Stats = func() (uint64, uint64) { return used.Load(), 100 }
		c.EvictionPressureTransitionPeriod = 30 * time.Second
	}, func(w *world) {
		w.create(simple("a", "trap 'exit 1' TERM; sleep 600 & wait"))
		burst := simple("burst", "trap 'exit 1' TERM; sleep 600 & wait")
		burst.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceCPU: quantity("1")}
		w.create(burst)
		time.Sleep(6 * time.Second)
		used.Store(99)
		time.Sleep(13 * time.Second) // one look at the file system
		used.Store(1)
		n, err := w.k.CoreV1().Nodes().Get(context.Background(), "node1", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, v1.ConditionTrue, n.Status.Conditions[1].Status)
		p := w.pod("a")
		assert.Equal(t, v1.PodFailed, p.Status.Phase)
		assert.Equal(t, "Evicted", p.Status.Reason)
		assert.Equal(t, "TerminationByKubelet", condition(p, v1.DisruptionTarget).Reason)
		assert.Equal(t, v1.PodRunning, w.pod("burst").Status.Phase)
		w.create(simple("more", "sleep 600"))
		time.Sleep(2 * time.Second)
		assert.Equal(t, "Evicted", w.pod("more").Status.Reason)
		time.Sleep(time.Minute)
		n, err = w.k.CoreV1().Nodes().Get(context.Background(), "node1", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, v1.ConditionFalse, n.Status.Conditions[1].Status)
	})
}

func TestImageCollection(t *testing.T) {
	var used atomic.Uint64
	used.Store(1)
	o := cri.Options{Images: []string{"busybox", "old", "pinned"}, Registry: map[string]cri.Image{"busybox": {}, "old": {Size: 30}, "pinned": {Pinned: true}, "young": {Size: 30}}}
	inBubble(t, o, func(c *node.Config) {
		c.Stats = func() (uint64, uint64) { return used.Load(), 100 }
		c.EvictionHard = map[string]string{}
	}, func(w *world) {
		w.create(simple("a", "sleep 6000"))
		time.Sleep(4*time.Minute + 30*time.Second)
		w.create(func() *v1.Pod {
			p := simple("y", "exit 0")
			p.Spec.RestartPolicy = v1.RestartPolicyNever
			p.Spec.Containers[0].Image = "young"
			return p
		}())
		time.Sleep(time.Second)
		used.Store(90)
		time.Sleep(6 * time.Minute)
		list, err := runtimeapi.NewImageServiceClient(w.conn).ListImages(context.Background(), &runtimeapi.ListImagesRequest{})
		require.NoError(t, err)
		var tags []string
		for _, i := range list.Images {
			tags = append(tags, i.RepoTags...)
		}
		assert.ElementsMatch(t, []string{"docker.io/library/busybox:latest", "docker.io/library/pinned:latest", "docker.io/library/young:latest"}, tags)
	})
}

// Each call fails once, or was done though it says that it was not, or hangs.
func TestFaults(t *testing.T) {
	methods := []string{"RunPodSandbox", "StopPodSandbox", "RemovePodSandbox", "PodSandboxStatus", "ListPodSandbox", "CreateContainer", "StartContainer", "StopContainer", "RemoveContainer", "ListContainers",
		"ContainerStatus", "PullImage", "ImageStatus", "ListImages", "Status", "Version", "RuntimeConfig", "ExecSync", "ImageFsInfo"}
	for _, m := range methods {
		for name, f := range map[string]cri.Fault{"unavailable": {Code: codes.Unavailable}, "applied": {Code: codes.DeadlineExceeded, Applied: true}, "hangs": {Hang: true, For: cri.Duration(20 * time.Second)}, "hangs, applied": {Hang: true, Applied: true, For: cri.Duration(20 * time.Second), Code: codes.Unknown}} {
			t.Run(m+" "+name, func(t *testing.T) {
				f.Method, f.Times = m, 1
				inBubble(t, cri.Options{}, func(c *node.Config) { c.RuntimeRequestTimeout = 3 * time.Second }, func(w *world) {
					w.rt.Arm(f)
					p := simple("a", "trap 'exit 0' TERM; sleep 600 & wait")
					p.Spec.Containers[0].ReadinessProbe = execOf("true")
					w.create(p)
					time.Sleep(90 * time.Second)
					require.Equal(t, v1.PodRunning, w.pod("a").Status.Phase)
					list, err := runtimeapi.NewRuntimeServiceClient(w.conn).ListContainers(context.Background(), &runtimeapi.ListContainersRequest{Filter: &runtimeapi.ContainerFilter{State: &runtimeapi.ContainerStateValue{State: runtimeapi.ContainerState_CONTAINER_RUNNING}}})
					require.NoError(t, err)
					assert.Len(t, list.Containers, 1)
					w.rt.Clear("*")
					w.rt.Arm(f)
					w.remove("a", nil)
					time.Sleep(150 * time.Second)
					assert.Nil(t, w.pod("a"))
					assert.Empty(t, w.rt.Sandboxes())
				})
			})
		}
	}
}

func TestRuntimeAway(t *testing.T) {
	inBubble(t, busybox, nil, func(w *world) {
		w.create(simple("a", "sleep 6000"))
		time.Sleep(5 * time.Second)
		before := w.pod("a").ResourceVersion
		w.rt.Crash()
		time.Sleep(40 * time.Second)
		n, err := w.k.CoreV1().Nodes().Get(context.Background(), "node1", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, v1.ConditionFalse, n.Status.Conditions[3].Status)
		w.rt.Restart(cri.Keeps)
		time.Sleep(20 * time.Second)
		n, err = w.k.CoreV1().Nodes().Get(context.Background(), "node1", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, v1.ConditionTrue, n.Status.Conditions[3].Status)
		assert.Equal(t, before, w.pod("a").ResourceVersion)
	})
}

// P1 and P2: the deadline of a CreateContainer ends while the container is being made, or its name is kept for a while.
func TestSlowCreate(t *testing.T) {
	for _, p := range []cri.Personality{cri.Containerd, cri.CRIO} {
		inBubble(t, cri.Options{Personality: p, Images: []string{"busybox"}}, func(c *node.Config) { c.RuntimeRequestTimeout = 3 * time.Second }, func(w *world) {
			w.rt.Arm(cri.Fault{Method: "CreateContainer", Slow: cri.Duration(10 * time.Second), Times: 1})
			w.create(simple("a", "sleep 6000"))
			time.Sleep(2 * time.Minute)
			assert.Equal(t, v1.PodRunning, w.pod("a").Status.Phase)
			assert.Empty(t, w.twice())
		})
	}
}
