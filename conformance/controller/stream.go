package controller

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"time"
)

// watch serves a watch.
func (f *front) watch(w http.ResponseWriter, q *http.Request, x target) {
	r := f.r
	if f.l.behind && q.URL.Query().Has("sendInitialEvents") { // a streaming list is never behind; a server without the feature gate WatchList has none
		refuse(w, http.StatusUnprocessableEntity, "Invalid", "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled", 0)
		return
	}
	ctx, cancel := context.WithCancel(q.Context())
	defer cancel()
	s := &stream{ResponseWriter: w, resource: x.resource, cancel: cancel, done: ctx.Done(), begun: !q.URL.Query().Has("sendInitialEvents")}
	r.mu.Lock()
	r.watched[x.resource] = true
	s.late = max(r.lates[x.resource], r.lates[""])
	for _, d := range r.armed {
		if d.late && (d.resource == x.resource || d.resource == "") {
			d.done = true
		}
	}
	deaf, gone := time.Now().Before(r.deaf[x.resource]), r.gone[x.resource] && q.URL.Query().Get("resourceVersion") != ""
	if gone && !deaf {
		delete(r.gone, x.resource)
	}
	if !gone && !deaf {
		r.streams[s] = true
	}
	r.mu.Unlock()
	switch {
	case deaf:
		refuse(w, http.StatusTooManyRequests, "TooManyRequests", "nobody can watch for a while", 1)
		return
	case gone:
		refuse(w, http.StatusGone, "Expired", "too old resource version", 0)
		return
	}
	defer func() {
		r.mu.Lock()
		delete(r.streams, s)
		r.mu.Unlock()
		s.drain()
	}()
	f.next.ServeHTTP(s, q.WithContext(ctx))
}

// stream is the answer to a watch.
type stream struct {
	http.ResponseWriter
	resource string
	cancel   context.CancelFunc
	done     <-chan struct{} // closed when the client has gone

	// Only the handler uses these.
	begun bool // the initial events have been sent
	queue chan piece
	sent  chan struct{}

	mu     sync.Mutex
	late   time.Duration
	silent bool
}

// piece is a part of the answer that goes out later.
type piece struct {
	at time.Time
	b  []byte
}

// hang sends nothing any more, and ends the watch after a while; 0: never.
func (s *stream) hang(d time.Duration) {
	s.mu.Lock()
	s.silent = true
	s.mu.Unlock()
	if d > 0 {
		time.AfterFunc(d, s.cancel)
	}
}

// delay sends what is written from now on so much later.
func (s *stream) delay(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late = d
}

// Write implements io.Writer.
func (s *stream) Write(b []byte) (int, error) {
	s.mu.Lock()
	silent, late := s.silent, s.late
	s.mu.Unlock()
	if silent {
		return len(b), nil
	}
	at := time.Now()
	if s.begun {
		at = at.Add(late)
	}
	s.begun = s.begun || bytes.Contains(b, []byte("k8s.io/initial-events-end")) // so in JSON and in protobuf
	if late == 0 && s.queue == nil {
		return s.ResponseWriter.Write(b)
	}
	if s.queue == nil {
		s.start()
	}
	s.queue <- piece{at, bytes.Clone(b)}
	return len(b), nil
}

// FlushError lets http.ResponseController flush.
func (s *stream) FlushError() error {
	if s.queue != nil {
		return nil // each piece is flushed when it goes out
	}
	return http.NewResponseController(s.ResponseWriter).Flush()
}

// start sends pieces when they are due.
func (s *stream) start() {
	s.queue, s.sent = make(chan piece, 1000), make(chan struct{})
	go func() {
		defer close(s.sent)
		for p := range s.queue {
			select {
			case <-time.After(time.Until(p.at)):
			case <-s.done:
			}
			if s.ended() { // whichever of the two was chosen: no piece may follow one that was left out
				continue
			}
			if _, err := s.ResponseWriter.Write(p.b); err != nil {
				s.cancel()
			}
			_ = http.NewResponseController(s.ResponseWriter).Flush() // an error is the next write's, too
		}
	}()
}

// ended reports whether the client has gone.
func (s *stream) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// drain ends the answer.
func (s *stream) drain() {
	if s.queue != nil {
		close(s.queue)
		<-s.sent
	}
}
