package rest_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// kubectl runs the real one, which hack/kube/kube.sh has built, on a server. It keeps what it finds out in a
// folder of its own.
type kubectl struct {
	path, config, home string
}

func newKubectl(t *testing.T, s *rest.Server) *kubectl {
	t.Helper()
	path := os.Getenv("LWTEST_KUBECTL")
	if path == "" {
		cache := os.Getenv("LWTEST_CACHE")
		if cache == "" {
			cache = "../../../.cache"
		}
		path = filepath.Join(cache, "kube", "v1.37.1-kubectl", "kubectl")
	}
	if _, err := os.Stat(path); err != nil {
		t.Skip("there is no kubectl: build it with `hack/kube/kube.sh kubectl`, or say in LWTEST_KUBECTL where one is")
	}
	k := &kubectl{path: path, home: t.TempDir()}
	k.config = filepath.Join(k.home, "kubeconfig")
	require.NoError(t, os.WriteFile(k.config, s.Kubeconfig(), 0o600))
	return k
}

func (k *kubectl) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, k.path, args...)
	cmd.Env = []string{"HOME=" + k.home, "KUBECONFIG=" + k.config, "KUBECTL_KUBERC=false"}
	return cmd
}

// try runs it with something to read, and gives what it prints on both channels, and its status.
func (k *kubectl) try(t *testing.T, in string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := k.command(ctx, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out.String(), errs.String(), exit.ExitCode()
	}
	require.NoError(t, err)
	return out.String(), errs.String(), 0
}

// run runs what must go well and says nothing beside what it prints.
func (k *kubectl) run(t *testing.T, in string, args ...string) string {
	t.Helper()
	out, errs, status := k.try(t, in, args...)
	require.Zero(t, status, "kubectl %v: %s%s", args, out, errs)
	return out
}

const manifest = `apiVersion: v1
kind: ConfigMap
metadata: {name: a, labels: {app: x}}
data: {k: "1", gone: "soon"}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: l}
spec: {holderIdentity: me}
`

// The real kubectl works: it finds out what there is, creates, applies, reads, describes, deletes and waits,
// with and without TLS.
func TestKubectl(t *testing.T) {
	for name, o := range map[string]rest.Options{"plain": {}, "TLS": {TLS: true, Token: "secret"}} {
		t.Run(name, func(t *testing.T) {
			b := open(t, rest.Serve, apiserver.Options{}, o)
			defer b.close(t)
			k := newKubectl(t, b.Server)

			require.Contains(t, k.run(t, "", "version"), "Server Version: v1.37.1")
			resources := k.run(t, "", "api-resources", "--no-headers", "-o", "name")
			for _, r := range []string{"configmaps", "leases.coordination.k8s.io", "namespaces", "widgets.probe.example.com"} {
				require.Contains(t, strings.Fields(resources), r)
			}
			require.Equal(t, "configmap/a created\nlease.coordination.k8s.io/l created\n", k.run(t, manifest, "create", "-f", "-"))
			k.reads(t)
			k.applies(t, b)
			k.refused(t)

			require.Equal(t, "configmap \"a\" deleted from default namespace\nlease.coordination.k8s.io \"l\" deleted from default namespace\n",
				k.run(t, manifest, "delete", "--wait", "-f", "-"))
			_, errs, status := k.try(t, "", "get", "configmaps", "a")
			require.Equal(t, 1, status)
			require.Equal(t, "Error from server (NotFound): configmaps \"a\" not found\n", errs)
		})
	}
}

