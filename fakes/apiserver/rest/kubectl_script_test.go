package rest_test

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/apiserver/schemas"
	"github.com/lwtest/lwtest/internal/full"
)

// printed is a command of a script, and what it printed.
type printed struct {
	command string
	lines   []string
}

// blocks splits what a script printed by its commands.
func blocks(text []byte, kubectl string) (out []printed) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		line := strings.ReplaceAll(lines.Text(), kubectl, "kubectl")
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			out = append(out, printed{command: steady(command)})
		} else if len(out) > 0 {
			last := &out[len(out)-1]
			last.lines = append(last.lines, line)
		}
	}
	return out
}

// unsteady is what differs from run to run.
var unsteady = []struct {
	what *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| \+0000)`), "TIME"},
	{regexp.MustCompile(`\w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000`), "TIME"},
	{regexp.MustCompile(`^W\d{4} [\d:.]+ +\d+ `), "W "},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UUID"},
	{regexp.MustCompile(`\b\d+(m\d+)?(s|m|h)\b`), "AGE"},
	{regexp.MustCompile(`\b10\.\d+\.\d+\.\d+\b`), "IP"},
	{regexp.MustCompile(`(127\.0\.0\.1|192\.0\.2\.1):\d+`), "HOST"},
	{regexp.MustCompile(`("?resourceVersion"?[:=] ?"?)\d+`), "${1}RV"},
	{regexp.MustCompile(`:3\d{4}/`), ":PORT/"},
	{regexp.MustCompile(`\b(nodePort|NodePort): .*`), "$1: PORT"},
	{regexp.MustCompile(`(/tmp/\S+|\$?SCRATCH\S*)`), "PATH"},
	{regexp.MustCompile(`eyJ[\w.-]+`), "TOKEN"},
	{regexp.MustCompile(`kube-api-access-\w{5}|debugger-\w{5}`), "RANDOM"},
	{regexp.MustCompile(`Context "\w+"`), "Context"},
	{regexp.MustCompile(`hash=[0-9A-F]{128}`), "HASH"},
	{regexp.MustCompile(`rc=141`), "rc=0"}, // the reader of its output has seen enough
	{regexp.MustCompile(` +`), " "},
}

func (p printed) steady() string {
	var out []string
	for _, line := range p.lines {
		out = append(out, steady(line))
	}
	return strings.Join(out, "\n")
}

func steady(line string) string {
	for _, u := range unsteady {
		line = u.what.ReplaceAllString(line, u.as)
	}
	return strings.TrimSpace(line)
}

// differences are the commands that kubectl answers otherwise on the fake, and why.
var differences = []struct{ command, why string }{
	{`kubectl version|kubectl get --raw /version`, "it is another build"},
	{`kubectl get --raw /(metrics|healthz\?verbose|readyz\?verbose|statusz|flagz|debug/pprof/|\.well-known/openid-configuration|openid/v1/jwks)`, "a server tells of its own parts, flags and keys"},
	{`kubectl get --raw /openapi/v[23]`, "fewer kinds are described, and those of v2 are made of those of v3"},
	{`kubectl patch (pod p1 .*(nodeName|restartPolicy)|job jj ).*`, "the message quotes the object as kube-apiserver has it inside"},
}

// The scripts of testdata/kubectl print the same on the fake as on a real kube-apiserver, but for what differences has.
func TestKubectlScripts(t *testing.T) {
	full.Need(t, "it runs 208 commands of kubectl")
	seen := make([]bool, len(differences))
	t.Run("scripts", func(t *testing.T) {
		for name, o := range map[string]apiserver.Options{
			"journey": {Namespaces: true, Types: schemas.Types, ManagedFields: true, Admission: apiserver.Admission{ServiceAccount: true}},
			"second":  {Namespaces: true, Types: schemas.Types, ManagedFields: true, Admission: apiserver.Admission{PodSecurity: true}},
		} {
			t.Run(name, func(t *testing.T) { compareScript(t, name, o, seen) })
		}
	})
	if !slices.Contains(seen, true) {
		t.Skip("no script ran")
	}
	for i, d := range differences {
		assert.True(t, seen[i], "nothing differs any more: %s (%s)", d.command, d.why)
	}
}

func compareScript(t *testing.T, name string, o apiserver.Options, seen []bool) {
	api := apiserver.New(o)
	defer api.Close()
	require.NoError(t, rest.AddBootstrapRoles(t.Context(), api))
	s, err := rest.Serve(api, rest.Options{TLS: true, Token: "secret", Pprof: true, RBAC: true})
	require.NoError(t, err)
	defer s.Close()
	k := newKubectl(t, s)
	dir, scratch := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(scratch, "big"), bytes.Repeat([]byte("x"), 1<<20+1), 0o600))
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "kubectl"))))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", name+".sh")
	cmd.Dir = dir
	path, err := filepath.Abs(k.path)
	require.NoError(t, err)
	cmd.Env = append(os.Environ(), "HOME="+k.home, "KUBECONFIG="+k.config, "KUBECTL_KUBERC=false", "K="+path, "SCRATCH="+scratch)
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", said)
	real, err := os.ReadFile(filepath.Join("testdata", "kubectl", name+".real-1.37.1.txt"))
	require.NoError(t, err)
	want, got := blocks(real, path), blocks(said, path)
	require.Len(t, got, len(want))
	for i, w := range want {
		if w.steady() == got[i].steady() {
			continue
		}
		at := slices.IndexFunc(differences, func(d struct{ command, why string }) bool {
			return regexp.MustCompile("^(" + d.command + ")$").MatchString(got[i].command)
		})
		if at >= 0 {
			seen[at] = true
			continue
		}
		assert.Equal(t, w.steady(), got[i].steady(), "%s", got[i].command)
	}
}
