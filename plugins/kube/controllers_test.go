package kube

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full/cases"
	"github.com/lwtest/lwtest/plugins/resources"
)

// prompt is an API on which the controllers of an ordinary cluster work, as soon as can be: each new namespace has
// configmaps in it when its maker hears of it.
type prompt struct {
	apiserver.API
	puts []string // names
}

func (p *prompt) Create(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
	made, err := p.API.Create(ctx, r, obj, o)
	if err != nil || r.Resource.Resource != "namespaces" || len(o.DryRun) > 0 {
		return made, err
	}
	for _, name := range p.puts {
		m := &corev1.ConfigMap{Data: map[string]string{"ca.crt": "none"}}
		m.Name, m.Namespace = name, made.(*corev1.Namespace).Name
		to := apiserver.Request{Resource: resources.ConfigMaps.GVR(), Namespace: m.Namespace, Name: name}
		if _, err := p.API.Create(ctx, to, m, metav1.CreateOptions{}); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// beside serves lwtest's own API server in memory, in a bubble, as one of a cluster with controllers.
func beside(t *testing.T, o apiserver.Options, puts []string, test func(t *testing.T, config *clientrest.Config)) {
	synctest.Test(t, func(t *testing.T) {
		o.Namespaces = true
		o.Resources = resources.Rows()
		store := apiserver.New(o)
		defer func() { _ = store.Close() }() // its error is always nil
		h, err := rest.ServePipe(&prompt{store, puts}, rest.Options{Resources: o.Resources})
		require.NoError(t, err)
		defer func() { _ = h.Close() }() // there is nothing in memory that fails
		test(t, h.RESTConfig())
	})
}

// Where controllers work there is something of somebody's in each namespace, and it comes first in lists: all is put
// to the test all the same.
func TestBesideControllers(t *testing.T) {
	beside(t, apiserver.Options{NamespaceController: true}, []string{"kube-root-ca.crt", "0", "00", "1"}, func(t *testing.T, config *clientrest.Config) {
		s, err := connect(t.Context(), config, Options{})
		require.NoError(t, err)
		for _, c := range cases.Part(t, s.target().Cases, 8, 0) {
			r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, RunID: "t"})
			if r.Verdict != harness.Pass && r.Verdict != harness.Skip {
				t.Errorf("%s: %s: %s", r.Check, r.Verdict, r.Reason)
			}
		}
		require.NoError(t, closed(s))
	})
}

// observe does what a controller of deployments does with those that are paused: it says of each that it has seen it.
func observe(ctx context.Context, t *testing.T, config *clientrest.Config) {
	own := clientrest.CopyConfig(config)
	own.UserAgent = "kube-controller-manager/v1.37.1 (linux/amd64)"
	c, err := kubernetes.NewForConfig(own)
	require.NoError(t, err)
	w, err := c.AppsV1().Deployments("").Watch(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	go func() {
		defer w.Stop()
		for e := range w.ResultChan() {
			d, ok := e.Object.(*appsv1.Deployment)
			if ok && e.Type != watch.Deleted && d.Status.ObservedGeneration < d.Generation {
				d.Status.ObservedGeneration = d.Generation
				_, _ = c.AppsV1().Deployments(d.Namespace).UpdateStatus(ctx, d, metav1.UpdateOptions{}) // it may be gone
			}
		}
	}()
}

// Deployments that a controller looks after are refused before anything is tested, with what to take instead.
func TestWhatAControllerWritesToIsRefused(t *testing.T) {
	beside(t, apiserver.Options{NamespaceController: true}, nil, func(t *testing.T, config *clientrest.Config) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		observe(ctx, t, config)
		s, err := connect(t.Context(), config, Options{Resource: "deployments"})
		require.NoError(t, err)
		err = s.target().Ready(t.Context())
		require.ErrorContains(t, err, "somebody writes to the deployments of this server: it changed one") // of whom lwtest's own server keeps no record
		require.ErrorContains(t, err, "Use --resource configmaps, leases, events, things, pods; or")
		require.NoError(t, closed(s))
		all, err := s.ours(t.Context())
		require.NoError(t, err)
		require.Empty(t, all, "what was made for it is gone")
	})
}

