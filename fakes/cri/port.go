package cri

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"syscall"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// DialPod opens a connection to a port of a pod, as net.Dialer.DialContext does where pods have a network. A port that a container of the pod
// declares is served as by a port-forward; any other refuses. An address outside Options.Pods is one of this machine or beyond, but for the
// ports of pods on the network of the host.
func (r *Runtime) DialPod(ctx context.Context, network, address string) (net.Conn, error) {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	port := int32(at.Port())
	r.mu.Lock()
	defer r.mu.Unlock()
	inside, failure := r.o.Pods.Contains(at.Addr()), syscall.EHOSTUNREACH
	for _, s := range r.sortedSandboxes() {
		if !s.ready || s.address.IsValid() != inside || inside && s.address != at.Addr() {
			continue
		}
		failure = syscall.ECONNREFUSED
		if r.listens(s, port) {
			near, far := net.Pipe()
			r.work.Go(func() {
				defer context.AfterFunc(r.ctx, func() { far.Close() })()
				defer far.Close()
				_ = r.serve(r.ctx, s.config, port, far)
			})
			return near, nil
		}
	}
	if !inside {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	return nil, &net.OpError{Op: "dial", Net: network, Addr: net.TCPAddrFromAddrPort(at), Err: os.NewSyscallError("connect", failure)}
}

// listens reports whether something listens on a port of a pod. It is called under the lock.
func (r *Runtime) listens(s *sandbox, port int32) bool {
	if r.o.Port != nil {
		return true
	}
	declared := false
	for _, m := range s.config.GetPortMappings() {
		declared = declared || m.GetContainerPort() == port && m.GetProtocol() == runtimeapi.Protocol_TCP
	}
	for _, c := range r.containers {
		if declared && c.pod == s && c.state == runtimeapi.ContainerState_CONTAINER_RUNNING {
			return true
		}
	}
	return false
}

// serve serves a port of a pod on a connection.
func (r *Runtime) serve(ctx context.Context, pod *runtimeapi.PodSandboxConfig, port int32, conn io.ReadWriteCloser) error {
	if r.o.Port != nil {
		return r.o.Port(ctx, pod, port, conn)
	}
	for in := bufio.NewReader(conn); ; {
		q, err := http.ReadRequest(in)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				_, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
			}
			return nil
		}
		_, _ = io.Copy(io.Discard, q.Body)
		text := fmt.Sprintf("pod %s in %s, port %d: %s %s\n", pod.GetMetadata().GetName(), pod.GetMetadata().GetNamespace(), port, q.Method, q.URL.RequestURI())
		answer := http.Response{StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Request: q, Close: q.Close, ContentLength: int64(len(text)),
			Header: http.Header{"Content-Type": {"text/plain"}}, Body: io.NopCloser(strings.NewReader(text))}
		if err := answer.Write(conn); err != nil || q.Close {
			return nil
		}
	}
}

// refused is the error of a port-forward to a port on which nothing listens, as containerd words it.
func refused(sandbox string, port int32) error {
	return fmt.Errorf("failed to execute portforward in network namespace of %q: failed to connect to localhost:%d inside namespace %q, IPv4: dial tcp4 127.0.0.1:%d: connect: connection refused "+
		"IPv6 dial tcp6 [::1]:%d: connect: connection refused", sandbox, port, sandbox, port, port)
}
