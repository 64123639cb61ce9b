package etcd

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// watches are those of one stream.
type watches struct {
	p       *Proxy
	mu      sync.Mutex
	created []string         // keys of those that etcd has not numbered yet
	keys    map[int64]string // from which they watch
	over    map[int64]bool   // the client was told that they are cancelled; etcd goes on with them
}

// asked notes what a client wants to watch.
func (w *watches) asked(request []byte) []byte {
	if create, ok := field(request, watchCreate); ok {
		key, _ := field(create, createKey)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.created = append(w.created, string(key))
	}
	return request
}

// said returns what is passed on in place of a response that came at some time; with an error, before the stream ends with it.
func (w *watches) said(ctx context.Context, b []byte, came time.Time) ([][]byte, error) {
	r := readResponse(b)
	w.p.learn(r.revision)
	key, over := w.of(r)
	switch {
	case over:
		return nil, nil
	case len(r.events) == 0:
		return [][]byte{b}, nil
	}
	out := [][]byte{b}
	for _, f := range w.p.choose(watching, key, func(*armed) bool { return true }) {
		if f.Status != "" {
			return nil, f.refusal()
		}
		switch f.Events.Do {
		case Delay:
			f.pause(ctx, time.Until(came.Add(f.Events.For.Duration)))
		case Drop:
			out = nil
		case Double:
			out = append(out, out...)
		case Fragment:
			out = r.fragments()
		case Compact:
			w.end(r.id)
			return [][]byte{r.compacted()}, nil
		case Early:
			out = append([][]byte{r.progress()}, out...)
		case Close:
			return nil, status.Error(codes.Unavailable, "the connection broke")
		}
	}
	return out, nil
}

// of returns from which key the watch of a response watches, and whether its client takes it for cancelled.
func (w *watches) of(r response) (key string, over bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.created && len(w.created) > 0 {
		w.keys[r.id], w.created = w.created[0], w.created[1:]
		delete(w.over, r.id)
	}
	return w.keys[r.id], w.over[r.id]
}

// end notes that a client takes a watch for cancelled.
func (w *watches) end(id int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over[id] = true
}
