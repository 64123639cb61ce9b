package controller

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientrest "k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/conformance/controller"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/apiserver/schemas"
	"github.com/lwtest/lwtest/fakes/workloads"
)

// subject is a Subject as the suite sees it.
type subject struct {
	Subject
	definitions [][]byte
	manifests   []rest.Manifest    // in the order in which they are created, without what is left out
	program     program            // without argv: Run is started
	server      *clientrest.Config // of the cluster to use; nil: the API server fake
	role        []controller.Allowed
	run         string // names the case on a cluster that others use
}

// Quiet implements controller.Subject.
func (s *subject) Quiet() time.Duration { return s.program.quiet }

// Role implements controller.Subject.
func (s *subject) Role() []controller.Allowed { return s.role }

// Shared implements controller.Subject.
func (s *subject) Shared() bool { return s.server != nil }

// Scenario implements controller.Subject.
func (s *subject) Scenario() []controller.Step { return s.Subject.Scenario }

// cluster is the API server fake with stand-ins for kube-controller-manager and kubelets.
type cluster struct {
	http.Handler
	s       *subject
	api     *apiserver.Server
	behind  *apiserver.View
	stop    context.CancelFunc
	running sync.WaitGroup
	extra   *rest.Server // for Subject.Extra; nil: none
	hooks   *hooks       // its webhooks; nil: it has none
	dir     string       // for a program
	lives   atomic.Int32
	remove  func() // removes dir; nil: there is none
}

