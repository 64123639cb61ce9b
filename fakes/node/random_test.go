package node_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/fakes/node"
)

// twice returns the containers of which more than one runs, and the static pods that have more than one sandbox.
func (w *world) twice() (all []string) {
	rt, ctx := runtimeapi.NewRuntimeServiceClient(w.conn), context.Background()
	count := map[string]int{}
	cs, err := rt.ListContainers(ctx, &runtimeapi.ListContainersRequest{Filter: &runtimeapi.ContainerFilter{State: &runtimeapi.ContainerStateValue{State: runtimeapi.ContainerState_CONTAINER_RUNNING}}})
	if err == nil {
		for _, c := range cs.Containers {
			count[c.Labels["io.kubernetes.pod.uid"]+"/"+c.Labels["io.kubernetes.container.name"]]++
		}
	}
	ss, err := rt.ListPodSandbox(ctx, &runtimeapi.ListPodSandboxRequest{Filter: &runtimeapi.PodSandboxFilter{State: &runtimeapi.PodSandboxStateValue{}}})
	if err == nil {
		for _, s := range ss.Items {
			if s.Metadata.Name == "st-node1" {
				count["static"]++
			}
		}
	}
	for k, n := range count {
		if n > 1 {
			all = append(all, k)
		}
	}
	return all
}

var faulty = []string{"RunPodSandbox", "StopPodSandbox", "PodSandboxStatus", "ListPodSandbox", "CreateContainer", "StartContainer", "StopContainer", "RemoveContainer", "ListContainers", "ContainerStatus", "PullImage",
	"ImageStatus", "Status", "RemovePodSandbox"}

// step does something at random.
func (w *world) step(r *rand.Rand) {
	ctx, name := context.Background(), fmt.Sprintf("p%d", r.IntN(3))
	pods := w.k.CoreV1().Pods("default")
	switch r.IntN(12) {
	case 0, 1, 2:
		p := simple(name, []string{"trap 'exit 0' TERM; sleep 6000 & wait", "sleep 3; exit 1", "sleep 5", "trap '' TERM; sleep 6000"}[r.IntN(4)])
		p.Spec.RestartPolicy = []v1.RestartPolicy{v1.RestartPolicyAlways, v1.RestartPolicyNever, v1.RestartPolicyOnFailure}[r.IntN(3)]
		p.Spec.NodeName = "node1"
		if r.IntN(2) == 0 {
			p.Spec.InitContainers = []v1.Container{{Name: "i", Image: "busybox", Command: []string{"true"}}, {Name: "s", Image: "busybox", Command: []string{"sleep", "6000"}, RestartPolicy: new(v1.ContainerRestartPolicyAlways)}}
		}
		_, _ = pods.Create(ctx, p, metav1.CreateOptions{})
	case 3, 4:
		_ = pods.Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: new(int64(r.IntN(4)))})
	case 5:
		w.write("st.yaml", version(fmt.Sprint(r.IntN(3))))
	case 6:
		_ = os.Remove(w.config.Manifests + "/st.yaml")
	case 7:
		w.restart()
	case 8:
		f := cri.Fault{Method: faulty[r.IntN(len(faulty))], Times: 1 + r.IntN(2)}
		switch r.IntN(3) {
		case 0:
			f.Code = codes.Unavailable
		case 1:
			f.Code, f.Applied = codes.DeadlineExceeded, true
		case 2:
			f.Hang, f.For = true, cri.Duration(10*time.Second)
		}
		w.rt.Arm(f)
	case 9:
		if all := w.rt.Sandboxes(); len(all) > 0 {
			w.rt.KillSandbox(all[r.IntN(len(all))])
		}
	case 10:
		w.rt.Crash()
		time.Sleep(time.Duration(r.IntN(5)) * time.Second)
		w.rt.Restart([]cri.Memory{cri.Keeps, cri.ForgetsExits, cri.ForgetsAll}[r.IntN(3)])
	case 11:
		time.Sleep(time.Duration(r.IntN(20)) * time.Second)
	}
}

// Whatever happens, no container runs twice, no phase goes back, and in the end each pod is what its spec says.
func TestRandom(t *testing.T) {
	seeds := 10
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			manifests := t.TempDir()
			inBubble(t, cri.Options{}, func(c *node.Config) { c.Manifests, c.RuntimeRequestTimeout = manifests, 3*time.Second }, func(w *world) {
				r := rand.New(rand.NewPCG(uint64(seed), 7))
				phases := map[string]v1.PodPhase{}
				watch, err := w.k.CoreV1().Pods("default").Watch(context.Background(), metav1.ListOptions{})
				require.NoError(t, err)
				done := make(chan struct{})
				go func() {
					defer close(done)
					for e := range watch.ResultChan() {
						p, ok := e.Object.(*v1.Pod)
						if !ok {
							continue
						}
						if was := phases[string(p.UID)]; was == v1.PodFailed || was == v1.PodSucceeded {
							assert.Equal(t, was, p.Status.Phase, "%s", p.Name)
						}
						phases[string(p.UID)] = p.Status.Phase
					}
				}()
				for range 40 {
					w.step(r)
					for range 10 {
						time.Sleep(200 * time.Millisecond)
						require.Empty(t, w.twice())
					}
				}
				w.rt.Clear("*")
				time.Sleep(3 * time.Minute)
				require.Empty(t, w.twice())
				list, err := w.k.CoreV1().Pods("default").List(context.Background(), metav1.ListOptions{})
				require.NoError(t, err)
				for _, p := range list.Items {
					assert.Nil(t, p.DeletionTimestamp, p.Name)
					if p.Spec.RestartPolicy == v1.RestartPolicyNever && condition(&p, v1.PodReadyToStartContainers).Status == v1.ConditionFalse {
						continue // its sandbox was killed before all containers had started: it gets none again, as with a kubelet
					}
					assert.NotContains(t, []v1.PodPhase{v1.PodPending, ""}, p.Status.Phase, "%s %+v", p.Name, p.Status)
				}
				_, err = os.Stat(manifests + "/st.yaml")
				assert.Equal(t, err == nil, w.pod("st-node1") != nil)
				watch.Stop()
				<-done
			})
		})
	}
}
