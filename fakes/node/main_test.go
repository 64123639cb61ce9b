package node_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"sigs.k8s.io/yaml"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/fakes/node"
)

func TestMain(m *testing.M) {
	utilruntime.ErrorHandlers = nil // they keep timers across bubbles
	goleak.VerifyTestMain(m)
}

// world is a bubble with an API server, a runtime, and an agent between them.
type world struct {
	*testing.T
	api     *apiserver.Server
	server  *rest.Server
	rt      *cri.Runtime
	conn    *grpc.ClientConn
	k       kubernetes.Interface
	config  node.Config
	stop    func()
	mu      sync.Mutex
	entries []requestlog.Entry
}

// inBubble runs a test with an agent that has run for 5 seconds. configure may change its configuration.
func inBubble(t *testing.T, o cri.Options, configure func(*node.Config), f func(*world)) {
	t.Helper()
	withFaults(t, "", o, configure, f)
}

// withFaults is inBubble with faults of the API server, as YAML.
func withFaults(t *testing.T, set string, o cri.Options, configure func(*node.Config), f func(*world)) {
	t.Helper()
	withOptions(t, apiserver.Options{Namespaces: true}, set, o, configure, f)
}

// withOptions is withFaults with an API server of one's own.
func withOptions(t *testing.T, options apiserver.Options, set string, o cri.Options, configure func(*node.Config), f func(*world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t}
		w.api = apiserver.New(options)
		log := requestlog.New(func(e requestlog.Entry) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.entries = append(w.entries, e)
		})
		var err error
		var api apiserver.API = w.api
		if set != "" {
			parsed, err := faults.Read([]byte(set))
			require.NoError(t, err)
			api, err = parsed.API(w.api, faults.Options{})
			require.NoError(t, err)
		}
		w.server, err = rest.ServePipe(api, rest.Options{Log: log})
		require.NoError(t, err)
		w.rt = cri.New(o)
		w.conn, err = w.rt.Dial()
		require.NoError(t, err)
		w.k = kubernetes.NewForConfigOrDie(w.server.RESTConfig())
		w.config = node.Config{Name: "node1", API: w.server.RESTConfig(), Runtime: w.conn, MaxContainerRestartPeriod: 3 * time.Second, SyncFrequency: 5 * time.Second,
			FileCheckFrequency: 2 * time.Second, HTTPCheckFrequency: 2 * time.Second, NodeStatusUpdateFrequency: 2 * time.Second, NodeLeaseDuration: 8 * time.Second, Stats: func() (uint64, uint64) { return 1, 100 }}
		if configure != nil {
			configure(&w.config)
		}
		w.start()
		time.Sleep(5 * time.Second)
		defer func() {
			w.stop()
			w.conn.Close()
			require.NoError(t, w.server.Close())
			require.NoError(t, w.api.Close())
			w.rt.Close()
		}()
		f(w)
	})
}

// start starts an agent, which stop kills.
func (w *world) start() {
	a, err := node.New(w.config)
	require.NoError(w, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(w, <-done)
	})
}

// restart kills the agent and starts another one.
func (w *world) restart() {
	w.stop()
	w.start()
}

func (w *world) create(p *v1.Pod) *v1.Pod {
	w.Helper()
	p.Namespace = "default"
	p.Spec.NodeName = "node1"
	out, err := w.k.CoreV1().Pods("default").Create(context.Background(), p, metav1.CreateOptions{})
	require.NoError(w, err)
	return out
}

// pod returns a pod; nil: there is none.
func (w *world) pod(name string) *v1.Pod {
	p, err := w.k.CoreV1().Pods("default").Get(context.Background(), name, metav1.GetOptions{})
	if err != nil {
		return nil
	}
	return p
}

func (w *world) remove(name string, grace *int64) {
	w.Helper()
	require.NoError(w, w.k.CoreV1().Pods("default").Delete(context.Background(), name, metav1.DeleteOptions{GracePeriodSeconds: grace}))
}

// parse reads a pod's spec.
func parse(t testing.TB, name, spec string) *v1.Pod {
	t.Helper()
	p := &v1.Pod{}
	require.NoError(t, yaml.UnmarshalStrict([]byte(spec), &p.Spec))
	p.Name = name
	return p
}

// simple is a pod with one container that runs a script.
func simple(name, script string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1.PodSpec{TerminationGracePeriodSeconds: new(int64(5)),
		Containers: []v1.Container{{Name: "m", Image: "busybox", Command: []string{"sh", "-c", script}, ImagePullPolicy: v1.PullIfNotPresent}}}}
}

// calls returns the calls of some methods as "Method name", in order.
func (w *world) calls(methods ...string) (all []string) {
	names := map[string]string{}
	for _, c := range w.rt.Calls() {
		what := ""
		switch q := c.Request.(type) {
		case *runtimeapi.RunPodSandboxRequest:
			what = q.Config.Metadata.Name
			if r, ok := c.Reply.(*runtimeapi.RunPodSandboxResponse); ok {
				names[r.PodSandboxId] = what
			}
		case *runtimeapi.CreateContainerRequest:
			what = fmt.Sprintf("%s.%d", q.Config.Metadata.Name, q.Config.Metadata.Attempt)
			if r, ok := c.Reply.(*runtimeapi.CreateContainerResponse); ok {
				names[r.ContainerId] = what
			}
		case *runtimeapi.StartContainerRequest:
			what = names[q.ContainerId]
		case *runtimeapi.StopContainerRequest:
			what = fmt.Sprintf("%s %d", names[q.ContainerId], q.Timeout)
		case *runtimeapi.RemoveContainerRequest:
			what = names[q.ContainerId]
		case *runtimeapi.StopPodSandboxRequest:
			what = names[q.PodSandboxId]
		case *runtimeapi.RemovePodSandboxRequest:
			what = names[q.PodSandboxId]
		case *runtimeapi.PullImageRequest:
			what = q.Image.Image
		}
		if slices.Contains(methods, c.Method) {
			all = append(all, strings.TrimSpace(c.Method+" "+what))
		}
	}
	return all
}

var life = []string{"RunPodSandbox", "CreateContainer", "StartContainer", "StopContainer", "StopPodSandbox", "RemoveContainer", "RemovePodSandbox"}

// requests returns the requests of the agent with a verb to a resource, in order.
func (w *world) requests(verb, resource, sub string) (all []requestlog.Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.entries {
		if e.What == requestlog.Asked && e.Verb == verb && e.Resource == resource && e.Subresource == sub && strings.HasPrefix(e.UserAgent, "kubelet/") {
			all = append(all, e)
		}
	}
	return all
}

func condition(p *v1.Pod, kind v1.PodConditionType) *v1.PodCondition {
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == kind {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}

func (w *world) write(name, text string) {
	w.Helper()
	require.NoError(w, os.WriteFile(w.config.Manifests+"/"+name, []byte(text), 0o644))
}

func quantity(s string) resource.Quantity { return resource.MustParse(s) }
