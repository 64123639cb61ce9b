package rest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// client-go's typed clients of both groups see the same events, each as its own, whichever has written them.
func TestTwins(t *testing.T) {
	for _, kind := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		t.Run(kind, func(t *testing.T) {
			everywhere(t, apiserver.Options{}, func(t *testing.T, b both) {
				config := b.RESTConfig()
				config.ContentType, config.AcceptContentTypes = kind, kind
				clients, err := kubernetes.NewForConfig(config)
				require.NoError(t, err)
				core, twin := clients.CoreV1().Events("default"), clients.EventsV1().Events("default")
				seen, err := twin.Watch(t.Context(), metav1.ListOptions{})
				require.NoError(t, err)
				defer seen.Stop()
				seenCore, err := core.Watch(t.Context(), metav1.ListOptions{})
				require.NoError(t, err)
				defer seenCore.Stop()

				made, err := twin.Create(t.Context(), &eventsv1.Event{
					ObjectMeta: metav1.ObjectMeta{Name: "e"}, EventTime: metav1.NewMicroTime(time.Unix(1, 0)), Note: "n", Reason: "R", Action: "A",
					Type: corev1.EventTypeNormal, ReportingController: "example.com/c", ReportingInstance: "i", Regarding: corev1.ObjectReference{Namespace: "default", Name: "p"},
				}, metav1.CreateOptions{})
				require.NoError(t, err)
				require.Equal(t, "n", made.Note)
				e := <-seen.ResultChan()
				require.Equal(t, watch.Added, e.Type)
				require.Equal(t, made.Regarding, e.Object.(*eventsv1.Event).Regarding)
				require.Equal(t, "n", (<-seenCore.ResultChan()).Object.(*corev1.Event).Message)

				_, err = twin.Patch(t.Context(), "e", types.StrategicMergePatchType, []byte(`{"series":{"count":2,"lastObservedTime":"2026-01-01T00:00:00.000000Z"}}`), metav1.PatchOptions{})
				require.NoError(t, err, "as its recorder does it")
				require.EqualValues(t, 2, (<-seen.ResultChan()).Object.(*eventsv1.Event).Series.Count)
				require.EqualValues(t, 2, (<-seenCore.ResultChan()).Object.(*corev1.Event).Series.Count)
				made.Note = "other"
				made.ResourceVersion = ""
				_, err = twin.Update(t.Context(), made, metav1.UpdateOptions{})
				require.True(t, apierrors.IsInvalid(err), "%v", err)

				_, err = core.Create(t.Context(), &corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: "old"}, InvolvedObject: corev1.ObjectReference{Namespace: "default"}, Message: "m", Count: 3}, metav1.CreateOptions{})
				require.NoError(t, err)
				got, err := twin.Get(t.Context(), "old", metav1.GetOptions{})
				require.NoError(t, err)
				require.EqualValues(t, 3, got.DeprecatedCount)
				all, err := twin.List(t.Context(), metav1.ListOptions{FieldSelector: "regarding.name=p"})
				require.NoError(t, err)
				require.Len(t, all.Items, 1)
				require.NoError(t, twin.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}))
				_, err = twin.Get(t.Context(), "e", metav1.GetOptions{})
				require.ErrorContains(t, err, `events.events.k8s.io "e" not found`)
			})
		})
	}
}
