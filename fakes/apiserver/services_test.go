package apiserver_test

import (
	"net/netip"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Services have addresses of the range, each its own, until there is none left. default/kubernetes has the first.
func TestServiceRange(t *testing.T) {
	within := netip.MustParsePrefix("10.96.0.8/29")
	bubble(t, apiserver.Options{Namespaces: true, ServiceRange: within}, func(t *testing.T, s *apiserver.Server) {
		req := apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("services"), Namespace: "default"}
		create := func(name, ip string) (*corev1.Service, error) {
			got, err := s.Create(ctx, req, &corev1.Service{
				ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.ServiceSpec{ClusterIP: ip, Ports: []corev1.ServicePort{{Port: 80}}},
			}, metav1.CreateOptions{})
			if err != nil {
				return nil, err
			}
			return got.(*corev1.Service), nil
		}
		_, err := create("other", "10.0.0.5")
		require.ErrorContains(t, err, "failed to allocate IP 10.0.0.5: the provided network does not match the current range")

		first := req
		first.Name = "kubernetes"
		got, err := s.Get(ctx, first, metav1.GetOptions{})
		require.NoError(t, err)
		seen := map[string]bool{"10.96.0.9": true}
		require.Equal(t, "10.96.0.9", got.(*corev1.Service).Spec.ClusterIP)
		for i := range 5 {
			got, err := create("s"+strconv.Itoa(i), "")
			require.NoError(t, err)
			ip := got.Spec.ClusterIP
			require.True(t, within.Contains(netip.MustParseAddr(ip)), ip)
			require.False(t, seen[ip], ip)
			seen[ip] = true
		}
		require.NotContains(t, seen, "10.96.0.15", "the last is for broadcasts")
		_, err = create("more", "")
		require.EqualError(t, err, "Internal error occurred: failed to allocate a serviceIP for Service \"more\": range is full")
		_, err = create("headless", corev1.ClusterIPNone)
		require.NoError(t, err)
	})
}
