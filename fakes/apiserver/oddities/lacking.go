package oddities

import (
	"context"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// lacking are servers without something that one may leave out. Whoever tests one does not declare that.
func lacking() []Oddity {
	return []Oddity{
		{
			Name: "bookmarks-none", Clause: "watchcache/bookmark/complete",
			About: "there are no bookmarks but those that end initial events",
			Open:  with(func(o *apiserver.Options) { o.OnWatch = unmarked }),
		},
		{
			Name: "bookmarks-none-at-all", Clause: "watchcache/bookmark/complete",
			About: "there are neither bookmarks nor streaming lists, as without a watch cache in kube-apiserver before 1.34",
			Open: readless(func(o *metav1.ListOptions) error {
				o.AllowWatchBookmarks = false
				return unstreamed(o)
			}),
		},
		{
			Name: "streams-refused", Clause: "watchcache/watchlist/initial",
			About: "streaming lists are refused with 422, as kube-apiserver does with the feature gate WatchList off",
			Open:  readless(unstreamed),
		},
		{
			Name: "limits-ignored", Clause: "watchcache/list/pages",
			About: "a list with a limit is whole: servers may leave pages out (ListOptions.Limit)",
			Open:  ignoring(func(o *metav1.ListOptions) { o.Limit = 0 }),
		},
		{
			Name: "past-forgotten", Clause: "watchcache/list/exact",
			About: "a list at exactly a resourceVersion is always 410: no state of the past is kept (a server with a log of events alone)",
			Open:  refuser(func(s *apiserver.Server) apiserver.API { return forgetful{s} }),
		},
		{
			Name: "labels-ignored", Clause: "watchcache/list/scope",
			About: "label selectors are taken no notice of",
			Open:  ignoring(func(o *metav1.ListOptions) { o.LabelSelector = "" }),
		},
		{
			Name: "fields-ignored", Clause: "watchcache/list/scope",
			About: "field selectors are taken no notice of",
			Open:  ignoring(func(o *metav1.ListOptions) { o.FieldSelector = "" }),
		},
		{
			Name: "selectors-refused", Clause: "watchcache/list/scope",
			About: "a list or watch with a selector is a bad request",
			Open: readless(func(o *metav1.ListOptions) error {
				if o.LabelSelector != "" || o.FieldSelector != "" {
					return apierrors.NewBadRequest("there are no selectors")
				}
				return nil
			}),
		},
		{
			Name: "dry-runs-done", Clause: "watchcache/write/dry-run",
			About: "dryRun is taken no notice of: it is done",
			Open:  writeless(lackingWrites{wet: true}),
		},
		{
			Name: "preconditions-ignored", Clause: "watchcache/write/conflict",
			About: "deletes take no notice of preconditions",
			Open:  writeless(lackingWrites{unconditional: true}),
		},
		{
			Name: "collections-refused", Clause: "watchcache/write/collection",
			About: "a collection cannot be deleted by one request",
			Open:  writeless(lackingWrites{singly: true}),
		},
		{
			Name: "names-given", Clause: "watchcache/write/generate-name",
			About: "no name is made up: a create without one is refused with 422",
			Open:  writeless(lackingWrites{named: true}),
		},
		{
			Name: "patches-refused", Clause: "watchcache/write/response",
			About: "there are no patches of any kind: 415",
			Open:  writeless(lackingWrites{unpatched: true}),
		},
	}
}

// unmarked leaves bookmarks out.
func unmarked(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
	return func(e watch.Event, c apiserver.Cause) []watch.Event {
		plain := c == apiserver.Bookmark && len(e.Object.(metav1.Object).GetAnnotations()) == 0
		if c == apiserver.End || plain {
			return nil
		}
		return []watch.Event{e}
	}
}

// unstreamed refuses a streaming list.
func unstreamed(o *metav1.ListOptions) error {
	if o.SendInitialEvents == nil {
		return nil
	}
	return apierrors.NewInvalid(metav1.SchemeGroupVersion.WithKind("ListOptions").GroupKind(), "",
		field.ErrorList{field.Forbidden(field.NewPath("sendInitialEvents"), "there are no streaming lists")})
}

// forgetful is an API that keeps no state of the past.
type forgetful struct{ *apiserver.Server }

// List implements apiserver.API. It refuses a list at exactly a resourceVersion up to now, in both forms: with the match
// Exact, and with a limit and no match.
func (f forgetful) List(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
	exact := o.ResourceVersionMatch == metav1.ResourceVersionMatchExact || o.ResourceVersionMatch == "" && o.Limit > 0
	at, err := strconv.ParseUint(o.ResourceVersion, 10, 64)
	now, _ := strconv.ParseUint(f.Server.Revision(), 10, 64)
	if exact && err == nil && 0 < at && at <= now && o.Continue == "" && o.SendInitialEvents == nil {
		return nil, apierrors.NewResourceExpired("no state of the past is kept")
	}
	return f.Server.List(ctx, r, o)
}

// lackingReads is an API that takes options away from lists and watches, or refuses them.
type lackingReads struct {
	*apiserver.Server
	less func(*metav1.ListOptions) error
}

func readless(less func(*metav1.ListOptions) error) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return refuser(func(s *apiserver.Server) apiserver.API { return lackingReads{s, less} })
}

