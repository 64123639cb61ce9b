package apiserver_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// A gate sees each object that is about to be stored, with the one before it, and whether a patch creates; what it refuses is not stored.
func TestGate(t *testing.T) {
	api := apiserver.New(apiserver.Options{})
	defer api.Close()
	req := apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("configmaps"), Namespace: "default", Name: "a"}
	object := func(value string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"k": value}}
	}
	var seen []string
	var barred error
	value := func(o runtime.Object) string {
		if o == nil {
			return "none"
		}
		_, err := api.Get(t.Context(), req, metav1.GetOptions{}) // no lock is held
		require.NotErrorIs(t, err, errBarred)
		return o.(*corev1.ConfigMap).Data["k"]
	}
	ctx := apiserver.WithGate(t.Context(), apiserver.Gate{
		Create: func() error { seen = append(seen, "create"); return barred },
		Write:  func(in, old runtime.Object) error { seen = append(seen, value(in)+" for "+value(old)); return nil },
	})
	apply := func(data string) error {
		_, err := api.Patch(ctx, req, types.ApplyYAMLPatchType, []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{`+data+`}}`), metav1.PatchOptions{FieldManager: "m"})
		return err
	}
	barred = errBarred
	require.ErrorIs(t, apply(`"k":"1"`), errBarred)
	require.ErrorContains(t, apply(`"not a key":"1"`), "is invalid", "which is looked at before")
	barred = nil
	require.NoError(t, apply(`"k":"2"`))
	_, err := api.Update(ctx, req, object("3"), metav1.UpdateOptions{})
	require.NoError(t, err)
	_, err = api.Delete(ctx, req, metav1.DeleteOptions{})
	require.NoError(t, err)
	_, err = api.Create(ctx, req, object("4"), metav1.CreateOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"create", "1 for none", "create", " for none", "create", "2 for none", "3 for 2", "4 for none"}, seen)
}

var errBarred = errors.New("barred")
