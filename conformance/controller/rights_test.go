package controller

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
)

func TestRightOf(t *testing.T) {
	for q, want := range map[string]Right{
		"GET /api/v1/pods": {"list", "", "pods", "", ""},
		"GET /apis/apps/v1/namespaces/a/deployments?watch=1":    {"watch", "apps", "deployments", "", "a"},
		"GET /api/v1/namespaces/a":                              {"get", "", "namespaces", "a", ""},
		"POST /api/v1/namespaces/a/pods/p/eviction":             {"create", "", "pods/eviction", "p", "a"},
		"PUT /apis/apps/v1/namespaces/a/deployments/web/status": {"update", "apps", "deployments/status", "web", "a"},
		"PATCH /apis/e.io/v1/things/t":                          {"patch", "e.io", "things", "t", ""},
		"DELETE /api/v1/namespaces/a/pods":                      {"deletecollection", "", "pods", "", "a"},
		"DELETE /apis/apps/v1/namespaces/a/deployments/web":     {"delete", "apps", "deployments", "web", "a"},
		"PUT /api/v1/namespaces/a/finalize":                     {"update", "", "namespaces/finalize", "a", ""},
	} {
		var method, path string
		for i := range q {
			if q[i] == ' ' {
				method, path = q[:i], q[i+1:]
			}
		}
		r := httptest.NewRequest(method, path, nil)
		x, ok := parsePath(r.URL.Path)
		require.True(t, ok, q)
		assert.Equal(t, want, rightOf(r, x), q)
	}
}

func TestAllows(t *testing.T) {
	rule := func(verb, group, resource string, names ...string) Allowed {
		return Allowed{rbacv1.PolicyRule{Verbs: []string{verb}, APIGroups: []string{group}, Resources: []string{resource}, ResourceNames: names}, ""}
	}
	status := Right{"update", "apps", "deployments/status", "web", "a"}
	assert.True(t, rule("update", "apps", "deployments/status").allows(status))
	assert.True(t, rule("*", "*", "*").allows(status))
	assert.True(t, rule("update", "apps", "*/status").allows(status))
	assert.True(t, rule("update", "apps", "deployments/status", "web").allows(status))
	assert.False(t, rule("update", "apps", "deployments").allows(status))
	assert.False(t, rule("patch", "apps", "deployments/status").allows(status))
	assert.False(t, rule("update", "", "deployments/status").allows(status))
	assert.False(t, rule("update", "apps", "deployments/status", "db").allows(status))
	inB := rule("*", "*", "*")
	inB.Namespace = "b"
	assert.False(t, inB.allows(status))
}
