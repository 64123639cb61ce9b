package cri

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-streaming/pkg/streaming"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
)

// streams is the HTTP server, on loopback, of execs, attaches and port-forwards. It is started by the first of them.
type streams struct {
	streaming.Server
	http *http.Server
	done chan struct{}
}

// streamServer returns the server of streams.
func (r *Runtime) streamServer() (*streams, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.streaming != nil {
		return r.streaming, nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	config := streaming.DefaultConfig
	config.Addr = l.Addr().String()
	config.BaseURL = &url.URL{Scheme: "http", Host: config.Addr}
	server, err := streaming.NewServer(config, streamed{r})
	if err != nil {
		l.Close()
		return nil, err
	}
	s := &streams{Server: server, http: &http.Server{Handler: older(server)}, done: make(chan struct{})}
	go func() { _ = s.http.Serve(l); close(s.done) }()
	r.streaming = s
	return s, nil
}

// older refuses the WebSocket protocols that an API server translates for older kubelets, and that the server of streams does not know.
// It would refuse them as well, and log it each time: kubectl then asks again in another protocol.
func older(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch q.Header.Get("Sec-WebSocket-Protocol") {
		case "v5.channel.k8s.io", "SPDY/3.1+portforward.k8s.io":
			http.Error(w, "this protocol is not known here", http.StatusForbidden)
		default:
			next.ServeHTTP(w, q)
		}
	})
}

func (s *streams) close() {
	s.http.Close()
	<-s.done
}

// streamed is the Runtime as the server of streams knows it.
type streamed struct{ *Runtime }

func (r streamed) Exec(ctx context.Context, id string, argv []string, in io.Reader, out, errs io.WriteCloser, tty bool, _ <-chan remotecommand.TerminalSize) error {
	return r.execStream(ctx, id, argv, in, writer(out), writer(errs), tty)
}

func (r streamed) Attach(ctx context.Context, id string, in io.Reader, out, errs io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize) error {
	return r.attach(ctx, id, in, writer(out), writer(errs))
}

// writer keeps nil what is nil.
func writer(w io.WriteCloser) io.Writer {
	if w == nil {
		return nil
	}
	return w
}

// PortForward joins a stream to a port of a pod; see Options.Port.
func (r streamed) PortForward(ctx context.Context, id string, port int32, stream io.ReadWriteCloser) error {
	defer stream.Close()
	r.mu.Lock()
	s := r.sandbox(id)
	listens := s != nil && r.listens(s, port)
	r.mu.Unlock()
	switch {
	case s == nil:
		return notFound("sandbox", id)
	case !listens:
		return refused(s.id, port)
	}
	return r.serve(ctx, s.config, port, stream)
}

func (r service) Exec(_ context.Context, q *runtimeapi.ExecRequest) (*runtimeapi.ExecResponse, error) {
	if _, err := r.execable(q.GetContainerId()); err != nil {
		return nil, err
	}
	s, err := r.streamServer()
	if err != nil {
		return nil, err
	}
	return s.GetExec(q)
}

func (r service) Attach(_ context.Context, q *runtimeapi.AttachRequest) (*runtimeapi.AttachResponse, error) {
	r.mu.Lock()
	c := r.container(q.GetContainerId())
	r.mu.Unlock()
	switch {
	case c == nil:
		return nil, notFound("container", q.GetContainerId())
	case c.process == nil:
		return nil, status.Errorf(codes.FailedPrecondition, "container %q is not running", c.id)
	}
	s, err := r.streamServer()
	if err != nil {
		return nil, err
	}
	return s.GetAttach(q)
}

func (r service) PortForward(_ context.Context, q *runtimeapi.PortForwardRequest) (*runtimeapi.PortForwardResponse, error) {
	r.mu.Lock()
	s := r.sandbox(q.GetPodSandboxId())
	ready := s != nil && s.ready
	r.mu.Unlock()
	switch {
	case s == nil:
		return nil, notFound("sandbox", q.GetPodSandboxId())
	case !ready:
		return nil, status.Errorf(codes.FailedPrecondition, "sandbox %q is not running", s.id)
	}
	server, err := r.streamServer()
	if err != nil {
		return nil, err
	}
	return server.GetPortForward(q)
}
