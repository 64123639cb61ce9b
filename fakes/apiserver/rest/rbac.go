package rest

import (
	"context"
	_ "embed"
	"encoding/json"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// bootstrapRoles are the ClusterRoles and their bindings that a kube-apiserver 1.37.1 makes at its start. TestRealRoles writes them.
//
//go:embed roles.json
var bootstrapRoles []byte

// AddBootstrapRoles creates the ClusterRoles and ClusterRoleBindings that a kube-apiserver makes at its start, such as cluster-admin,
// edit and view.
func AddBootstrapRoles(ctx context.Context, api apiserver.API) error {
	var all struct {
		Roles    []rbacv1.ClusterRole
		Bindings []rbacv1.ClusterRoleBinding
	}
	if err := json.Unmarshal(bootstrapRoles, &all); err != nil {
		return err
	}
	for i := range all.Roles {
		if _, err := api.Create(ctx, apiserver.Request{Resource: rbacv1.SchemeGroupVersion.WithResource("clusterroles")}, &all.Roles[i], metav1.CreateOptions{FieldManager: apiserver.ServerManager}); err != nil {
			return err
		}
	}
	for i := range all.Bindings {
		if _, err := api.Create(ctx, apiserver.Request{Resource: rbacv1.SchemeGroupVersion.WithResource("clusterrolebindings")}, &all.Bindings[i], metav1.CreateOptions{FieldManager: apiserver.ServerManager}); err != nil {
			return err
		}
	}
	return nil
}

// addReader creates the Role that lets API servers behind this one read a ConfigMap, and its RoleBinding, as a kube-apiserver does at its
// start (plugin/pkg/auth/authorizer/rbac/bootstrappolicy/namespace_policy.go).
func addReader(ctx context.Context, api apiserver.API, namespace, configMap string) error {
	m := metav1.ObjectMeta{
		Namespace: namespace, Name: configMap + "-reader",
		Labels: map[string]string{"kubernetes.io/bootstrapping": "rbac-defaults"}, Annotations: map[string]string{"rbac.authorization.kubernetes.io/autoupdate": "true"},
	}
	role := &rbacv1.Role{ObjectMeta: m, Rules: []rbacv1.PolicyRule{{Verbs: []string{"get", "list", "watch"}, APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{configMap}}}}
	binding := &rbacv1.RoleBinding{ObjectMeta: m, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: m.Name}}
	binding.Name = "system::" + m.Name
	for _, name := range []string{"system:kube-controller-manager", "system:kube-scheduler"} {
		binding.Subjects = append(binding.Subjects, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name})
	}
	if _, err := api.Create(ctx, apiserver.Request{Resource: rbacv1.SchemeGroupVersion.WithResource("roles"), Namespace: namespace}, role, metav1.CreateOptions{FieldManager: apiserver.ServerManager}); err != nil {
		return err
	}
	_, err := api.Create(ctx, apiserver.Request{Resource: rbacv1.SchemeGroupVersion.WithResource("rolebindings"), Namespace: namespace}, binding, metav1.CreateOptions{FieldManager: apiserver.ServerManager})
	return err
}
