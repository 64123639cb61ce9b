package rest_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

var configMaps = corev1.SchemeGroupVersion.WithResource("configmaps")

func cm(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"k": "v"}}, Data: map[string]string{"n": "1"}}
}

// next is the next event of a watch, which must come.
func next(t *testing.T, w watch.Interface) watch.Event {
	t.Helper()
	select {
	case e, ok := <-w.ResultChan():
		require.True(t, ok, "the watch has ended")
		return e
	case <-time.After(20 * time.Second):
		t.Fatal("no event")
		return watch.Event{}
	}
}

// client-go's typed clients work as they are, in JSON and in protobuf.
func TestClientset(t *testing.T) {
	for _, kind := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		t.Run(kind, func(t *testing.T) {
			everywhere(t, apiserver.Options{NamespaceController: true}, func(t *testing.T, b both) {
				config := b.RESTConfig()
				config.ContentType, config.AcceptContentTypes = kind, kind
				clients, err := kubernetes.NewForConfig(config)
				require.NoError(t, err)
				tour(t, clients)
			})
		})
	}
}

// tour makes each kind of request once.
func tour(t *testing.T, clients kubernetes.Interface) {
	ctx, c := t.Context(), clients.CoreV1().ConfigMaps("default")
	made, err := c.Create(ctx, cm("a"), metav1.CreateOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, made.UID)
	_, err = c.Create(ctx, cm("a"), metav1.CreateOptions{})
	require.True(t, apierrors.IsAlreadyExists(err), "%v", err)
	for i := range 4 {
		_, err = c.Create(ctx, cm(fmt.Sprint("b", i)), metav1.CreateOptions{})
		require.NoError(t, err)
	}
	page, err := c.List(ctx, metav1.ListOptions{Limit: 2})
	require.NoError(t, err)
	require.Len(t, page.Items, 2)
	require.EqualValues(t, 3, *page.RemainingItemCount)
	others, err := c.List(ctx, metav1.ListOptions{Continue: page.Continue})
	require.NoError(t, err)
	require.Len(t, others.Items, 3)

	yes := true
	w, err := c.Watch(ctx, metav1.ListOptions{SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true})
	require.NoError(t, err)
	defer w.Stop()
	for range 5 {
		require.Equal(t, watch.Added, next(t, w).Type)
	}
	end := next(t, w)
	require.Equal(t, watch.Bookmark, end.Type)
	require.Equal(t, "true", end.Object.(*corev1.ConfigMap).Annotations[metav1.InitialEventsAnnotationKey])

	made.Data["n"] = "2"
	updated, err := c.Update(ctx, made, metav1.UpdateOptions{})
	require.NoError(t, err)
	_, err = c.Update(ctx, made, metav1.UpdateOptions{})
	require.True(t, apierrors.IsConflict(err), "%v", err)
	e := next(t, w)
	require.Equal(t, watch.Modified, e.Type)
	require.Equal(t, updated.ResourceVersion, e.Object.(*corev1.ConfigMap).ResourceVersion)
	for kind, patch := range map[types.PatchType]string{
		types.MergePatchType: `{"data":{"m":"1"}}`, types.StrategicMergePatchType: `{"data":{"s":"1"}}`, types.JSONPatchType: `[{"op":"remove","path":"/data/n"}]`,
	} {
		_, err = c.Patch(ctx, "a", kind, []byte(patch), metav1.PatchOptions{})
		require.NoError(t, err, kind)
		require.Equal(t, watch.Modified, next(t, w).Type)
	}
	got, err := c.Get(ctx, "a", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"m": "1", "s": "1"}, got.Data)
	require.NoError(t, c.Delete(ctx, "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &got.UID}}))
	require.Equal(t, watch.Deleted, next(t, w).Type)
	require.NoError(t, c.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "k=v"}))
	for range 4 {
		require.Equal(t, watch.Deleted, next(t, w).Type)
	}
	_, err = c.Get(ctx, "a", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)

	_, err = clients.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "short"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = clients.CoreV1().ConfigMaps("short").Create(ctx, cm("a"), metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, clients.CoreV1().Namespaces().Delete(ctx, "short", metav1.DeleteOptions{}))
	all, err := clients.CoreV1().ConfigMaps("").List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	require.Empty(t, all.Items, "nothing is left of a namespace")
}

