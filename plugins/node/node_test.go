package node

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lwtest/lwtest/conformance/node"
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
	assert.NotEmpty(t, node.Suite.Checks)
}
