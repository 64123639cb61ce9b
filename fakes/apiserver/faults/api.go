package faults

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
)

// Options of an API with faults.
type Options struct {
	// View is the name by which faults choose this API.
	View string
	// Resources that the API serves; nil: apiserver.Resources().
	Resources []apiserver.Resource
}

// API is an API whose requests meet the faults of the set. Where one is stale, inner must be a Server or a
// View, whose store gets another view for it, now. A fault of a resource or a subresource that is not served
// is refused.
func (s *Set) API(inner apiserver.API, o Options) (apiserver.API, error) {
	out := api{set: s, inner: inner, view: o.View, stale: map[time.Duration]apiserver.API{}}
	if o.Resources == nil {
		o.Resources = apiserver.Resources()
	}
	out.resources = o.Resources
	if err := s.served(o); err != nil {
		return nil, err
	}
	store, ok := inner.(interface{ AddView() *apiserver.View })
	for _, a := range s.armed {
		switch {
		case a.Stale == nil || out.stale[a.Stale.Duration] != nil:
		case !ok:
			return nil, fmt.Errorf("%s: stale answers come from another view of a store: put the faults before an apiserver.Server or View itself", a.Name)
		default:
			v := store.AddView()
			v.SetLag(a.Stale.Duration)
			out.stale[a.Stale.Duration] = v
		}
	}
	if _, ok := apiserver.Shares(inner); ok {
		return &sharing{out}, nil
	}
	return out, nil
}

// sharing is an API with faults whose objects are not copied.
type sharing struct{ api }

// Defined implements apiserver.Defining.
func (a api) Defined() *apiserver.Defined { return apiserver.DefinedBy(a.inner) }

// Self implements apiserver.Sharing.
func (a *sharing) Self() apiserver.API { return a }

type api struct {
	set       *Set
	inner     apiserver.API
	view      string
	stale     map[time.Duration]apiserver.API
	resources []apiserver.Resource
}

// met is what a request has met before it is done.
type met struct {
	inner  apiserver.API
	old    bool   // any state will do
	empty  bool   // a page
	limit  int64  // of a page; 0: what is asked for
	lose   *Fault // the answer
	events []*Fault
}

// meet lets faults strike a request; an error is its answer.
func (a api) meet(ctx context.Context, q asked) (met, error) {
	m, verb := met{inner: a.inner}, q.verb
	wire := wireOf(ctx)
	q.view, q.wire = a.view, wire != nil
	for _, f := range a.set.choose(ctx, q) {
		midway := f.Events != nil || f.Hang == Body || f.Reset == Body
		if !f.LoseAnswer && !(midway && verb == "watch") { // those say so when they do
			requestlog.Strike(ctx, f.Name, f.does(), f.Reset != "" || f.Hang == Body && f.For == nil, nil)
			tell(ctx, f, f.does())
		}
		switch {
		case f.Latency != nil:
			if err := sleep(ctx, f.Latency.Duration); err != nil {
				return m, err
			}
		case f.Status != nil:
			return m, f.Status.error(f.Name)
		case f.Hang == Headers:
			if err := sleep(ctx, f.limit()); err != nil {
				return m, err
			}
		case f.Reset == Headers:
			return m, ErrCut
		case f.Answer != nil:
			wire.Answer = f.Answer
			return m, answered{f.Answer}
		case f.Wire != nil:
			wire.Bytes.add(f.Wire)
		case f.Stale != nil:
			m.inner, m.old = a.stale[f.Stale.Duration], true
		case f.Empty:
			m.empty = true
		case f.Limit != 0:
			m.limit = f.Limit
		case f.LoseAnswer:
			m.lose = f
		case midway && verb == "watch":
			m.events = append(m.events, f)
		default:
			wire.Cut, wire.Hang, wire.For = wire.Cut || f.Reset == Body, wire.Hang || f.Hang == Body, f.limit()
		}
	}
	return m, nil
}

// toldKey is the key of a function of a context that is told what strikes.
type toldKey struct{}

