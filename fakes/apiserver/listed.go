package apiserver

import (
	"context"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// Listed is a list for one who sends it on as bytes.
type Listed struct {
	List  runtime.Object // of the resource's list type, with no items: the caller's own
	Items []Stored       // in key order
}

// Whole returns the list with its items, which are the store's own: the same for all. They must not be changed.
func (l Listed) Whole() (runtime.Object, error) {
	items := make([]runtime.Object, len(l.Items))
	for i, it := range l.Items {
		items[i] = it.Object()
	}
	out := l.List.DeepCopyObject()
	return out, meta.SetList(out, items)
}

// Stored is an object of the store, as it was at one revision.
type Stored struct{ rec *record }

// Object is the object itself, the same for all. It must not be changed.
func (s Stored) Object() runtime.Object { return s.rec.obj }

// Form numbers the forms of an object that are kept as bytes.
type Form int

// The forms. All callers make the same bytes of one.
const (
	JSON         Form = iota // as json.Marshal makes it
	Protobuf                 // without an envelope
	MetadataJSON             // its metadata alone
	forms
)

// Kept gives the bytes that were made of the object by the first who asked for that form, and keeps them as long as the
// store has the object. They must not be changed.
func (s Stored) Kept(f Form, make func(runtime.Object) ([]byte, error)) ([]byte, error) {
	if b := s.rec.kept[f].Load(); b != nil {
		return *b, nil
	}
	b, err := make(s.rec.obj)
	if err == nil {
		s.rec.kept[f].Store(&b)
	}
	return b, err
}

// kept are bytes that were made of a record, by their forms; nil before.
type kept [forms]atomic.Pointer[[]byte]

// Sharing is an API for one who sends what it has on as bytes: its objects are not copied. A Server and its Views are such, and so is
// what stands before them: faults and request logs.
type Sharing interface {
	API
	// Self returns the API itself. It tells an API that embeds a Server, and overrides List or Watch, from the Server.
	Self() API
	ListShared(context.Context, Request, metav1.ListOptions) (Listed, error)
	WatchShared(context.Context, Request, metav1.ListOptions) (watch.Interface, error)
}

// Pusher is a watch by WatchShared that needs no channel.
type Pusher interface {
	watch.Interface
	// Push calls push for each event, and flush where no other is there yet, until the watch is over or one of them returns false.
	// It does so on the goroutine of its caller, who must not use ResultChan. Events that come shortly after a flush wait for
	// others: at most the pace times the number of such watches of the resource, half of that after a flush of one, and never longer
	// than 25 ms; 0: none waits.
	Push(pace time.Duration, push func(watch.Event) bool, flush func() bool)
}

// Shares returns an API as one that shares its objects; false: it does not.
func Shares(a API) (Sharing, bool) {
	s, ok := a.(Sharing)
	return s, ok && s.Self() == a
}

// Self implements Sharing.
func (v *View) Self() API { return v }

// Self implements Sharing.
func (s *Server) Self() API { return s }

// ListShared is List without copies of the items.
func (v *View) ListShared(ctx context.Context, req Request, opts metav1.ListOptions) (Listed, error) {
	k, err := v.find(ctx, req, "list")
	if err != nil {
		return Listed{}, err
	}
	l, err := v.list(ctx, k, req, opts)
	if err != nil {
		return Listed{}, err
	}
	all, err := k.inVersions(ctx, l.items)
	if err != nil {
		return Listed{}, err
	}
	out := Listed{Items: make([]Stored, len(all))}
	for i, r := range all {
		out.Items[i] = Stored{r}
	}
	out.List, err = l.envelope(k.res, nil)
	return out, err
}

// envelope is a list of the resource's list type.
func (l *listing) envelope(res *Resource, items []runtime.Object) (runtime.Object, error) {
	list := res.NewList()
	if err := meta.SetList(list, items); err != nil {
		return nil, bare(err.Error())
	}
	m, err := meta.ListAccessor(list)
	if err != nil {
		return nil, bare(err.Error())
	}
	m.SetResourceVersion(format(l.rev))
	m.SetContinue(l.next)
	m.SetRemainingItemCount(l.remaining)
	if l.shard != nil {
		l.shard.tell(list)
	}
	return list, nil
}
