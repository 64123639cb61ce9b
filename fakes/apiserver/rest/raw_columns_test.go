package rest_test

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// TestRealColumns asks a real kube-apiserver for the columns of each kind as a Table, and writes them down:
//
//	make goldens-check RAW=Columns
func TestRealColumns(t *testing.T) {
	s := realSession(realConfig(t, wanted(t, "Columns")))
	defer s.client.CloseIdleConnections()
	out := map[string][]metav1.TableColumnDefinition{}
	ask := func(path string) []metav1.TableColumnDefinition {
		res, err := s.send(ask{method: "GET", path: path, headers: asTable})
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		var table metav1.Table
		require.NoError(t, json.Unmarshal(body, &table), "%s: %s", path, body)
		require.NotEmpty(t, table.ColumnDefinitions, "%s: %s", path, body)
		return table.ColumnDefinitions
	}
	const sets = "/apis/apps/v1/namespaces/default/replicasets"
	s.put(step{ask: post(sets, `{"metadata":{"name":"s"},"spec":{"replicas":0,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`)})
	out["scale.autoscaling"] = ask(sets + "/s/scale")
	out["componentstatuses"] = ask("/api/v1/componentstatuses")
	for _, r := range apiserver.Resources() {
		path := "/apis/" + r.GroupVersion().String() + "/" + r.Resource
		if r.Group == "" {
			path = "/api/" + r.Version + "/" + r.Resource
		}
		if r.Custom {
			continue
		}
		out[r.GroupResource().String()] = ask(path)
	}
	b, err := json.Marshal(out)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("columns.json", []byte(strings.ReplaceAll(string(b), "}],", "}],\n")+"\n"), 0o644))
}

// TestRealRoles asks a real kube-apiserver for the roles that it makes at its start, and writes them down:
//
//	make goldens-check RAW=Roles
func TestRealRoles(t *testing.T) {
	s := realSession(realConfig(t, wanted(t, "Roles")))
	defer s.client.CloseIdleConnections()
	var out struct {
		Roles    []rbacv1.ClusterRole
		Bindings []rbacv1.ClusterRoleBinding
	}
	read := func(resource string, into any) {
		res, err := s.send(look("/apis/rbac.authorization.k8s.io/v1/" + resource))
		require.NoError(t, err)
		defer res.Body.Close()
		require.NoError(t, json.NewDecoder(res.Body).Decode(&struct{ Items any }{into}))
	}
	require.Eventually(t, func() bool { // it makes them in the background, the bindings last
		read("clusterroles", &out.Roles)
		read("clusterrolebindings", &out.Bindings)
		return slices.ContainsFunc(out.Bindings, func(b rbacv1.ClusterRoleBinding) bool { return b.Name == "system:volume-scheduler" })
	}, time.Minute, 100*time.Millisecond)
	plain := func(m *metav1.ObjectMeta) {
		*m = metav1.ObjectMeta{Name: m.Name, Labels: m.Labels, Annotations: m.Annotations}
	}
	for i := range out.Roles {
		plain(&out.Roles[i].ObjectMeta)
	}
	for i := range out.Bindings {
		plain(&out.Bindings[i].ObjectMeta)
	}
	b, err := json.Marshal(out)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("roles.json", []byte(strings.ReplaceAll(string(b), `{"metadata"`, "\n"+`{"metadata"`)+"\n"), 0o644))
}
