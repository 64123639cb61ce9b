package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

type (
	wcServer struct {
		H string `json:"h"`
	}
	wcWrite struct {
		wcServer
		Write
	}
	wcPatch struct {
		wcServer
		Patching
	}
	wcDelete struct {
		wcServer
		Deletion
	}
	wcGet struct {
		wcServer
		Namespace string          `json:"namespace"`
		Name      string          `json:"name"`
		Options   json.RawMessage `json:"options"`
	}
	wcList struct {
		wcServer
		Namespace string          `json:"namespace,omitempty"`
		Options   json.RawMessage `json:"options"`
	}
	wcWatch struct {
		wcList
		W string `json:"w"`
	}
	wcStarted struct {
		Server Server `json:"server"`
	}
	wcObject struct {
		Object json.RawMessage `json:"object"`
	}
	wcListed struct {
		Metadata ListMeta          `json:"metadata"`
		Items    []json.RawMessage `json:"items"`
	}
	wcCompacted struct {
		Kept string `json:"kept,omitempty"`
	}
	wcLag struct {
		wcServer
		MS int64 `json:"ms"`
	}
	wcReady struct {
		wcServer
		Ready bool `json:"ready"`
	}
	wcStorage struct {
		wcServer
		Fault json.RawMessage `json:"fault"`
	}
	wcOther struct {
		ResourceVersion string `json:"resourceVersion"`
	}
	wcTogether struct {
		wcServer
		Namespace string   `json:"namespace"`
		Names     []string `json:"names"`
	}
)

// ops are those of the kind.
func (o WatchCacheOffer) ops() map[string]op {
	return map[string]op{
		"wc.open":   on(o.open),
		"wc.start":  on(o.start),
		"wc.create": on(wcCreates),
		"wc.update": on(wcUpdates),
		"wc.patch": on(func(c *call, r wcPatch) (out wcObject, err error) {
			p, err := named[Patcher](c, r.H)
			if err == nil {
				out.Object, err = p.Patch(c, r.Patching)
			}
			return out, err
		}),
		"wc.delete": on(func(c *call, r wcDelete) (nothing, error) {
			return tells(c, r.H, func(s WatchCache) error { return s.Delete(c, r.Deletion) })
		}),
		"wc.deletecollection": on(func(c *call, r wcDelete) (nothing, error) {
			return tells(c, r.H, func(s CollectionDeleter) error { return s.DeleteCollection(c, r.Deletion) })
		}),
		"wc.get": on(func(c *call, r wcGet) (out wcObject, err error) {
			s, err := named[WatchCache](c, r.H)
			if err == nil {
				out.Object, err = s.Get(c, r.Namespace, r.Name, r.Options)
			}
			return out, err
		}),
		"wc.list":  on(wcLists),
		"wc.watch": on(wcWatches),
		"wc.read":  on(lwReads),
		"wc.stop":  on(lwStops),
		"wc.compact": on(func(c *call, r wcServer) (out wcCompacted, err error) {
			s, err := named[Compactor](c, r.H)
			if err == nil {
				out.Kept, err = s.Compact(c)
			}
			return out, err
		}),
		"wc.window": on(func(c *call, r wcServer) (nothing, error) {
			return tells(c, r.H, func(s WindowMover) error { return s.MoveWindow(c) })
		}),
		"wc.lag": on(func(c *call, r wcLag) (nothing, error) {
			return tells(c, r.H, func(s Lagger) error { return s.SetLag(c, time.Duration(r.MS)*time.Millisecond) })
		}),
		"wc.ready": on(func(c *call, r wcReady) (nothing, error) {
			return tells(c, r.H, func(s Starter) error { return s.SetReady(c, r.Ready) })
		}),
		"wc.storage": on(func(c *call, r wcStorage) (nothing, error) {
			return tells(c, r.H, func(s StorageFaulter) error { return s.SetStorageFault(c, r.Fault) })
		}),
		"wc.restart": on(func(c *call, r wcServer) (nothing, error) {
			return tells(c, r.H, func(s Restarter) error { return s.Restart(c) })
		}),
		"wc.writeother": on(func(c *call, r wcServer) (out wcOther, err error) {
			s, err := named[OtherWriter](c, r.H)
			if err == nil {
				out.ResourceVersion, err = s.WriteOther(c)
			}
			return out, err
		}),
		"wc.deletetogether": on(func(c *call, r wcTogether) (nothing, error) {
			return tells(c, r.H, func(s TogetherDeleter) error { return s.DeleteTogether(c, r.Namespace, r.Names) })
		}),
	}
}

func (o WatchCacheOffer) open(c *call, r wcServer) (nothing, error) {
	if o.Open == nil {
		return nothing{}, errors.New("this server speaks HTTP: use wc.start")
	}
	s, err := o.Open()
	if err == nil {
		c.keeps(r.H, s)
	}
	return nothing{}, err
}

func (o WatchCacheOffer) start(c *call, r wcServer) (out wcStarted, err error) {
	if o.Serve == nil {
		return out, errors.New("this server does not speak HTTP: use wc.open")
	}
	s, err := o.Serve()
	if err != nil {
		return out, err
	}
	c.keeps(r.H, s)
	return wcStarted{s.Address()}, nil
}

// keeps keeps a server until its case ends.
func (c *call) keeps(h string, server any) {
	var end func()
	if closes, ok := server.(interface{ Close() }); ok {
		end = closes.Close
	}
	c.life.keep(h, server, end)
}

// tells asks the part of a server for what has no answer but that it is done.
func tells[T any](c *call, h string, do func(T) error) (nothing, error) {
	part, err := named[T](c, h)
	if err == nil {
		err = do(part)
	}
	return nothing{}, err
}

func wcCreates(c *call, r wcWrite) (wcObject, error) { return wcWrites(c, r, WatchCache.Create) }

func wcUpdates(c *call, r wcWrite) (wcObject, error) { return wcWrites(c, r, WatchCache.Update) }

func wcWrites(c *call, r wcWrite, do func(WatchCache, context.Context, Write) (json.RawMessage, error)) (out wcObject, err error) {
	s, err := named[WatchCache](c, r.H)
	if err == nil {
		out.Object, err = do(s, c, r.Write)
	}
	return out, err
}

func wcLists(c *call, r wcList) (out wcListed, err error) {
	s, err := named[WatchCache](c, r.H)
	if err != nil {
		return out, err
	}
	l, err := s.List(c, r.Namespace, r.Options)
	if err != nil {
		return out, err
	}
	return wcListed{l.Metadata, append([]json.RawMessage{}, l.Items...)}, nil
}

func wcWatches(c *call, r wcWatch) (out nothing, err error) {
	s, err := named[WatchCache](c, r.H)
	if err != nil {
		return out, err
	}
	c.stays = true
	w, err := s.Watch(c, r.Namespace, r.Options)
	if err == nil {
		c.keepsWatch(r.W, w)
	}
	return out, err
}