// What is gone is 410: an error of a list, the only event of a watch.
func TestExpired(t *testing.T) {
	everywhere(t, apiserver.Options{}, func(t *testing.T, b both) {
		clients, err := kubernetes.NewForConfig(b.RESTConfig())
		require.NoError(t, err)
		ctx, c := t.Context(), clients.CoreV1().ConfigMaps("default")
		first, err := c.Create(ctx, cm("a"), metav1.CreateOptions{})
		require.NoError(t, err)
		_, err = c.Create(ctx, cm("b"), metav1.CreateOptions{})
		require.NoError(t, err)
		require.NoError(t, b.api.Compact(""))
		require.NoError(t, b.api.ForgetEvents(configMaps, ""))
		_, err = c.List(ctx, metav1.ListOptions{ResourceVersion: first.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
		require.True(t, apierrors.IsResourceExpired(err), "%v", err)
		w, err := c.Watch(ctx, metav1.ListOptions{ResourceVersion: first.ResourceVersion})
		require.NoError(t, err)
		defer w.Stop()
		e := next(t, w)
		require.Equal(t, watch.Error, e.Type)
		require.True(t, apierrors.IsResourceExpired(apierrors.FromObject(e.Object)))
		_, ok := <-w.ResultChan()
		require.False(t, ok)
	})
}

// A watch ends cleanly at its timeout, with bookmarks before, in virtual time.
func TestBookmarksAndTimeout(t *testing.T) {
	inBubble(t, apiserver.Options{}, func(t *testing.T, b both) {
		clients, err := kubernetes.NewForConfig(b.RESTConfig())
		require.NoError(t, err)
		ctx, c := t.Context(), clients.CoreV1().ConfigMaps("default")
		made, err := c.Create(ctx, cm("a"), metav1.CreateOptions{})
		require.NoError(t, err)
		limit, from := int64(200), time.Now()
		w, err := c.Watch(ctx, metav1.ListOptions{ResourceVersion: made.ResourceVersion, AllowWatchBookmarks: true, TimeoutSeconds: &limit})
		require.NoError(t, err)
		_, err = c.Create(ctx, cm("b"), metav1.CreateOptions{})
		require.NoError(t, err)
		var seen []watch.EventType
		for e := range w.ResultChan() {
			seen = append(seen, e.Type)
		}
		require.Equal(t, []watch.EventType{watch.Added, watch.Bookmark, watch.Bookmark, watch.Bookmark, watch.Bookmark}, seen)
		require.Equal(t, 200*time.Second, time.Since(from))
	})
}

func TestDynamicAndMetadata(t *testing.T) {
	widgets := widget.GroupVersion().WithResource("widgets")
	everywhere(t, apiserver.Options{}, func(t *testing.T, b both) {
		ctx := t.Context()
		d, err := dynamic.NewForConfig(b.RESTConfig())
		require.NoError(t, err)
		u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"n": int64(1)}}}
		u.SetGroupVersionKind(widget)
		u.SetName("w")
		made, err := d.Resource(widgets).Namespace("default").Create(ctx, u, metav1.CreateOptions{})
		require.NoError(t, err)
		require.EqualValues(t, 1, made.GetGeneration())
		w, err := d.Resource(widgets).Watch(ctx, metav1.ListOptions{})
		require.NoError(t, err)
		defer w.Stop()
		require.Equal(t, made, next(t, w).Object)

		m, err := metadata.NewForConfig(metadata.ConfigFor(b.RESTConfig()))
		require.NoError(t, err)
		for _, gvr := range []string{"widgets", "namespaces"} {
			r := widgets
			if gvr == "namespaces" {
				r = corev1.SchemeGroupVersion.WithResource(gvr)
			}
			l, err := m.Resource(r).List(ctx, metav1.ListOptions{Limit: 1})
			require.NoError(t, err, gvr)
			require.Len(t, l.Items, 1)
			require.NotEmpty(t, l.ResourceVersion)
			mw, err := m.Resource(r).Watch(ctx, metav1.ListOptions{})
			require.NoError(t, err)
			require.Equal(t, l.Items[0].Name, next(t, mw).Object.(*metav1.PartialObjectMetadata).Name)
			mw.Stop()
		}
		require.NoError(t, m.Resource(widgets).Namespace("default").Delete(ctx, "w", metav1.DeleteOptions{}))
		require.Equal(t, watch.Deleted, next(t, w).Type)
	})
}

