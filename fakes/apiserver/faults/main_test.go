package faults_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

func TestMain(m *testing.M) {
	utilruntime.ErrorHandlers = nil // they sleep across bubbles
	klog.SetSlogLogger(slog.New(slog.DiscardHandler))
	goleak.VerifyTestMain(m)
}

// client is what the client in the process and client-go's have in common.
type client interface {
	Create(context.Context, *corev1.ConfigMap, metav1.CreateOptions) (*corev1.ConfigMap, error)
	Update(context.Context, *corev1.ConfigMap, metav1.UpdateOptions) (*corev1.ConfigMap, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
	Get(context.Context, string, metav1.GetOptions) (*corev1.ConfigMap, error)
	List(context.Context, metav1.ListOptions) (*corev1.ConfigMapList, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
}

// world is a server with faults, seen by a client, and as it is.
type world struct {
	client        // of default
	store  client // without faults and without a wire
	wire   bool
	set    *faults.Set
	server *apiserver.Server
	log    *tape
	config *clientrest.Config // with a wire
}

// tape is a request log.
type tape struct {
	mu      sync.Mutex
	entries []requestlog.Entry
}

func (l *tape) add(e requestlog.Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, e)
}

// all are the entries so far.
func (l *tape) all() []requestlog.Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.entries)
}

// strikes are what the log has of faults.
func (l *tape) strikes() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, e := range l.entries {
		if e.What == requestlog.Struck {
			out = append(out, e.Fault+": "+e.Does)
		}
	}
	return out
}

// meet runs a test in bubbles: with client-go over a pipe, in JSON and protobuf, and in this process unless
// the fault needs a wire.
func meet(t *testing.T, wireOnly bool, f func(*testing.T, *world), all ...faults.Fault) {
	t.Helper()
	for _, kind := range []string{"json", "protobuf", "process"} {
		if kind == "process" && wireOnly {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				set, err := faults.New(1, all...)
				require.NoError(t, err)
				w := &world{set: set, server: apiserver.New(apiserver.Options{Namespaces: true}), log: &tape{}}
				defer func() { require.NoError(t, w.server.Close()) }()
				w.store = apiserver.ConfigMaps(w.server, "default")
				_, err = w.store.Create(t.Context(), named("a"), metav1.CreateOptions{})
				require.NoError(t, err)
				api, err := set.API(w.server, faults.Options{})
				require.NoError(t, err)
				log := requestlog.New(w.log.add)
				if kind == "process" {
					w.client = apiserver.ConfigMaps(log.API(api, ""), "default")
				} else {
					s, err := rest.ServePipe(api, rest.Options{Log: log})
					require.NoError(t, err)
					defer func() { require.NoError(t, s.Close()) }()
					w.wire, w.config = true, s.RESTConfig()
					w.config.UserAgent = "tester/1"
					if kind == "protobuf" {
						w.config.ContentType = "application/vnd.kubernetes.protobuf"
					}
					h, err := clientrest.HTTPClientFor(w.config)
					require.NoError(t, err)
					defer h.CloseIdleConnections()
					clients, err := kubernetes.NewForConfigAndClient(w.config, h)
					require.NoError(t, err)
					w.client = clients.CoreV1().ConfigMaps("default")
				}
				f(t, w)
			})
		})
	}
}

func named(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// took is how long something took, in virtual time.
func took(f func()) time.Duration {
	from := time.Now()
	f()
	return time.Since(from).Truncate(time.Second)
}

// names of what is stored, but for what is there from the beginning.
func (w *world) names(t *testing.T) []string {
	t.Helper()
	l, err := w.store.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	var out []string
	for _, o := range l.Items {
		out = append(out, o.Name)
	}
	return out
}

// watched is what a watch from the present showed while the store had: b, c and d created, b deleted.
func (w *world) watched(t *testing.T) (shown []string, over bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first := w.server.Revision()
	in, err := w.Watch(ctx, metav1.ListOptions{ResourceVersion: first, AllowWatchBookmarks: true})
	require.NoError(t, err)
	defer in.Stop()
	var mu sync.Mutex
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e := range in.ResultChan() {
			mu.Lock()
			shown = append(shown, line(e, first))
			mu.Unlock()
		}
		mu.Lock()
		over = true
		mu.Unlock()
	}()
	for _, name := range []string{"b", "c", "d"} {
		_, err := w.store.Create(ctx, named(name), metav1.CreateOptions{})
		require.NoError(t, err)
	}
	require.NoError(t, w.store.Delete(ctx, "b", metav1.DeleteOptions{}))
	time.Sleep(10 * time.Second)
	mu.Lock()
	out, ended := slices.Clone(shown), over
	mu.Unlock()
	in.Stop()
	cancel()
	<-done
	return out, ended
}

// line is an event; a bookmark says how many revisions after first it is.
func line(e watch.Event, first string) string {
	switch o := e.Object.(type) {
	case *metav1.Status:
		return string(e.Type) + " " + string(o.Reason)
	case *corev1.ConfigMap:
		if e.Type == watch.Bookmark {
			from, _ := strconv.Atoi(first)
			at, _ := strconv.Atoi(o.ResourceVersion)
			return fmt.Sprintf("BOOKMARK %+d", at-from)
		}
		return string(e.Type) + " " + o.Name
	}
	return "?"
}

func lasting(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }
