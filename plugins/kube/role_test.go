package kube

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	rbac "k8s.io/client-go/kubernetes/typed/rbac/v1"
	"k8s.io/client-go/rest"
)

// roles parses what Role gives.
func roles(t *testing.T) []rbacv1.ClusterRole {
	t.Helper()
	d := yaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(Role()), 4096)
	var out []rbacv1.ClusterRole
	for {
		var r rbacv1.ClusterRole
		err := d.Decode(&r)
		if err == io.EOF {
			return out
		}
		require.NoError(t, err)
		require.Equal(t, "ClusterRole", r.Kind)
		out = append(out, r)
	}
}

func TestRoleGrantsNoMoreThanItSays(t *testing.T) {
	all := roles(t)
	require.Len(t, all, 3)
	require.Equal(t, "lwtest", all[0].Name)
	for _, rule := range all[0].Rules {
		for _, s := range append(append(append([]string{}, rule.APIGroups...), rule.Resources...), rule.Verbs...) {
			require.NotContains(t, s, "*")
		}
	}
	require.Equal(t, "lwtest-bare", all[1].Name)
	require.Equal(t, "lwtest-things", all[2].Name)
}

// grant binds a user of its own to copies of the roles.
func grant(t *testing.T, config *rest.Config, all ...rbacv1.ClusterRole) *rest.Config {
	t.Helper()
	admin(t, config) // hangs up last, for this client, too
	c, err := rbac.NewForConfig(config)
	require.NoError(t, err)
	user := baseName(t.Name())
	for _, r := range all {
		name := user + "-" + r.Name
		r.ObjectMeta = metav1.ObjectMeta{Name: name}
		_, err := c.ClusterRoles().Create(t.Context(), &r, metav1.CreateOptions{})
		require.NoError(t, err)
		_, err = c.ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
		}, metav1.CreateOptions{})
		require.NoError(t, err)
		t.Cleanup(func() {
			_ = c.ClusterRoleBindings().Delete(context.Background(), name, metav1.DeleteOptions{})
			_ = c.ClusterRoles().Delete(context.Background(), name, metav1.DeleteOptions{})
		})
	}
	as := rest.CopyConfig(config)
	as.Impersonate = rest.ImpersonationConfig{UserName: user}
	return as
}

// granted connects as soon as the server has heard of the roles.
func granted(t *testing.T, as *rest.Config, resource string) *server {
	t.Helper()
	var s *server
	require.Eventually(t, func() bool {
		var err error
		s, err = connect(context.Background(), as, Options{Resource: resource})
		if err != nil {
			require.ErrorContains(t, err, "it needs this role")
		}
		return err == nil
	}, 5*time.Minute, 200*time.Millisecond)
	return s
}

// TestRealRole passes the suite with the first role alone. Without a
// controller manager its namespaces then stay, and it says what would help.
func TestRealRole(t *testing.T) {
	config := realConfig(t)
	t.Parallel()
	for _, resource := range []string{"configmaps", "leases"} {
		t.Run(resource, func(t *testing.T) {
			t.Parallel()
			all := roles(t)
			id := "t" + strings.TrimPrefix(baseName(t.Name()), "lwtest-")
			s := granted(t, grant(t, config, all[0]), resource)
			runAll(t, s, id)
			_, err := s.target().Close()
			if err == nil {
				require.Empty(t, left(t, config, id), "a controller has ended them")
				return
			}
			require.ErrorContains(t, err, "lwtest-bare")

			both := granted(t, grant(t, config, all[:2]...), resource)
			for range 20 { // until the server has heard of the second role, too
				require.NoError(t, closed(both))
				if len(left(t, config, id)) == 0 {
					break
				}
				time.Sleep(200 * time.Millisecond)
			}
			require.Empty(t, left(t, config, id), "nothing stays")
		})
	}
}

func TestRealNoRole(t *testing.T) {
	config := realConfig(t)
	t.Parallel()
	_, err := connect(t.Context(), grant(t, config), Options{})
	require.ErrorContains(t, err, "kind: ClusterRole")
}
