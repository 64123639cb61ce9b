package exec

import (
	"errors"
	"fmt"

	"github.com/lwtest/lwtest/conformance/store"
)

// openStore is store.Open in an adapter.
func (s *session) openStore(o store.Options) (store.Subject, error) {
	r := remoteStore{s, s.handle("s")}
	if o.Push != nil {
		s.listen(r.h, func(e event) {
			var p StorePush
			if e.Ev == "push" && s.reads(e, &p) {
				o.Push(p.Objects)
			}
		})
	}
	return r, r.do("store.open", StoreOpen{H: r.h, Indexers: o.Indexers, TTLMS: o.TTL.Milliseconds()}, nil)
}

// remoteStore is a store, or a queue, of an adapter. Of what it does not have, its features say nothing.
type remoteStore struct {
	*session
	h string
}

// do makes a request; the error wraps what the suite knows.
func (r remoteStore) do(op string, args, into any) error {
	err := r.call(r.t.Context(), op, args, into)
	var f *Failure
	if errors.As(err, &f) {
		switch f.Code {
		case "key":
			return fmt.Errorf("%w: %s", store.ErrKey, f.Msg)
		case "closed":
			return fmt.Errorf("%w: %s", store.ErrClosed, f.Msg)
		}
	}
	return err
}

// Apply implements store.Subject.
func (r remoteStore) Apply(c store.Change) error {
	return r.do("store.apply", StoreApply{H: r.h, Changes: []store.Change{c}}, nil)
}

// ApplyAll implements store.Batched.
func (r remoteStore) ApplyAll(c []store.Change) error {
	return r.do("store.apply", StoreApply{H: r.h, Changes: c, Batch: true}, nil)
}

// Replace implements store.Subject.
func (r remoteStore) Replace(list []store.Object, resourceVersion string) error {
	return r.do("store.replace", StoreReplace{r.h, append([]store.Object{}, list...), resourceVersion}, nil)
}

// Resync implements store.Subject.
func (r remoteStore) Resync() error { return r.do("store.resync", Store{r.h}, nil) }

// Bookmark implements store.Bookmarker.
func (r remoteStore) Bookmark(resourceVersion string) error {
	return r.do("store.bookmark", StoreBookmark{r.h, resourceVersion}, nil)
}

// Version implements store.Versioned.
func (r remoteStore) Version() (string, error) {
	var v StoreVersion
	err := r.do("store.version", Store{r.h}, &v)
	return v.ResourceVersion, err
}

// Get implements store.Reader.
func (r remoteStore) Get(o store.Object) (*store.Object, error) {
	return r.object(StoreGet{H: r.h, Object: &o})
}

// GetByKey implements store.Reader.
func (r remoteStore) GetByKey(key string) (*store.Object, error) {
	return r.object(StoreGet{H: r.h, Key: key})
}

func (r remoteStore) object(args StoreGet) (*store.Object, error) {
	var o StoreObject
	err := r.do("store.get", args, &o)
	return o.Object, err
}

// List implements store.Reader.
func (r remoteStore) List() ([]store.Object, error) { return r.objects("store.list", Store{r.h}) }

// ListKeys implements store.Reader.
func (r remoteStore) ListKeys() ([]string, error) { return r.names("store.keys", Store{r.h}) }

// Index implements store.Indexed.
func (r remoteStore) Index(index string, o store.Object) ([]store.Object, error) {
	return r.objects("store.index", StoreIndex{H: r.h, Index: index, Object: &o})
}

// ByIndex implements store.Indexed.
func (r remoteStore) ByIndex(index, value string) ([]store.Object, error) {
	return r.objects("store.index", StoreIndex{H: r.h, Index: index, Value: value})
}

// IndexKeys implements store.Indexed.
func (r remoteStore) IndexKeys(index, value string) ([]string, error) {
	return r.names("store.indexkeys", StoreIndex{H: r.h, Index: index, Value: value})
}

// IndexValues implements store.Indexed.
func (r remoteStore) IndexValues(index string) ([]string, error) {
	return r.names("store.indexvalues", StoreIndex{H: r.h, Index: index})
}

// AddIndexers implements store.Indexed.
func (r remoteStore) AddIndexers(indexes []string) error {
	return r.do("store.addindexers", StoreIndexers{r.h, indexes}, nil)
}

func (r remoteStore) objects(op string, args any) ([]store.Object, error) {
	var o StoreObjects
	err := r.do(op, args, &o)
	return o.Objects, err
}

func (r remoteStore) names(op string, args any) ([]string, error) {
	var n StoreNames
	err := r.do(op, args, &n)
	return n.Names, err
}

// Pop implements store.Queue.
func (r remoteStore) Pop() (store.Popped, error) { return r.pop(QueuePop{H: r.h}) }

// PopBatch implements store.Batcher.
func (r remoteStore) PopBatch() (store.Popped, error) { return r.pop(QueuePop{H: r.h, Batch: true}) }

func (r remoteStore) pop(args QueuePop) (store.Popped, error) {
	var p store.Popped
	err := r.do("queue.pop", args, &p)
	return p, err
}

// Synced implements store.Queue.
func (r remoteStore) Synced() (bool, error) {
	var s InformerSynced
	err := r.do("queue.synced", Store{r.h}, &s)
	return s.Synced, err
}

// Close implements store.Queue.
func (r remoteStore) Close() error { return r.do("queue.close", Store{r.h}, nil) }