func (k *kubectl) reads(t *testing.T) {
	t.Helper()
	require.Equal(t, "configmap/a\nlease.coordination.k8s.io/l\n", k.run(t, manifest, "get", "-f", "-", "-o", "name"))
	table := strings.Fields(k.run(t, "", "get", "configmaps"))
	require.Equal(t, []string{"NAME", "DATA", "AGE", "a"}, table[:4])
	require.Contains(t, k.run(t, "", "get", "configmaps", "-o", "wide", "--all-namespaces", "--show-labels"), "app=x")
	require.Equal(t, "1", k.run(t, "", "get", "configmaps", "a", "-o", "jsonpath={.data.k}"))
	require.Contains(t, k.run(t, "", "get", "leases", "l", "-o", "yaml"), "holderIdentity: me\n")
	require.Empty(t, k.run(t, "", "get", "configmaps", "-l", "app=y", "-o", "name"))
	require.Equal(t, "configmap/a\n", k.run(t, "", "get", "configmaps", "-l", "app=x", "--field-selector", "metadata.name=a", "-o", "name", "--chunk-size=1"))
	require.Contains(t, k.run(t, "", "describe", "configmap", "a"), "gone:\n----\nsoon\n")
	require.Contains(t, k.run(t, "", "explain", "configmap.data"), "FIELD: data <map[string]string>")
	require.Contains(t, k.run(t, "", "explain", "lease.spec"), "holderIdentity\t<string>")
	require.Equal(t, "widget.probe.example.com/w created\n", k.run(t, "apiVersion: probe.example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {n: 1}\n", "create", "-f", "-"))
	require.Contains(t, k.run(t, "", "explain", "widgets.metadata"), "labels\t<map[string]string>")
	k.run(t, "", "delete", "widget", "w")
	require.Equal(t, "yes\n", k.run(t, "", "auth", "can-i", "create", "configmaps"))
	require.Regexp(t, `(?m)^\*\.\* +\[\] +\[\] +\[\*\]$`, k.run(t, "", "auth", "can-i", "--list"))
	require.Contains(t, k.run(t, "", "auth", "whoami"), "[system:masters system:authenticated]")
	k.run(t, "", "create", "serviceaccount", "teller")
	require.Len(t, strings.Split(k.run(t, "", "create", "token", "teller"), "."), 3, "a JSON web token")
	k.run(t, "", "delete", "serviceaccount", "teller")
	require.Equal(t, "ok", k.run(t, "", "get", "--raw", "/readyz"))
}

func (k *kubectl) applies(t *testing.T, b both) {
	t.Helper()
	changed := strings.Replace(manifest, `k: "1", gone: "soon"`, `k: "2"`, 1)
	out, errs, status := k.try(t, manifest, "apply", "-f", "-")
	require.Zero(t, status, errs)
	require.Contains(t, errs, "missing the kubectl.kubernetes.io/last-applied-configuration annotation")
	require.Equal(t, "configmap/a configured\nlease.coordination.k8s.io/l configured\n", out)
	require.Equal(t, "configmap/a configured\nlease.coordination.k8s.io/l unchanged\n", k.run(t, changed, "apply", "-f", "-"))
	require.Equal(t, "configmap/a unchanged\nlease.coordination.k8s.io/l unchanged\n", k.run(t, changed, "apply", "-f", "-"))
	a, err := apiserver.ConfigMaps(b.api, "default").Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"k": "2"}, a.Data, "what is applied no more is gone")
	require.Equal(t, "configmap/a labeled\n", k.run(t, "", "label", "configmap", "a", "l=1"))
	require.Equal(t, "configmap/a patched\n", k.run(t, "", "patch", "configmap", "a", "-p", `{"data":{"p":"1"}}`))
	require.Equal(t, "configmap/new created (server dry run)\n", k.run(t, "", "create", "configmap", "new", "--dry-run=server"))
	require.Equal(t, "configmap/b created\n", k.run(t, strings.Replace(strings.SplitN(manifest, "---", 2)[0], "name: a", "name: b", 1), "apply", "-f", "-"))
	require.Equal(t, "configmap \"b\" deleted from default namespace\n", k.run(t, "", "delete", "configmaps", "b"))
}

