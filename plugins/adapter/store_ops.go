package adapter

import (
	"sync/atomic"
	"time"
)

type (
	storeOpen struct {
		H        string   `json:"h"`
		Indexers []string `json:"indexers,omitempty"`
		TTLMS    int64    `json:"ttlMs,omitempty"`
	}
	storeNamed struct {
		H string `json:"h"`
	}
	storeApply struct {
		H       string   `json:"h"`
		Changes []Change `json:"changes"`
		Batch   bool     `json:"batch,omitempty"`
	}
	storeReplace struct {
		H               string   `json:"h"`
		Objects         []Object `json:"objects"`
		ResourceVersion string   `json:"resourceVersion,omitempty"`
	}
	storeVersion struct {
		H               string `json:"h,omitempty"`
		ResourceVersion string `json:"resourceVersion,omitempty"`
	}
	storeGet struct {
		H      string  `json:"h"`
		Object *Object `json:"object,omitempty"`
		Key    string  `json:"key,omitempty"`
	}
	storeObject struct {
		Object *Object `json:"object,omitempty"`
	}
	storeObjects struct {
		Objects []Object `json:"objects"`
	}
	storeNames struct {
		Names []string `json:"names"`
	}
	storeIndex struct {
		H      string  `json:"h"`
		Index  string  `json:"index"`
		Object *Object `json:"object,omitempty"`
		Value  string  `json:"value,omitempty"`
	}
	storeIndexers struct {
		H        string   `json:"h"`
		Indexers []string `json:"indexers"`
	}
	queuePop struct {
		H     string `json:"h"`
		Batch bool   `json:"batch,omitempty"`
	}
	synced struct {
		Synced bool `json:"synced"`
	}
	storePush struct {
		Ev      string   `json:"ev"`
		H       string   `json:"h"`
		Objects []Object `json:"objects"`
	}
)

// listed are objects, of which an empty list is one.
func listed(list []Object, err error) (storeObjects, error) {
	return storeObjects{append([]Object{}, list...)}, err
}

func names(list []string, err error) (storeNames, error) {
	return storeNames{append([]string{}, list...)}, err
}

func (o StoreOffer) open(c *call, r storeOpen) (nothing, error) {
	life, session := c.life, c.session
	s, err := o.Open(StoreOptions{Indexers: r.Indexers, TTL: time.Duration(r.TTLMS) * time.Millisecond, Push: func(all []Object) {
		session.tell(life, storePush{"push", r.H, append([]Object{}, all...)})
	}})
	if err != nil {
		return nothing{}, err
	}
	kept := &openStore{is: s}
	life.keep(r.H, kept, kept.end)
	return nothing{}, nil
}

// openStore is a store of a case.
type openStore struct {
	is     Store
	closed atomic.Bool // lwtest has closed it
}

// end closes a queue, so that each Pop of it returns.
func (o *openStore) end() {
	if q, ok := o.is.(Queue); ok && o.closed.CompareAndSwap(false, true) {
		_ = q.Close() // nobody is there to be told
	}
}

// storePart is the part of an open store that a request asks for.
func storePart[T any](c *call, h string) (T, error) {
	o, err := named[*openStore](c, h)
	if err != nil {
		var none T
		return none, err
	}
	return part[T](o.is)
}

