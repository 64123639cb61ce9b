package rest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// BenchmarkRights is a request of a user whom many bindings name, each with a role of its own; the last one allows it.
func BenchmarkRights(b *testing.B) {
	for _, bindings := range []int{1, 300} {
		b.Run(fmt.Sprint(bindings), func(b *testing.B) {
			api := apiserver.New(apiserver.Options{Namespaces: true})
			defer api.Close()
			require.NoError(b, rest.AddBootstrapRoles(b.Context(), api))
			for i := range bindings {
				name := fmt.Sprintf("own-%03d", i)
				role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"secrets"}}}}
				if i == bindings-1 {
					role.Rules[0].Resources, role.Rules[0].Verbs = []string{"configmaps"}, []string{"list"}
				}
				addRight(b, api, "clusterroles", "", role)
				addRight(b, api, "clusterrolebindings", "", &rbacv1.ClusterRoleBinding{
					ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
					Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "bob"}},
				})
			}
			ask := asking(b, rest.Handler(api, rest.Options{RBAC: true}))
			require.Contains(b, ask("GET", benchPath, "", "Impersonate-User", "bob"), `"kind":"ConfigMapList"`)
			b.ReportAllocs()
			for b.Loop() {
				ask("GET", benchPath, "", "Impersonate-User", "bob")
			}
		})
	}
}