// Open implements controller.Subject.
func (s *subject) Open(ctx context.Context, seed uint64) (controller.Cluster, error) {
	if s.server != nil {
		return s.openRemote(ctx)
	}
	ctx, stop := context.WithCancel(ctx)
	c, err := s.newCluster(ctx, seed, stop)
	if err == nil && len(s.program.argv) > 0 {
		c.dir, c.remove, err = runDir(ctx)
	}
	if err == nil && c.dir != "" {
		err = c.hooks.write(filepath.Join(c.dir, "certs"))
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.running.Go(func() { _ = workloads.Run(ctx, c.api, workloads.Options{Controllers: true, Without: s.Replaces}) }) // it ends with ctx
	c.running.Go(func() { kubelet(ctx, c.api) })
	if s.Extra != nil {
		server, err := rest.ServePipe(c.api, rest.Options{})
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		c.extra = server
		c.running.Go(func() { s.Extra(ctx, server.RESTConfig()) })
	}
	return c, nil
}

// newCluster returns an API server with the objects that exist before the controller starts. The cluster must be closed, also after an error.
func (s *subject) newCluster(ctx context.Context, seed uint64, stop context.CancelFunc) (*cluster, error) {
	namespaces := !slices.Contains(s.Replaces, schema.GroupResource{Resource: "namespaces"})
	o := apiserver.Options{Seed: seed, Namespaces: true, NamespaceController: namespaces, Accounts: true, Types: schemas.Types}
	c := &cluster{s: s, stop: stop}
	var err error
	if len(s.program.argv) > 0 || s.hooked() {
		if c.hooks, err = newHooks(s.manifests, s.definitions); err == nil {
			o.Webhooks = c.hooks.caller.Call
		}
	}
	c.api = apiserver.New(o)
	c.Handler, c.behind = rest.Handler(c.api, rest.Options{}), c.api.AddView()
	if err == nil && len(s.program.argv) > 0 {
		err = c.create(ctx, &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": ownNamespace}}})
	}
	if err == nil {
		err = c.install(ctx)
	}
	return c, err
}

// install creates definitions and manifests.
func (c *cluster) install(ctx context.Context) error {
	for _, d := range c.s.definitions {
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(d); err != nil {
			return fmt.Errorf("a CustomResourceDefinition: %w", err)
		}
		if err := c.create(ctx, u); err != nil {
			return err
		}
	}
	for _, m := range c.s.manifests {
		if err := c.create(ctx, m.DeepCopy()); err != nil {
			return fmt.Errorf("%s: %w", m.Place(), err)
		}
	}
	return nil
}

// create creates an object that exists before the controller starts. A namespace or an account that the API server has made itself is no error.
// It changes the object: webhooks that name a service get the authority of the run.
func (c *cluster) create(ctx context.Context, u *unstructured.Unstructured) error {
	res, err := c.Resource(kindName(u))
	if err != nil {
		return err
	}
	if c.hooks != nil {
		c.hooks.trust(u)
	}
	body, err := u.MarshalJSON()
	if err != nil {
		return err
	}
	root := "/apis/" + u.GetAPIVersion()
	if u.GroupVersionKind().Group == "" {
		root = "/api/" + u.GetAPIVersion()
	}
	if res.Namespaced {
		root += "/namespaces/" + cmp.Or(u.GetNamespace(), metav1.NamespaceDefault)
	}
	q := httptest.NewRequestWithContext(ctx, http.MethodPost, root+"/"+res.Plural, bytes.NewReader(body))
	q.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	c.ServeHTTP(w, q)
	if w.Code == http.StatusCreated || w.Code == http.StatusConflict && slices.Contains([]string{"Namespace", "ServiceAccount"}, u.GetKind()) {
		return nil
	}
	var status metav1.Status
	_ = json.Unmarshal(w.Body.Bytes(), &status) // what is no Status has no message
	err = fmt.Errorf("the API server refuses a %s with %d: %s", u.GetKind(), w.Code, status.Message)
	if w.Code == http.StatusNotFound && u.GetNamespace() != "" {
		err = fmt.Errorf("%w: name also the manifest with this Namespace, often config/manager", err)
	}
	return err
}

// acceptable returns an error if the API server refuses what exists before the controller starts.
func (s *subject) acceptable() error {
	ctx, stop := context.WithCancel(context.Background())
	c, err := s.newCluster(ctx, 1, stop)
	return errors.Join(err, c.Close())
}

// builtin is the table of all API servers, made once: each run asks for it a hundred times.
var builtin = sync.OnceValue(apiserver.Resources)

// served yields all resources. Of several versions the one that is preferred comes first.
func (c *cluster) served(yield func(*apiserver.Resource) bool) {
	for _, list := range [][]apiserver.Resource{builtin(), apiserver.DefinedBy(c.api).Resources} {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

// Resource implements controller.Cluster.
func (c *cluster) Resource(name string) (controller.Resource, error) {
	for r := range c.served {
		if !named(name, r.Group, r.Resource, r.Kind, r.Singular) {
			continue
		}
		root := "/apis/" + r.GroupVersion().String()
		if r.Group == "" {
			root = "/api/" + r.Version
		}
		return controller.Resource{Root: root, Plural: r.Resource, Namespaced: r.Namespaced}, nil
	}
	return controller.Resource{}, noResource(name)
}

// named reports whether a name, as in "deployments.apps", is that of a resource by one of its words.
func named(name, group string, words ...string) bool {
	want, of, _ := strings.Cut(name, ".")
	return of == group && slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, want) })
}

func noResource(name string) error {
	return fmt.Errorf("the API server has no resource %q: write its plural or kind, and its group where it has one, as in \"deployments.apps\"", name)
}

// unread are resources whose objects say nothing about what a controller does.
var unread = map[string]bool{"events": true, "leases": true, "customresourcedefinitions": true}

// Objects implements controller.Cluster.
func (c *cluster) Objects(ctx context.Context) (all []json.RawMessage, err error) {
	seen := map[schema.GroupResource]bool{}
	for r := range c.served {
		if unread[r.Resource] || seen[r.GroupResource()] {
			continue
		}
		seen[r.GroupResource()] = true
		list, err := c.list(ctx, r)
		if err != nil {
			return nil, err
		}
		for _, it := range list.Items {
			b, err := encode(it.Object(), r.GroupVersion().WithKind(r.Kind))
			if err != nil {
				return nil, err
			}
			all = append(all, b)
		}
	}
	return all, nil
}

// list returns all objects of a resource; nothing for one that cannot be listed, as reviews cannot. A conversion webhook that does not answer,
// because its controller is about to start, is asked again.
func (c *cluster) list(ctx context.Context, r *apiserver.Resource) (apiserver.Listed, error) {
	for from := time.Now(); ; time.Sleep(time.Second) {
		list, err := c.api.ListShared(ctx, apiserver.Request{Resource: r.GroupVersionResource}, metav1.ListOptions{})
		var status apierrors.APIStatus
		if err == nil || !errors.As(err, &status) || status.Status().Code != http.StatusInternalServerError {
			return list, nil
		}
		if time.Since(from) > mostWaking || ctx.Err() != nil {
			return list, fmt.Errorf("%s cannot be listed: %w", r.Resource, err)
		}
	}
}

// encode returns an object of the store as JSON, with its kind.
func encode(obj runtime.Object, kind schema.GroupVersionKind) ([]byte, error) {
	if _, custom := obj.(runtime.Unstructured); !custom {
		obj = obj.DeepCopyObject()
		obj.GetObjectKind().SetGroupVersionKind(kind)
	}
	return json.Marshal(obj)
}

// Freeze implements controller.Freezer.
func (c *cluster) Freeze() { c.behind.SetLag(-1) }

// Thaw implements controller.Freezer.
func (c *cluster) Thaw() { c.behind.SetLag(0) }

// Start implements controller.Cluster.
func (c *cluster) Start(ctx context.Context, front func(http.Handler) http.Handler, o controller.Start) (controller.Life, error) {
	api := apiserver.API(c.api)
	if o.Behind {
		api = c.behind
	}
	around := rest.Options{Around: func(next http.Handler) http.Handler { return readable(front(next)) }}
	if len(c.s.program.argv) > 0 {
		server, err := rest.Serve(api, around)
		if err != nil {
			return nil, err
		}
		return c.s.program.begin(c.dir, int(c.lives.Add(1)), server, c.hooks)
	}
	server, err := rest.ServePipe(api, around)
	if err != nil {
		return nil, err
	}
	config := server.RESTConfig()
	config.UserAgent = "controller"
	if c.hooks != nil {
		ctx = context.WithValue(ctx, hooksOf{}, c.hooks)
	}
	ctx, stop := context.WithCancel(ctx)
	l := &life{num: strconv.FormatInt(lives.Add(1), 10), stop: stop, server: server, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		defer server.Close()
		pprof.Do(ctx, pprof.Labels(lifeLabel, l.num), func(ctx context.Context) { l.err = run(ctx, c.s.Run, config) })
	}()
	return l, nil
}

// run is one life. A panic is its end, as that of a process.
func run(ctx context.Context, f func(context.Context, *clientrest.Config) error, config *clientrest.Config) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f(ctx, config)
}

