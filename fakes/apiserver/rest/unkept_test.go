package rest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Bindings are created by the name of their pod; API services can be read, and a kube-apiserver, which keeps them, lets clients write
// them, too. What it answers about bindings and components is in the goldens of fuzz/differential.
func TestUnkept(t *testing.T) {
	everywhere(t, apiserver.Options{}, func(t *testing.T, b both) {
		clients, err := kubernetes.NewForConfig(b.RESTConfig())
		require.NoError(t, err)
		core := clients.CoreV1()
		_, err = core.Pods("default").Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}, metav1.CreateOptions{})
		require.NoError(t, err)
		binding := `{"metadata":{"name":"p"},"target":{"kind":"Node","name":"n1"}}`
		require.NoError(t, core.RESTClient().Post().Namespace("default").Resource("bindings").Body([]byte(binding)).Do(t.Context()).Error())
		pod, err := core.Pods("default").Get(t.Context(), "p", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, "n1", pod.Spec.NodeName)
		err = core.RESTClient().Post().Namespace("default").Resource("bindings").Body([]byte(binding)).Do(t.Context()).Error()
		assert.True(t, apierrors.IsConflict(err), err)

		raw, err := core.RESTClient().Get().AbsPath("/apis/apiregistration.k8s.io/v1/apiservices/v1.apps").DoRaw(t.Context())
		require.NoError(t, err)
		var service struct {
			Spec struct{ Group, Version string }
		}
		require.NoError(t, json.Unmarshal(raw, &service))
		assert.Equal(t, "apps", service.Spec.Group)
		err = core.RESTClient().Delete().AbsPath("/apis/apiregistration.k8s.io/v1/apiservices/v1.apps").Do(t.Context()).Error()
		assert.True(t, apierrors.IsNotFound(err), err)
	})
}
