package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/harness/history"
)

// frame is a message as it came. It is passed on as it is, with fields that this cri-api does not know.
type frame []byte

// frames is a codec that leaves messages as they are.
type frames struct{}

func (frames) Name() string { return "proto" }

func (frames) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*frame))}, nil
}

func (frames) Unmarshal(b mem.BufferSlice, v any) error {
	*v.(*frame) = b.Materialize()
	return nil
}

// connections numbers the connections of clients.
type connections struct{ n atomic.Int64 }

// connection is that of a client. Its calls are made by as many actors as are under way at once.
type connection struct {
	num  int64
	mu   sync.Mutex
	busy []bool
}

type connectionKey struct{}

func (c *connections) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context {
	return context.WithValue(ctx, connectionKey{}, &connection{num: c.n.Add(1)})
}

func (*connections) HandleConn(context.Context, stats.ConnStats)                     {}
func (*connections) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }
func (*connections) HandleRPC(context.Context, stats.RPCStats)                       {}

// actor returns an actor that makes no call, and what to do when it has made one. Each stream of events has an actor of its own.
func (p *Proxy) actor(ctx context.Context, m *method) (name string, release func()) {
	if m != nil && m.watches {
		return fmt.Sprint("w", p.watches.Add(1)), func() {}
	}
	c := ctx.Value(connectionKey{}).(*connection)
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.busy, false)
	if i < 0 {
		i, c.busy = len(c.busy), append(c.busy, false)
	}
	c.busy[i] = true
	if name = fmt.Sprint("c", c.num); i > 0 {
		name += fmt.Sprint(".", i+1)
	}
	return name, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.busy[i] = false
	}
}

// handle passes on one call.
func (p *Proxy) handle(_ any, down grpc.ServerStream) error {
	name, _ := grpc.MethodFromServerStream(down)
	m := methods[name]
	actor, release := p.actor(down.Context(), m)
	defer release()
	if m == nil {
		c := p.rec.begin(actor, strings.TrimPrefix(name, "/"), nil)
		err := p.passUnknown(down, name)
		c.end(nil, err)
		return err
	}
	var raw frame
	if err := down.RecvMsg(&raw); err != nil {
		return err
	}
	ask := read(m.in, raw)
	c := p.rec.begin(actor, m.name, ask)
	fault := p.faults.Strike(m.name, ask)
	c.struck(fault, nil)
	if m.watches {
		return p.watch(c, fault, down, raw)
	}
	reply, err := p.pass(m, fault, down, raw)
	if at, limited := down.Context().Deadline(); limited && status.Code(err) == codes.Canceled && time.Until(at) < tick {
		err = status.Error(codes.DeadlineExceeded, "the deadline of the client has passed") // the client knew first
	}
	if reply.empty && err == nil { // as the suite has it
		c.end(nil, status.Error(codes.DataLoss, "a message of the stream has no item"))
	}
	c.end(reply.message, err)
	if err == nil && !m.streams {
		err = down.SendMsg(&reply.raw)
	}
	return err
}

// answer is what a runtime answered: one message, or all that a list has.
type answer struct {
	raw     frame
	message proto.Message
	empty   bool // a message of the list had no item
}

