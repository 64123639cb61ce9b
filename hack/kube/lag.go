//go:build linux || darwin

package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"time"
)

// lagFlag begins the flag that says for which resource, as GROUP/RESOURCE.
const lagFlag = "--lag="

// lag stands between kube-apiserver and etcd for one resource. While it is held, nothing that etcd says on a
// watch comes through, all else does: the resource's cache is behind.
//
//	PUT /held      holds
//	DELETE /held   lets all come
type lag struct {
	server http.Server

	mu   sync.Mutex
	open chan struct{} // closed: not held
}

// startLag makes one, on a socket of its own.
func startLag(socket, etcd string) (*lag, error) {
	l := &lag{open: make(chan struct{})}
	close(l.open)
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	only2 := &http.Protocols{}
	only2.SetUnencryptedHTTP2(true)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = "http", "localhost" },
		Transport: &http.Transport{Protocols: only2, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", etcd)
		}},
		FlushInterval:  -1,
		ModifyResponse: l.slow,
	}
	routes := http.NewServeMux()
	routes.Handle("/", proxy)
	routes.HandleFunc("PUT /held", func(http.ResponseWriter, *http.Request) { l.hold() })
	routes.HandleFunc("DELETE /held", func(http.ResponseWriter, *http.Request) { l.release() })
	both := &http.Protocols{}
	both.SetHTTP1(true)
	both.SetUnencryptedHTTP2(true)
	l.server = http.Server{Handler: routes, Protocols: both, ReadHeaderTimeout: time.Minute}
	go func() {
		if err := l.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			progress("lag: %v", err)
		}
	}()
	return l, nil
}

func (l *lag) hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.open:
		l.open = make(chan struct{})
	default:
	}
}

func (l *lag) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.open:
	default:
		close(l.open)
	}
}

// slow makes the answers of a watch wait.
func (l *lag) slow(res *http.Response) error {
	if strings.HasSuffix(res.Request.URL.Path, "/Watch") {
		res.Body = &held{res.Body, l, res.Request.Context()}
	}
	return nil
}

// held is a body that is read while the lag is not held.
type held struct {
	io.ReadCloser
	lag *lag
	ctx context.Context
}

// Read gives what was read once nothing holds it.
func (h *held) Read(b []byte) (int, error) {
	n, err := h.ReadCloser.Read(b)
	h.lag.mu.Lock()
	open := h.lag.open
	h.lag.mu.Unlock()
	select {
	case <-open:
		return n, err
	case <-h.ctx.Done():
		return 0, h.ctx.Err()
	}
}

// taken takes one flag out of all, the begin of which is --NAME=, and gives its value; the others are
// kube-apiserver's.
func taken(begin string, flags []string) (value string, rest []string) {
	for _, f := range flags {
		if v, ok := strings.CutPrefix(f, begin); ok {
			value = v
			continue
		}
		rest = append(rest, f)
	}
	return value, rest
}
