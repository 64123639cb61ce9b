package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	kubescheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/utils/ptr"

	"github.com/lwtest/lwtest/cmd/internal/serveapi"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/plugins/node"
)

// A cluster of two nodes runs a pod, whose log can be read and in which a command runs, until it is stopped.
func TestServeCluster(t *testing.T) { serveCluster(t) }

// The same with real kubelets. LWTEST_KUBELET names one.
func TestServeClusterKubelets(t *testing.T) {
	kubelet := os.Getenv("LWTEST_KUBELET")
	if kubelet == "" {
		t.Skip("LWTEST_KUBELET names no kubelet; `hack/kube/kube.sh kubelet --version v1.37.1` builds one")
	}
	if _, err := node.KubeletVersion(kubelet); err != nil {
		t.Skip(err)
	}
	serveCluster(t, "--kubelet", kubelet)
}

// startCluster serves a cluster of two nodes. stop ends it, and fails the test if that does not end well.
func startCluster(t *testing.T, flags ...string) (config *rest.Config, client *kubernetes.Clientset, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	a, out := toyApp(), &bytes.Buffer{}
	said, told := io.Pipe()
	a.stdout, a.stderr = out, told
	ended := make(chan int, 1)
	go func() {
		code := a.run(ctx, append([]string{"serve", "cluster", "--nodes", "2"}, flags...))
		told.Close()
		ended <- code
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		assert.Equal(t, report.OK, <-ended)
	})
	t.Cleanup(stop)
	line, err := bufio.NewReader(said).ReadString('\n')
	require.NoError(t, err, line)
	require.Contains(t, line, "2 nodes at https://127.0.0.1:")
	config, err = clientcmd.RESTConfigFromKubeConfig(out.Bytes())
	require.NoError(t, err)
	client, err = kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return config, client, stop
}

func serveCluster(t *testing.T, flags ...string) {
	ctx := t.Context()
	config, client, stop := startCluster(t, flags...)
	_, err := client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
	require.NoError(t, err)
	pods := client.CoreV1().Pods(metav1.NamespaceDefault)
	for _, node := range []string{"node-1", "node-2", ""} { // the last gets one of them
		name := cmp.Or(node, "anywhere")
		_, err = pods.Create(ctx, &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1.PodSpec{NodeName: node, Containers: []v1.Container{{Name: "c", Image: "busybox", Command: []string{"sh", "-c", "echo hello; sleep infinity"}}}}}, metav1.CreateOptions{})
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			log, err := pods.GetLogs(name, &v1.PodLogOptions{}).DoRaw(ctx)
			return err == nil && strings.TrimSpace(string(log)) == "hello"
		}, time.Minute, 50*time.Millisecond)
		at := client.CoreV1().RESTClient().Post().Resource("pods").Namespace(metav1.NamespaceDefault).Name(name).SubResource("exec").VersionedParams(&v1.PodExecOptions{Command: []string{"echo", "there"}, Stdout: true}, kubescheme.ParameterCodec)
		exec, err := remotecommand.NewSPDYExecutor(config, "POST", at.URL())
		require.NoError(t, err)
		var there bytes.Buffer
		require.NoError(t, exec.StreamWithContext(ctx, remotecommand.StreamOptions{Stdout: &there}))
		require.Equal(t, "there\n", there.String())
	}
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	for _, n := range nodes.Items {
		require.Empty(t, n.Spec.Taints, "%s takes pods", n.Name)
	}
	stop()
}

func TestServeClusterTeaches(t *testing.T) {
	require.Contains(t, lwtest(t, "serve", "cluster", "--nodes", "0").errors, "one node at least")
	require.Contains(t, lwtest(t, "serve", "cluster", "--scheduler", "/no/such/scheduler").errors, "/no/such/scheduler does not start")
	require.NotEmpty(t, lwtest(t, "serve", "cluster", "--kubelet", "/no/such/kubelet").errors)
}

