package controller_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/lwtest/lwtest/examples/controller"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	utilruntime.ErrorHandlers = nil // one of them sleeps across bubbles
	m.Run()
}

// world is a cluster with the controller in it, seen past all faults.
type world struct {
	namespaces *apiserver.Client[*corev1.Namespace, *corev1.NamespaceList]
	server     *apiserver.Server
	set        *faults.Set
}

// run runs a test of the controller in a bubble, where time passes when everybody waits. Where you want real
// time, leave synctest out and say rest.Serve.
func run(t *testing.T, f func(*testing.T, *world), all ...faults.Fault) {
	t.Helper()
	runWith(t, func(m ctrl.Manager) error { return (&controller.Reconciler{Client: m.GetClient()}).SetupWithManager(m) }, f, all...)
}

func runWith(t *testing.T, setup func(ctrl.Manager) error, f func(*testing.T, *world), all ...faults.Fault) {
	synctest.Test(t, func(t *testing.T) {
		s := apiserver.New(apiserver.Options{Namespaces: true})
		defer s.Close()
		set, err := faults.New(1, all...)
		must(t, err)
		api, err := set.API(s, faults.Options{})
		must(t, err)
		h, err := rest.ServePipe(api, rest.Options{})
		must(t, err)
		defer h.Close()

		mgr, err := ctrl.NewManager(h.RESTConfig(), ctrl.Options{
			Metrics:    server.Options{BindAddress: "0"},
			Controller: config.Controller{SkipNameValidation: new(true)},
		})
		must(t, err)
		must(t, setup(mgr))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- mgr.Start(ctx) }()
		defer func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		}()
		f(t, &world{server: s, set: set, namespaces: apiserver.Of(s, corev1.SchemeGroupVersion.WithResource("namespaces"), "",
			func() *corev1.Namespace { return &corev1.Namespace{} }, func() *corev1.NamespaceList { return &corev1.NamespaceList{} })})
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// want makes a namespace that wants settings, or changes which.
func (w *world) want(t *testing.T, value string) {
	t.Helper()
	ns, err := w.namespaces.Get(t.Context(), "shop", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = w.namespaces.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", Labels: map[string]string{controller.Label: value}}}, metav1.CreateOptions{})
		must(t, err)
		return
	}
	must(t, err)
	ns.Labels[controller.Label] = value
	_, err = w.namespaces.Update(t.Context(), ns, metav1.UpdateOptions{})
	must(t, err)
}

// has says what the settings are after a while: of fake time, so it takes none.
func (w *world) has(t *testing.T, after time.Duration, value string) {
	t.Helper()
	time.Sleep(after)
	m, err := apiserver.ConfigMaps(w.server, "shop").Get(t.Context(), controller.Settings, metav1.GetOptions{})
	if err != nil || m.Data["value"] != value {
		t.Fatalf("after %v: %v, %v; want %s", after, m.Data, err, value)
	}
}

func TestSettings(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		w.want(t, "a")
		w.has(t, time.Second, "a")
		w.want(t, "b")
		w.has(t, time.Second, "b")
		must(t, client.IgnoreNotFound(apiserver.ConfigMaps(w.server, "shop").Delete(t.Context(), controller.Settings, metav1.DeleteOptions{})))
		w.has(t, time.Second, "b")
	})
}

// What goes wrong in a cluster, and how long the controller takes to be right all the same.
func TestFaults(t *testing.T) {
	onMaps := func(verb string, f faults.Fault) faults.Fault {
		f.Verbs, f.Resource = []string{verb}, "configmaps"
		return f
	}
	for name, test := range map[string]struct {
		fault faults.Fault
		after time.Duration
	}{
		// it is there, and the controller does not know: it looks again, and does not make another
		"a create's answer is lost":     {onMaps("create", faults.Fault{Nth: 1, LoseAnswer: true}), time.Second},
		"the server is too busy":        {onMaps("create", faults.Fault{Nth: 1, Times: 3, Status: &faults.Status{Code: 429, RetryAfter: 5}}), 16 * time.Second},
		"creates fail":                  {onMaps("create", faults.Fault{Nth: 1, Times: 5, Status: &faults.Status{Code: 500}}), 5 * time.Second},
		"the watch ends with 410":       {onMaps("watch", faults.Fault{Nth: 1, Events: &faults.Events{After: &metav1.Duration{}, Do: faults.Error}}), time.Minute},
		"a watch is silent for a while": {faults.Fault{Verbs: []string{"watch"}, Resource: "namespaces", Nth: 1, Hang: faults.Body, For: &metav1.Duration{Duration: 90 * time.Second}}, 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T, w *world) {
				time.Sleep(time.Second)
				w.want(t, "a")
				w.has(t, test.after, "a")
				w.want(t, "b")
				w.has(t, time.Minute, "b")
				if w.set.Struck("fault-1") == 0 {
					t.Error("the fault did not strike")
				}
			}, test.fault)
		})
	}
}

// once is a controller that believes what it is told: a create that fails has made nothing, so it takes another
// name the next time. Nothing is wrong with it until an answer is lost.
type once struct{ client.Client }

func (o once) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var have corev1.ConfigMapList
	if err := o.List(ctx, &have, client.InNamespace(req.Name)); err != nil || len(have.Items) > 0 || req.Name != "shop" {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, o.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: req.Name, GenerateName: controller.Settings}})
}

// The same fault that the controller above does not mind tells on one that is not as careful.
func TestCareless(t *testing.T) {
	lost := faults.Fault{Verbs: []string{"create"}, Resource: "configmaps", Nth: 1, LoseAnswer: true}
	late := faults.Fault{Verbs: []string{"watch"}, Resource: "configmaps", Events: &faults.Events{Types: []string{"ADDED"}, Do: faults.Delay, For: &metav1.Duration{Duration: time.Second}}}
	for want, all := range map[int][]faults.Fault{1: nil, 2: {lost, late}} {
		runWith(t, func(m ctrl.Manager) error {
			return ctrl.NewControllerManagedBy(m).For(&corev1.Namespace{}).Complete(once{m.GetClient()})
		}, func(t *testing.T, w *world) {
			time.Sleep(time.Second)
			w.want(t, "a")
			time.Sleep(time.Minute)
			l, err := apiserver.ConfigMaps(w.server, "shop").List(t.Context(), metav1.ListOptions{})
			must(t, err)
			if (len(l.Items) > 1) != (want > 1) {
				t.Errorf("%d faults: %d objects", len(all), len(l.Items))
			}
		}, all...)
	}
}
