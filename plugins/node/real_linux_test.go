package node

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	coordination "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/node"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/harness"
)

// realStories are those that are also played on a containerd and a kube-apiserver: in them the story does nothing to either.
var realStories = []string{"order/init", "phase/ends", "restart/back-off", "termination/delete", "termination/pre-stop", "termination/deadline"}

// realDifferences are where a kubelet does otherwise there.
var realDifferences = []difference{
	{"^(phase/ends|restart/back-off)$", "default/a statuses", "^real: Running; |^fakes: Pending; .* c terminated", "a real container that ends at once runs long enough to be seen", true},
	{"^restart/back-off$", "default/a", "^fakes: (RemoveContainer c 3|.* restarts 4; observed 1)$", "the story ends about then", true},
}

// A kubelet does with containerd and kube-apiserver what it does with our fakes: make goldens-node-real.
func TestGoldenReal(t *testing.T) {
	socket, kubeconfig := os.Getenv("CRI_SOCKET"), os.Getenv("KUBECONFIG")
	if socket == "" || kubeconfig == "" || os.Getenv("LWTEST_KUBELET") == "" {
		t.Skip("CRI_SOCKET, KUBECONFIG and LWTEST_KUBELET name no containerd, kube-apiserver and kubelet; make goldens-node-real has them")
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	require.NoError(t, err)
	web, err := clientrest.HTTPClientFor(config)
	require.NoError(t, err)
	defer utilnet.CloseIdleConnectionsFor(web.Transport)
	client, err := kubernetes.NewForConfigAndClient(config, web)
	require.NoError(t, err)
	_, err = client.CoreV1().ServiceAccounts("default").Create(t.Context(), &v1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}, metav1.CreateOptions{})
	require.True(t, err == nil || apierrors.IsAlreadyExists(err), err)
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	p := harness.Plugin[node.Subject]{Name: "kubelet", Features: []harness.Feature{node.Containers, node.Lifecycle}, Open: func(t *harness.T) (node.Subject, error) {
		return openReal(t, os.Getenv("LWTEST_KUBELET"), config.Host, web.Transport, client, conn)
	}}
	for _, c := range node.Suite.Bind(p) {
		for _, name := range realStories {
			if c.Name == name {
				t.Run(name, func(t *testing.T) { compareReal(t, c) })
			}
		}
	}
}

// compareReal plays a story, and compares what the kubelet does with its golden. The rules judge nothing: nobody records what a watch tells.
func compareReal(t *testing.T, c harness.Case) {
	r, h := harness.Run(c, harness.Options{Seed: 1})
	require.NotNil(t, h, r.Reason)
	b, err := os.ReadFile(goldenFile(c))
	require.NoError(t, err)
	for _, d := range compare(parse(strings.Split(string(b), "\n")), parse(node.Transcript(h))) {
		who := map[string]string{"kubelet": "fakes", "reference": "real"}[d.who]
		explained := false
		for _, x := range realDifferences {
			explained = explained || matches(x.story, c.Name) && matches(x.section, d.section) && matches(x.line, who+": "+d.line)
		}
		if !explained {
			t.Errorf("[%s] only with the %s: %s", d.section, who, d.line)
		}
	}
}

// real is a kubelet on a containerd and a kube-apiserver.
type real struct {
	*kubelet
	client kubernetes.Interface
	rt     runtimeapi.RuntimeServiceClient
}

func (r real) Agent() node.Agent         { return r.kubelet }
func (r real) API() node.API             { return realAPI{client: r.client} }
func (r real) Runtime() node.Runtime     { return realRuntime{rt: r.rt} }
func (r real) Manifests() node.Manifests { return nil }

func openReal(t *harness.T, binary, host string, transport http.RoundTripper, client kubernetes.Interface, conn *grpc.ClientConn) (node.Subject, error) {
	dir, err := os.MkdirTemp("", "lwtest-node-")
	if err != nil {
		return nil, err
	}
	recorder := node.NewRecorder(t)
	api, err := recordAPI(recorder, host, transport)
	if err != nil {
		return nil, err
	}
	l, err := cri.Listen(filepath.Join(dir, "cri.sock"))
	if err != nil {
		return nil, err
	}
	server := grpc.NewServer(grpc.UnaryInterceptor(forward(recorder, conn)))
	runtimeapi.RegisterRuntimeServiceServer(server, runtimeapi.UnimplementedRuntimeServiceServer{})
	runtimeapi.RegisterImageServiceServer(server, runtimeapi.UnimplementedImageServiceServer{})
	go server.Serve(l)
	p, err := newProcess(KubeletOptions{Binary: binary, Dir: dir, Node: NodeName, Config: AgentConfig, Kubeconfig: fmt.Appendf(nil, kubeconfig, api.URL)},
		func(err error, why string) { t.Exited(fmt.Sprint(err), why) })
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		server.Stop()
		api.CloseClientConnections()
		api.Close()
		p.log.Close()
		ctx, now := context.Background(), metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}
		_ = client.CoreV1().Pods("default").DeleteCollection(ctx, now, metav1.ListOptions{})
		_ = client.CoreV1().Nodes().Delete(ctx, NodeName, now)
		removeSandboxes(ctx, runtimeapi.NewRuntimeServiceClient(conn)) // or a container that is being created makes the folder again
		os.RemoveAll(dir)
	})
	return real{kubelet: &kubelet{p}, client: client, rt: runtimeapi.NewRuntimeServiceClient(conn)}, nil
}

