package cri

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// Call is one call that the runtime was sent.
type Call struct {
	Num     int // from 1, in the order in which they came
	Method  string
	Request proto.Message // nil for a stream whose request never came
	Reply   proto.Message // nil for a stream, an error, and a call that goes on
	Began   time.Time
	Ended   time.Time // zero: it goes on
	Code    codes.Code
	Message string // of an error
}

// MarshalJSON writes messages as protojson does, and codes by their names.
func (c Call) MarshalJSON() ([]byte, error) {
	raw := func(m proto.Message) (json.RawMessage, error) {
		if m == nil {
			return nil, nil
		}
		return protojson.Marshal(m)
	}
	request, err := raw(c.Request)
	if err != nil {
		return nil, err
	}
	reply, err := raw(c.Reply)
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Num     int             `json:"num"`
		Method  string          `json:"method"`
		Began   time.Time       `json:"began"`
		Ended   time.Time       `json:"ended,omitzero"`
		Code    string          `json:"code"`
		Message string          `json:"message,omitempty"`
		Request json.RawMessage `json:"request,omitempty"`
		Reply   json.RawMessage `json:"reply,omitempty"`
	}{c.Num, c.Method, c.Began, c.Ended, c.Code.String(), c.Message, request, reply})
}

// calls is the log of calls.
type calls struct {
	mu   sync.Mutex
	all  []*Call
	seen int
}

// mostCalls is how many calls are kept.
const mostCalls = 100_000

// Calls returns the calls so far, in the order in which they came; of more than 100,000 the last ones.
func (r *Runtime) Calls() []Call {
	r.calls.mu.Lock()
	defer r.calls.mu.Unlock()
	all := make([]Call, 0, len(r.calls.all))
	for _, c := range r.calls.all {
		all = append(all, *c)
	}
	return all
}

func (l *calls) begin(method string, request any) *Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen++
	c := &Call{Num: l.seen, Method: method, Began: time.Now()}
	c.Request, _ = request.(proto.Message)
	if len(l.all) == mostCalls {
		l.all = slices.Delete(l.all, 0, mostCalls/10)
	}
	l.all = append(l.all, c)
	return c
}

func (l *calls) end(c *Call, reply any, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.Ended, c.Code = time.Now(), status.Code(err)
	if c.Reply, _ = reply.(proto.Message); err != nil {
		c.Reply, c.Message = nil, status.Convert(err).Message()
	}
}

// unary is in the way of each call.
func (r *Runtime) unary(ctx context.Context, request any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (reply any, err error) {
	method := path.Base(info.FullMethod)
	c, answered := r.calls.begin(method, request), r.observe(method, request)
	defer func() {
		r.calls.end(c, reply, err)
		answered(reply, err)
	}()
	ctx, life, cancel := r.during(ctx)
	defer cancel()
	if life == nil {
		return nil, errDown
	}
	if f, ok := featureOf[method]; ok && r.lacks(f) {
		return nil, unserved(method)
	}
	fault := r.faults.Strike(method, request)
	if err := fault.Before(ctx, r.crash(fault)); err != nil {
		return nil, lastWord(life, err)
	}
	began := time.Now()
	reply, err = next(ctx, request)
	r.takes(ctx, began)
	if failed := fault.After(ctx, r.crash(fault)); failed != nil {
		return nil, lastWord(life, failed)
	}
	if life.Err() != nil { // it died meanwhile, and nobody gets an answer
		return nil, errDown
	}
	return reply, err
}

// lastWord returns the error of a call: what its caller gets if the runtime died meanwhile is that.
func lastWord(life context.Context, err error) error {
	if life.Err() != nil {
		return errDown
	}
	return err
}

// stream is in the way of each stream.
func (r *Runtime) stream(server any, s grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
	method := path.Base(info.FullMethod)
	c, answered := r.calls.begin(method, nil), r.observe(method, nil)
	defer func() {
		r.calls.end(c, nil, err)
		answered(nil, err)
	}()
	ctx, life, cancel := r.during(s.Context())
	defer cancel()
	if life == nil {
		return errDown
	}
	if f, ok := featureOf[method]; ok && r.lacks(f) {
		return unserved(method)
	}
	fault := r.faults.Strike(method, nil)
	if err := fault.Before(ctx, r.crash(fault)); err != nil {
		return err
	}
	began := time.Now()
	err = next(server, seen{s, ctx, c, &r.calls})
	if r.takes(ctx, began); life.Err() != nil {
		return errDown
	}
	return err
}

// takes lets the rest of Options.CallTime pass of a call that began then.
func (r *Runtime) takes(ctx context.Context, began time.Time) {
	if left := r.o.CallTime - time.Since(began); left > 0 {
		sleep(ctx, left)
	}
}

// seen is a stream whose request is logged.
type seen struct {
	grpc.ServerStream
	ctx  context.Context
	call *Call
	log  *calls
}

func (s seen) Context() context.Context { return s.ctx }

// RecvMsg logs the request.
func (s seen) RecvMsg(m any) error {
	err := s.ServerStream.RecvMsg(m)
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.call.Request, _ = m.(proto.Message)
	return err
}
