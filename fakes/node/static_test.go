package node_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/fakes/node"
)

const manifest = `
apiVersion: v1
kind: Pod
metadata: {name: st}
spec:
  terminationGracePeriodSeconds: 5
  containers:
  - {name: m, image: busybox, command: [sh, -c, "trap '' TERM; sleep 600; VERSION"]}
`

func version(n string) string { return strings.ReplaceAll(manifest, "VERSION", n) }

func withManifests(dir string) func(*node.Config) {
	return func(c *node.Config) { c.Manifests = dir }
}

func TestStaticPod(t *testing.T) {
	inBubble(t, cri.Options{}, withManifests(t.TempDir()), func(w *world) {
		w.write("st.yaml", version("1"))
		time.Sleep(4 * time.Second)
		p := w.pod("st-node1")
		require.NotNil(t, p)
		assert.Equal(t, v1.PodRunning, p.Status.Phase)
		assert.Equal(t, p.Annotations["kubernetes.io/config.hash"], p.Annotations["kubernetes.io/config.mirror"])
		n, err := w.k.CoreV1().Nodes().Get(context.Background(), "node1", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, n.UID, p.OwnerReferences[0].UID)

		life := []string{"RunPodSandbox", "CreateContainer", "StartContainer", "StopContainer"} // and no garbage collection
		began := len(w.calls(life...))
		w.remove("st-node1", new(int64(0)))
		time.Sleep(18 * time.Second) // the mirror pod is made at the next sync, its status is written 10 seconds later
		again := w.pod("st-node1")
		require.NotNil(t, again)
		assert.NotEqual(t, p.UID, again.UID)
		assert.Equal(t, v1.PodRunning, again.Status.Phase)
		w.remove("st-node1", nil)
		time.Sleep(time.Second)
		assert.NotEqual(t, again.UID, w.pod("st-node1").UID)
		assert.Len(t, w.calls(life...), began, "no container is touched")

		for _, n := range []string{"2", "3", "4"} { // all in one grace period
			w.write("st.yaml", version(n))
			time.Sleep(2 * time.Second)
		}
		time.Sleep(30 * time.Second)
		assert.Equal(t, []string{"StopContainer m.0 5", "RunPodSandbox st-node1", "CreateContainer m.0", "StartContainer m.0"}, w.calls(life...)[began:])
		assert.Contains(t, w.pod("st-node1").Spec.Containers[0].Command[2], "4")

		require.NoError(t, os.Remove(w.config.Manifests+"/st.yaml"))
		time.Sleep(15 * time.Second)
		assert.Nil(t, w.pod("st-node1"))
		assert.Equal(t, []string{"StopContainer m.0 5"}, w.calls(life...)[began+4:])
	})
}

// P11: the manifest goes away and comes back with the same UID, while the pod still stops.
func TestStaticPodComesBack(t *testing.T) {
	inBubble(t, cri.Options{}, withManifests(t.TempDir()), func(w *world) {
		text := strings.ReplaceAll(version("1"), "{name: st}", "{name: st, uid: same}")
		w.write("st.yaml", text)
		time.Sleep(4 * time.Second)
		require.NoError(t, os.Remove(w.config.Manifests+"/st.yaml"))
		time.Sleep(3 * time.Second)
		w.write("st.yaml", text)
		time.Sleep(20 * time.Second)
		assert.Equal(t, v1.PodRunning, w.pod("st-node1").Status.Phase)
		assert.Len(t, w.calls("RunPodSandbox"), 2)
		require.NoError(t, os.Remove(w.config.Manifests+"/st.yaml"))
	})
}

// urls answers with a body, or an error.
type urls struct {
	body atomic.Value
	asks atomic.Int32
}

func (u *urls) RoundTrip(q *http.Request) (*http.Response, error) {
	u.asks.Add(1)
	switch b := u.body.Load().(string); b {
	case "hang":
		<-q.Context().Done()
		return nil, q.Context().Err()
	case "down":
		return nil, errors.New("down")
	case "500":
		return &http.Response{StatusCode: 500, Status: "500 Internal Server Error", Body: io.NopCloser(strings.NewReader(""))}, nil
	default:
		return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(b))}, nil
	}
}

func TestManifestURL(t *testing.T) {
	u := &urls{}
	u.body.Store("hang")
	client := &http.Client{Transport: u, Timeout: 10 * time.Second}
	inBubble(t, cri.Options{Images: []string{"busybox"}}, func(c *node.Config) { c.ManifestURL, c.HTTP = "http://manifests/", client }, func(w *world) {
		w.create(simple("a", "sleep 600"))
		time.Sleep(5 * time.Second)
		require.Equal(t, v1.PodRunning, w.pod("a").Status.Phase)
		w.stop()
		require.NoError(t, w.k.CoreV1().Pods("default").Delete(context.Background(), "a", metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}))
		w.start()
		time.Sleep(30 * time.Second)
		assert.Empty(t, w.calls("StopContainer"), "not before all sources have told their pods")
		u.body.Store(version("1"))
		time.Sleep(20 * time.Second)
		assert.Len(t, w.calls("StopContainer"), 1)
		assert.Equal(t, v1.PodRunning, w.pod("st-node1").Status.Phase)
		for _, bad := range []string{"down", "500", "no pod"} {
			u.body.Store(bad)
			time.Sleep(5 * time.Second)
			assert.NotNil(t, w.pod("st-node1"), bad)
		}
		u.body.Store("")
		time.Sleep(15 * time.Second)
		assert.Nil(t, w.pod("st-node1"))
	})
}

func TestStaticPodsThatAreRefused(t *testing.T) {
	inBubble(t, cri.Options{}, withManifests(t.TempDir()), func(w *world) {
		w.write("a.yaml", version("1"))
		w.write("b.yaml", version("2"))
		w.write("c.yaml", strings.ReplaceAll(strings.ReplaceAll(version("1"), "name: st", "name: sa"), "spec:", "spec:\n  serviceAccountName: x"))
		time.Sleep(6 * time.Second)
		assert.Equal(t, []string{"RunPodSandbox st-node1"}, w.calls("RunPodSandbox"))
		events, err := w.k.CoreV1().Events("default").List(context.Background(), metav1.ListOptions{})
		require.NoError(t, err)
		reasons := map[string]int{}
		for _, e := range events.Items {
			reasons[e.Reason]++
		}
		assert.Equal(t, 1, reasons["FailedValidation"])
	})
}