// tell tells that a fault strikes.
func tell(ctx context.Context, f *Fault, does string) {
	if told, ok := ctx.Value(toldKey{}).(func(fault, does string)); ok {
		told(f.Name, does)
	}
}

// does says it for the log.
func (f *Fault) does() string {
	switch what := f.what()[0]; {
	case f.Status != nil:
		return fmt.Sprint(what, " ", f.Status.Code)
	case f.Answer != nil && f.Answer.RetryAfter != "":
		return fmt.Sprint(what, " ", f.Answer.Code, " retry-after ", f.Answer.RetryAfter)
	case f.Answer != nil:
		return fmt.Sprint(what, " ", f.Answer.Code)
	case f.Wire != nil:
		return what + " " + f.Wire.String()
	case f.Hang != "" || f.Reset != "":
		return what + " " + string(f.Hang+f.Reset)
	default:
		return what
	}
}

// limit of a hang; 0: none.
func (f *Fault) limit() time.Duration {
	if f.For == nil {
		return 0
	}
	return f.For.Duration
}

// sleep waits, for ever if d is 0, unless the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	var over <-chan time.Time
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// error is the Status as an answer.
func (s *Status) error(fault string) error {
	out := metav1.Status{Status: metav1.StatusFailure, Code: s.Code, Reason: s.Reason, Message: s.Message}
	if out.Reason == "" {
		out.Reason = reasons[s.Code]
	}
	if s.Reason == NoReason {
		out.Reason = metav1.StatusReasonUnknown
	}
	if out.Message == "" {
		out.Message = "the fault " + fault
	}
	if s.RetryAfter > 0 {
		out.Details = &metav1.StatusDetails{RetryAfterSeconds: s.RetryAfter}
	}
	var causes []metav1.StatusCause
	switch s.Cause {
	case "":
	case NoCause:
		causes = append(causes, metav1.StatusCause{Message: out.Message})
	default:
		causes = append(causes, metav1.StatusCause{Type: s.Cause, Message: out.Message})
	}
	if causes = append(causes, s.Causes...); causes != nil {
		if out.Details == nil {
			out.Details = &metav1.StatusDetails{}
		}
		out.Details.Causes = causes
	}
	return &apierrors.StatusError{ErrStatus: out}
}

// do is one request that is no watch.
func (a api) do(ctx context.Context, verb string, r apiserver.Request, call func(met) (runtime.Object, error)) (runtime.Object, error) {
	return a.asked(ctx, asked{verb: verb, req: r}, call)
}

func (a api) asked(ctx context.Context, q asked, call func(met) (runtime.Object, error)) (runtime.Object, error) {
	m, err := a.meet(ctx, q)
	if err != nil {
		return nil, err
	}
	out, err := call(m)
	if m.lose == nil || err != nil {
		return out, err
	}
	requestlog.Strike(ctx, m.lose.Name, "loseAnswer", true, out)
	if wireOf(ctx) != nil {
		return nil, ErrCut
	}
	return nil, (&Status{Code: 504, Message: "the answer is lost: the fault " + m.lose.Name}).error(m.lose.Name)
}

// any makes "the most recent" to "any", which a cache that lags answers.
func (m met) any(rv *string) {
	if m.old && *rv == "" {
		*rv = "0"
	}
}

// named is a create as faults choose it: its name is in the object, unless the server is to make one.
func named(r apiserver.Request, obj runtime.Object) apiserver.Request {
	if o, err := meta.Accessor(obj); err == nil && r.Name == "" {
		r.Name = o.GetName()
	}
	return r
}

// Create implements apiserver.API.
func (a api) Create(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
	return a.do(ctx, "create", named(r, obj), func(m met) (runtime.Object, error) { return m.inner.Create(ctx, r, obj, o) })
}

// Update implements apiserver.API.
func (a api) Update(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
	return a.do(ctx, "update", r, func(m met) (runtime.Object, error) { return m.inner.Update(ctx, r, obj, o) })
}

