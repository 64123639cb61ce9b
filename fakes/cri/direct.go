package cri

import (
	"context"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Direct returns a connection that calls the runtime without a transport: messages are copied, and nothing else. It is three times
// as fast as Dial, and has nothing to close.
func (r *Runtime) Direct() grpc.ClientConnInterface {
	d := direct{service{Runtime: r}, map[string]grpc.MethodDesc{}, map[string]grpc.StreamDesc{}}
	for _, s := range []grpc.ServiceDesc{runtimeapi.RuntimeService_ServiceDesc, runtimeapi.ImageService_ServiceDesc} {
		for _, m := range s.Methods {
			d.methods["/"+s.ServiceName+"/"+m.MethodName] = m
		}
		for _, m := range s.Streams {
			d.streams["/"+s.ServiceName+"/"+m.StreamName] = m
		}
	}
	return d
}

type direct struct {
	service
	methods map[string]grpc.MethodDesc
	streams map[string]grpc.StreamDesc
}

// Invoke implements grpc.ClientConnInterface.
func (d direct) Invoke(ctx context.Context, method string, request, reply any, _ ...grpc.CallOption) error {
	m, ok := d.methods[method]
	if !ok {
		return unserved(method)
	}
	if err := ctx.Err(); err != nil { // as gRPC, which sends nothing then
		return statusOf(err)
	}
	type answer struct {
		reply any
		err   error
	}
	done := make(chan answer, 1)
	d.work.Go(func() { // the caller may give up before the runtime does
		reply, err := m.Handler(d.service, ctx, copyOf(request), d.unary)
		done <- answer{reply, err}
	})
	select {
	case a := <-done:
		if a.err != nil {
			return statusOf(a.err)
		}
		return deliver(reply, a.reply)
	case <-ctx.Done():
		return statusOf(ctx.Err())
	}
}

// copyOf returns what fills in a request on the side of the runtime.
func copyOf(request any) func(any) error {
	return func(to any) error {
		proto.Merge(to.(proto.Message), request.(proto.Message))
		return nil
	}
}

// deliver copies a message to its receiver.
func deliver(to, m any) error {
	if size := proto.Size(m.(proto.Message)); size > MostBytes {
		return status.Errorf(codes.ResourceExhausted, "grpc: trying to send message larger than max (%d vs. %d)", size, MostBytes)
	}
	proto.Reset(to.(proto.Message))
	proto.Merge(to.(proto.Message), m.(proto.Message))
	return nil
}

// statusOf is an error as gRPC passes it on.
func statusOf(err error) error {
	if _, ok := status.FromError(err); ok {
		return err
	}
	return status.FromContextError(err).Err()
}

// NewStream implements grpc.ClientConnInterface, for streams with one request.
func (d direct) NewStream(ctx context.Context, _ *grpc.StreamDesc, method string, _ ...grpc.CallOption) (grpc.ClientStream, error) {
	m, ok := d.streams[method]
	if !ok {
		return nil, unserved(method)
	}
	return &directStream{d: d, m: m, info: &grpc.StreamServerInfo{FullMethod: method, IsServerStream: true}, ctx: ctx, messages: make(chan any, 64)}, nil
}

// directStream is both ends of a stream.
type directStream struct {
	d        direct
	m        grpc.StreamDesc
	info     *grpc.StreamServerInfo
	ctx      context.Context
	request  any
	messages chan any
	err      error // how it has ended; read after messages is closed
}

// SendMsg implements grpc.ClientStream.
func (s *directStream) SendMsg(request any) error {
	s.request = proto.Clone(request.(proto.Message))
	return nil
}

// CloseSend implements grpc.ClientStream. It begins the call.
func (s *directStream) CloseSend() error {
	s.d.work.Go(func() {
		defer close(s.messages)
		s.err = s.d.stream(s.d.service, serverEnd{s}, s.info, s.m.Handler)
	})
	return nil
}

// RecvMsg implements grpc.ClientStream.
func (s *directStream) RecvMsg(to any) error {
	select {
	case m, open := <-s.messages:
		switch {
		case open:
			return deliver(to, m)
		case s.err == nil:
			return io.EOF
		}
		return statusOf(s.err)
	case <-s.ctx.Done():
		return statusOf(s.ctx.Err())
	}
}

// Context implements grpc.ClientStream.
func (s *directStream) Context() context.Context { return s.ctx }

// Header implements grpc.ClientStream.
func (s *directStream) Header() (metadata.MD, error) { return nil, nil }

// Trailer implements grpc.ClientStream.
func (s *directStream) Trailer() metadata.MD { return nil }

// serverEnd is the runtime's end of a stream.
type serverEnd struct{ *directStream }

// RecvMsg implements grpc.ServerStream.
func (s serverEnd) RecvMsg(to any) error { return copyOf(s.request)(to) }

// SendMsg implements grpc.ServerStream.
func (s serverEnd) SendMsg(m any) error {
	select {
	case s.messages <- proto.Clone(m.(proto.Message)):
		return nil
	case <-s.ctx.Done():
		return statusOf(s.ctx.Err())
	}
}

// SetHeader implements grpc.ServerStream.
func (s serverEnd) SetHeader(metadata.MD) error { return nil }

// SendHeader implements grpc.ServerStream.
func (s serverEnd) SendHeader(metadata.MD) error { return nil }

// SetTrailer implements grpc.ServerStream.
func (s serverEnd) SetTrailer(metadata.MD) {}
