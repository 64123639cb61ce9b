package apiserver_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// The in-process client takes applies, without schemas too. What rest's TestRaw holds to a real server is
// not said again here.
func TestApply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apiserver.New(apiserver.Options{})
		defer s.Close()
		c := apiserver.ConfigMaps(s, "default")
		apply := func(manager, name, data string) (*corev1.ConfigMap, error) {
			return c.Patch(t.Context(), name, types.ApplyYAMLPatchType, []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "+name+"}\ndata: "+data),
				metav1.PatchOptions{FieldManager: manager})
		}
		made, err := apply("m1", "a", "{k: v}")
		require.NoError(t, err)
		assert.Equal(t, map[string]string{"k": "v"}, made.Data)

		time.Sleep(time.Minute) // the time alone is no change
		rev := s.Revision()
		again, err := apply("m1", "a", "{k: v}")
		require.NoError(t, err)
		assert.Equal(t, made, again)
		assert.Equal(t, rev, s.Revision())

		_, err = apply("m2", "a", "{k: w}")
		require.True(t, apierrors.IsConflict(err), err)
		assert.Equal(t, rev, s.Revision())
		both, err := apply("m2", "a", "{l: w}")
		require.NoError(t, err)
		assert.Equal(t, map[string]string{"k": "v", "l": "w"}, both.Data)
		assert.Len(t, both.ManagedFields, 2)

		less, err := apply("m1", "a", "{}")
		require.NoError(t, err)
		assert.Equal(t, map[string]string{"l": "w"}, less.Data)
	})
}

// Who manages what is told once somebody has applied it: from the first write on.
func TestManagedOnceApplied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apiserver.New(apiserver.Options{})
		defer s.Close()
		c := apiserver.ConfigMaps(s, "default")
		made, err := c.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"k": "v"}}, metav1.CreateOptions{FieldManager: "c"})
		require.NoError(t, err)
		assert.Empty(t, made.ManagedFields)
		_, err = c.Patch(t.Context(), "a", types.ApplyYAMLPatchType, []byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: w}}"), metav1.PatchOptions{FieldManager: "m"})
		require.ErrorContains(t, err, `conflict with "c" using v1: .data.k`)
		out, err := c.Patch(t.Context(), "a", types.ApplyYAMLPatchType, []byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {l: w}}"), metav1.PatchOptions{FieldManager: "m"})
		require.NoError(t, err)
		out.Data["k"] = "x"
		out, err = c.Update(t.Context(), out, metav1.UpdateOptions{FieldManager: "u"})
		require.NoError(t, err)
		var managers []string
		for _, e := range out.ManagedFields {
			managers = append(managers, e.Manager)
		}
		assert.Equal(t, []string{"m", "c", "u"}, managers) // of the second there is data itself left
	})
}

// managerNames returns the managers of an object's fields, with their subresources.
func managerNames(m metav1.Object) (all []string) {
	for _, e := range m.GetManagedFields() {
		all = append(all, strings.TrimSuffix(e.Manager+"/"+e.Subresource, "/"))
	}
	return all
}

// With Options.ManagedFields managers are told from the creation on. What the server has created itself has them from the first write of
// another on. rest's TestRaw compares more of it with a real server (the table kept).
func TestManagedFromTheBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apiserver.New(apiserver.Options{ManagedFields: true, Namespaces: true})
		defer s.Close()
		c := apiserver.ConfigMaps(s, "default")
		made, err := c.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"k": "v"}}, metav1.CreateOptions{FieldManager: "c"})
		require.NoError(t, err)
		assert.Equal(t, []string{"c"}, managerNames(made))
		time.Sleep(time.Second)
		for range 2 { // the second changes nothing
			made, err = c.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"data":{"l":"w"}}`), metav1.PatchOptions{FieldManager: "p"})
			require.NoError(t, err)
			assert.Equal(t, []string{"c", "p"}, managerNames(made))
		}
		assert.Equal(t, made.ResourceVersion, s.Revision())

		namespaces := apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("namespaces"), Name: "default"}
		ns, err := s.Get(t.Context(), namespaces, metav1.GetOptions{})
		require.NoError(t, err)
		assert.Empty(t, managerNames(ns.(metav1.Object)))
		ns, err = s.Patch(t.Context(), namespaces, types.MergePatchType, []byte(`{"metadata":{"labels":{"l":"w"}}}`), metav1.PatchOptions{FieldManager: "p"})
		require.NoError(t, err)
		assert.Equal(t, []string{apiserver.ServerManager, "p"}, managerNames(ns.(metav1.Object)))
	})
}
