// Package oddities has API servers that are odd but correct: each does something that the contract
// allows and kube-apiserver does not do, or not so often. Every check must pass on each of them.
package oddities

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Oddity is a server that does one odd thing.
type Oddity struct {
	Name   string // unique, [a-z0-9-]
	Clause string // kind/clause that it looks as if it broke
	About  string // what is odd, and why it is allowed
	// Resource is the plural name of what is odd; "": any, such as configmaps.
	Resource string
	// Open makes one over a new store with these options. The store is for closing, compacting and
	// the like; calls go to the API.
	Open func(apiserver.Options) (apiserver.API, *apiserver.Server)
}

// All oddities. Each call makes a new slice.
func All() []Oddity {
	return slices.Concat(reading(), watching(), writing(), answering(), admitting(), stating(), gracing(), leavingOut(), lacking())
}

// with is a store whose options f changes.
func with(f func(*apiserver.Options)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
		f(&o)
		s := apiserver.New(o)
		return s, s
	}
}

// reading are oddities of lists, watches and versions.
func reading() []Oddity {
	return []Oddity{
		{
			Name: "initial-reversed", Clause: "watchcache/watch/unset",
			About: "the initial ADDED come in reverse order of their keys; their resourceVersions are in no order",
			Open:  with(func(o *apiserver.Options) { o.Quirks.ReverseInitial = true }),
		},
		{
			Name: "initial-end-untold", Clause: "watchcache/watchlist/initial",
			About: "a watch that did not ask for initial events gets them without the bookmark that ends them, as before WatchList",
			Open:  with(func(o *apiserver.Options) { o.OnWatch = untold }),
		},
		{
			Name: "bookmarks-often", Clause: "watchcache/bookmark/monotonic",
			About: "a bookmark every second, and always two that say the same",
			Open: with(func(o *apiserver.Options) {
				o.BookmarkEvery, o.OnWatch = time.Second, twice
			}),
		},
		{
			Name: "versions-jump", Clause: "watchcache/version/comparable",
			About: "each resourceVersion is larger than the last by up to a million",
			Open: with(func(o *apiserver.Options) {
				r := rand.New(rand.NewPCG(o.Seed, 1))
				o.Step = func() uint64 { return 1 + r.Uint64N(1_000_000) }
			}),
		},
		{
			Name: "versions-long", Clause: "watchcache/version/comparable",
			About: "resourceVersions are above 2^63, and grow by a digit: as integers of 64 bits with a sign, floats or strings they compare wrongly",
			Open: with(func(o *apiserver.Options) {
				o.FirstRevision = 9_999_999_999_999_999_995
			}),
		},
		{
			Name: "watches-lag", Clause: "watchcache/write/visible",
			About: "changes reach watches two minutes late",
			Open:  with(func(o *apiserver.Options) { o.WatchLag = 2 * time.Minute }),
		},
		{
			Name: "watches-end-early", Clause: "watchcache/watch/timeout",
			About: "the server ends each watch cleanly after three changes",
			Open:  with(func(o *apiserver.Options) { o.Quirks.EndAfter = 3 }),
		},
		{
			Name: "watches-end-soon", Clause: "watchcache/watch/timeout",
			About: "the server ends each watch cleanly after five seconds, as a proxy before it may do",
			Open:  with(func(o *apiserver.Options) { o.OnWatch = soon }),
		},
		{
			Name: "window-small", Clause: "watchcache/watch/expired",
			About: "a watch further back than twenty changes is 410, while a list there is served",
			Open:  with(func(o *apiserver.Options) { o.WindowCount, o.WindowAge = 20, -1 }),
		},
		{
			Name: "compacts-often", Clause: "watchcache/list/continue-expired",
			About: "what is older than ten to twenty seconds is compacted: lists and pages there are 410, while a watch from there is served",
			Open:  with(func(o *apiserver.Options) { o.CompactEvery = 10 * time.Second }),
		},
		{
			Name: "shards-unknown", Clause: "watchcache/shard/absent",
			About: "a shardSelector is taken no notice of, as of any parameter that is not known: lists and watches are whole (the default of kube-apiserver)",
			Open:  with(func(o *apiserver.Options) { o.NoShards = true }),
		},
		{
			Name: "pages-short", Clause: "watchcache/list/page-size",
			About: "a page has one item less than the limit, from a limit of two on",
			Open:  with(func(o *apiserver.Options) { o.Quirks.ShortPages = true }),
		},
	}
}