// servedNames are the rows of the table, as GROUP/VERSION/RESOURCE.
func servedNames() (out []string) {
	for _, r := range resources() {
		out = append(out, r.GroupVersion().String()+"/"+r.Resource)
	}
	return out
}

func TestDiscoveryClient(t *testing.T) {
	everywhere(t, apiserver.Options{}, func(t *testing.T, b both) {
		for _, legacy := range []bool{false, true} {
			d, err := discovery.NewDiscoveryClientForConfig(b.RESTConfig())
			require.NoError(t, err)
			d.UseLegacyDiscovery = legacy
			v, err := d.ServerVersion()
			require.NoError(t, err)
			require.Equal(t, "37", v.Minor)
			lists, err := d.ServerPreferredResources()
			require.NoError(t, err)
			var names []string
			for _, l := range lists {
				for _, r := range l.APIResources {
					names = append(names, l.GroupVersion+"/"+r.Name)
				}
			}
			served := slices.DeleteFunc(servedNames(), func(name string) bool { return name == "autoscaling/v1/horizontalpodautoscalers" }) // v2 is preferred
			require.ElementsMatch(t, append(served,
				"v1/bindings", "v1/componentstatuses",
				"authentication.k8s.io/v1/selfsubjectreviews", "authentication.k8s.io/v1/tokenreviews",
				"authorization.k8s.io/v1/localsubjectaccessreviews", "authorization.k8s.io/v1/selfsubjectaccessreviews",
				"authorization.k8s.io/v1/selfsubjectrulesreviews", "authorization.k8s.io/v1/subjectaccessreviews",
			), names)
		}
	})
}

// Informers come to what is there, and follow it.
func TestInformers(t *testing.T) {
	everywhere(t, apiserver.Options{}, func(t *testing.T, b both) {
		clients, err := kubernetes.NewForConfig(b.RESTConfig())
		require.NoError(t, err)
		c := clients.CoreV1().ConfigMaps("default")
		_, err = c.Create(t.Context(), cm("a"), metav1.CreateOptions{})
		require.NoError(t, err)
		factory := informers.NewSharedInformerFactory(clients, 0)
		lister := factory.Core().V1().ConfigMaps().Lister()
		leases := factory.Coordination().V1().Leases().Informer()
		stop, changed := make(chan struct{}), make(chan string, 10)
		_, err = factory.Core().V1().ConfigMaps().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(o any) { changed <- "add " + o.(*corev1.ConfigMap).Name },
			DeleteFunc: func(o any) { changed <- "delete " + o.(*corev1.ConfigMap).Name },
		})
		require.NoError(t, err)
		factory.Start(stop)
		defer factory.Shutdown()
		defer close(stop)
		for kind, ok := range factory.WaitForCacheSync(stop) {
			require.True(t, ok, kind)
		}
		require.True(t, leases.HasSynced())
		require.Equal(t, "add a", <-changed)
		_, err = lister.ConfigMaps("default").Get("a")
		require.NoError(t, err)
		_, err = c.Create(t.Context(), cm("b"), metav1.CreateOptions{})
		require.NoError(t, err)
		require.Equal(t, "add b", <-changed)
		require.NoError(t, c.Delete(t.Context(), "a", metav1.DeleteOptions{}))
		require.Equal(t, "delete a", <-changed)
	})
}

// Who has not got the token is nobody.
func TestToken(t *testing.T) {
	b := open(t, rest.Serve, apiserver.Options{}, rest.Options{TLS: true, Token: "secret"})
	defer b.close(t)
	config := b.RESTConfig()
	config.BearerToken = "wrong"
	clients, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	_, err = clients.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	require.True(t, apierrors.IsUnauthorized(err), "%v", err)
}
