package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/lwtest/lwtest/harness/report"
)

// A cluster of two nodes runs a pod, whose log can be read, until it is stopped.
func TestServeCluster(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a, out := toyApp(), &bytes.Buffer{}
	said, told := io.Pipe()
	a.stdout, a.stderr = out, told
	ended := make(chan int)
	go func() { ended <- a.run(ctx, []string{"serve", "cluster", "--nodes", "2"}) }()
	line, err := bufio.NewReader(said).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "2 nodes at http://127.0.0.1:")
	config, err := clientcmd.RESTConfigFromKubeConfig(out.Bytes())
	require.NoError(t, err)
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	pods := client.CoreV1().Pods(metav1.NamespaceDefault)
	_, err = pods.Create(ctx, &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: v1.PodSpec{NodeName: "node-2", Containers: []v1.Container{{Name: "c", Image: "busybox", Command: []string{"sh", "-c", "echo hello; sleep infinity"}}}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	w, err := pods.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=a", TimeoutSeconds: new(int64(60))})
	require.NoError(t, err)
	for e := range w.ResultChan() {
		if p, ok := e.Object.(*v1.Pod); ok && p.Status.Phase == v1.PodRunning {
			break
		}
	}
	w.Stop()
	require.Eventually(t, func() bool {
		log, err := pods.GetLogs("a", &v1.PodLogOptions{}).DoRaw(ctx)
		return err == nil && strings.TrimSpace(string(log)) == "hello"
	}, time.Minute, 50*time.Millisecond)
	cancel()
	require.Equal(t, report.OK, <-ended)
}

func TestServeClusterTeaches(t *testing.T) {
	require.Contains(t, lwtest(t, "serve", "cluster", "--nodes", "0").errors, "one node at least")
	require.Contains(t, lwtest(t, "serve", "cluster", "--scheduler", "/no/such/scheduler").errors, "/no/such/scheduler does not start")
}
