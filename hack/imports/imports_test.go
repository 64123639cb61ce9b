// Package imports holds the direction of imports: who may know whom. There is
// nothing here but the test.
package imports

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/lwtest/lwtest/"

// allowed is, for each folder, what of lwtest its packages may import; the
// longest prefix counts. External tests may import what they like.
var allowed = map[string][]string{
	"harness/":                         {"harness/"},
	"conformance/":                     {"harness", "harness/", "conformance/replay", "conformance/source", "conformance/rig"},
	"conformance/replay/":              {"harness/", "conformance/replay/"},
	"conformance/watchcache/golden":    {"harness", "harness/", "conformance/"},
	"conformance/store/golden":         {"harness", "harness/", "conformance/"},
	"conformance/informer/golden":      {"harness", "harness/", "conformance/"},
	"conformance/listerwatcher/golden": {"harness", "harness/", "conformance/"},
	"fakes/":                           {"fakes/"},
	"internal/":                        {"harness", "harness/history", "internal/full"},
	"plugins/":                         {"harness", "harness/", "conformance/", "fakes/", "plugins/mutants/", "plugins/resources"},
	"plugins/exec/":                    {"harness", "harness/", "conformance/", "plugins/fake", "plugins/kube", "plugins/cri", "plugins/node"}, // the server that it gives to clients, and the clients of what an adapter starts
	"plugins/controller/":              {"harness", "harness/", "conformance/", "fakes/", "plugins/clientgo", "plugins/kube/gate"},
	"plugins/clientgo/":                {"harness", "harness/", "conformance/", "plugins/clientgo"},
	"plugins/mutants/":                 {"harness", "harness/", "conformance/", "fakes/", "plugins/mutants/", "plugins/resources", "plugins/clientgo/", "plugins/controller", "plugins/cri", "plugins/node"}, // what mutants are made of
	"plugins/targets/":                 {"harness", "harness/", "conformance/", "fakes/", "plugins/"},                                                                                                        // it names them all
	"plugins/adapter/":                 {},
	"fuzz/":                            {"harness", "harness/", "conformance/"},
	"fuzz/differential/":               {"harness/", "fakes/apiserver", "fakes/apiserver/"},
	"cmd/":                             {""},
	"hack/":                            {""},
}

// heavy modules that a folder must not need, directly or through others:
// weight is part of the interface.
var heavy = map[string][]string{
	"harness/": {"k8s.io/", "github.com/", "google.golang.org/"},
	"fakes/":   {"k8s.io/client-go", "google.golang.org/grpc", "k8s.io/apiserver"},
	// Where CRI is spoken.
	"fakes/cri/": {"k8s.io/client-go", "k8s.io/apiserver"},
	// Where etcd's protocol is spoken, as bytes.
	"fakes/etcd/": {"k8s.io/client-go", "k8s.io/apiserver", "go.etcd.io/"},
	// A client of both.
	"fakes/node/": {"k8s.io/apiserver", "k8s.io/kubernetes", "sigs.k8s.io/kind"},
	// HTTP hands out client-go's configurations, and reads every built-in kind.
	// Schemas are client-go's.
	"fakes/apiserver/schemas/": {"google.golang.org/grpc", "k8s.io/apiserver", "k8s.io/client-go/kubernetes/typed", "k8s.io/client-go/informers"},
	"fakes/apiserver/rest/":    {"google.golang.org/grpc", "k8s.io/apiserver", "k8s.io/client-go/kubernetes/typed", "k8s.io/client-go/informers"},
	// All parts of it together, and what a test needs of a client.
	"fakes/apiserver/serve/":         {"google.golang.org/grpc", "k8s.io/apiserver", "k8s.io/client-go/kubernetes/typed", "k8s.io/client-go/informers"},
	"fakes/apiserver/apiservertest/": {"google.golang.org/grpc", "k8s.io/apiserver", "k8s.io/client-go/kubernetes/typed", "k8s.io/client-go/informers"},
	// CEL is a package that lwtest-apiserver alone has.
	"fakes/apiserver/cel/":  {"k8s.io/kubernetes", "sigs.k8s.io/kind"},
	"cmd/":                  {"k8s.io/apiserver", "github.com/google/cel-go"},
	"cmd/lwtest-apiserver/": {"sigs.k8s.io/kind"},
	"fuzz/":                 {"k8s.io/apiserver"},
	"hack/":                 {"k8s.io/apiserver"},
	// What a vendor's test binary has: kind is the command's alone.
	"plugins/":         {"sigs.k8s.io/kind", "k8s.io/apiserver"},
	"plugins/kind/":    {"k8s.io/apiserver"},
	"plugins/targets/": {"k8s.io/apiserver"}, // the command's, and the suites' own tests
	// Where CRI is spoken.
	"conformance/runtime/": {"k8s.io/client-go", "k8s.io/apiserver", "sigs.k8s.io/kind"},
	"conformance/node/":    {"k8s.io/client-go", "k8s.io/apiserver", "sigs.k8s.io/kind"},
	"conformance/":         {"k8s.io/client-go", "google.golang.org/grpc", "k8s.io/apiserver", "sigs.k8s.io/kind"},
}

