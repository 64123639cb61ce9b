package controller

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/lwtest/lwtest/conformance/controller"
	"github.com/lwtest/lwtest/plugins/kube/gate"
)

// remote is a cluster that somebody else runs. One run uses it at a time, and what the run made is deleted at its end.
type remote struct {
	s     *subject
	proxy *httputil.ReverseProxy
	known []metav1.APIResource // that are listed, each in the version that is preferred
	dir   string
	done  func()

	mu    sync.Mutex
	lives int
	made  []made
}

// made is an object that a request through the proxy created.
type made struct {
	path, uid string
}

// owned is what is read of an object.
type owned struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name, Namespace, UID string
		Annotations          map[string]string
		OwnerReferences      []struct{ UID string }
	} `json:"metadata"`
}

// connect returns the cluster of a kubeconfig, without a run.
func (s *subject) connect() (*remote, error) {
	c := &remote{s: s, done: func() {}}
	var err error
	if c.proxy, err = gate.ReverseProxy(s.server); err != nil {
		return nil, err
	}
	c.proxy.ModifyResponse = c.answered
	return c, nil
}

// openRemote opens the cluster of a kubeconfig for one run.
func (s *subject) openRemote(ctx context.Context) (controller.Cluster, error) {
	c, err := s.connect()
	if err != nil {
		return nil, err
	}
	if c.dir, c.done, err = runDir(ctx); err != nil {
		return nil, err
	}
	namespace := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q,"annotations":{%q:%q}}}`, ownNamespace, runNote, s.run)
	for _, d := range append([][]byte{namespace}, s.definitions...) {
		if err := c.install(ctx, d); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	client, err := discovery.NewDiscoveryClientForConfig(s.server)
	if err == nil {
		err = c.discover(client)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("discovery: %w", err), c.Close())
	}
	return c, nil
}

// ServeHTTP implements controller.Cluster.
func (c *remote) ServeHTTP(w http.ResponseWriter, q *http.Request) { c.proxy.ServeHTTP(w, q) }

// do makes a request of an administrator.
func (c *remote) do(ctx context.Context, method, path string, body []byte) (code int, answer []byte) {
	q := httptest.NewRequestWithContext(ctx, method, path, bytes.NewReader(body))
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json")
	w := httptest.NewRecorder()
	defer func() {
		if p := recover(); p != nil { // the connection broke
			code, answer = http.StatusServiceUnavailable, fmt.Append(nil, p)
		}
	}()
	c.ServeHTTP(w, q)
	return w.Code, w.Body.Bytes()
}

// definitionsPath is where definitions are.
const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// install creates a definition, or the namespace of the controller, and waits until it is served. One that is there already is not ours.
func (c *remote) install(ctx context.Context, object []byte) error {
	var o owned
	if err := json.Unmarshal(object, &o); err != nil {
		return err
	}
	path := definitionsPath
	if o.Kind == "Namespace" {
		path = "/api/v1/namespaces"
	}
	switch code, answer := c.do(ctx, http.MethodPost, path, object); {
	case code == http.StatusConflict && o.Kind == "Namespace":
		return fmt.Errorf("the namespace %s is there already: another run uses this cluster, or one was killed, and `lwtest run --resume DIR` removes what it left; its annotations say what that is", o.Metadata.Name)
	case code == http.StatusConflict:
		return fmt.Errorf("the %s %s is there already: leave it out of --crds to use the one that is there", o.Kind, o.Metadata.Name)
	case code >= http.StatusMultipleChoices:
		return fmt.Errorf("the %s %s cannot be created: %d %.300s", o.Kind, o.Metadata.Name, code, answer)
	case o.Kind == "Namespace":
		return nil
	}
	return until(ctx, fmt.Sprintf("the %s %s is not served", o.Kind, o.Metadata.Name), func() bool {
		_, answer := c.do(ctx, http.MethodGet, path+"/"+o.Metadata.Name, nil)
		var d struct {
			Status struct {
				Conditions []struct{ Type, Status string }
			}
		}
		return json.Unmarshal(answer, &d) == nil && slices.Contains(d.Status.Conditions, struct{ Type, Status string }{"Established", "True"})
	})
}

// mostPatience is how long a cluster may take to do what it was asked for.
const mostPatience = 2 * time.Minute

// until waits for something that a cluster does by and by. what says what is the matter if it does not.
func until(ctx context.Context, what string, is func() bool) error {
	for from := time.Now(); !is(); time.Sleep(200 * time.Millisecond) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if time.Since(from) > mostPatience {
			return fmt.Errorf("%s after %s", what, mostPatience)
		}
	}
	return nil
}

// discover finds the resources that can be listed.
func (c *remote) discover(client discovery.DiscoveryInterface) error {
	lists, err := discovery.ServerPreferredResources(client)
	if len(lists) == 0 {
		return err // a group whose server is down does not matter
	}
	for _, l := range lists {
		gv, err := schema.ParseGroupVersion(l.GroupVersion)
		if err != nil {
			return err
		}
		for _, r := range l.APIResources {
			if r.Group, r.Version = gv.Group, gv.Version; slices.Contains(r.Verbs, "list") && slices.Contains(r.Verbs, "watch") {
				c.known = append(c.known, r)
			}
		}
	}
	return nil
}

// at says where a resource is.
func at(r metav1.APIResource) controller.Resource {
	root := "/apis/" + r.Group + "/" + r.Version
	if r.Group == "" {
		root = "/api/" + r.Version
	}
	return controller.Resource{Root: root, Plural: r.Name, Namespaced: r.Namespaced}
}

// Resource implements controller.Cluster.
func (c *remote) Resource(name string) (controller.Resource, error) {
	for _, r := range c.known {
		if named(name, r.Group, r.Name, r.Kind, r.SingularName) {
			return at(r), nil
		}
	}
	return controller.Resource{}, noResource(name)
}

// answered notes what a request has created.
func (c *remote) answered(r *http.Response) error {
	q := r.Request
	if r.StatusCode != http.StatusCreated || q.URL.Query().Has("dryRun") {
		return nil
	}
	b, err := io.ReadAll(r.Body)
	if err := errors.Join(err, r.Body.Close()); err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(b))
	var o owned
	if json.Unmarshal(b, &o) != nil || o.Metadata.UID == "" { // a review, or a binding
		return nil
	}
	path := strings.TrimSuffix(q.URL.Path, "/")
	if q.Method == http.MethodPost {
		path += "/" + o.Metadata.Name
	}
	c.mu.Lock()
	c.made = append(c.made, made{path, o.Metadata.UID})
	c.mu.Unlock()
	if path != ownPath { // who comes after a killed run finds it there
		c.patch(q.Context(), ownPath, fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, madeNote+o.Metadata.UID, path))
	}
	return nil
}

// The annotations of the controller's namespace: the run that made it, and all that the run has made.
const (
	runNote  = "lwtest.example.com/run"
	madeNote = "made.lwtest.example.com/"
	ownPath  = "/api/v1/namespaces/" + ownNamespace
)

// sweep deletes what a run has left on a cluster because it could not end, and says so. It implements harness.Target.
func (s *subject) sweep(ctx context.Context, runID string) (string, error) {
	c, err := s.connect()
	if err != nil {
		return "", err
	}
	code, answer := c.do(ctx, http.MethodGet, ownPath, nil)
	var o owned
	if code == http.StatusNotFound {
		return "", nil
	}
	if err := json.Unmarshal(answer, &o); err != nil || !strings.HasPrefix(o.Metadata.Annotations[runNote], runID+"-") {
		return "", err // another run's
	}
	c.made = []made{{ownPath, o.Metadata.UID}}
	for note, path := range o.Metadata.Annotations {
		if uid, ok := strings.CutPrefix(note, madeNote); ok {
			c.made = append(c.made, made{path, uid})
		}
	}
	return fmt.Sprintf("removed %d objects of a controller's run, and what they own", len(c.made)), c.Close()
}

// Objects implements controller.Cluster. They are those that a request of the run has created, and what belongs to them.
func (c *remote) Objects(ctx context.Context) ([]json.RawMessage, error) {
	var all []json.RawMessage
	var about []owned
	for _, r := range c.known {
		if unread[r.Name] {
			continue
		}
		code, answer := c.do(ctx, http.MethodGet, at(r).Root+"/"+r.Name, nil)
		var list struct{ Items []map[string]any }
		if code != http.StatusOK || json.Unmarshal(answer, &list) != nil {
			continue // it cannot be listed, as reviews cannot
		}
		for _, it := range list.Items {
			it["apiVersion"], it["kind"] = schema.GroupVersion{Group: r.Group, Version: r.Version}.String(), r.Kind
			b, err := json.Marshal(it)
			if err != nil {
				return nil, err
			}
			var o owned
			if err := json.Unmarshal(b, &o); err != nil {
				return nil, err
			}
			all, about = append(all, b), append(about, o)
		}
	}
	mine := c.family(about)
	var out []json.RawMessage
	for i, o := range about {
		if mine[o.Metadata.UID] {
			out = append(out, all[i])
		}
	}
	return out, nil
}

// family returns the uids of the objects that the run has created, and of those that they own.
func (c *remote) family(all []owned) map[string]bool {
	mine := map[string]bool{}
	c.mu.Lock()
	for _, m := range c.made {
		mine[m.uid] = true
	}
	c.mu.Unlock()
	for before := -1; before != len(mine); {
		before = len(mine)
		for _, o := range all {
			for _, owner := range o.Metadata.OwnerReferences {
				if mine[owner.UID] {
					mine[o.Metadata.UID] = true
				}
			}
		}
	}
	return mine
}

// Start implements controller.Cluster.
func (c *remote) Start(_ context.Context, front func(http.Handler) http.Handler, _ controller.Start) (controller.Life, error) {
	g, err := gate.New(readable(front(c)), "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.lives++
	num := c.lives
	c.mu.Unlock()
	return c.s.program.begin(c.dir, num, g, nil)
}

// Close implements controller.Cluster. It deletes what the run has created, the newest first, and waits until that is gone.
func (c *remote) Close() error {
	defer c.done()
	ctx, cancel := context.WithTimeout(context.Background(), 2*mostPatience) // also after an interrupt
	defer cancel()
	c.mu.Lock()
	all := slices.Clone(c.made)
	c.mu.Unlock()
	slices.Reverse(all)
	var errs []error
	for _, m := range all {
		code, answer := c.do(ctx, http.MethodDelete, m.path, fmt.Appendf(nil, `{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background","preconditions":{"uid":%q}}`, m.uid))
		if code >= http.StatusMultipleChoices && code != http.StatusNotFound && code != http.StatusConflict { // it is another by now
			errs = append(errs, fmt.Errorf("%s is left behind: %d %.200s", m.path, code, answer))
		}
	}
	for _, m := range all {
		errs = append(errs, c.gone(ctx, m))
	}
	return errors.Join(errs...)
}

