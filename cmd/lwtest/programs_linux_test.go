package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/apiserver/schemas"
)

// builtKube returns the path of a program that `hack/kube/kube.sh VERB` has built. The test is skipped where it has not.
func builtKube(t *testing.T, verb, folder, name string) string {
	t.Helper()
	cache, err := filepath.Abs(cmp.Or(os.Getenv("LWTEST_CACHE"), filepath.Join("..", "..", ".cache")))
	require.NoError(t, err)
	path := filepath.Join(cache, "kube", "v1.37.1-"+folder, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("there is no %s: build it with `hack/kube/kube.sh %s`", name, verb)
	}
	return path
}

// start runs a program until the test ends, and shows the end of its log if the test has failed.
func start(t *testing.T, path string, args ...string) {
	t.Helper()
	cmd := exec.Command(path, args...)
	cmd.Dir = t.TempDir()
	var log bytes.Buffer // read when the program has ended
	cmd.Stdout, cmd.Stderr = &log, &log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		if t.Failed() {
			t.Logf("%s: %s", filepath.Base(path), log.Bytes()[max(0, log.Len()-5000):])
		}
	})
}

// missed counts what a server was asked for and had not got.
type missed struct {
	mu  sync.Mutex
	uri map[int64]string // by request
	n   map[string]int   // by URI
}

func (m *missed) add(e requestlog.Entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.URI != "" {
		m.uri[e.Request] = e.URI
	}
	if e.What == requestlog.Answered && e.Code == 404 {
		m.n[m.uri[e.Request]]++
	}
}

// kube-scheduler and kube-controller-manager work on the API server fake: a Deployment gets its pods, these are bound, a
// Service gets its endpoints, a deleted namespace ends. Nothing that they ask for again and again is missing.
func TestControlPlane(t *testing.T) {
	scheduler := builtKube(t, "scheduler", "scheduler", "kube-scheduler")
	controllers := builtKube(t, "controller-manager", "controllers", "kube-controller-manager")
	gone := &missed{uri: map[int64]string{}, n: map[string]int{}}
	api := apiserver.New(apiserver.Options{Namespaces: true, Types: schemas.Types})
	defer api.Close()
	s, err := rest.Serve(api, rest.Options{Log: requestlog.New(gone.add)})
	require.NoError(t, err)
	defer s.Close()
	dir := t.TempDir()
	config, key := filepath.Join(dir, "kubeconfig"), filepath.Join(dir, "sa.key")
	require.NoError(t, os.WriteFile(config, s.Kubeconfig(), 0o600))
	signing, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(signing)}), 0o600))
	start(t, scheduler, "--kubeconfig="+config, "--secure-port=0")
	start(t, controllers, "--kubeconfig="+config, "--secure-port=0", "--service-account-private-key-file="+key)

	h, err := clientrest.HTTPClientFor(s.RESTConfig())
	require.NoError(t, err)
	defer h.CloseIdleConnections()
	c, err := kubernetes.NewForConfigAndClient(s.RESTConfig(), h)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	deploy(ctx, t, c)
	require.NoError(t, c.CoreV1().Namespaces().Delete(ctx, "shop", metav1.DeleteOptions{}))
	now := metav1.DeleteOptions{GracePeriodSeconds: new(int64)} // no kubelet ends them
	require.NoError(t, c.CoreV1().Pods("shop").DeleteCollection(ctx, now, metav1.ListOptions{}))
	eventually(ctx, t, "end of the namespace", func() (bool, error) {
		_, err := c.CoreV1().Namespaces().Get(ctx, "shop", metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	})
	gone.mu.Lock()
	defer gone.mu.Unlock()
	for uri, n := range gone.n {
		assert.Less(t, n, 20, "%s is not there, and is asked for again and again", uri)
	}
}

// deploy makes a node, a Deployment and a Service in a namespace, plays the kubelet and waits until all is well.
func deploy(ctx context.Context, t *testing.T, c kubernetes.Interface) {
	t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	node.Status.Capacity = corev1.ResourceList{"cpu": resource.MustParse("8"), "memory": resource.MustParse("8Gi"), "pods": resource.MustParse("100")}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	_, err := c.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = c.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	labels := map[string]string{"app": "web"}
	_, err = c.CoreV1().Services("shop").Create(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: corev1.ServiceSpec{
		Selector: labels, Ports: []corev1.ServicePort{{Port: 80}},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = c.AppsV1().Deployments("shop").Create(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.DeploymentSpec{
		Replicas: new(int32(3)), Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	eventually(ctx, t, "pods on the node", func() (bool, error) {
		l, err := c.CoreV1().Pods("shop").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=n1"})
		return err == nil && len(l.Items) == 3, err
	})
	ready(ctx, t, c)
	eventually(ctx, t, "available replicas", func() (bool, error) {
		d, err := c.AppsV1().Deployments("shop").Get(ctx, "web", metav1.GetOptions{})
		return err == nil && d.Status.AvailableReplicas == 3, err
	})
	eventually(ctx, t, "endpoints", func() (bool, error) {
		l, err := c.DiscoveryV1().EndpointSlices("shop").List(ctx, metav1.ListOptions{LabelSelector: "kubernetes.io/service-name=web"})
		return err == nil && len(l.Items) == 1 && len(l.Items[0].Endpoints) == 3, err
	})
}

// ready says of each pod what a kubelet would.
func ready(ctx context.Context, t *testing.T, c kubernetes.Interface) {
	t.Helper()
	l, err := c.CoreV1().Pods("shop").List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	for i := range l.Items {
		patch := `{"status":{"phase":"Running","podIP":"10.1.0.` + string(rune('1'+i)) + `","podIPs":[{"ip":"10.1.0.` + string(rune('1'+i)) + `"}],` +
			`"conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[{"name":"c","image":"i","imageID":"i","ready":true}]}}`
		_, err := c.CoreV1().Pods("shop").Patch(ctx, l.Items[i].Name, "application/strategic-merge-patch+json", []byte(patch), metav1.PatchOptions{}, "status")
		require.NoError(t, err)
	}
}

// eventually asks again until it is so, or the context ends.
func eventually(ctx context.Context, t *testing.T, what string, so func() (bool, error)) {
	t.Helper()
	begin, tick := time.Now(), time.NewTicker(50*time.Millisecond)
	defer tick.Stop()
	for {
		yes, err := so()
		if yes {
			t.Logf("%s after %s", what, time.Since(begin).Round(time.Millisecond))
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			require.Fail(t, "there are no "+what, "%v", errors.Join(err, ctx.Err()))
		}
	}
}

// A real kubelet is a node of the API server fake, on the runtime fake; kubectl reaches its pods through both.
func TestKubeletNode(t *testing.T) {
	kubelet, kubectl := builtKube(t, "kubelet", "kubelet", "kubelet"), builtKube(t, "kubectl", "kubectl", "kubectl")
	cmd := exec.CommandContext(t.Context(), filepath.Join("..", "..", "hack", "kubelet", "node.sh"), kubelet, kubectl, os.Args[0])
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Env = append(os.Environ(), asProgram+"=1", "PORT=20270")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 75 {
		t.Skipf("%s", out)
	}
	require.NoError(t, err, "%s", out)
}