// removeSandboxes removes all that a runtime runs. What fails is removed with the runtime.
func removeSandboxes(ctx context.Context, rt runtimeapi.RuntimeServiceClient) {
	out, err := rt.ListPodSandbox(ctx, &runtimeapi.ListPodSandboxRequest{})
	if err != nil {
		return
	}
	for _, s := range out.Items {
		_, _ = rt.StopPodSandbox(ctx, &runtimeapi.StopPodSandboxRequest{PodSandboxId: s.Id})
		_, _ = rt.RemovePodSandbox(ctx, &runtimeapi.RemovePodSandboxRequest{PodSandboxId: s.Id})
	}
}

// forward passes calls on to a runtime, and records them.
func forward(recorder *node.Recorder, conn *grpc.ClientConn) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, q any, info *grpc.UnaryServerInfo, _ grpc.UnaryHandler) (any, error) {
		method := path.Base(info.FullMethod)
		kind, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName("runtime.v1." + method + "Response"))
		if err != nil {
			return nil, err
		}
		reply := kind.New().Interface()
		answered := recorder.Call(method, q.(proto.Message))
		err = conn.Invoke(ctx, info.FullMethod, q, reply)
		answered(reply, err)
		return reply, err
	}
}

// recordAPI serves a kube-apiserver, and records what is written. Kubelets write JSON if they get it.
func recordAPI(recorder *node.Recorder, host string, transport http.RoundTripper) (*httptest.Server, error) {
	to, err := url.Parse(host)
	if err != nil {
		return nil, err
	}
	proxy := &httputil.ReverseProxy{Transport: transport, FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		if r.In.Method != http.MethodGet {
			r.Out.Header.Set("Accept", "application/json")
		}
	}}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		verb := map[string]string{"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}[r.Method]
		if verb == "" {
			proxy.ServeHTTP(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body) // a request that breaks off is refused
		r.Body = io.NopCloser(bytes.NewReader(body))
		q := requestOf(verb, r, body)
		answered := recorder.Request(q)
		answer := httptest.NewRecorder()
		proxy.ServeHTTP(answer, r)
		answered(answerOf(q.Resource, answer))
		for k, v := range answer.Header() {
			w.Header()[k] = v
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()) // the kubelet may have gone
	})), nil
}

// requestOf reads a request: /api/v1/namespaces/default/pods/a/status.
func requestOf(verb string, r *http.Request, body []byte) node.Request {
	q := node.Request{Verb: verb}
	if obj, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil); err == nil { // of protobuf
		body, _ = json.Marshal(obj) // it is of the API
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	parts = parts[map[string]int{"api": 2, "apis": 3}[parts[0]]:]
	if len(parts) > 2 && parts[0] == "namespaces" {
		q.Namespace, parts = parts[1], parts[2:]
	}
	for i, to := range []*string{&q.Resource, &q.Name, &q.Subresource} {
		if i < len(parts) {
			*to = parts[i]
		}
	}
	switch verb {
	case "delete":
		q.Options = json.RawMessage(body)
	case "patch":
		q.PatchType, q.Body = types.PatchType(r.Header.Get("Content-Type")), body
	default:
		q.Body = body
	}
	return q
}

func answerOf(resource string, w *httptest.ResponseRecorder) (runtime.Object, error) {
	if w.Code >= 300 {
		s := &metav1.Status{}
		_ = json.Unmarshal(w.Body.Bytes(), s) // it may be no Status
		return nil, &apierrors.StatusError{ErrStatus: *s}
	}
	obj, ok := map[string]runtime.Object{"pods": &v1.Pod{}, "nodes": &v1.Node{}, "leases": &coordination.Lease{}}[resource]
	if !ok {
		return nil, nil
	}
	return obj, json.Unmarshal(w.Body.Bytes(), obj)
}

// realAPI is a kube-apiserver as its administrator sees it. Stories have pods alone here.
type realAPI struct {
	node.API // what no story here does
	client   kubernetes.Interface
}

func (a realAPI) Create(ctx context.Context, o node.Object, obj runtime.Object) (runtime.Object, error) {
	return a.client.CoreV1().Pods(o.Namespace).Create(ctx, obj.(*v1.Pod), metav1.CreateOptions{})
}

func (a realAPI) Delete(ctx context.Context, o node.Object, options metav1.DeleteOptions) error {
	return a.client.CoreV1().Pods(o.Namespace).Delete(ctx, o.Name, options)
}

func (a realAPI) Get(ctx context.Context, o node.Object) (runtime.Object, error) {
	return a.client.CoreV1().Pods(o.Namespace).Get(ctx, o.Name, metav1.GetOptions{})
}

// realRuntime is a containerd as its administrator sees it.
type realRuntime struct {
	node.Runtime // what no story here does
	rt           runtimeapi.RuntimeServiceClient
}

func (r realRuntime) Count(pod, container string) (running, all int) {
	out, err := r.rt.ListContainers(context.Background(), &runtimeapi.ListContainersRequest{})
	if err != nil {
		return 0, 0
	}
	for _, c := range out.Containers {
		if c.Labels["io.kubernetes.pod.name"] == pod && c.Labels["io.kubernetes.container.name"] == container {
			if all++; c.State == runtimeapi.ContainerState_CONTAINER_RUNNING {
				running++
			}
		}
	}
	return running, all
}