// A real server says who it was.
func TestTheWriterIsNamed(t *testing.T) {
	m := &corev1.ConfigMap{}
	require.Equal(t, "somebody", writer(m))
	m.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kube-controller-manager", Subresource: "status"}, {Manager: userAgent}}
	require.Equal(t, "kube-controller-manager", writer(m))
}

// Where nobody writes, two seconds are lost; where nobody would, none.
func TestWhatNobodyWritesToIsTested(t *testing.T) {
	beside(t, apiserver.Options{NamespaceController: true}, nil, func(t *testing.T, config *clientrest.Config) {
		for _, r := range resources.All {
			if r.Definition != "" { // lwtest's own server serves no definitions
				require.False(t, r.Controlled)
				continue
			}
			s, err := connect(t.Context(), config, Options{Resource: r.Name})
			require.NoError(t, err)
			began := time.Now()
			require.NoError(t, s.target().Ready(t.Context()))
			want := map[bool]time.Duration{true: traceLimit}[r.Name == "deployments"]
			require.Equal(t, want, time.Since(began).Round(100*time.Millisecond), r.Name)
			require.NoError(t, closed(s))
		}
	})
}

// A controller of namespaces that is only slow is left to its work: what it has not done in time is said, and is no
// error. In each namespace there is what nobody but it may delete.
func TestCloseSaysWhatIsOnlyLate(t *testing.T) {
	for every, want := range map[time.Duration]string{
		6 * time.Second:  "",
		9 * time.Second:  "2 deleted namespaces are still there; the namespace controller removes them",
		14 * time.Second: "4 deleted namespaces are still there; the namespace controller removes them",
	} {
		t.Run(every.String(), func(t *testing.T) {
			beside(t, apiserver.Options{}, []string{"kube-root-ca.crt"}, func(t *testing.T, config *clientrest.Config) {
				s, err := connect(t.Context(), config, Options{Resource: "leases"})
				require.NoError(t, err)
				for range 8 {
					ns, err := s.make(t.Context(), baseName(""), "")
					require.NoError(t, err)
					require.NoError(t, s.remove(t.Context(), ns))
				}
				ctx, cancel := context.WithCancel(t.Context())
				var working sync.WaitGroup
				working.Go(func() { endOne(ctx, t, config, every) })
				late, err := s.close()
				cancel()
				working.Wait()
				require.NoError(t, err)
				require.Equal(t, want, late)
			})
		})
	}
}

// endOne ends a deleted namespace with all that is in it, now and then.
func endOne(ctx context.Context, t *testing.T, config *clientrest.Config, every time.Duration) {
	a := admin(t, config)
	for sleep(ctx, every) == nil {
		d, err := a.terminating(ctx)
		if err == nil && len(d.waiting) > 0 {
			ns := &d.waiting[0]
			assert.NoError(t, a.empty(ctx, ns.Name))
			assert.NoError(t, a.finalizeOne(ctx, ns))
		}
	}
}

// Conditions are a sign of a controller, too, when nothing goes.
func TestConditionsAreASignOfAController(t *testing.T) {
	attended := namespace("attended", 0, time.Minute)
	attended.Status.Conditions = []corev1.NamespaceCondition{{Type: corev1.NamespaceDeletionContentFailure, Status: corev1.ConditionFalse}}
	old := dying{waiting: []corev1.Namespace{namespace("old", 0, time.Minute)}}
	s := &server{}
	_, err := s.overdue(old)
	require.ErrorContains(t, err, "the namespaces old were deleted, but are still there after 1m0s")
	late, err := s.overdue(old.then(dying{waiting: old.waiting, attended: true}))
	require.NoError(t, err)
	require.Equal(t, "1 deleted namespace is still there; the namespace controller removes it", late)

	r := bare(t, "", attended, namespace("alive", 0, 0))
	require.NoError(t, closed(dial(t, r.URL, "")))
	require.Empty(t, changes(r.take()), "it is the controller's")
}

// What restarts nothing does not pass for a restart.
func TestRestartOfNothing(t *testing.T) {
	beside(t, apiserver.Options{}, nil, func(t *testing.T, config *clientrest.Config) {
		called := false
		s, err := connect(t.Context(), config, Options{Restart: func(context.Context) error { called = true; return nil }})
		require.NoError(t, err)
		require.ErrorContains(t, (&subject{server: s}).Restart(t.Context()), "a watch from before it is still open")
		assert.True(t, called)
		require.NoError(t, closed(s))
	})
}