// soon lets no watch be open for more than five seconds.
func soon(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
	limit := int64(5)
	if o.TimeoutSeconds == nil || *o.TimeoutSeconds > limit {
		o.TimeoutSeconds = &limit
	}
	return nil
}

// writing are oddities of writes and what they answer.
func writing() []Oddity {
	return []Oddity{
		{
			Name: "deletes-together", Clause: "watchcache/watch/ordered",
			About: "each object has a companion that is deleted in the same revision, as an expired etcd lease deletes all its keys",
			Open:  openCompanions,
		},
		{
			Name: "delete-answers-object", Clause: "watchcache/write/response",
			About: "a delete answers with the object at the deletion's resourceVersion, as it does for pods",
			Open:  with(func(o *apiserver.Options) { o.Quirks.DeleteAnswersObject = true }),
		},
		{
			Name: "put-needs-version", Clause: "watchcache/write/conflict",
			About: "a PUT without resourceVersion is refused with 422, as it is for leases",
			Open:  with(each(func(r *apiserver.Resource) { r.Unconditional = false })),
		},
		{
			Name: "put-creates", Clause: "watchcache/write/missing",
			About: "a PUT of what does not exist creates it, as it does for leases",
			Open:  with(each(func(r *apiserver.Resource) { r.CreateOnUpdate = true })),
		},
	}
}

// each changes every resource.
func each(f func(*apiserver.Resource)) func(*apiserver.Options) {
	return func(o *apiserver.Options) {
		all := apiserver.Resources()
		if o.Resources != nil {
			all = append([]apiserver.Resource(nil), o.Resources...)
		}
		for i := range all {
			f(&all[i])
		}
		o.Resources = all
	}
}

func untold(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
	if o.SendInitialEvents != nil {
		return nil
	}
	return func(e watch.Event, c apiserver.Cause) []watch.Event {
		ends := c == apiserver.Bookmark && len(e.Object.(metav1.Object).GetAnnotations()) > 0
		if c == apiserver.End || ends {
			return nil
		}
		return []watch.Event{e}
	}
}

func twice(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
	return func(e watch.Event, c apiserver.Cause) []watch.Event {
		switch {
		case c == apiserver.End:
			return nil
		case c != apiserver.Bookmark:
			return []watch.Event{e}
		}
		again := e.Object.DeepCopyObject()
		again.(metav1.Object).SetAnnotations(nil) // the initial events end once
		return []watch.Event{e, {Type: watch.Bookmark, Object: again}}
	}
}

// companion is the suffix of companions' names.
const companion = "-companion"

// companions is an API where every create makes a companion too, before the object itself.
type companions struct{ *apiserver.Server }

func openCompanions(o apiserver.Options) (apiserver.API, *apiserver.Server) {
	o.Quirks.DeleteWith = func(r apiserver.Request) []apiserver.Request {
		r.Name += companion
		return []apiserver.Request{r}
	}
	s := apiserver.New(o)
	return companions{s}, s
}

// Create implements apiserver.API. The companion is a bare object of the same kind; where it cannot be
// made, as for a dry run or a name that is taken, there is none.
func (c companions) Create(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
	for _, res := range apiserver.Resources() {
		m, ok := obj.(metav1.Object)
		if !ok || res.GroupVersionResource != r.Resource || m.GetName() == "" || strings.HasSuffix(m.GetName(), companion) {
			continue
		}
		with := res.New()
		with.(metav1.Object).SetName(m.GetName() + companion)
		_, _ = c.Server.Create(ctx, r, with, o)
	}
	return c.Server.Create(ctx, r, obj, o)
}
