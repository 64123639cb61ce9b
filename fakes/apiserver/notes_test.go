package apiserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// An update notes that it has created what was not there, and nothing else.
func TestNotesOfUpdates(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		c := apiserver.Leases(s, "default")
		l := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "l"}}
		for _, want := range []bool{true, false} {
			var notes apiserver.Notes
			made, err := c.Update(apiserver.WithNotes(ctx, &notes), l, metav1.UpdateOptions{})
			require.NoError(t, err)
			require.Equal(t, want, notes.Created)
			l = made
		}
	})
}

// A patch notes what it names that does not exist, unless that is to be ignored, or an error.
func TestNotesOfPatches(t *testing.T) {
	bubble(t, apiserver.Options{}, func(t *testing.T, s *apiserver.Server) {
		create(t, s, "default", cm("a"))
		c := apiserver.ConfigMaps(s, "default")
		for directive, want := range map[string][]string{"": {`unknown field "spam"`}, "Warn": {`unknown field "spam"`}, "Ignore": nil, "Strict": nil} {
			for pt, patch := range map[types.PatchType]string{types.MergePatchType: `{"spam":1}`, types.StrategicMergePatchType: `{"spam":1}`,
				types.JSONPatchType: `[{"op":"add","path":"/spam","value":1}]`} {
				var notes apiserver.Notes
				_, err := c.Patch(apiserver.WithNotes(ctx, &notes), "a", pt, []byte(patch), metav1.PatchOptions{FieldValidation: directive})
				require.Equal(t, directive == "Strict", apierrors.IsInvalid(err), "%s %s: %v", directive, pt, err)
				require.Equal(t, want, notes.Warnings, "%s %s", directive, pt)
			}
		}
	})
}

// What every cluster has stays; other namespaces go.
func TestNamespacesThatStay(t *testing.T) {
	o := apiserver.Options{Namespaces: true}
	bubble(t, o, func(t *testing.T, s *apiserver.Server) {
		for name, want := range map[string]bool{"default": false, "kube-system": false, "kube-public": false, "kube-node-lease": true} {
			req := apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("namespaces"), Name: name}
			_, err := s.Delete(ctx, req, metav1.DeleteOptions{})
			require.Equal(t, want, err == nil, "%s: %v", name, err)
			require.Equal(t, !want, apierrors.IsForbidden(err))
		}
		wrong := types.UID("abc")
		_, err := s.Delete(ctx, apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("namespaces"), Name: "default"},
			metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &wrong}})
		require.True(t, apierrors.IsConflict(err), "%v", err)
		require.ErrorContains(t, err, "Precondition failed: UID in precondition: abc, UID in object meta: ")
	})
}
