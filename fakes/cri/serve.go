package cri

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// MostBytes is how long a message may be, in bytes: as long as a kubelet takes.
const MostBytes = 16 << 20

// service is the Runtime as gRPC knows it.
type service struct {
	runtimeapi.UnsafeRuntimeServiceServer
	runtimeapi.UnsafeImageServiceServer
	*Runtime
}

// serving is the gRPC servers of a runtime.
type serving struct {
	mu      sync.Mutex
	servers []*grpc.Server
	pipe    *pipe
	down    bool
	closed  bool
	life    context.Context // ends when the runtime dies; nil: no call has come yet
	die     context.CancelFunc
}

// newServer returns a gRPC server of the runtime, which serves no listener yet. That of a runtime that was closed never does.
func (r *Runtime) newServer() *grpc.Server {
	s := grpc.NewServer(grpc.UnaryInterceptor(r.unary), grpc.StreamInterceptor(r.stream), grpc.MaxRecvMsgSize(MostBytes), grpc.MaxSendMsgSize(MostBytes))
	runtimeapi.RegisterRuntimeServiceServer(s, service{Runtime: r})
	runtimeapi.RegisterImageServiceServer(s, service{Runtime: r})
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	if r.server.servers = append(r.server.servers, s); r.server.closed {
		s.Stop()
	}
	return s
}

// Serve serves a listener until that or the runtime is closed. It returns nil then.
func (r *Runtime) Serve(l net.Listener) error {
	err := r.newServer().Serve(l)
	if errors.Is(err, net.ErrClosed) || errors.Is(err, grpc.ErrServerStopped) || r.ctx.Err() != nil {
		return nil
	}
	return err
}

// Listen returns a listener on a unix socket. A socket that nobody serves any more is replaced.
func Listen(path string) (net.Listener, error) {
	l, err := net.Listen("unix", path)
	if err == nil {
		return l, nil
	}
	if c, dialled := net.Dial("unix", path); dialled == nil {
		c.Close()
		return nil, fmt.Errorf("%s is served already: %w", path, err)
	}
	if info, statErr := os.Lstat(path); statErr != nil || info.Mode()&os.ModeSocket == 0 {
		return nil, err
	}
	if err := os.Remove(path); err != nil {
		return nil, err
	}
	return net.Listen("unix", path)
}

// Dial connects to the runtime over a pipe in memory. Connections end with the runtime; close them before, if goroutines are
// counted.
func (r *Runtime) Dial(options ...grpc.DialOption) (*grpc.ClientConn, error) {
	r.server.mu.Lock()
	first := r.server.pipe == nil
	if first {
		r.server.pipe = newPipe()
	}
	p := r.server.pipe
	r.server.mu.Unlock()
	if first {
		s := r.newServer()
		r.work.Go(func() { _ = s.Serve(p) })
	}
	options = append([]grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return p.dial(ctx) }),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(MostBytes))}, options...)
	return grpc.NewClient("passthrough:///cri", options...)
}

// stop ends all servers.
func (s *serving) stop() {
	s.mu.Lock()
	servers := s.servers
	s.servers, s.closed = nil, true
	s.mu.Unlock()
	for _, one := range servers {
		one.Stop()
	}
}

// pipe is a listener whose connections are pipes in memory.
type pipe struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipe() *pipe { return &pipe{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipe) dial(ctx context.Context) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (p *pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *pipe) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

// Addr implements net.Listener.
func (p *pipe) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// unserved is the error of a method that the runtime does not have.
func unserved(method string) error {
	return status.Errorf(codes.Unimplemented, "method %s not implemented", method)
}