// life is one call of Run.
type life struct {
	num    string // of those in this process
	stop   context.CancelFunc
	server *rest.Server
	done   chan struct{}
	err    error
}

// Stop implements controller.Life.
func (l *life) Stop() { l.stop() }

// Kill implements controller.Life. What Run does until it returns reaches nobody.
func (l *life) Kill() {
	l.stop()
	go l.server.Close() // it waits for requests, one of which may be that at which the controller is killed
}

// Done implements controller.Life.
func (l *life) Done() <-chan struct{} { return l.done }

// Err implements controller.Life.
func (l *life) Err() error {
	<-l.done
	return l.err
}

// Output implements controller.Life.
func (l *life) Output() string { return "" }

// lifeLabel is a label of goroutines. A goroutine inherits it from the one that starts it, so all goroutines of a life have it.
const lifeLabel = "lwtest-life"

var lives atomic.Int64

// Left implements controller.Leaver.
func (l *life) Left() (all []string) {
	var profile bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&profile, 1) // a buffer takes all
	for block := range strings.SplitSeq(profile.String(), "\n\n") {
		if strings.Contains(block, fmt.Sprintf("%q:%q", lifeLabel, l.num)) {
			all = append(all, goroutines(block))
		}
	}
	return all
}

// goroutines describes one block of a goroutine profile: "1 goroutine in example.com/x.loop (x.go:12)". It names the innermost function that
// is not of the standard library.
func goroutines(block string) string {
	lines := strings.Split(block, "\n")
	count, _, _ := strings.Cut(lines[0], " ")
	what := " goroutine"
	if count != "1" {
		what += "s"
	}
	where := ""
	for _, line := range lines[1:] {
		f := strings.Fields(line) // #, address, function+offset, file:line
		if len(f) < 4 || strings.HasPrefix(line, "# labels") {
			continue
		}
		function, _, _ := strings.Cut(f[2], "+0x")
		where = fmt.Sprintf(" in %s (%s)", function, path.Base(f[3]))
		if module, _, ok := strings.Cut(function, "/"); ok && strings.Contains(module, ".") || module == function && strings.HasPrefix(function, "main.") {
			break
		}
	}
	return count + what + where
}

