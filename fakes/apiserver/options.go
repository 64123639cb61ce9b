package apiserver

import (
	"net/netip"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/watch"
)

// Options of a server. The zero value is kube-apiserver with its defaults; where that is a duration
// or a count, a negative value switches the thing off.
type Options struct {
	// Resources that are served; nil: Resources().
	Resources []Resource
	// Seed of uids, generated names and the ends of watches. The same seed and the same calls from one
	// goroutine give the same answers.
	Seed uint64
	// FirstRevision is the store's revision while it is empty; 0: 1.
	FirstRevision uint64
	// Step is by how much the next revision is larger than the last; nil: 1. It must not be 0.
	Step func() uint64

	// CompactEvery: at each such interval what is older than one interval is compacted; 0: 5 minutes.
	CompactEvery time.Duration
	// WindowCount and WindowAge bound the watch window of each cache: it keeps the last WindowCount
	// changes, doubled (ten times at the most) while it is full of changes younger than WindowAge, and
	// halved when most of them are older; 0: 100 and 75 seconds.
	WindowCount int
	WindowAge   time.Duration

	// BookmarkEvery is how often, about, a watch that allows it gets a bookmark; 0: a minute.
	BookmarkEvery time.Duration
	// BookmarkBefore is about how long before its timeout it gets one, too; 0: 2 seconds.
	BookmarkBefore time.Duration
	// WatchTimeout ends a watch that asked for no timeout after it to twice as long; 0: 30 minutes.
	WatchTimeout time.Duration
	// WatchBehind ends a watch of a kind with a cache, cleanly, when its reader is more than so many changes
	// behind, of those since it was opened. A kube-apiserver keeps 10 to 1,000 for each watch, and waits for a
	// reader for a fraction of a second (k8s.io/apiserver/pkg/storage/cacher/cache_watcher.go). 0: a watch ends
	// only when its place in the window is gone.
	WatchBehind int
	// TooLargeWait is how long a request waits for a resourceVersion not yet seen; 0: 3 seconds.
	TooLargeWait time.Duration
	// CacheLag is how long a change takes to reach the caches of the first view; see View.SetLag.
	CacheLag time.Duration
	// WatchLag is how long it takes from there to watches. Lists and what a watch starts from do not lag.
	WatchLag time.Duration

	// NoShards takes no notice of a shardSelector, as kube-apiserver does with its feature gate
	// ShardedListAndWatch off (its default so far).
	NoShards bool

	// Namespaces must exist for objects to be created in them. Those of a new cluster do. A deleted one stays,
	// Terminating, until its spec.finalizers are taken away. Resources must have them, or New panics.
	// The other objects of a new cluster exist as well, where their kinds are served: the system PriorityClasses,
	// and the Service default/kubernetes with its Endpoints and EndpointSlice, which come back when they are deleted.
	Namespaces bool
	// NamespaceController takes them away when what was in the namespace is deleted, and deletes it, as
	// kube-controller-manager does where one runs. It does so at once.
	NamespaceController bool

	// Accounts gives each namespace the ServiceAccount default and the ConfigMap kube-root-ca.crt, as kube-controller-manager does
	// where one runs. It does so at once, and again when one is deleted.
	Accounts bool
	// RootCA is the certificate of the server's authority in PEM, for kube-root-ca.crt.
	RootCA string
	// Tokens sign the tokens of service accounts. nil: keys of this package, which are no secret.
	Tokens *TokenKeys
	// ServiceRange has the addresses of services: IPv4, from /12 to /29. Zero: DefaultServiceRange. The Service default/kubernetes has the
	// first.
	ServiceRange netip.Prefix
	// Admission has the admission plugins that are optional.
	Admission Admission

	// Webhooks calls the webhooks of MutatingWebhookConfigurations, ValidatingWebhookConfigurations and definitions; see rest.NewWebhooks.
	// nil: none is called, and conversion changes only apiVersion.
	Webhooks WebhookCaller

	// CEL evaluates x-kubernetes-validations, matchConditions and policies. nil: they are accepted with a warning, and not evaluated.
	CEL CEL

	// Types has the schemas by which a server-side apply merges objects of built-in kinds; see package
	// schemas. nil: maps are merged by key, lists and the rest replaced, as in custom resources.
	Types func() managedfields.TypeConverter

	// ManagedFields keeps metadata.managedFields from the creation of each object on, as kube-apiserver does. Without it they are absent
	// until somebody applies the object, which makes writes cheaper.
	ManagedFields bool

	// Quirks are what a correct server may do, and kube-apiserver does not.
	Quirks Quirks
	// OnWatch, where set, is called at the opening of each watch. It may change what the watch asks for,
	// and its answer, where not nil, stands between the watch and its client. It is called concurrently.
	OnWatch func(*Request, *metav1.ListOptions) Tap
}

// Quirks are oddities that break no clause of the contract. The zero value has none.
type Quirks struct {
	// ReverseInitial sends the initial ADDED of a watch in reverse key order.
	ReverseInitial bool
	// ShortPages makes pages one item shorter than a limit of 2 or more.
	ShortPages bool
	// DeleteAnswersObject answers a delete with the object, at the deletion's resourceVersion.
	DeleteAnswersObject bool
	// EndAfter ends each watch cleanly after so many changes, those of one revision together; 0: never.
	EndAfter int
	// DeleteWith names what else is deleted in the same revision, where it exists; nil: nothing.
	DeleteWith func(Request) []Request
	// GraceGrows lets a later delete give an object more time than it has left.
	GraceGrows bool
	// OneStep deletes what has a grace period, once there is none, in one revision, as anything else.
	OneStep bool
}

// Cause says why an event is about to be sent.
type Cause int

const (
	Initial  Cause = iota // part of the state that a watch starts with
	Created               // an object was created
	Updated               // an object was changed, whatever that means for the selector
	Deleted               // an object was deleted
	Bookmark              // a bookmark, the initial-events-end one too
	End                   // no event: the server is about to end the watch
)

// Tap is given each event of one watch in turn, on that watch's own goroutine, and returns what is
// sent in its place. The event's object is a private copy. It must not block.
type Tap func(watch.Event, Cause) []watch.Event

func (o Options) withDefaults() Options {
	if o.Resources == nil {
		o.Resources = Resources()
	}
	if o.CEL != nil {
		o.CEL = guardedCEL{o.CEL}
		o.Resources = withCEL(o.Resources, o.CEL)
	}
	o.Tokens = o.Tokens.OrDefault()
	if o.Step == nil {
		o.Step = func() uint64 { return 1 }
	}
	defaultTo(&o.FirstRevision, 1)
	defaultTo(&o.CompactEvery, 5*time.Minute)
	defaultTo(&o.WindowCount, 100)
	defaultTo(&o.WindowAge, 75*time.Second)
	defaultTo(&o.BookmarkEvery, time.Minute)
	defaultTo(&o.BookmarkBefore, 2*time.Second)
	defaultTo(&o.WatchTimeout, 30*time.Minute)
	defaultTo(&o.TooLargeWait, 3*time.Second)
	return o
}

func defaultTo[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}