type pkg struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	return listed(t, ".", module+"...")
}

func listed(t *testing.T, dir string, args ...string) []pkg {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,Deps"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("go list: %s", exit.Stderr)
	}
	require.NoError(t, err)
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
		all = append(all, p)
	}
	return all
}

// rule finds the entry with the longest prefix of a path within the module.
func rule[T any](table map[string]T, path string) (T, bool) {
	var best string
	for prefix := range table {
		if strings.HasPrefix(path+"/", prefix) && len(prefix) >= len(best) {
			best = prefix
		}
	}
	v, ok := table[best]
	return v, ok
}

func broken(p pkg) []string {
	var out []string
	path := strings.TrimPrefix(p.ImportPath, module)
	may, ok := rule(allowed, path)
	if !ok {
		return []string{p.ImportPath + ": this folder is not in the house"}
	}
	for _, i := range p.Imports {
		to, ours := strings.CutPrefix(i, module)
		if ours && !permitted(may, to) {
			out = append(out, p.ImportPath+" imports "+i)
		}
	}
	if not, ok := rule(heavy, path); ok {
		for _, d := range p.Deps {
			for _, h := range not {
				if strings.HasPrefix(d, h) && !strings.HasPrefix(d, module) {
					out = append(out, p.ImportPath+" needs "+d)
				}
			}
		}
	}
	return out
}

func permitted(may []string, to string) bool {
	for _, m := range may {
		if to == m || m == "" || strings.HasSuffix(m, "/") && strings.HasPrefix(to+"/", m) {
			return true
		}
	}
	return false
}

func TestDirection(t *testing.T) {
	all := packages(t)
	require.NotEmpty(t, all)
	for _, p := range all {
		assert.Empty(t, broken(p))
	}
}

// The test binary of a vendor has nothing of kind in it, which lwtest itself has.
func TestVendorsHaveNoKind(t *testing.T) {
	const kind = "sigs.k8s.io/kind/"
	has := func(dir string, args ...string) (all, of int) {
		for _, p := range listed(t, dir, append([]string{"-deps"}, args...)...) {
			if all++; strings.HasPrefix(p.ImportPath, kind) {
				of++
			}
		}
		return all, of
	}
	all, of := has("../../examples/informer", "-test", "./...")
	assert.Greater(t, all, 300)
	assert.Zero(t, of)
	_, of = has("../../cmd/lwtest", ".")
	assert.Greater(t, of, 30)
}

// The check itself can fail.
func TestDirectionCanFail(t *testing.T) {
	for name, p := range map[string]pkg{
		"harness knows no conformance":   {ImportPath: module + "harness", Imports: []string{module + "conformance/replay"}},
		"harness knows no Kubernetes":    {ImportPath: module + "harness/history", Deps: []string{"k8s.io/apimachinery/pkg/labels"}},
		"conformance knows no fake":      {ImportPath: module + "conformance/watchcache", Imports: []string{module + "fakes/apiserver"}},
		"conformance knows no client-go": {ImportPath: module + "conformance/watchcache", Deps: []string{"k8s.io/client-go/rest"}},
		"fakes know nothing of lwtest":   {ImportPath: module + "fakes/apiserver", Imports: []string{module + "harness"}},
		"no kind in a vendor's tests":    {ImportPath: module + "plugins/fake", Deps: []string{"sigs.k8s.io/kind/pkg/cluster"}},
		"lwtest compiles no CEL":         {ImportPath: module + "cmd/lwtest", Deps: []string{"k8s.io/apiserver/pkg/cel"}},
		"a new room":                     {ImportPath: module + "util"},
	} {
		assert.NotEmpty(t, broken(p), name)
	}
}
