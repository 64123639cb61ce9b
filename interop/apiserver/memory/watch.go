package memory

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/protobuf/proto"
)

// watcher is one watch of a stream.
type watcher struct {
	id       int64
	from, to string
	q        *etcdserverpb.WatchCreateRequest
	next     int64 // revision of the next event
	said     time.Time
}

// stream has the watches of a client. One goroutine uses it.
type stream struct {
	s        *Server
	out      etcdserverpb.Watch_WatchServer
	watchers []*watcher
	nextID   int64
}

// mostEvents is about how many events a response has at most, when a watch is behind.
const mostEvents = 1000

// Watch implements etcdserverpb.WatchServer.
func (s *Server) Watch(out etcdserverpb.Watch_WatchServer) error {
	asked := make(chan *etcdserverpb.WatchRequest)
	ended := make(chan error, 1)
	go func() {
		for {
			q, err := out.Recv()
			if err != nil {
				ended <- err
				return
			}
			select {
			case asked <- q:
			case <-out.Context().Done():
				return
			}
		}
	}()
	w := &stream{s: s, out: out}
	tick := time.NewTicker(s.o.Progress / 2)
	defer tick.Stop()
	for {
		moved, err := w.send()
		if err != nil {
			return err
		}
		select {
		case q := <-asked:
			err = w.asked(q)
		case err = <-ended:
			if errors.Is(err, io.EOF) {
				return nil
			}
		case <-out.Context().Done():
			err = context.Cause(out.Context())
		case <-tick.C:
			err = w.idle()
		case <-moved:
		}
		if err != nil {
			return err
		}
	}
}

// asked does what a client asks.
func (w *stream) asked(q *etcdserverpb.WatchRequest) error {
	switch q := q.RequestUnion.(type) {
	case *etcdserverpb.WatchRequest_CreateRequest:
		return w.create(q.CreateRequest)
	case *etcdserverpb.WatchRequest_CancelRequest:
		id := q.CancelRequest.WatchId
		if !w.drop(id) {
			return nil
		}
		return w.out.Send(&etcdserverpb.WatchResponse{Header: w.header(), WatchId: id, Canceled: true})
	case *etcdserverpb.WatchRequest_ProgressRequest:
		if _, err := w.send(); err != nil {
			return err
		}
		const all = -1
		return w.progress(all)
	}
	return nil
}

func (w *stream) header() *etcdserverpb.ResponseHeader {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	return w.s.header()
}

// create begins a watch.
func (w *stream) create(q *etcdserverpb.WatchCreateRequest) error {
	id := q.WatchId
	if id == 0 { // the server chooses it
		for ; w.has(w.nextID); w.nextID++ {
		}
		id = w.nextID
		w.nextID++
	}
	one := &watcher{id: id, q: q, said: time.Now()}
	if len(q.Key) == 0 { // as etcd's client asks for all
		q.Key = []byte{0}
	}
	one.from, one.to = span(q.Key, q.RangeEnd)
	header := w.header()
	if one.next = q.StartRevision; one.next == 0 {
		one.next = header.Revision + 1
	}
	if w.has(id) {
		return w.out.Send(&etcdserverpb.WatchResponse{Header: header, WatchId: -1, Created: true, Canceled: true, CancelReason: "another watch of the stream has this id"})
	}
	w.watchers = append(w.watchers, one)
	return w.out.Send(&etcdserverpb.WatchResponse{Header: header, WatchId: id, Created: true})
}

// has reports whether a watch of the stream has an id.
func (w *stream) has(id int64) bool {
	return slices.ContainsFunc(w.watchers, func(o *watcher) bool { return o.id == id })
}

// drop ends a watch, and reports whether there was one.
func (w *stream) drop(id int64) bool {
	before := len(w.watchers)
	w.watchers = slices.DeleteFunc(w.watchers, func(o *watcher) bool { return o.id == id })
	return len(w.watchers) < before
}

// send sends all that there is to say. It returns a channel that is closed when there is more.
func (w *stream) send() (<-chan struct{}, error) {
	for {
		all, moved := w.due()
		if len(all) == 0 {
			return moved, nil
		}
		for _, r := range all {
			if err := w.out.Send(r); err != nil {
				return nil, err
			}
		}
	}
}

// due returns the responses that are due, at most one for each watch, and a channel that is closed by the next write.
func (w *stream) due() (all []*etcdserverpb.WatchResponse, moved <-chan struct{}) {
	s := w.s
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range slices.Clone(w.watchers) {
		if one.next < s.compacted {
			w.drop(one.id)
			all = append(all, &etcdserverpb.WatchResponse{Header: s.header(), WatchId: one.id, Canceled: true, CompactRevision: s.compacted})
			continue
		}
		if events := one.take(s); len(events) > 0 {
			all = append(all, &etcdserverpb.WatchResponse{Header: s.header(), WatchId: one.id, Events: events})
		}
	}
	return all, s.moved
}

// take returns the next events of a watch. The lock is held.
func (one *watcher) take(s *Server) (events []*mvccpb.Event) {
	for _, w := range s.log[s.since(one.next):] {
		for _, e := range w.events {
			if one.wants(e) {
				events = append(events, one.shown(e, s.compacted))
			}
		}
		one.next = w.rev + 1
		if len(events) >= mostEvents {
			break
		}
	}
	if len(events) > 0 {
		one.said = time.Now()
	}
	return events
}

func (one *watcher) wants(e *mvccpb.Event) bool {
	unwanted := etcdserverpb.WatchCreateRequest_NOPUT
	if e.Type == mvccpb.Event_DELETE {
		unwanted = etcdserverpb.WatchCreateRequest_NODELETE
	}
	key := string(e.Kv.Key)
	return key >= one.from && (one.to == "" || key < one.to) && !slices.Contains(one.q.Filters, unwanted)
}

// shown returns an event without what the watch did not ask for, and without what was there before where a compaction has taken that.
func (one *watcher) shown(e *mvccpb.Event, compacted int64) *mvccpb.Event {
	if e.PrevKv == nil || one.q.PrevKv && e.Kv.ModRevision > compacted {
		return e
	}
	out := proto.CloneOf(e)
	out.PrevKv = nil
	return out
}

// progress says that all up to the present revision has been sent. What comes while it is sent is sent before.
func (w *stream) progress(id int64) error {
	for {
		w.s.mu.Lock()
		header, behind := w.s.header(), slices.ContainsFunc(w.watchers, func(o *watcher) bool { return o.next <= w.s.rev && o.behind(w.s) })
		w.s.mu.Unlock()
		if !behind {
			return w.out.Send(&etcdserverpb.WatchResponse{Header: header, WatchId: id})
		}
		if _, err := w.send(); err != nil {
			return err
		}
	}
}

// behind reports whether a watch has something to say. The lock is held.
func (one *watcher) behind(s *Server) bool {
	return one.next < s.compacted || slices.ContainsFunc(s.log[s.since(one.next):], func(w written) bool { return slices.ContainsFunc(w.events, one.wants) })
}

// idle tells watches that asked for it, and had nothing to say for a while, the revision.
func (w *stream) idle() error {
	for _, one := range w.watchers {
		if one.q.ProgressNotify && time.Since(one.said) >= w.s.o.Progress {
			one.said = time.Now()
			if err := w.progress(one.id); err != nil {
				return err
			}
		}
	}
	return nil
}
