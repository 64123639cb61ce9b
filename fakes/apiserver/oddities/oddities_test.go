package oddities_test

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/oddities"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

// Each oddity is odd in the way it says.
func TestOddities(t *testing.T) {
	odd := map[string]func(*testing.T, apiserver.API, *apiserver.Server){
		"initial-reversed": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			put(t, api, "a")
			put(t, api, "b")
			require.Equal(t, []string{"ADDED b", "ADDED a", "BOOKMARK "}, see(t, api, "", 0))
		},
		"initial-end-untold": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			put(t, api, "a")
			require.Equal(t, []string{"ADDED a"}, see(t, api, "", 0))
		},
		"bookmarks-often": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			put(t, api, "a")
			require.Equal(t, []string{"ADDED a", "BOOKMARK ", "BOOKMARK "}, see(t, api, "1", 1100*time.Millisecond))
		},
		"versions-jump": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			a, b := version(t, put(t, api, "a")), version(t, put(t, api, "b"))
			require.Positive(t, new(big.Int).Sub(b, a).Cmp(big.NewInt(1)))
		},
		"versions-long": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			first := version(t, put(t, api, "o0"))
			require.False(t, first.IsInt64())
			for i := range 9 {
				put(t, api, fmt.Sprint("o", i+1))
			}
			require.Greater(t, len(version(t, put(t, api, "z")).String()), len(first.String()))
		},
		"watches-lag": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			put(t, api, "a")
			require.Empty(t, see(t, api, "1", 119*time.Second))
			require.Equal(t, []string{"ADDED a"}, see(t, api, "1", time.Second))
		},
		"watches-end-early": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			for i := range 5 {
				put(t, api, fmt.Sprint("o", i))
			}
			require.Len(t, see(t, api, "1", 0), 3)
		},
		"watches-end-soon": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			long := int64(7)
			w, err := apiserver.ConfigMaps(api, "ns").Watch(ctx, metav1.ListOptions{ResourceVersion: "1", TimeoutSeconds: &long})
			require.NoError(t, err)
			from := time.Now()
			_, open := <-w.ResultChan()
			require.False(t, open)
			require.Equal(t, 5*time.Second, time.Since(from))
		},
		"opens-slowly": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			for i := range 7 {
				put(t, api, fmt.Sprint("o", i))
			}
			from := time.Now()
			require.Len(t, see(t, api, "1", 0), 3)
			require.Equal(t, 2*time.Second, time.Since(from))
		},
		"bookmarks-by-the-clock": func(t *testing.T, api apiserver.API, s *apiserver.Server) {
			put(t, api, "a")
			for timeout, want := range map[int64]bool{6: false, 90: true} {
				w, err := apiserver.ConfigMaps(api, "ns").Watch(ctx, metav1.ListOptions{ResourceVersion: s.Revision(), AllowWatchBookmarks: true, TimeoutSeconds: &timeout})
				require.NoError(t, err)
				put(t, api, fmt.Sprint("b", timeout))
				marked := false
				for e := range w.ResultChan() {
					marked = marked || e.Type == watch.Bookmark
				}
				require.Equal(t, want, marked, timeout)
			}
		},
		"starts-stale": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			put(t, api, "a")
			require.Equal(t, []string{"BOOKMARK "}, see(t, api, "", 0))
			time.Sleep(time.Second)
			require.Equal(t, []string{"ADDED a", "BOOKMARK "}, see(t, api, "", 0))
		},
		"behind-at-times": func(t *testing.T, api apiserver.API, s *apiserver.Server) {
			put(t, api, "a")
			refused, from := 0, time.Now()
			for range 5 {
				if _, err := apiserver.ConfigMaps(api, "ns").List(ctx, metav1.ListOptions{ResourceVersion: s.Revision()}); apierrors.IsTimeout(err) {
					refused++
					require.True(t, apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge))
				}
			}
			require.Equal(t, 1, refused)
			require.Equal(t, 3*time.Second, time.Since(from))
			yes := true
			for range 5 {
				w, err := apiserver.ConfigMaps(api, "ns").Watch(ctx, metav1.ListOptions{
					ResourceVersion: s.Revision(), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, SendInitialEvents: &yes, AllowWatchBookmarks: true})
				require.NoError(t, err)
				if (<-w.ResultChan()).Type == watch.Error {
					refused++
				}
				w.Stop()
			}
			require.Equal(t, 2, refused)
		},
		"status-on-create": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			require.Equal(t, "s", statusOf(stated(t, api)))
		},
		"status-takes-labels": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			d := stated(t, api)
			d.Labels = map[string]string{"a": "b"}
			o, err := api.Update(ctx, apiserver.Request{Resource: deployments, Namespace: "ns", Name: "d", Subresource: "status"}, d, metav1.UpdateOptions{})
			require.NoError(t, err)
			require.Equal(t, d.Labels, o.(*appsv1.Deployment).Labels)
		},
		"status-follows": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			require.Equal(t, "after-v", statusOf(stated(t, api)))
		},
		"window-small": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			for i := range 30 {
				put(t, api, fmt.Sprint("o", i))
			}
			require.Equal(t, []string{"ERROR 410"}, see(t, api, "5", 0))
			require.NoError(t, exactly(api, "5"))
		},
		"compacts-often": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			put(t, api, "a")
			put(t, api, "b")
			time.Sleep(20 * time.Second)
			require.True(t, apierrors.IsResourceExpired(exactly(api, "2")))
			require.Equal(t, []string{"ADDED b"}, see(t, api, "2", 0))
		},
		"not-found-at": func(t *testing.T, api apiserver.API, s *apiserver.Server) {
			put(t, api, "a")
			_, err := apiserver.ConfigMaps(api, "ns").Get(ctx, "b", metav1.GetOptions{})
			require.True(t, apierrors.IsNotFound(err))
			require.Equal(t, s.Revision(), err.(*apierrors.StatusError).ErrStatus.ResourceVersion)
			_, err = apiserver.ConfigMaps(api, "ns").Get(ctx, "a", metav1.GetOptions{})
			require.NoError(t, err)
		},
		"past-forgotten": func(t *testing.T, api apiserver.API, s *apiserver.Server) {
			put(t, api, "a")
			require.True(t, apierrors.IsResourceExpired(exactly(api, s.Revision())))
			_, err := apiserver.ConfigMaps(api, "ns").List(ctx, metav1.ListOptions{ResourceVersion: s.Revision(), Limit: 1})
			require.True(t, apierrors.IsResourceExpired(err))
			require.True(t, apierrors.IsTimeout(exactly(api, "1000")))
			_, err = apiserver.ConfigMaps(api, "ns").List(ctx, metav1.ListOptions{ResourceVersion: s.Revision()})
			require.NoError(t, err)
		},
		"expired-as-status": func(t *testing.T, api apiserver.API, s *apiserver.Server) {
			put(t, api, "a")
			put(t, api, "b")
			require.Equal(t, []string{"ADDED b"}, see(t, api, "2", 0))
			require.NoError(t, s.ForgetEvents(corev1.SchemeGroupVersion.WithResource("configmaps"), ""))
			_, err := apiserver.ConfigMaps(api, "ns").Watch(ctx, metav1.ListOptions{ResourceVersion: "1"})
			require.True(t, apierrors.IsResourceExpired(err))
		},
		"future-refused": func(t *testing.T, api apiserver.API, s *apiserver.Server) {
			put(t, api, "a")
			_, err := apiserver.ConfigMaps(api, "ns").Watch(ctx, metav1.ListOptions{ResourceVersion: "3"})
			require.True(t, apierrors.IsTimeout(err))
			require.Empty(t, see(t, api, s.Revision(), 0))
		},
		"waits-long": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			began := time.Now()
			_, err := apiserver.ConfigMaps(api, "ns").List(ctx, metav1.ListOptions{ResourceVersion: "1000"})
			require.True(t, apierrors.IsTimeout(err))
			require.Equal(t, time.Minute, time.Since(began))
		},
		"slow-ended": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			w, err := apiserver.ConfigMaps(api, "ns").Watch(ctx, metav1.ListOptions{ResourceVersion: "1"})
			require.NoError(t, err)
			for i := range 100 {
				put(t, api, fmt.Sprint("o", i))
			}
			synctest.Wait()
			n := 0
			for e := range w.ResultChan() {
				require.Equal(t, fmt.Sprint("o", n), e.Object.(metav1.Object).GetName())
				n++
			}
			require.Equal(t, 40, n)
		},
		"bookmark-at-start": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			put(t, api, "a")
			require.Equal(t, []string{"BOOKMARK ", "ADDED a"}, see(t, api, "1", 0))
		},
		"cold": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			_, err := apiserver.ConfigMaps(api, "ns").List(ctx, metav1.ListOptions{})
			require.True(t, apierrors.IsTooManyRequests(err))
			_, err = apiserver.ConfigMaps(api, "ns").List(ctx, metav1.ListOptions{})
			require.NoError(t, err)
		},
		"cache-behind": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			put(t, api, "a")
			l, err := apiserver.ConfigMaps(api, "ns").List(ctx, metav1.ListOptions{ResourceVersion: "0"})
			require.NoError(t, err)
			require.Empty(t, l.Items)
			l, err = apiserver.ConfigMaps(api, "ns").List(ctx, metav1.ListOptions{})
			require.NoError(t, err)
			require.Len(t, l.Items, 1)
		},
		"remaining-untold": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			put(t, api, "a")
			put(t, api, "b")
			l, err := apiserver.ConfigMaps(api, "ns").List(ctx, metav1.ListOptions{Limit: 1})
			require.NoError(t, err)
			require.NotEmpty(t, l.Continue)
			require.Nil(t, l.RemainingItemCount)
		},
		"apply-conflict-uncaused": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			c := apiserver.ConfigMaps(api, "ns")
			_, err := c.Patch(ctx, "a", types.ApplyYAMLPatchType, []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"1"}}`), metav1.PatchOptions{FieldManager: "m1"})
			require.NoError(t, err)
			_, err = c.Patch(ctx, "a", types.ApplyYAMLPatchType, []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"2"}}`), metav1.PatchOptions{FieldManager: "m2"})
			require.True(t, apierrors.IsConflict(err))
			require.Empty(t, err.(apierrors.APIStatus).Status().Details)
		},
		"pages-short": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			for i := range 5 {
				put(t, api, fmt.Sprint("o", i))
			}
			l, err := apiserver.ConfigMaps(api, "ns").List(ctx, metav1.ListOptions{Limit: 5})
			require.NoError(t, err)
			require.Len(t, l.Items, 4)
			require.NotEmpty(t, l.Continue)
		},
		"shards-unknown": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			put(t, api, "a")
			for _, s := range []string{"bad", "shardRange(object.metadata.namespace,'0x0000000000000000','0x0000000000000001')"} {
				l, err := apiserver.ConfigMaps(api, "ns").List(ctx, metav1.ListOptions{ShardSelector: s})
				require.NoError(t, err)
				require.Len(t, l.Items, 1)
				require.Nil(t, l.ShardInfo)
			}
		},
		"deletes-together": func(t *testing.T, api apiserver.API, s *apiserver.Server) {
			from := put(t, api, "a").ResourceVersion
			require.NoError(t, apiserver.ConfigMaps(api, "ns").Delete(ctx, "a", metav1.DeleteOptions{}))
			require.Equal(t, []string{"DELETED a", "DELETED a-companion"}, see(t, api, from, 0))
			require.Empty(t, see(t, api, s.Revision(), 0))
			require.Equal(t, "4", s.Revision())
		},
		"delete-answers-object": func(t *testing.T, api apiserver.API, s *apiserver.Server) {
			put(t, api, "a")
			req := apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("configmaps"), Namespace: "ns", Name: "a"}
			o, err := api.Delete(ctx, req, metav1.DeleteOptions{})
			require.NoError(t, err)
			require.Equal(t, s.Revision(), o.(*corev1.ConfigMap).ResourceVersion)
		},
		"put-needs-version": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			put(t, api, "a")
			_, err := apiserver.ConfigMaps(api, "ns").Update(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.UpdateOptions{})
			require.True(t, apierrors.IsInvalid(err))
		},
		"collection-together": func(t *testing.T, api apiserver.API, s *apiserver.Server) {
			put(t, api, "a")
			from := put(t, api, "b").ResourceVersion
			require.NoError(t, apiserver.ConfigMaps(api, "ns").DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
			require.Equal(t, []string{"DELETED a", "DELETED b"}, see(t, api, from, 0))
			require.Equal(t, "4", s.Revision())
		},
		"writes-throttled": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			o := put(t, api, "a")
			var refused int
			for range 5 {
				if _, err := apiserver.ConfigMaps(api, "ns").Update(ctx, o, metav1.UpdateOptions{}); apierrors.IsTooManyRequests(err) {
					refused++
				}
			}
			require.Equal(t, 1, refused)
		},
		"admission-labels": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			o := put(t, api, "a")
			require.Equal(t, "x", o.Labels["team"])
			o.Labels = nil
			now, err := apiserver.ConfigMaps(api, "ns").Update(ctx, o, metav1.UpdateOptions{})
			require.NoError(t, err)
			require.Equal(t, map[string]string{"team": "x"}, now.Labels)
		},
		"admission-annotates": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			require.Equal(t, "yes", put(t, api, "a").Annotations["example.com/admitted"])
		},
		"admission-fills-in": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			require.Equal(t, "pending", put(t, api, "a").Data["status"])
		},
		"admission-digests": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			o := put(t, api, "a")
			was := o.Annotations["example.com/digest"]
			o.Data = map[string]string{"spec": "v"}
			now, err := apiserver.ConfigMaps(api, "ns").Update(ctx, o, metav1.UpdateOptions{})
			require.NoError(t, err)
			require.NotEqual(t, was, now.Annotations["example.com/digest"])
		},
		"status-apart": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			o := put(t, api, "a")
			o.Data = map[string]string{"spec": "v", "status": "up"}
			now, err := apiserver.ConfigMaps(api, "ns").Update(ctx, o, metav1.UpdateOptions{})
			require.NoError(t, err)
			require.Equal(t, map[string]string{"spec": "v"}, now.Data)
		},
		"generations": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			o := put(t, api, "a")
			require.EqualValues(t, 1, o.Generation)
			o.Data = map[string]string{"spec": "v"}
			now, err := apiserver.ConfigMaps(api, "ns").Update(ctx, o, metav1.UpdateOptions{})
			require.NoError(t, err)
			require.EqualValues(t, 2, now.Generation)
		},
		"created-finely": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			o := put(t, api, "a")
			now, err := apiserver.ConfigMaps(api, "ns").Get(ctx, "a", metav1.GetOptions{})
			require.NoError(t, err)
			require.Equal(t, time.Second/2, o.CreationTimestamp.Sub(now.CreationTimestamp.Time))
		},
		"answers-lost-by-restart": func(t *testing.T, api apiserver.API, s *apiserver.Server) {
			put(t, api, "before")
			time.AfterFunc(time.Microsecond, s.Restart)
			c := apiserver.ConfigMaps(api, "ns")
			_, err := c.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "amid"}}, metav1.CreateOptions{})
			require.ErrorContains(t, err, "reset")
			_, err = c.Get(ctx, "amid", metav1.GetOptions{})
			require.NoError(t, err)
			put(t, api, "after")
		},
		"updates-in-turn": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			o, began := put(t, api, "a"), time.Now()
			_, err := apiserver.ConfigMaps(api, "ns").Update(ctx, o, metav1.UpdateOptions{})
			require.NoError(t, err)
			require.Equal(t, time.Second, time.Since(began))
		},
		"progress-slow": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			o := metav1.ListOptions{ResourceVersion: put(t, api, "a").ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}
			_, err := apiserver.ConfigMaps(api, "ns").List(ctx, o)
			require.True(t, apierrors.IsTimeout(err))
			began := time.Now()
			_, err = apiserver.ConfigMaps(api, "ns").List(ctx, o)
			require.NoError(t, err)
			require.Equal(t, 2*time.Second, time.Since(began))
		},
		"named-watches-short": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			began := time.Now()
			namespaces := apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("namespaces")}
			w, err := api.Watch(ctx, namespaces, metav1.ListOptions{FieldSelector: "metadata.name=x"})
			require.NoError(t, err)
			for range w.ResultChan() { // until it ends
			}
			require.Equal(t, 3*time.Second, time.Since(began))
		},
		"evictions-refused": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			onNode(t, api)
			evict := func() error {
				r := apiserver.Request{Resource: pods, Namespace: "ns", Name: "p", Subresource: "eviction"}
				_, err := api.Create(ctx, r, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "p"}}, metav1.CreateOptions{})
				return err
			}
			require.True(t, apierrors.IsTooManyRequests(evict()))
			require.NoError(t, evict())
		},
		"deleted-in-one-step": func(t *testing.T, api apiserver.API, s *apiserver.Server) {
			onNode(t, api)
			w, err := api.Watch(ctx, apiserver.Request{Resource: pods, Namespace: "ns"}, metav1.ListOptions{ResourceVersion: s.Revision()})
			require.NoError(t, err)
			left := int64(0)
			_, err = api.Delete(ctx, apiserver.Request{Resource: pods, Namespace: "ns", Name: "p"}, metav1.DeleteOptions{GracePeriodSeconds: &left})
			require.NoError(t, err)
			require.Equal(t, watch.Deleted, (<-w.ResultChan()).Type)
			w.Stop()
		},
		"grace-of-its-own": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			onNode(t, api)
			o, err := api.Delete(ctx, apiserver.Request{Resource: pods, Namespace: "ns", Name: "p"}, metav1.DeleteOptions{})
			require.NoError(t, err)
			require.EqualValues(t, 7, *o.(*corev1.Pod).DeletionGracePeriodSeconds)
		},
		"put-creates": func(t *testing.T, api apiserver.API, _ *apiserver.Server) {
			_, err := apiserver.ConfigMaps(api, "ns").Update(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.UpdateOptions{})
			require.NoError(t, err)
		},
	}
	maps.Copy(odd, lacking)
	for _, o := range oddities.All() {
		t.Run(o.Name, func(t *testing.T) {
			require.NotEmpty(t, o.About)
			require.Regexp(t, `^watchcache/[a-z/-]+$`, o.Clause)
			require.Contains(t, odd, o.Name)
			synctest.Test(t, func(t *testing.T) {
				api, s := o.Open(apiserver.Options{})
				odd[o.Name](t, api, s)
				require.NoError(t, s.Close())
			})
			delete(odd, o.Name)
		})
	}
	require.Empty(t, odd, "of these there are none")
}

func put(t *testing.T, api apiserver.API, name string) *corev1.ConfigMap {
	t.Helper()
	o, err := apiserver.ConfigMaps(api, "ns").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	require.NoError(t, err)
	return o
}

func version(t *testing.T, o *corev1.ConfigMap) *big.Int {
	t.Helper()
	v, ok := new(big.Int).SetString(o.ResourceVersion, 10)
	require.True(t, ok)
	return v
}

func exactly(api apiserver.API, rv string) error {
	_, err := apiserver.ConfigMaps(api, "ns").List(ctx, metav1.ListOptions{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	return err
}
