package node

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/conformance/node"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What the manifest URL answers is what the story sets, and a hang ends with the request.
func TestManifests(t *testing.T) {
	m := manifests{dir: t.TempDir()}
	require.NoError(t, m.Write("a.yaml", []byte("x")))
	b, err := os.ReadFile(m.dir + "/a.yaml")
	require.NoError(t, err)
	assert.Equal(t, "x", string(b))
	require.NoError(t, m.Write("a.yaml", nil))
	assert.NoFileExists(t, m.dir+"/a.yaml")
}

// patched is an API server of one pod, which is recorded a little after the answer to a patch.
type patched struct {
	apiserver.API
	pod  v1.Pod
	late func(*v1.Pod)
}

func (p *patched) Patch(context.Context, apiserver.Request, types.PatchType, []byte, metav1.PatchOptions) (runtime.Object, error) {
	go p.late(&p.pod)
	return &p.pod, nil
}

// An agent gets an answer once the state that it tells is recorded.
func TestAnswerIsRecorded(t *testing.T) {
	var opened, recordedFirst bool
	cases := node.Suite.Bind(harness.Plugin[node.Subject]{Name: "one request", Features: ReferenceFeatures, Open: func(ht *harness.T) (node.Subject, error) {
		var told atomic.Bool
		api := &patched{pod: v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a", ResourceVersion: "7"}}}
		r := &recorded{API: api, recorder: node.NewRecorder(ht)}
		api.late = func(p *v1.Pod) {
			synctest.Wait() // until the agent waits
			told.Store(true)
			r.recordedUpTo("pods", p)
		}
		q := apiserver.Request{Resource: v1.SchemeGroupVersion.WithResource("pods"), Namespace: "default", Name: "a", Subresource: "status"}
		_, err := r.Patch(ht.Context(), q, types.StrategicMergePatchType, []byte("{}"), metav1.PatchOptions{})
		opened, recordedFirst = true, told.Load()
		return nil, errors.Join(err, errors.New("that is all"))
	}})
	_, _ = harness.Run(cases[0], harness.Options{TB: t, Seed: 1}) // it does not get beyond the request
	require.True(t, opened)
	assert.True(t, recordedFirst)
}

// A target that is no kubelet is refused with what to do.
func TestNoKubelet(t *testing.T) {
	t.Setenv("LWTEST_KUBELET", "")
	_, err := OpenKubelet("")
	assert.ErrorContains(t, err, "kubelet")
	_, err = OpenKubelet("/no/such/kubelet")
	assert.Error(t, err)
}

// A real kubelet runs a pod from its creation to its end. LWTEST_KUBELET names it.
func TestKubelet(t *testing.T) {
	if os.Getenv("LWTEST_KUBELET") == "" {
		t.Skip("LWTEST_KUBELET names no kubelet; `hack/kube/kube.sh kubelet --version v1.37.1` builds one")
	}
	target, err := OpenKubelet("")
	require.NoError(t, err)
	for _, c := range target.Cases {
		if c.Name == "termination/delete" {
			r, _ := harness.Run(c, harness.Options{Seed: 1, Target: target.Name})
			assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
		}
	}
	assert.NotEmpty(t, node.Suite.Checks())
}
