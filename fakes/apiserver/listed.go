package apiserver

import (
	"context"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Listed is a list for one who sends it on as bytes.
type Listed struct {
	List  runtime.Object // of the resource's list type, with no items: the caller's own
	Items []Stored       // in key order
}

// Stored is an object of the store, as it was at one revision.
type Stored struct{ rec *record }

// Object is the object itself, the same for all. It must not be changed.
func (s Stored) Object() runtime.Object { return s.rec.obj }

// Kept gives the bytes that were made of the object by the first who asked, and keeps them as long as the
// store has the object. There is one place for them: all callers must make the same. They must not be changed.
func (s Stored) Kept(make func(runtime.Object) ([]byte, error)) ([]byte, error) {
	if b := s.rec.kept.Load(); b != nil {
		return *b, nil
	}
	b, err := make(s.rec.obj)
	if err == nil {
		s.rec.kept.Store(&b)
	}
	return b, err
}

// kept are bytes that were made of a record, nil before.
type kept = atomic.Pointer[[]byte]

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
	out := Listed{Items: make([]Stored, len(l.items))}
	for i, r := range l.items {
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