func (k *kubectl) refused(t *testing.T) {
	t.Helper()
	_, errs, status := k.try(t, manifest, "create", "-f", "-")
	require.Equal(t, 1, status)
	require.Contains(t, errs, `Error from server (AlreadyExists): error when creating "STDIN": configmaps "a" already exists`)
	_, errs, status = k.try(t, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"bad"},"spam":1}`, "create", "-f", "-")
	require.Equal(t, 1, status)
	require.Contains(t, errs, `strict decoding error: unknown field "spam"`)
}

// kubectl get -w shows each change, and delete --wait waits for a finalizer to be taken off.
func TestKubectlWatches(t *testing.T) {
	b := open(t, rest.Serve, apiserver.Options{}, rest.Options{})
	defer b.close(t)
	k := newKubectl(t, b.Server)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	held := cm("held")
	held.Finalizers = []string{"example.com/f"}
	c := apiserver.ConfigMaps(b.api, "default")
	_, err := c.Create(ctx, held, metav1.CreateOptions{})
	require.NoError(t, err)

	seen := follow(t, k.command(ctx, "get", "configmaps", "-w", "--output-watch-events", "--no-headers"))
	seen.until(t, "ADDED held")
	_, err = c.Create(ctx, cm("b"), metav1.CreateOptions{})
	require.NoError(t, err)
	seen.until(t, "ADDED b")
	require.NoError(t, c.Delete(ctx, "b", metav1.DeleteOptions{}))
	seen.until(t, "DELETED b")

	waits := k.command(ctx, "delete", "configmaps", "held", "--wait")
	require.NoError(t, waits.Start())
	seen.until(t, "MODIFIED held")
	held.Finalizers = nil
	_, err = c.Update(ctx, held, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.NoError(t, waits.Wait(), "it is gone")
	seen.until(t, "DELETED held")
}

// A namespace with a job in it ends, as it does where a controller does it.
func TestKubectlNamespaces(t *testing.T) {
	b := open(t, rest.Serve, apiserver.Options{NamespaceController: true}, rest.Options{})
	defer b.close(t)
	k := newKubectl(t, b.Server)
	k.run(t, "", "create", "namespace", "n")
	k.run(t, "", "create", "job", "j", "--image=i", "--namespace=n")
	require.Equal(t, "namespace \"n\" deleted\n", k.run(t, "", "delete", "namespace", "n", "--wait", "--timeout=20s"))
}

// Who goes over to applying at the server keeps what others have written before: kubectl takes over what it has
// applied itself, and no more.
func TestKubectlAppliesAtLast(t *testing.T) {
	b := open(t, rest.Serve, apiserver.Options{}, rest.Options{})
	defer b.close(t)
	k := newKubectl(t, b.Server)
	mine := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: \"1\", gone: \"1\"}\n"
	k.run(t, mine, "apply", "-f", "-")
	k.run(t, "", "patch", "configmap", "a", "--field-manager=another", "-p", `{"data":{"theirs":"1"},"metadata":{"labels":{"theirs":"1"}}}`)
	mine = strings.Replace(mine, `, gone: "1"`, "", 1)
	for range 2 {
		k.run(t, mine, "apply", "--server-side", "-f", "-")
		a, err := apiserver.ConfigMaps(b.api, "default").Get(t.Context(), "a", metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, map[string]string{"k": "1", "theirs": "1"}, a.Data)
		require.Equal(t, "1", a.Labels["theirs"])
	}
}

// following is a command that prints lines.
type following struct{ lines chan string }

func follow(t *testing.T, cmd *exec.Cmd) following {
	t.Helper()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	f := following{make(chan string)}
	go func() {
		defer close(f.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			f.lines <- strings.Join(strings.Fields(s.Text())[:2], " ")
		}
	}()
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Kill())
		for range f.lines {
		}
		_ = cmd.Wait() // it was killed
	})
	return f
}

// until reads on to a line, which must come.
func (f following) until(t *testing.T, want string) {
	t.Helper()
	for got := range f.lines {
		if got == want {
			return
		}
	}
	t.Fatalf("%s has not come", want)
}
