package oddities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// lacking shows what each server lacks, and that it lacks no more.
var lacking = map[string]func(*testing.T, apiserver.API, *apiserver.Server){
	"bookmarks-none": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
		put(t, api, "a")
		require.Equal(t, []string{"ADDED a"}, see(t, api, "1", 3*time.Minute))
		require.Equal(t, []string{"ADDED a", "BOOKMARK "}, stream(t, api))
	},
	"bookmarks-none-at-all": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
		put(t, api, "a")
		require.Equal(t, []string{"ADDED a"}, see(t, api, "1", 3*time.Minute))
		require.True(t, apierrors.IsInvalid(streamError(api)))
	},
	"streams-refused": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
		put(t, api, "a")
		require.Equal(t, []string{"ADDED a", "BOOKMARK "}, see(t, api, "1", 61*time.Second))
		require.True(t, apierrors.IsInvalid(streamError(api)))
	},
	"limits-ignored": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
		put(t, api, "a")
		put(t, api, "b")
		require.Equal(t, 2, count(t, api, metav1.ListOptions{Limit: 1}))
	},
	"labels-ignored": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
		put(t, api, "a")
		require.Equal(t, 1, count(t, api, metav1.ListOptions{LabelSelector: "x=y"}))
		require.Zero(t, count(t, api, metav1.ListOptions{FieldSelector: "metadata.name=b"}))
	},
	"fields-ignored": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
		put(t, api, "a")
		require.Equal(t, 1, count(t, api, metav1.ListOptions{FieldSelector: "metadata.name=b"}))
		require.Zero(t, count(t, api, metav1.ListOptions{LabelSelector: "x=y"}))
	},
	"selectors-refused": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
		for _, o := range []metav1.ListOptions{{LabelSelector: "x=y"}, {FieldSelector: "metadata.name=b"}} {
			_, err := apiserver.ConfigMaps(api, "ns").List(ctx, o)
			require.True(t, apierrors.IsBadRequest(err))
			_, err = apiserver.ConfigMaps(api, "ns").Watch(ctx, o)
			require.True(t, apierrors.IsBadRequest(err))
			require.True(t, apierrors.IsBadRequest(apiserver.ConfigMaps(api, "ns").DeleteCollection(ctx, metav1.DeleteOptions{}, o)))
		}
		require.Zero(t, count(t, api, metav1.ListOptions{}))
	},
	"dry-runs-done": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
		c, dry := apiserver.ConfigMaps(api, "ns"), []string{metav1.DryRunAll}
		a, err := c.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{DryRun: dry})
		require.NoError(t, err)
		a.Data = map[string]string{"k": "1"}
		_, err = c.Update(ctx, a, metav1.UpdateOptions{DryRun: dry})
		require.NoError(t, err)
		_, err = c.Patch(ctx, "a", types.MergePatchType, []byte(`{"data":{"l":"2"}}`), metav1.PatchOptions{DryRun: dry})
		require.NoError(t, err)
		a, err = c.Get(ctx, "a", metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, map[string]string{"k": "1", "l": "2"}, a.Data)
		require.NoError(t, c.Delete(ctx, "a", metav1.DeleteOptions{DryRun: dry}))
		require.Zero(t, count(t, api, metav1.ListOptions{}))
		put(t, api, "b")
		require.NoError(t, c.DeleteCollection(ctx, metav1.DeleteOptions{DryRun: dry}, metav1.ListOptions{}))
		require.Zero(t, count(t, api, metav1.ListOptions{}))
	},
	"preconditions-ignored": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
		wrong := metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions("another")}
		put(t, api, "a")
		require.NoError(t, apiserver.ConfigMaps(api, "ns").Delete(ctx, "a", wrong))
		put(t, api, "a")
		require.NoError(t, apiserver.ConfigMaps(api, "ns").DeleteCollection(ctx, wrong, metav1.ListOptions{}))
		require.Zero(t, count(t, api, metav1.ListOptions{}))
	},
	"collections-refused": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
		put(t, api, "a")
		require.True(t, apierrors.IsMethodNotSupported(apiserver.ConfigMaps(api, "ns").DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})))
		require.Equal(t, 1, count(t, api, metav1.ListOptions{}))
	},
	"names-given": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
		_, err := apiserver.ConfigMaps(api, "ns").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "a-"}}, metav1.CreateOptions{})
		require.True(t, apierrors.IsInvalid(err))
	},
	"patches-refused": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
		put(t, api, "a")
		for _, pt := range []types.PatchType{types.MergePatchType, types.JSONPatchType, types.StrategicMergePatchType, types.ApplyYAMLPatchType} {
			_, err := apiserver.ConfigMaps(api, "ns").Patch(ctx, "a", pt, []byte(`{}`), metav1.PatchOptions{FieldManager: "m"})
			require.True(t, apierrors.IsUnsupportedMediaType(err), pt)
		}
	},
}

func count(t *testing.T, api apiserver.API, o metav1.ListOptions) int {
	t.Helper()
	l, err := apiserver.ConfigMaps(api, "ns").List(ctx, o)
	require.NoError(t, err)
	return len(l.Items)
}

var streaming = func() metav1.ListOptions {
	yes := true
	return metav1.ListOptions{SendInitialEvents: &yes, AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}
}()

// stream is what a streaming list gives.
func stream(t *testing.T, api apiserver.API) []string {
	t.Helper()
	return seeBy(t, api, streaming, time.Second)
}

func streamError(api apiserver.API) error {
	_, err := apiserver.ConfigMaps(api, "ns").Watch(ctx, streaming)
	return err
}