// ignoring takes options away.
func ignoring(less func(*metav1.ListOptions)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return readless(func(o *metav1.ListOptions) error {
		less(o)
		return nil
	})
}

// List implements apiserver.API.
func (l lackingReads) List(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
	if err := l.less(&o); err != nil {
		return nil, err
	}
	return l.Server.List(ctx, r, o)
}

// DeleteCollection implements apiserver.API.
func (l lackingReads) DeleteCollection(ctx context.Context, r apiserver.Request, d metav1.DeleteOptions, o metav1.ListOptions) (runtime.Object, error) {
	if err := l.less(&o); err != nil {
		return nil, err
	}
	return l.Server.DeleteCollection(ctx, r, d, o)
}

// Watch implements apiserver.API.
func (l lackingReads) Watch(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
	if err := l.less(&o); err != nil {
		return nil, err
	}
	return l.Server.Watch(ctx, r, o)
}

// lackingWrites is an API without some ways of writing.
type lackingWrites struct {
	*apiserver.Server
	wet, unconditional, singly, named, unpatched bool
}

func writeless(l lackingWrites) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return refuser(func(s *apiserver.Server) apiserver.API {
		l := l
		l.Server = s
		return l
	})
}

// dry is what is left of dryRun.
func (l lackingWrites) dry(run []string) []string {
	if l.wet {
		return nil
	}
	return run
}

// Create implements apiserver.API.
func (l lackingWrites) Create(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
	if m, ok := obj.(metav1.Object); ok && l.named && m.GetName() == "" {
		return nil, apierrors.NewInvalid(metav1.SchemeGroupVersion.WithKind("ObjectMeta").GroupKind(), "",
			field.ErrorList{field.Required(field.NewPath("metadata", "name"), "no name is made up here")})
	}
	o.DryRun = l.dry(o.DryRun)
	return l.Server.Create(ctx, r, obj, o)
}

// Update implements apiserver.API.
func (l lackingWrites) Update(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
	o.DryRun = l.dry(o.DryRun)
	return l.Server.Update(ctx, r, obj, o)
}

// Patch implements apiserver.API.
func (l lackingWrites) Patch(ctx context.Context, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
	if l.unpatched {
		return nil, apierrors.NewGenericServerResponse(415, "patch", r.Resource.GroupResource(), r.Name, "there are no patches", 0, false)
	}
	o.DryRun = l.dry(o.DryRun)
	return l.Server.Patch(ctx, r, pt, data, o)
}

// Delete implements apiserver.API.
func (l lackingWrites) Delete(ctx context.Context, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
	o.DryRun = l.dry(o.DryRun)
	if l.unconditional {
		o.Preconditions = nil
	}
	return l.Server.Delete(ctx, r, o)
}

// DeleteCollection implements apiserver.API.
func (l lackingWrites) DeleteCollection(ctx context.Context, r apiserver.Request, d metav1.DeleteOptions, o metav1.ListOptions) (runtime.Object, error) {
	if l.singly {
		return nil, apierrors.NewMethodNotSupported(r.Resource.GroupResource(), "deletecollection")
	}
	d.DryRun = l.dry(d.DryRun)
	if l.unconditional {
		d.Preconditions = nil
	}
	return l.Server.DeleteCollection(ctx, r, d, o)
}