// The error of a program that has ended says how, and the last that it has said if it failed by itself.
func TestEnded(t *testing.T) {
	for _, c := range []struct{ script, said, want string }{
		{"kill -9 $$", "p: serving at https://127.0.0.1:1 until Ctrl-C\n", "p has ended: signal: killed"},
		{"exit 1", "", "p has ended: exit status 1"},
		{"exit 0", "all is well\n", "p has ended: exit status 0"},
		{"exit 1", "p: no such file\n", "p: no such file"},
		{"exit 2", "one\ntwo\n", "p has ended: exit status 2\none\ntwo"},
	} {
		cmd := exec.Command("sh", "-c", c.script)
		_ = cmd.Run() // the state says how it ended
		assert.EqualError(t, ended("p", cmd.ProcessState, c.said), c.want)
	}
}

// The API server has the flags that were given, and those of a cluster unless they say otherwise.
func TestServeClusterFlags(t *testing.T) {
	const usual = "--tls --rbac --accounts --workloads --schedule --provision"
	for _, c := range []struct {
		name         string
		given        []string
		want, lacks  string
		real, binder bool // a controller manager and a scheduler run
	}{
		{name: "none", want: usual + " --admission=" + strings.Join(apiserver.AdmissionPlugins(), ",")},
		{name: "real ones", real: true, binder: true, want: "--tls --rbac --provision", lacks: "--accounts --workloads --schedule"},
		{name: "off", given: []string{"--rbac=false", "--workloads=false", "--admission=LimitRanger,ResourceQuota"}, want: "--rbac=false --workloads=false --admission=LimitRanger --admission=ResourceQuota --accounts", lacks: "--rbac --workloads"},
		{name: "others", given: []string{"--view", "b=1s", "--view", "c=2s", "--kubeconfig", "x", "--webhook-service", "a/b=127.0.0.1:1", "--tls"},
			want: "--rbac --accounts --workloads --schedule --view=b=1s --view=c=2s --webhook-service=a/b=127.0.0.1:1 --tls=true", lacks: "--kubeconfig=x"},
	} {
		o := servingCluster{server: serveapi.NewFlags()}
		if c.real {
			o.controller = "kube-controller-manager"
		}
		if c.binder {
			o.scheduler = "kube-scheduler"
		}
		require.NoError(t, o.server.Parse(c.given), c.name)
		got := o.serverArgs("file")
		assert.Subset(t, got, strings.Fields(c.want+" --kubeconfig=file"), c.name)
		for _, flag := range strings.Fields(c.lacks) {
			assert.NotContains(t, got, flag, c.name)
		}
	}
}

// Without a controller manager and a scheduler, a Deployment has pods that run, and its ReplicaSet can outlive it.
func TestServeClusterWorkloads(t *testing.T) {
	_, client, stop := startCluster(t)
	defer stop()
	ctx, labels := t.Context(), map[string]string{"app": "web"}
	_, err := client.AppsV1().Deployments("default").Create(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.DeploymentSpec{
		Replicas: ptr.To[int32](3), Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: v1.PodSpec{Containers: []v1.Container{{Name: "c", Image: "busybox"}}}}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		d, err := client.AppsV1().Deployments("default").Get(ctx, "web", metav1.GetOptions{})
		return err == nil && d.Status.AvailableReplicas == 3
	}, 30*time.Second, 20*time.Millisecond)
	require.NoError(t, client.AppsV1().Deployments("default").Delete(ctx, "web", metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationOrphan)}))
	require.Eventually(t, func() bool {
		_, err := client.AppsV1().Deployments("default").Get(ctx, "web", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}, 30*time.Second, 20*time.Millisecond)
	sets, err := client.AppsV1().ReplicaSets("default").List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, sets.Items, 1)
	assert.Empty(t, sets.Items[0].OwnerReferences)
}

// Without a cache folder nothing is built, and the cluster still starts. Too many nodes are refused.
func TestServeClusterWithoutCache(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LWTEST_CACHE", "PATH"} {
		t.Setenv(name, "")
	}
	var errs bytes.Buffer
	a := toyApp()
	a.stderr = &errs
	cmd, err := a.findAPIServer(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"lwtest", "serve", "apiserver"}, cmd.Args)
	assert.Contains(t, errs.String(), "CEL expressions are not evaluated")
	assert.Contains(t, lwtest(t, "envtest").errors, "set LWTEST_CACHE")
	assert.Contains(t, lwtest(t, "serve", "cluster", "--nodes", "2049").errors, "2048 nodes at most")
}
