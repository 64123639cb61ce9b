package node_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/fakes/node"
)

// P17: the Node and its lease are deleted, and another Node of the name is made.
func TestNodeDeleted(t *testing.T) {
	inBubble(t, busybox, nil, func(w *world) {
		ctx := context.Background()
		w.create(simple("a", "sleep 600"))
		time.Sleep(5 * time.Second)
		require.NoError(t, w.k.CoreV1().Nodes().Delete(ctx, "node1", metav1.DeleteOptions{}))
		require.NoError(t, w.k.CoordinationV1().Leases("kube-node-lease").Delete(ctx, "node1", metav1.DeleteOptions{}))
		began := len(w.requests("create", "leases", ""))
		time.Sleep(10 * time.Second)
		assert.Len(t, w.requests("create", "leases", ""), began, "there is no Node to own it")
		n, err := w.k.CoreV1().Nodes().Create(ctx, &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node1", Labels: map[string]string{"foreign": "label"}}, Spec: v1.NodeSpec{Taints: []v1.Taint{{Key: "k", Effect: v1.TaintEffectNoSchedule}}}}, metav1.CreateOptions{})
		require.NoError(t, err)
		time.Sleep(10 * time.Second)
		var l *coordinationv1.Lease
		l, err = w.k.CoordinationV1().Leases("kube-node-lease").Get(ctx, "node1", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, n.UID, l.OwnerReferences[0].UID)
		w.restart()
		time.Sleep(5 * time.Second)
		n, err = w.k.CoreV1().Nodes().Get(ctx, "node1", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, "label", n.Labels["foreign"])
		assert.Equal(t, "node1", n.Labels[v1.LabelHostname])
		assert.NotEmpty(t, n.Spec.Taints)
		assert.Len(t, w.calls("StartContainer"), 1)
	})
}

// P14: a container that failed is removed, and then the pod: it stays failed.
func TestFailedStaysFailed(t *testing.T) {
	inBubble(t, busybox, nil, func(w *world) {
		p := simple("a", "exit 1")
		p.Spec.RestartPolicy = v1.RestartPolicyNever
		w.create(p)
		time.Sleep(5 * time.Second)
		require.Equal(t, v1.PodFailed, w.pod("a").Status.Phase)
		for _, c := range w.rt.Calls() {
			if r, ok := c.Reply.(*runtimeapi.CreateContainerResponse); ok {
				_, err := runtimeapi.NewRuntimeServiceClient(w.conn).RemoveContainer(context.Background(), &runtimeapi.RemoveContainerRequest{ContainerId: r.ContainerId})
				require.NoError(t, err)
			}
		}
		w.restart()
		time.Sleep(20 * time.Second)
		assert.Equal(t, v1.PodFailed, w.pod("a").Status.Phase)
		assert.Len(t, w.calls("RunPodSandbox"), 1)
		w.remove("a", nil)
		time.Sleep(5 * time.Second)
		assert.Nil(t, w.pod("a"))
	})
}

// P13: the API server is away, an old version runs, and the manifest has changed.
func TestStaticPodWithoutAPI(t *testing.T) {
	inBubble(t, cri.Options{}, withManifests(t.TempDir()), func(w *world) {
		w.write("st.yaml", version("1"))
		time.Sleep(4 * time.Second)
		w.stop()
		api := w.config.API
		w.config.API = nil
		w.write("st.yaml", version("2"))
		w.start()
		time.Sleep(20 * time.Second)
		ready := func() (n int) {
			list, err := runtimeapi.NewRuntimeServiceClient(w.conn).ListPodSandbox(context.Background(), &runtimeapi.ListPodSandboxRequest{Filter: &runtimeapi.PodSandboxFilter{State: &runtimeapi.PodSandboxStateValue{}}})
			require.NoError(t, err)
			return len(list.Items)
		}
		assert.Equal(t, 1, ready())
		w.stop()
		w.config.API = api
		w.start()
		time.Sleep(20 * time.Second)
		assert.Equal(t, 1, ready())
		assert.Contains(t, w.pod("st-node1").Spec.Containers[0].Command[2], "2")
		assert.Equal(t, v1.PodRunning, w.pod("st-node1").Status.Phase)
	})
}

// A change of the status alone makes no call of the runtime, and is taken back.
func TestForeignStatus(t *testing.T) {
	inBubble(t, busybox, nil, func(w *world) {
		w.create(simple("a", "sleep 600"))
		time.Sleep(5 * time.Second)
		before := len(w.calls(life...))
		_, err := w.k.CoreV1().Pods("default").Patch(context.Background(), "a", types.StrategicMergePatchType,
			[]byte(`{"status":{"podIP":"1.2.3.4","podIPs":[{"ip":"1.2.3.4"}],"conditions":[{"type":"Foreign","status":"True"},{"type":"Ready","status":"False"}]}}`), metav1.PatchOptions{}, "status")
		require.NoError(t, err)
		time.Sleep(15 * time.Second)
		p := w.pod("a")
		assert.Equal(t, v1.ConditionTrue, condition(p, v1.PodReady).Status)
		assert.NotNil(t, condition(p, "Foreign"))
		assert.NotEqual(t, "1.2.3.4", p.Status.PodIP)
		assert.Len(t, w.calls(life...), before)
	})
}

// A second delete with less time cuts the first one short.
func TestShorterGrace(t *testing.T) {
	inBubble(t, busybox, nil, func(w *world) {
		p := simple("a", "trap '' TERM; sleep 600")
		w.create(p)
		time.Sleep(5 * time.Second)
		w.remove("a", new(int64(300)))
		time.Sleep(5 * time.Second)
		w.remove("a", new(int64(3)))
		time.Sleep(10 * time.Second)
		assert.Nil(t, w.pod("a"))
		assert.Equal(t, []string{"StopContainer m.0 300", "StopContainer m.0 3"}, w.calls("StopContainer"))
	})
}

func TestQoS(t *testing.T) {
	inBubble(t, busybox, func(c *node.Config) { c.CgroupsPerQOS = true }, func(w *world) {
		both := v1.ResourceList{v1.ResourceCPU: quantity("500m"), v1.ResourceMemory: quantity("10Mi")}
		for name, r := range map[string]v1.ResourceRequirements{"best": {}, "burst": {Requests: both}, "guaranteed": {Requests: both, Limits: both}} {
			p := simple(name, "sleep 600")
			p.Spec.Containers[0].Resources = r
			w.create(p)
		}
		time.Sleep(5 * time.Second)
		for _, c := range w.rt.Calls() {
			if q, ok := c.Request.(*runtimeapi.RunPodSandboxRequest); ok {
				want := map[string]string{"best": "kubepods-besteffort-pod", "burst": "kubepods-burstable-pod", "guaranteed": "kubepods-pod"}[q.Config.Metadata.Name]
				assert.True(t, strings.HasPrefix(q.Config.Linux.CgroupParent, want), q.Config.Linux.CgroupParent)
			}
			if q, ok := c.Request.(*runtimeapi.CreateContainerRequest); ok && q.SandboxConfig.Metadata.Name == "guaranteed" {
				assert.EqualValues(t, 512, q.Config.Linux.Resources.CpuShares)
				assert.EqualValues(t, 50000, q.Config.Linux.Resources.CpuQuota)
				assert.EqualValues(t, -997, q.Config.Linux.Resources.OomScoreAdj)
			}
		}
	})
}

func TestImageVolume(t *testing.T) {
	inBubble(t, cri.Options{Images: []string{"busybox"}, Registry: map[string]cri.Image{"busybox": {}, "data": {}}}, nil, func(w *world) {
		for name, image := range map[string]string{"a": "data", "b": "nothing"} {
			p := simple(name, "sleep 600")
			p.Spec.Volumes = []v1.Volume{{Name: "v", VolumeSource: v1.VolumeSource{Image: &v1.ImageVolumeSource{Reference: image, PullPolicy: v1.PullIfNotPresent}}}}
			p.Spec.Containers[0].VolumeMounts = []v1.VolumeMount{{Name: "v", MountPath: "/v"}}
			w.create(p)
		}
		time.Sleep(5 * time.Second)
		assert.Equal(t, v1.PodRunning, w.pod("a").Status.Phase)
		assert.Equal(t, "ErrImagePull", w.pod("b").Status.ContainerStatuses[0].State.Waiting.Reason)
		for _, c := range w.rt.Calls() {
			if q, ok := c.Request.(*runtimeapi.CreateContainerRequest); ok {
				assert.True(t, strings.HasPrefix(q.Config.Mounts[0].Image.Image, "sha256:"))
			}
		}
	})
}

func TestListStreaming(t *testing.T) {
	for _, lacks := range [][]cri.Feature{nil, {cri.StreamingLists}} {
		inBubble(t, cri.Options{Images: []string{"busybox"}, Lacks: lacks}, func(c *node.Config) { c.ListStreaming = true }, func(w *world) {
			w.create(simple("a", "sleep 600"))
			time.Sleep(5 * time.Second)
			w.rt.Arm(cri.Fault{Method: "Stream*", Code: codes.Unavailable, Times: 3})
			time.Sleep(20 * time.Second)
			assert.Equal(t, v1.PodRunning, w.pod("a").Status.Phase)
			assert.Len(t, w.calls("RunPodSandbox"), 1)
			assert.Equal(t, lacks == nil, len(w.calls("ListContainers")) == 0)
		})
	}
}

func TestEvents(t *testing.T) {
	inBubble(t, busybox, func(c *node.Config) { c.Events, c.Relist = true, 100*time.Second }, func(w *world) {
		p := simple("a", "sleep 3")
		p.Spec.RestartPolicy = v1.RestartPolicyNever
		w.create(p)
		time.Sleep(8 * time.Second)
		assert.NotNil(t, w.pod("a").Status.ContainerStatuses[0].State.Terminated)
		for range 10 {
			w.rt.CutEvents()
			time.Sleep(2 * time.Second)
		}
		assert.Len(t, w.calls("GetContainerEvents"), 5)
	})
}

func TestRuntimeConfig(t *testing.T) {
	inBubble(t, busybox, nil, func(w *world) {
		run := func(f cri.Fault) error {
			w.stop()
			w.rt.Arm(f)
			defer w.rt.Clear("*")
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			a, err := node.New(w.config)
			require.NoError(t, err)
			return a.Run(ctx)
		}
		assert.ErrorContains(t, run(cri.Fault{Method: "RuntimeConfig", Code: codes.Unavailable}), "configuration")
		assert.NoError(t, run(cri.Fault{Method: "RuntimeConfig", Code: codes.Unavailable, Times: 2}))
		assert.NoError(t, run(cri.Fault{Method: "RuntimeConfig", Code: codes.Unimplemented}))
	})
}

func TestLogs(t *testing.T) {
	dir := t.TempDir()
	inBubble(t, busybox, func(c *node.Config) { c.Logs, c.ContainerLogMaxSize, c.ContainerLogMaxFiles = dir, 2000, 3 }, func(w *world) {
		p := w.create(simple("a", "while true; do echo 0123456789; sleep 1; done"))
		time.Sleep(5 * time.Minute)
		files, err := os.ReadDir(filepath.Join(dir, "default_a_"+string(p.UID), "m"))
		require.NoError(t, err)
		assert.Len(t, files, 3)
		w.rt.Arm(cri.Fault{Method: "ReopenContainerLog", Code: codes.Unavailable, Times: 1})
		time.Sleep(5 * time.Minute)
		assert.FileExists(t, filepath.Join(dir, "default_a_"+string(p.UID), "m", "0.log"))
		w.rt.Restart(cri.ForgetsAll)
		time.Sleep(10 * time.Second)
		assert.Equal(t, "CreateContainer m.1", w.calls("CreateContainer")[1], "its logs say how often it has run")
		w.remove("a", new(int64(1)))
		time.Sleep(2 * time.Minute)
		assert.NoDirExists(t, filepath.Join(dir, "default_a_"+string(p.UID)))
	})
}

func TestReadinessGate(t *testing.T) {
	inBubble(t, busybox, nil, func(w *world) {
		p := simple("a", "sleep 600")
		p.Spec.ReadinessGates = []v1.PodReadinessGate{{ConditionType: "x.io/gate"}}
		w.create(p)
		time.Sleep(5 * time.Second)
		assert.Equal(t, "ReadinessGatesNotReady", condition(w.pod("a"), v1.PodReady).Reason)
		_, err := w.k.CoreV1().Pods("default").Patch(context.Background(), "a", types.StrategicMergePatchType, []byte(`{"status":{"conditions":[{"type":"x.io/gate","status":"True"}]}}`), metav1.PatchOptions{}, "status")
		require.NoError(t, err)
		time.Sleep(2 * time.Second)
		assert.Equal(t, v1.ConditionTrue, condition(w.pod("a"), v1.PodReady).Status)
	})
}

// Whatever the API server does, pods that exist go on, and each reaches its end.
func TestFaultsOfTheAPI(t *testing.T) {
	for name, set := range map[string]string{
		"errors":  `faults: [{userAgent: kubelet, probability: 0.3, status: {code: 500}}]`,
		"resets":  `faults: [{userAgent: kubelet, probability: 0.2, reset: headers}]`,
		"lost":    `faults: [{userAgent: kubelet, verbs: [create, update, patch, delete], probability: 0.3, loseAnswer: true}]`,
		"gone":    `faults: [{userAgent: kubelet, verbs: [watch], nth: 3, times: 5, status: {code: 410}}]`,
		"stale":   `faults: [{userAgent: kubelet, verbs: [get, list, watch], probability: 0.3, stale: 3s}]`,
		"latency": `faults: [{userAgent: kubelet, latency: 700ms}]`,
	} {
		t.Run(name, func(t *testing.T) {
			withFaults(t, set, busybox, nil, func(w *world) {
				w.create(simple("a", "trap 'exit 0' TERM; sleep 6000 & wait"))
				time.Sleep(time.Minute)
				assert.Equal(t, v1.PodRunning, w.pod("a").Status.Phase)
				w.api.Restart()
				require.NoError(t, w.api.Compact(""))
				time.Sleep(2 * time.Minute)
				assert.Empty(t, w.calls("StopContainer"))
				w.remove("a", nil)
				time.Sleep(3 * time.Minute)
				assert.Nil(t, w.pod("a"))
				assert.Equal(t, 1, len(w.calls("StartContainer")))
				for _, e := range w.requests("create", "leases", "") {
					assert.Contains(t, string(e.Object), `"ownerReferences"`)
				}
			})
		})
	}
}

func TestParallelPulls(t *testing.T) {
	image := cri.Image{Takes: 5 * time.Second}
	for most, parallel := range map[int]*bool{1: nil, 2: new(false)} {
		inBubble(t, cri.Options{Registry: map[string]cri.Image{"a": image, "b": image, "c": image}}, func(c *node.Config) { c.SerializeImagePulls, c.MaxParallelImagePulls = parallel, most }, func(w *world) {
			for _, name := range []string{"a", "b", "c"} {
				p := simple(name, "sleep 600")
				p.Spec.Containers[0].Image = name
				w.create(p)
			}
			seen := 0
			for range 40 {
				time.Sleep(500 * time.Millisecond)
				n := 0
				for _, c := range w.rt.Calls() {
					if c.Method == "PullImage" && c.Ended.IsZero() {
						n++
					}
				}
				seen = max(seen, n)
			}
			assert.Equal(t, most, seen)
			assert.Len(t, w.calls("PullImage"), 3)
		})
	}
}

// In real time, with the HTTP API.
func TestServer(t *testing.T) {
	api := apiserver.New(apiserver.Options{Namespaces: true})
	defer api.Close()
	s, err := rest.Serve(api, rest.Options{})
	require.NoError(t, err)
	defer s.Close()
	rt := cri.New(busybox)
	defer rt.Close()
	conn, err := rt.Dial()
	require.NoError(t, err)
	defer conn.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	a, err := node.New(node.Config{Name: "node1", API: s.RESTConfig(), Runtime: conn, Listen: l, Logs: t.TempDir(), Stats: func() (uint64, uint64) { return 1, 100 }})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	defer func() { cancel(); require.NoError(t, <-done) }()
	k := kubernetes.NewForConfigOrDie(s.RESTConfig())
	p := simple("a", "echo hello; sleep 600")
	p.Spec.NodeName = "node1"
	_, err = k.CoreV1().Pods("default").Create(t.Context(), p, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		p, err := k.CoreV1().Pods("default").Get(t.Context(), "a", metav1.GetOptions{})
		return err == nil && p.Status.Phase == v1.PodRunning
	}, 10*time.Second, 20*time.Millisecond)
	ask := func(method, path string) string {
		q, err := http.NewRequest(method, "http://"+l.Addr().String()+path, nil)
		require.NoError(t, err)
		answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(q)
		require.NoError(t, err)
		defer answer.Body.Close()
		b, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return string(b)
	}
	assert.Equal(t, "ok", ask("GET", "/healthz"))
	assert.Contains(t, ask("GET", "/pods"), `"name":"a"`)
	assert.Contains(t, ask("GET", "/configz"), "syncFrequency")
	assert.Equal(t, "hello\n", ask("GET", "/containerLogs/default/a/m"))
	assert.Equal(t, `previous terminated container "m" in pod "a" not found`, ask("GET", "/containerLogs/default/a/m?previous=true"))
	assert.Equal(t, "container \"x\" not found in pod \"a\"\n", ask("GET", "/containerLogs/default/a/x"))
	assert.Equal(t, "pod \"x\" does not exist\n", ask("GET", "/containerLogs/default/x/m"))
	resources := ask("GET", "/metrics/resource")
	assert.Regexp(t, `container_cpu_usage_seconds_total\{container="m",namespace="default",pod="a"\} 0\.\d+ 1\d{12}\n`, resources)
	assert.Regexp(t, `(?m)^node_memory_working_set_bytes \d{9} 1\d{12}$`, resources)
	assert.Regexp(t, `container_start_time_seconds\{container="m",namespace="default",pod="a"\} 1\.\d+e\+09\n`, resources)
	assert.Contains(t, ask("GET", "/metrics/cadvisor"), "machine_cpu_cores 4\n")
	assert.Contains(t, ask("GET", "/metrics"), "kubelet_running_pods 1\n")
	var summary struct {
		Node struct{ NodeName string }
		Pods []struct {
			PodRef     v1.ObjectReference
			Containers []struct {
				Name string
				CPU  struct{ UsageNanoCores uint64 }
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(ask("GET", "/stats/summary")), &summary))
	assert.Equal(t, "node1", summary.Node.NodeName)
	require.Len(t, summary.Pods, 1)
	assert.Equal(t, "a", summary.Pods[0].PodRef.Name)
	assert.Equal(t, "m", summary.Pods[0].Containers[0].Name)
	assert.NotZero(t, summary.Pods[0].Containers[0].CPU.UsageNanoCores)
	assert.Equal(t, "x\n", ask("POST", "/run/default/a/m?cmd=echo+x"))
	at, err := url.Parse("http://" + l.Addr().String() + "/exec/default/a/m?command=echo&command=y&output=1")
	require.NoError(t, err)
	exec, err := remotecommand.NewSPDYExecutor(&clientrest.Config{}, "POST", at)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, exec.StreamWithContext(t.Context(), remotecommand.StreamOptions{Stdout: &out}))
	assert.Equal(t, "y\n", out.String())

	// The log of the run before, and of a container that waits.
	assert.Empty(t, ask("POST", "/run/default/a/m?cmd=kill+-INT+1"))
	for _, script := range []string{"echo one; exit 1", ""} {
		p := simple("b"+strconv.Itoa(len(script)), script)
		p.Spec.NodeName = "node1"
		if script == "" {
			p.Spec.Containers[0].Image, p.Spec.Containers[0].ImagePullPolicy = "none", v1.PullNever
		}
		_, err = k.CoreV1().Pods("default").Create(t.Context(), p, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { return ask("GET", "/containerLogs/default/b16/m?previous=true") == "one\n" }, 15*time.Second, 50*time.Millisecond)
	require.Eventually(t, func() bool {
		return ask("GET", "/containerLogs/default/b0/m") == `container "m" in pod "b0" is waiting to start: ErrImageNeverPull`
	}, 10*time.Second, 50*time.Millisecond)
}