// ops are those of the kind.
func (o StoreOffer) ops() map[string]op {
	return map[string]op{
		"store.open":  on(o.open),
		"store.apply": on(func(c *call, r storeApply) (nothing, error) { return nothing{}, apply(c, r) }),
		"store.replace": on(func(c *call, r storeReplace) (nothing, error) {
			s, err := storePart[Store](c, r.H)
			if err == nil {
				err = s.Replace(r.Objects, r.ResourceVersion)
			}
			return nothing{}, err
		}),
		"store.resync": on(func(c *call, r storeNamed) (nothing, error) {
			s, err := storePart[Store](c, r.H)
			if err == nil {
				err = s.Resync()
			}
			return nothing{}, err
		}),
		"store.bookmark": on(func(c *call, r storeVersion) (nothing, error) {
			s, err := storePart[StoreBookmarker](c, r.H)
			if err == nil {
				err = s.Bookmark(r.ResourceVersion)
			}
			return nothing{}, err
		}),
		"store.version": on(func(c *call, r storeNamed) (out storeVersion, err error) {
			s, err := storePart[StoreVersioner](c, r.H)
			if err == nil {
				out.ResourceVersion, err = s.Version()
			}
			return out, err
		}),
		"store.get":         on(get),
		"store.list":        on(list),
		"store.keys":        on(keys),
		"store.index":       on(index),
		"store.indexkeys":   on(indexKeys),
		"store.indexvalues": on(indexValues),
		"store.addindexers": on(addIndexers),
		"queue.pop":         on(pop),
		"queue.synced": on(func(c *call, r storeNamed) (out synced, err error) {
			q, err := storePart[Queue](c, r.H)
			if err == nil {
				out.Synced, err = q.Synced()
			}
			return out, err
		}),
		"queue.close": on(func(c *call, r storeNamed) (nothing, error) {
			q, err := storePart[Queue](c, r.H)
			if err != nil {
				return nothing{}, err
			}
			o, _ := named[*openStore](c, r.H) // it was there
			o.closed.Store(true)
			return nothing{}, q.Close()
		}),
	}
}

func apply(c *call, r storeApply) error {
	if r.Batch {
		s, err := storePart[StoreBatcher](c, r.H)
		if err != nil {
			return err
		}
		return s.ApplyAll(r.Changes)
	}
	s, err := storePart[Store](c, r.H)
	for i := 0; i < len(r.Changes) && err == nil; i++ {
		err = s.Apply(r.Changes[i])
	}
	return err
}

func get(c *call, r storeGet) (out storeObject, err error) {
	s, err := storePart[StoreReader](c, r.H)
	switch {
	case err != nil:
	case r.Object != nil:
		out.Object, err = s.Get(*r.Object)
	default:
		out.Object, err = s.GetByKey(r.Key)
	}
	return out, err
}

func list(c *call, r storeNamed) (storeObjects, error) {
	s, err := storePart[StoreReader](c, r.H)
	if err != nil {
		return storeObjects{}, err
	}
	return listed(s.List())
}

func keys(c *call, r storeNamed) (storeNames, error) {
	s, err := storePart[StoreReader](c, r.H)
	if err != nil {
		return storeNames{}, err
	}
	return names(s.ListKeys())
}

func index(c *call, r storeIndex) (storeObjects, error) {
	s, err := storePart[StoreIndexer](c, r.H)
	switch {
	case err != nil:
		return storeObjects{}, err
	case r.Object != nil:
		return listed(s.Index(r.Index, *r.Object))
	}
	return listed(s.ByIndex(r.Index, r.Value))
}

func indexKeys(c *call, r storeIndex) (storeNames, error) {
	s, err := storePart[StoreIndexer](c, r.H)
	if err != nil {
		return storeNames{}, err
	}
	return names(s.IndexKeys(r.Index, r.Value))
}

func indexValues(c *call, r storeIndex) (storeNames, error) {
	s, err := storePart[StoreIndexer](c, r.H)
	if err != nil {
		return storeNames{}, err
	}
	return names(s.IndexValues(r.Index))
}

func addIndexers(c *call, r storeIndexers) (nothing, error) {
	s, err := storePart[StoreIndexer](c, r.H)
	if err == nil {
		err = s.AddIndexers(r.Indexers)
	}
	return nothing{}, err
}

func pop(c *call, r queuePop) (out Popped, err error) {
	if r.Batch {
		q, err := storePart[QueueBatcher](c, r.H)
		if err != nil {
			return out, err
		}
		out, err = q.PopBatch()
		return popped(out), err
	}
	q, err := storePart[Queue](c, r.H)
	if err == nil {
		out, err = q.Pop()
	}
	return popped(out), err
}

// popped is one with a list of deltas, were it empty.
func popped(p Popped) Popped {
	p.Deltas = append([]Delta{}, p.Deltas...)
	return p
}
