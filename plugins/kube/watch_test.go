package kube

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/plugins/resources"
)

const leaseStream = `{"type":"ADDED","object":{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"x","namespace":"a","uid":"u","resourceVersion":"5","labels":{"app":"one"}},"spec":{"holderIdentity":"v1"}}}
{"type":"BOOKMARK","object":{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}},"spec":{}}}
{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 1 (5)","reason":"Expired","code":410}}
`

func TestLeasesAreShownAsConfigMaps(t *testing.T) {
	r := listen(t, func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Query().Get("watch") != "" {
			fmt.Fprint(w, leaseStream)
			return
		}
		fmt.Fprint(w, `{"kind":"LeaseList","apiVersion":"coordination.k8s.io/v1","metadata":{"resourceVersion":"7","continue":"c","remainingItemCount":3},"items":[{"metadata":{"name":"x","resourceVersion":"5"},"spec":{"holderIdentity":"v1"}},{"metadata":{"name":"y"},"spec":{}}]}`)
	})
	s := dial(t, r.URL, "leases")
	c := client{s.objects, s.resource, "a"}

	l, err := c.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Equal(t, "7", l.ResourceVersion)
	require.Equal(t, "c", l.Continue)
	require.EqualValues(t, 3, *l.RemainingItemCount)
	require.Equal(t, "v1", l.Items[0].Data[watchcache.Spec])
	require.Empty(t, l.Items[1].Data)

	w, err := c.Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	defer w.Stop()
	e := <-w.ResultChan()
	m := e.Object.(*corev1.ConfigMap)
	require.Equal(t, watch.Added, e.Type)
	require.Equal(t, "v1", m.Data[watchcache.Spec])
	require.Equal(t, "one", m.Labels["app"])
	require.EqualValues(t, "u", m.UID)
	e = <-w.ResultChan()
	require.Equal(t, watch.Bookmark, e.Type)
	require.Equal(t, "true", e.Object.(*corev1.ConfigMap).Annotations[metav1.InitialEventsAnnotationKey])
	e = <-w.ResultChan()
	require.Equal(t, watch.Error, e.Type)
	require.EqualValues(t, 410, e.Object.(*metav1.Status).Code)
	_, more := <-w.ResultChan()
	require.False(t, more, "the stream has ended")
}

// A watch that is stopped with events unread leaves no goroutine: goleak looks.
func TestAWatchIsStoppedWithEventsUnread(t *testing.T) {
	in := watch.NewFakeWithOptions(watch.FakeOptions{ChannelSize: 3})
	w := resources.Watch(in, resources.ConfigMaps.Show)
	in.Add(&corev1.ConfigMap{})
	in.Add(&corev1.ConfigMap{})
	<-w.ResultChan()
	w.Stop()
	w.Stop()
}

func TestALeaseKeepsItsMetadata(t *testing.T) {
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x", Namespace: "a", UID: "u", ResourceVersion: "5", Finalizers: []string{"f"},
		Labels: map[string]string{"app": "one"}, Annotations: map[string]string{"k": "v"}}, Data: map[string]string{watchcache.Spec: "v1"}}
	require.Equal(t, m, resources.Leases.Show(resources.Leases.Hide(m)))
	m.Data = nil
	require.Equal(t, m, resources.Leases.Show(resources.Leases.Hide(m)))
	_, err := resources.Leases.Patch([]byte(`[]`))
	require.ErrorContains(t, err, "merge patch")
	_, err = resources.Leases.PatchOf("application/json-patch+json", nil)
	require.Error(t, err)
	_, err = resources.ConfigMaps.PatchOf("application/json-patch+json", nil)
	require.NoError(t, err)
}