// Patch implements apiserver.API.
func (a api) Patch(ctx context.Context, r apiserver.Request, pt types.PatchType, b []byte, o metav1.PatchOptions) (runtime.Object, error) {
	return a.do(ctx, "patch", r, func(m met) (runtime.Object, error) { return m.inner.Patch(ctx, r, pt, b, o) })
}

// Delete implements apiserver.API.
func (a api) Delete(ctx context.Context, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
	return a.do(ctx, "delete", r, func(m met) (runtime.Object, error) { return m.inner.Delete(ctx, r, o) })
}

// DeleteCollection implements apiserver.API.
func (a api) DeleteCollection(ctx context.Context, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
	return a.do(ctx, "deletecollection", r, func(m met) (runtime.Object, error) { return m.inner.DeleteCollection(ctx, r, o, which) })
}

// Get implements apiserver.API.
func (a api) Get(ctx context.Context, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
	return a.do(ctx, "get", r, func(m met) (runtime.Object, error) {
		m.any(&o.ResourceVersion)
		return m.inner.Get(ctx, r, o)
	})
}

// List implements apiserver.API.
func (a api) List(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
	return a.asked(ctx, listed(r, o), func(m met) (runtime.Object, error) {
		l, err := m.inner.List(ctx, r, m.page(o))
		if m.empty && err == nil {
			err = emptied(l, o.Continue)
		}
		return l, err
	})
}

// ListShared implements apiserver.Sharing.
func (a *sharing) ListShared(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (out apiserver.Listed, err error) {
	_, err = a.asked(ctx, listed(r, o), func(m met) (runtime.Object, error) {
		out, err = m.inner.(apiserver.Sharing).ListShared(ctx, r, m.page(o))
		if err == nil && m.empty {
			out.Items, err = nil, emptied(out.List, o.Continue)
		}
		if err != nil || m.lose == nil {
			return nil, err
		}
		return out.Whole() // the log has what is lost
	})
	return out, err
}

func listed(r apiserver.Request, o metav1.ListOptions) asked {
	return asked{verb: "list", req: r, continued: o.Continue != "", versioned: versioned(o)}
}

// page returns what is asked of the inner API.
func (m met) page(o metav1.ListOptions) metav1.ListOptions {
	if o.Continue == "" {
		m.any(&o.ResourceVersion)
	}
	if m.limit > 0 && o.Limit > m.limit {
		o.Limit = m.limit
	}
	return o
}

// versioned says that a request is of a resourceVersion, and not of what there is.
func versioned(o metav1.ListOptions) bool {
	return o.ResourceVersion != "" && o.ResourceVersion != "0"
}

// emptied makes a list a page without items, after which another begins where this one should.
func emptied(l runtime.Object, token string) error {
	of, err := meta.ListAccessor(l)
	if err != nil {
		return err
	}
	of.SetContinue(token)
	of.SetRemainingItemCount(nil)
	return meta.SetList(l, nil)
}

// Watch implements apiserver.API.
func (a api) Watch(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
	return a.watch(ctx, r, o, apiserver.API.Watch)
}

// WatchShared implements apiserver.Sharing.
func (a *sharing) WatchShared(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
	return a.watch(ctx, r, o, func(inner apiserver.API, ctx context.Context, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
		return inner.(apiserver.Sharing).WatchShared(ctx, r, o)
	})
}

func (a api) watch(ctx context.Context, r apiserver.Request, o metav1.ListOptions, open func(apiserver.API, context.Context, apiserver.Request, metav1.ListOptions) (watch.Interface, error)) (watch.Interface, error) {
	m, err := a.meet(ctx, asked{verb: "watch", req: r, streaming: o.SendInitialEvents != nil && *o.SendInitialEvents, versioned: versioned(o)})
	if err != nil {
		return nil, err
	}
	m.any(&o.ResourceVersion)
	w, err := open(m.inner, ctx, r, o)
	if err != nil {
		return nil, err
	}
	for _, f := range m.events {
		w = a.disturb(ctx, w, f, r, o)
	}
	return w, nil
}
