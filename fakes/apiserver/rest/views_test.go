package rest_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// cluster is a store with an HTTP server on each of two views, and a way to whichever is chosen, as a load
// balancer is one.
type cluster struct {
	api    *apiserver.Server
	second *apiserver.View
	via    [2]*rest.Server
	chosen atomic.Int32
}

// inCluster runs a test in a bubble.
func inCluster(t *testing.T, f func(*testing.T, *cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{api: apiserver.New(apiserver.Options{Namespaces: true})}
		defer func() { require.NoError(t, c.api.Close()) }()
		c.second = c.api.AddView()
		for i, view := range []apiserver.API{c.api, c.second} {
			var err error
			c.via[i], err = rest.ServePipe(view, rest.Options{})
			require.NoError(t, err)
			defer func() { require.NoError(t, c.via[i].Close()) }()
		}
		f(t, c)
	})
}

// clients go to the server that is chosen when a connection is made.
func (c *cluster) clients(t *testing.T) kubernetes.Interface {
	t.Helper()
	config := c.via[0].RESTConfig()
	config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		return c.via[c.chosen.Load()].RESTConfig().Dial(ctx, network, address)
	}
	h, err := clientrest.HTTPClientFor(config)
	require.NoError(t, err)
	t.Cleanup(h.CloseIdleConnections)
	clients, err := kubernetes.NewForConfigAndClient(config, h)
	require.NoError(t, err)
	return clients
}

// seen is an informer, and the resourceVersions that it has shown.
type seen struct {
	store cache.Store
	mu    sync.Mutex
	lines []string
	stop  func()
}

func inform(t *testing.T, clients kubernetes.Interface) *seen {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	factory := informers.NewSharedInformerFactoryWithOptions(clients, 0, informers.WithNamespace("default"))
	informer := factory.Core().V1().ConfigMaps().Informer()
	s := &seen{store: informer.GetStore()}
	note := func(what string, obj any) {
		o := obj.(*corev1.ConfigMap)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.lines = append(s.lines, what+" "+o.Name+"@"+o.ResourceVersion)
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { note("add", o) },
		UpdateFunc: func(_, o any) { note("update", o) },
		DeleteFunc: func(o any) { note("delete", o) },
	})
	require.NoError(t, err)
	factory.StartWithContext(ctx)
	s.stop = func() { cancel(); factory.Shutdown() }
	return s
}

// since are the lines that have come since the last look.
func (s *seen) since() []string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.lines
	s.lines = nil
	return out
}

func write(t *testing.T, api apiserver.API, name, value string) string {
	t.Helper()
	c := apiserver.ConfigMaps(api, "default")
	o, err := c.Get(t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		o, err = c.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	}
	require.NoError(t, err)
	o.Data = map[string]string{"k": value}
	o, err = c.Update(t.Context(), o, metav1.UpdateOptions{})
	require.NoError(t, err)
	return name + "@" + o.ResourceVersion
}

// The server that an informer watches goes; the one that it comes to is half a minute behind. It goes on
// where it was: nothing comes twice, nothing goes back, and what is new comes half a minute late. Whoever
// starts there, from any state, sees the past.
func TestReconnectToAViewThatLags(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		c.second.SetLag(30 * time.Second)
		old := write(t, c.api, "a", "1")
		time.Sleep(time.Minute)
		s := inform(t, c.clients(t))
		time.Sleep(time.Second)
		require.Equal(t, []string{"add " + old}, s.since())
		now := write(t, c.api, "a", "2")
		require.Equal(t, []string{"update " + now}, s.since())

		c.chosen.Store(1)
		require.NoError(t, c.via[0].Close())
		time.Sleep(3 * time.Second)
		l, err := c.clients(t).CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{ResourceVersion: "0"})
		require.NoError(t, err)
		require.Equal(t, old, "a@"+l.Items[0].ResourceVersion, "the past")
		require.Empty(t, s.since())

		next := write(t, c.api, "a", "3")
		time.Sleep(25 * time.Second)
		require.Empty(t, s.since(), "it is behind")
		time.Sleep(6 * time.Second)
		require.Equal(t, []string{"update " + next}, s.since())
		s.stop()
	})
}