// gone waits until an object is gone. Nobody is left who would take away a finalizer of the controller under test.
func (c *remote) gone(ctx context.Context, m made) error {
	from := time.Now()
	return until(ctx, m.path+" is not gone", func() bool {
		code, answer := c.do(ctx, http.MethodGet, m.path, nil)
		var o owned
		if code == http.StatusNotFound || json.Unmarshal(answer, &o) == nil && o.Metadata.UID != m.uid {
			return true
		}
		if time.Since(from) > finalizing && o.Kind != "Namespace" {
			c.release(ctx, m)
		}
		return false
	})
}

// finalizing is how long finalizers of the controller under test are waited for.
const finalizing = 5 * time.Second

// release takes away the finalizers of an object that the run has created.
func (c *remote) release(ctx context.Context, m made) {
	c.patch(ctx, m.path, fmt.Sprintf(`{"metadata":{"uid":%q,"finalizers":null}}`, m.uid))
}

// patch patches an object, if it can: where it matters somebody looks at the object later.
func (c *remote) patch(ctx context.Context, path, patch string) {
	q := httptest.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodPatch, path, strings.NewReader(patch))
	q.Header.Set("Content-Type", "application/merge-patch+json")
	defer func() { _ = recover() }() // the connection broke
	c.ServeHTTP(httptest.NewRecorder(), q)
}