// pass passes on a call, with what a fault does to it. It sends the messages of a streaming list, but not the only one of other calls.
func (p *Proxy) pass(m *method, fault *cri.Fault, down grpc.ServerStream, ask frame) (out answer, err error) {
	ctx := down.Context()
	if err := fault.Before(ctx, nil); err != nil {
		return out, err
	}
	up, err := p.open(ctx, m.full, ask)
	for n := 0; err == nil; n++ {
		var raw frame
		if err = up.RecvMsg(&raw); err != nil {
			down.SetTrailer(up.Trailer())
			break
		}
		if header, _ := up.Header(); n == 0 {
			_ = down.SetHeader(header)
		}
		if m.streams {
			out.message, out.empty = m.add(out.message, raw), out.empty || len(raw) == 0
			err = down.SendMsg(&raw)
		} else {
			out.raw, out.message = raw, read(m.out, raw)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if failed := fault.After(ctx, nil); failed != nil {
		err = failed
	}
	if err == nil && m.streams && out.message == nil {
		out.message = read(m.out, nil) // a list of nothing
	}
	return out, err
}

// tick is how far clocks and timers of a client and a proxy may be apart.
const tick = 100 * time.Millisecond

// open makes a call of the runtime that has one request.
func (p *Proxy) open(ctx context.Context, method string, ask frame) (grpc.ClientStream, error) {
	up, err := p.up.NewStream(outgoing(ctx), &grpc.StreamDesc{ServerStreams: true}, method, callOptions...)
	if err != nil {
		return nil, err
	}
	if err := up.SendMsg(&ask); err != nil && !errors.Is(err, io.EOF) { // of io.EOF the reason comes with the answer
		return up, err
	}
	return up, up.CloseSend()
}

var callOptions = []grpc.CallOption{grpc.ForceCodecV2(frames{}), grpc.MaxCallRecvMsgSize(cri.MostBytes), grpc.MaxCallSendMsgSize(cri.MostBytes)}

// outgoing passes on the metadata of a call. Its deadline is that of the context.
func outgoing(ctx context.Context) context.Context {
	in, _ := metadata.FromIncomingContext(ctx)
	out := in.Copy()
	for name := range out {
		if strings.HasPrefix(name, ":") || name == "user-agent" || name == "content-type" {
			delete(out, name)
		}
	}
	return metadata.NewOutgoingContext(ctx, out)
}

// passUnknown passes on a call of which nothing is known, in both directions.
func (p *Proxy) passUnknown(down grpc.ServerStream, method string) error {
	ctx, cancel := context.WithCancel(outgoing(down.Context()))
	defer cancel()
	up, err := p.up.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method, callOptions...)
	if err != nil {
		return err
	}
	go func() { // it ends with the call: RecvMsg fails then
		for {
			var raw frame
			if err := down.RecvMsg(&raw); err != nil {
				if errors.Is(err, io.EOF) {
					_ = up.CloseSend()
				}
				return
			}
			if up.SendMsg(&raw) != nil {
				return
			}
		}
	}()
	if header, err := up.Header(); err == nil && len(header) > 0 {
		if err := down.SendHeader(header); err != nil {
			return err
		}
	}
	for {
		var raw frame
		err := up.RecvMsg(&raw)
		if err != nil {
			down.SetTrailer(up.Trailer())
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := down.SendMsg(&raw); err != nil {
			return err
		}
	}
}

// opens is how long a stream of events may take to be refused.
const opens = 500 * time.Millisecond

// watch passes on a stream of events. A fault that is applied cuts it, when it has hung for its time.
func (p *Proxy) watch(c *call, fault *cri.Fault, down grpc.ServerStream, ask frame) error {
	if err := fault.Before(down.Context(), nil); err != nil {
		c.end(nil, err)
		return err
	}
	ctx, cancel := context.WithCancel(down.Context())
	defer cancel()
	var cut error
	if fault != nil && fault.Applied {
		cutting := time.AfterFunc(time.Duration(fault.For), cancel)
		defer cutting.Stop()
		cut = status.Error(fault.Code, fault.Message)
	}
	opened := time.AfterFunc(opens, func() { c.end(nil, nil) })
	defer opened.Stop()
	err := p.passEvents(ctx, c, down, ask)
	opened.Stop()
	switch {
	case gone(down.Context(), err):
		if !c.end(nil, err) {
			c.notice(history.Stopped, "", nil, new(int))
		}
		return err
	case ctx.Err() != nil:
		err = cut
	case status.Code(err) == codes.Unavailable || errors.Is(err, io.EOF):
		p.settled()
	}
	if !c.end(nil, err) {
		c.notice(history.Ended, "", &history.Ext{Err: runtime.Failure(err)}, new(int))
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// gone reports whether a stream has ended because its client has gone, or its deadline has passed, of which the runtime may know first.
func gone(ctx context.Context, err error) bool {
	_, limited := ctx.Deadline()
	return ctx.Err() != nil || limited && status.Code(err) == codes.DeadlineExceeded
}

// passEvents passes on the events of a stream until it ends, and returns why.
func (p *Proxy) passEvents(ctx context.Context, c *call, down grpc.ServerStream, ask frame) error {
	up, err := p.open(ctx, runtimeapi.RuntimeService_GetContainerEvents_FullMethodName, ask)
	if err != nil {
		return err
	}
	header, err := up.Header()
	if err == nil {
		err = down.SendHeader(header)
	}
	faults := cri.EventFaults{Faults: p.faults}
	for err == nil {
		var raw frame
		if err = up.RecvMsg(&raw); err != nil {
			down.SetTrailer(up.Trailer())
			break
		}
		c.end(nil, nil)
		e := &runtimeapi.ContainerEventResponse{}
		if proto.Unmarshal(raw, e) != nil {
			err = down.SendMsg(&raw)
			continue
		}
		all, fault := faults.Send(e)
		c.struck(fault, e)
		for _, one := range all {
			c.event(one)
			if one != e {
				if raw, err = proto.Marshal(one); err != nil {
					return err
				}
			}
			if err = down.SendMsg(&raw); err != nil {
				return err
			}
		}
	}
	return err
}
