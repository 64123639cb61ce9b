package apiserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// The Service default/kubernetes is there from the start, and comes back when it is deleted.
func TestKubernetesService(t *testing.T) {
	bubble(t, apiserver.Options{Namespaces: true}, func(t *testing.T, s *apiserver.Server) {
		req := apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("services"), Namespace: "default", Name: "kubernetes"}
		get := func() *corev1.Service {
			got, err := s.Get(ctx, req, metav1.GetOptions{})
			require.NoError(t, err)
			return got.(*corev1.Service)
		}
		first := get()
		require.Equal(t, "10.0.0.1", first.Spec.ClusterIP)
		require.Equal(t, []string{"10.0.0.1"}, first.Spec.ClusterIPs)
		require.Equal(t, int32(443), first.Spec.Ports[0].Port)
		require.Equal(t, map[string]string{"component": "apiserver", "provider": "kubernetes"}, first.Labels)

		_, err := s.Delete(ctx, req, metav1.DeleteOptions{})
		require.NoError(t, err)
		again := get()
		require.NotEqual(t, first.UID, again.UID)
		require.Equal(t, first.Spec, again.Spec)

		req.Resource = corev1.SchemeGroupVersion.WithResource("endpoints")
		_, err = s.Get(ctx, req, metav1.GetOptions{})
		require.NoError(t, err)
		req.Resource = discoveryv1.SchemeGroupVersion.WithResource("endpointslices")
		slice, err := s.Get(ctx, req, metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, []string{apiserver.AdvertiseAddress}, slice.(*discoveryv1.EndpointSlice).Endpoints[0].Addresses)
	})
}
