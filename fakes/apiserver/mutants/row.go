package mutants

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// row describes a mutant. The first fields choose requests, and the others say what goes wrong with them, in this order.
type row struct {
	name, rule, about string // the rule without its kind
	resource          string // plural name; "": any, such as configmaps

	on   string           // the verbs of the Kubernetes API, as "get|list"; "": all
	when func(*call) bool // the requests; nil: all of these verbs. Of a watch with events it is asked twice, so it counts nothing
	ask  func(*call)      // changes what is asked of the store

	// instead answers in place of the store, which it may call with next.
	instead func(*call)

	refused func(error) bool // which refusals answer is about; nil: it is about successes
	answer  func(*call)      // changes what the client gets

	// events makes the tap of one watch, after it has been asked for.
	events func(*call) apiserver.Tap

	// around stands before the handler that serves the store over HTTP.
	around func(http.Handler) http.Handler

	only func(*call) bool // of the watches, only these; see limits. nil: all

	// state makes the rest of the row for one server, where it remembers something, or asks the store.
	state func(*apiserver.Server) row
	// options changes the store itself.
	options func(*apiserver.Options)
}

// call is one request, and its answer.
type call struct {
	ctx   context.Context
	api   apiserver.API // the store
	store *apiserver.Server
	verb  string
	apiserver.Request
	// list has the options of list, watch and deletecollection; of get its resourceVersion.
	list metav1.ListOptions

	sent      runtime.Object // the body of create and update
	create    metav1.CreateOptions
	update    metav1.UpdateOptions
	patch     metav1.PatchOptions
	patchType types.PatchType
	data      []byte
	remove    metav1.DeleteOptions // of delete and deletecollection

	got     runtime.Object // the answer
	watched watch.Interface
	err     error
}

// next asks the store, and keeps its answer.
func (c *call) next() {
	switch c.verb {
	case "get":
		c.got, c.err = c.api.Get(c.ctx, c.Request, metav1.GetOptions{ResourceVersion: c.list.ResourceVersion})
	case "list":
		c.got, c.err = c.api.List(c.ctx, c.Request, c.list)
	case "watch":
		c.watched, c.err = c.api.Watch(c.ctx, c.Request, c.list)
	case "create":
		c.got, c.err = c.api.Create(c.ctx, c.Request, c.sent, c.create)
	case "update":
		c.got, c.err = c.api.Update(c.ctx, c.Request, c.sent, c.update)
	case "patch":
		c.got, c.err = c.api.Patch(c.ctx, c.Request, c.patchType, c.data, c.patch)
	case "delete":
		c.got, c.err = c.api.Delete(c.ctx, c.Request, c.remove)
	case "deletecollection":
		c.got, c.err = c.api.DeleteCollection(c.ctx, c.Request, c.remove, c.list)
	}
}

// now returns the object that the request names, as the store has it; nil: there is none.
func (c *call) now() runtime.Object {
	obj, err := c.api.Get(c.ctx, c.Request, metav1.GetOptions{})
	if err != nil {
		return nil
	}
	return obj
}

// cached returns the object that the request names, as the cache has it; nil: it has none.
func (c *call) cached() metav1.Object {
	obj, err := c.api.Get(c.ctx, c.Request, metav1.GetOptions{ResourceVersion: "0"})
	if err != nil {
		return nil
	}
	return of(obj)
}

// strikes reports whether the row is about a request.
func (f *row) strikes(c *call) bool {
	if c.verb == "watch" && f.only != nil && !f.only(c) {
		return false
	}
	return (f.on == "" || slices.Contains(strings.Split(f.on, "|"), c.verb)) && (f.when == nil || f.when(c))
}

// play answers a request.
func (f *row) play(c *call) {
	if !f.strikes(c) {
		c.next()
		return
	}
	if f.ask != nil {
		f.ask(c)
	}
	if f.instead != nil {
		f.instead(c)
	} else {
		c.next()
	}
	if f.answer != nil && (f.refused == nil && c.err == nil || f.refused != nil && f.refused(c.err)) {
		f.answer(c)
	}
}

// mutantsOf returns the mutants that rows describe.
func mutantsOf(rows []row) []Mutant {
	var out []Mutant
	for _, r := range rows {
		out = append(out, Mutant{Name: r.name, Rule: "watchcache/" + r.rule, About: r.about, Resource: r.resource, Open: r.open})
	}
	return out
}

// open makes the server of a row.
func (r row) open(o apiserver.Options) (apiserver.API, *apiserver.Server) {
	f := r
	var s *apiserver.Server
	o.OnWatch = func(request *apiserver.Request, l *metav1.ListOptions) apiserver.Tap {
		c := &call{api: s, store: s, verb: "watch", Request: *request, list: *l}
		if f.events == nil || !f.strikes(c) {
			return nil
		}
		return f.events(c)
	}
	if r.options != nil {
		r.options(&o)
	}
	s = apiserver.New(o)
	if r.state != nil {
		f = r.with(r.state(s))
	}
	return faulty{&f, s}, s
}

// with returns the row with what another says of requests and answers.
func (r row) with(more row) row {
	more.on = cmp.Or(more.on, r.on)
	switch {
	case more.when == nil:
		more.when = r.when
	case r.when != nil:
		more.when = all(r.when, more.when)
	}
	more.only = r.only
	return more
}

// faulty is a store behind an API with a fault.
type faulty struct {
	f     *row
	store *apiserver.Server
}

// Around stands before the handler that serves this API over HTTP.
func (s faulty) Around(next http.Handler) http.Handler {
	if s.f.around == nil {
		return next
	}
	return s.f.around(next)
}

func (s faulty) play(c *call) (runtime.Object, error) {
	c.api, c.store = s.store, s.store
	s.f.play(c)
	return c.got, c.err
}

// Get implements apiserver.API.
func (s faulty) Get(ctx context.Context, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
	return s.play(&call{ctx: ctx, verb: "get", Request: r, list: metav1.ListOptions{ResourceVersion: o.ResourceVersion}})
}

// List implements apiserver.API.
func (s faulty) List(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
	return s.play(&call{ctx: ctx, verb: "list", Request: r, list: o})
}

// Watch implements apiserver.API.
func (s faulty) Watch(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
	c := &call{ctx: ctx, verb: "watch", Request: r, list: o}
	_, err := s.play(c)
	return c.watched, err
}

// Create implements apiserver.API.
func (s faulty) Create(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
	return s.play(&call{ctx: ctx, verb: "create", Request: r, sent: obj, create: o})
}

// Update implements apiserver.API.
func (s faulty) Update(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
	return s.play(&call{ctx: ctx, verb: "update", Request: r, sent: obj, update: o})
}

// Patch implements apiserver.API.
func (s faulty) Patch(ctx context.Context, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
	return s.play(&call{ctx: ctx, verb: "patch", Request: r, patchType: pt, data: data, patch: o})
}

// Delete implements apiserver.API.
func (s faulty) Delete(ctx context.Context, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
	return s.play(&call{ctx: ctx, verb: "delete", Request: r, remove: o})
}

// DeleteCollection implements apiserver.API.
func (s faulty) DeleteCollection(ctx context.Context, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
	return s.play(&call{ctx: ctx, verb: "deletecollection", Request: r, remove: o, list: which})
}