// Close implements controller.Cluster.
func (c *cluster) Close() error {
	c.stop()
	var errs []error
	if c.remove != nil {
		c.remove()
	}
	if c.extra != nil {
		errs = append(errs, c.extra.Close())
	}
	c.running.Wait()
	if c.hooks != nil {
		c.hooks.caller.Close()
	}
	return errors.Join(append(errs, c.api.Close())...)
}

// kubelet makes pods run a second after they appear, lets those of Jobs succeed, and takes those away that are deleted, until ctx ends.
func kubelet(ctx context.Context, api apiserver.API) {
	var pods atomic.Uint32
	address := func() string { n := pods.Add(1); return fmt.Sprintf("10.244.%d.%d", n>>8&255, n&255) }
	all := apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("pods")}
	for ctx.Err() == nil {
		w, err := api.Watch(ctx, all, metav1.ListOptions{})
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		for e := range w.ResultChan() {
			if p, ok := e.Object.(*corev1.Pod); ok {
				tend(ctx, api, p, address)
			}
		}
		w.Stop()
	}
}

// tend does what a pod needs now. Its next event says whether more is to be done.
func tend(ctx context.Context, api apiserver.API, p *corev1.Pod, address func() string) {
	name := apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("pods"), Namespace: p.Namespace, Name: p.Name}
	switch {
	case p.DeletionTimestamp != nil:
		time.AfterFunc(time.Second, func() {
			_, _ = api.Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: new(int64), Preconditions: metav1.NewUIDPreconditions(string(p.UID))}) // it may be gone
		})
	case p.Status.Phase == corev1.PodPending || p.Status.Phase == "":
		time.AfterFunc(time.Second, func() { begin(ctx, api, name, p.UID, address()) })
	}
}

// runsAnnotation says how long a pod runs that does not restart.
const runsAnnotation = "lwtest.example.com/runs"

// begin lets a pod run, if it is still there. One that does not restart succeeds: at once, or after the time of its annotation.
func begin(ctx context.Context, api apiserver.API, name apiserver.Request, uid any, address string) {
	turn(ctx, api, name, uid, func(p *corev1.Pod) corev1.PodPhase {
		if p.Status.Phase != corev1.PodPending && p.Status.Phase != "" { // a step of the scenario lets it fail
			return p.Status.Phase
		}
		now := metav1.Now()
		p.Status.PodIP, p.Status.PodIPs, p.Status.StartTime = address, []corev1.PodIP{{IP: address}}, &now
		if p.Spec.RestartPolicy == corev1.RestartPolicyAlways {
			return corev1.PodRunning
		}
		d, err := time.ParseDuration(p.Annotations[runsAnnotation])
		if err != nil {
			return corev1.PodSucceeded
		}
		time.AfterFunc(d, func() { succeed(ctx, api, name, uid) })
		return corev1.PodRunning
	})
}

// succeed ends a pod that runs.
func succeed(ctx context.Context, api apiserver.API, name apiserver.Request, uid any) {
	turn(ctx, api, name, uid, func(p *corev1.Pod) corev1.PodPhase {
		if p.Status.Phase == corev1.PodRunning && p.DeletionTimestamp == nil {
			return corev1.PodSucceeded
		}
		return p.Status.Phase
	})
}

// turn gives a pod its next phase, if the pod is still there and the phase is another one.
func turn(ctx context.Context, api apiserver.API, name apiserver.Request, uid any, next func(*corev1.Pod) corev1.PodPhase) {
	obj, err := api.Get(ctx, name, metav1.GetOptions{})
	p, ok := obj.(*corev1.Pod)
	if err != nil || !ok || any(p.UID) != uid {
		return
	}
	was := p.Status.Phase
	if p.Status.Phase = next(p); p.Status.Phase == was {
		return
	}
	ready := corev1.ConditionFalse
	if p.Status.Phase == corev1.PodRunning {
		ready = corev1.ConditionTrue
	}
	p.Status.Conditions = nil
	for _, t := range []corev1.PodConditionType{corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: t, Status: ready, LastTransitionTime: metav1.Now()})
	}
	name.Subresource = "status"
	_, _ = api.Update(ctx, name, p, metav1.UpdateOptions{}) // after a conflict the next event brings it again
}