// A controller that starts anew at a server that lags behind what it had seen goes back in time, until that
// catches up: LIST and WATCH from any state, which is what informers without streaming lists ask for.
func TestTimeTravel(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		gone := write(t, c.api, "gone", "1")
		time.Sleep(time.Second)
		c.second.SetLag(-1)
		require.NoError(t, apiserver.ConfigMaps(c.api, "default").Delete(t.Context(), "gone", metav1.DeleteOptions{}))
		look := func() int {
			l, err := c.clients(t).CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{ResourceVersion: "0", FieldSelector: "metadata.name=gone"})
			require.NoError(t, err)
			return len(l.Items)
		}
		require.Zero(t, look())
		c.chosen.Store(1)
		require.Equal(t, 1, look(), gone)
		c.second.SetLag(0)
		require.Zero(t, look())
	})
}

// A cache that is not ready refuses, with when to come back; the other server does not care. When it is
// ready again the informer goes on, anew.
func TestCacheNotReady(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		gvr := corev1.SchemeGroupVersion.WithResource("configmaps")
		first := write(t, c.api, "a", "1")
		s := inform(t, c.clients(t))
		time.Sleep(time.Second)
		require.Equal(t, []string{"add " + first}, s.since())
		require.NoError(t, c.api.StopCache(gvr))
		config := c.via[0].RESTConfig()
		h := client(config, nil)
		defer h.CloseIdleConnections()
		res, _ := get(t, h, config.Host+"/api/v1/namespaces/default/configmaps?watch=1")
		require.Equal(t, 429, res.StatusCode)
		require.Equal(t, "1", res.Header.Get("Retry-After"))
		config = c.via[1].RESTConfig()
		other := client(config, nil)
		defer other.CloseIdleConnections()
		res, _ = get(t, other, config.Host+"/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=1")
		require.Equal(t, 200, res.StatusCode)
		second := write(t, c.api, "a", "2")
		time.Sleep(20 * time.Second)
		require.Empty(t, s.since())
		require.NoError(t, c.api.StartCache(gvr))
		time.Sleep(3 * time.Minute)
		require.Equal(t, []string{"update " + second}, s.since())
		s.stop()
	})
}

// A server that restarts breaks its own streams alone; the informer of it finds the store as it is. What was
// compacted is gone from both.
func TestRestartAndCompact(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		a := inform(t, c.clients(t))
		time.Sleep(time.Second)
		c.chosen.Store(1)
		b := inform(t, c.clients(t))
		time.Sleep(time.Second)
		c.api.View.Restart()
		c.chosen.Store(0)
		one := write(t, c.api, "one", "1")
		require.Contains(t, b.since(), "update "+one)
		time.Sleep(2 * time.Minute)
		o, there, err := a.store.GetByKey("default/one")
		require.NoError(t, err)
		require.True(t, there)
		require.Equal(t, one, "one@"+o.(*corev1.ConfigMap).ResourceVersion)
		write(t, c.api, "two", "1")
		for i := range c.via {
			c.chosen.Store(int32(i))
			maps := c.clients(t).CoreV1().ConfigMaps("default")
			l, err := maps.List(t.Context(), metav1.ListOptions{Limit: 1})
			require.NoError(t, err)
			write(t, c.api, "two", fmt.Sprint(i))
			require.NoError(t, c.api.Compact(""))
			_, err = maps.List(t.Context(), metav1.ListOptions{Limit: 1, Continue: l.Continue})
			require.True(t, apierrors.IsResourceExpired(err), "%v", err)
		}
		a.stop()
		b.stop()
	})
}
