package node_test

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/fakes/node"
)

// A cluster of one node in memory, without containers.
func Example() {
	api := apiserver.New(apiserver.Options{Namespaces: true})
	defer api.Close()
	server, _ := rest.ServePipe(api, rest.Options{})
	defer server.Close()
	runtime := cri.New(cri.Options{})
	defer runtime.Close()
	conn, _ := runtime.Dial()
	defer conn.Close()
	agent, _ := node.New(node.Config{Name: "node1", API: server.RESTConfig(), Runtime: conn, Stats: func() (used, capacity uint64) { return 1, 100 }})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- agent.Run(ctx) }()

	pods := kubernetes.NewForConfigOrDie(server.RESTConfig()).CoreV1().Pods("default")
	_, _ = pods.Create(ctx, &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: v1.PodSpec{NodeName: "node1", Containers: []v1.Container{{Name: "c", Image: "busybox"}}}}, metav1.CreateOptions{})
	for p := (&v1.Pod{}); p.Status.Phase != v1.PodRunning; time.Sleep(10 * time.Millisecond) {
		p, _ = pods.Get(ctx, "p", metav1.GetOptions{})
	}
	cancel()
	fmt.Println("running, and then", <-done)
	// Output: running, and then <nil>
}
