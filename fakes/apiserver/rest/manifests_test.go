package rest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

func TestLoad(t *testing.T) {
	api := apiserver.New(apiserver.Options{Namespaces: true, Resources: resources()})
	defer api.Close()
	require.NoError(t, rest.Load(t.Context(), api, resources(), strings.NewReader(`# first
apiVersion: v1
kind: Namespace
metadata: {name: own}
---
{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "own"}, "data": {"n": "1"}}
---
# nothing
---
apiVersion: probe.example.com/v1
kind: Widget
metadata: {name: w}
spec: {m: 1}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: flow, namespace: own}}
`)))
	got, err := apiserver.ConfigMaps(api, "own").Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, "1", got.Data["n"])
	w, err := apiserver.Custom(api, widget.GroupVersion().WithResource("widgets"), "default").Get(t.Context(), "w", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"m": int64(1)}, w.Object["spec"])
	require.NoError(t, rest.Load(t.Context(), api, nil, strings.NewReader(`apiVersion: v1
kind: List
metadata: {resourceVersion: ""}
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: own, resourceVersion: "77", uid: u, creationTimestamp: "2020-01-02T03:04:05Z"}}
- {apiVersion: v1, kind: Secret, metadata: {name: b, namespace: own}, data: {a: AAE=}}
`)), "what kubectl get -o yaml prints")
	_, err = apiserver.ConfigMaps(api, "own").Get(t.Context(), "b", metav1.GetOptions{})
	require.NoError(t, err)
	for text, want := range map[string]string{
		"kind: Foo\napiVersion: v1\n": "document 1: /v1, Kind=Foo is not served",
		"a: [":                        "document 1: ",
		"kind: ConfigMap\napiVersion: v1\nmetadata: {name: x}\nspam: 1\n":           `unknown field "spam"`,
		"kind: ConfigMap\napiVersion: v1\nmetadata: {name: x, namespace: nosuch}\n": `namespaces "nosuch" not found`,
	} {
		require.ErrorContains(t, rest.Load(t.Context(), api, nil, strings.NewReader(text)), want)
	}
}

// Files may come in any order: what others ask for is created first.
func TestLoadFiles(t *testing.T) {
	api := apiserver.New(apiserver.Options{Namespaces: true})
	defer api.Close()
	dir := t.TempDir()
	var files []string
	for name, text := range map[string]string{
		"a.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: own}\nspec: {priorityClassName: high, runtimeClassName: sandboxed, containers: [{name: c, image: i}]}\n",
		"b.yaml": "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: sandboxed}\nhandler: h\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: own}\n",
		"c.json": `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"high"},"value":7},{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"own"}}]}`,
	} {
		files = append(files, filepath.Join(dir, name))
		require.NoError(t, os.WriteFile(files[len(files)-1], []byte(text), 0o600))
	}
	slices.Sort(files)
	require.NoError(t, rest.LoadFiles(t.Context(), api, nil, files...))
	_, err := apiserver.ConfigMaps(api, "own").Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	p, err := api.Get(t.Context(), apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("pods"), Namespace: "own", Name: "p"}, metav1.GetOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 7, *p.(*corev1.Pod).Spec.Priority)
	require.ErrorContains(t, rest.LoadFiles(t.Context(), api, nil, files[1]), `b.yaml: document 1: runtimeclasses.node.k8s.io "sandboxed" already exists`)
	require.ErrorContains(t, rest.LoadFiles(t.Context(), api, nil, dir), "is a directory")
}

func TestKubeconfig(t *testing.T) {
	b := open(t, rest.Serve, apiserver.Options{}, rest.Options{TLS: true, Token: "secret"})
	defer b.close(t)
	var k struct {
		Clusters []struct {
			Cluster struct {
				Server string
				CA     []byte `json:"certificate-authority-data"`
			}
		}
		Users []struct{ User struct{ Token string } }
	}
	require.NoError(t, yaml.Unmarshal(b.Kubeconfig(), &k))
	require.Equal(t, b.URL(), k.Clusters[0].Cluster.Server)
	require.Equal(t, b.RESTConfig().CAData, k.Clusters[0].Cluster.CA)
	require.Equal(t, "secret", k.Users[0].User.Token)
}
