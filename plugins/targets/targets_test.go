package targets

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/internal/full"
)

// Each of client-go's parts is in one family, and each family in the default run.
func TestFamilies(t *testing.T) {
	all := builtIn(true)
	for _, s := range New(&Clusters{}).Schemes {
		if strings.HasPrefix(s.Name, ClientGo) {
			assert.NotEmpty(t, s.Family, s.Name)
			assert.Contains(t, all, s.Name)
		}
	}
	assert.Len(t, all, 38)
	some := map[string]bool{}
	for _, name := range builtIn(false) {
		some[familyOf(name)] = true
	}
	assert.Len(t, some, len(families)+1, "two targets have none")
	got, err := New(&Clusters{}).Connects([]string{"all"}, "", nil)
	require.NoError(t, err)
	assert.Equal(t, all, got)
}

func TestServerArg(t *testing.T) {
	for arg, path := range map[string]string{"kubeconfig": "", "kubeconfig:/k": "/k", "kubeconfig?context=c": "", "kubeconfig:/k?context=c": "/k"} {
		sort, name, _, err := serverArg(arg)
		require.NoError(t, err)
		assert.Equal(t, [2]string{"kubeconfig", path}, [2]string{sort, name})
	}
	sort, name, options, err := serverArg("kind:name?keep-cluster=yes")
	require.NoError(t, err)
	assert.Equal(t, [2]string{"kind", "name"}, [2]string{sort, name})
	assert.True(t, KindOptions(options).Keep)
}

// A server may be gone, or an adapter have changed: what go test said of it before does not count.
func TestUncached(t *testing.T) {
	full.Need(t, "it runs go test twice")
	for range 2 {
		cmd := exec.CommandContext(t.Context(), "go", "test", "../../conformance/store", "-run", "TestTarget/basic/add")
		cmd.Env = append(os.Environ(), Env+"=store:oddity/any-order")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		assert.NotContains(t, string(out), "(cached)")
	}
}
