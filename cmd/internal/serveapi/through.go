package serveapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// through returns a dialer for --pods-through PREFIX=ADDRESS. It connects to the addresses of PREFIX through the HTTP proxy at ADDRESS, and to
// others as rest.DialNear does. The pods of `lwtest serve cluster` are in its process, which serves such a proxy.
func through(said string) (rest.DialFunc, error) {
	text, proxy, ok := strings.Cut(said, "=")
	prefix, err := netip.ParsePrefix(text)
	if err != nil || !ok {
		return nil, usagef("--pods-through %q: say PREFIX=ADDRESS", said)
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		at, err := netip.ParseAddrPort(address)
		if err != nil || !prefix.Contains(at.Addr()) {
			return rest.DialNear(ctx, network, address)
		}
		conn, err := (&net.Dialer{Timeout: 30 * time.Second}).DialContext(ctx, "tcp", proxy)
		if err != nil {
			return nil, err
		}
		if err := connect(conn, address); err != nil {
			return nil, errors.Join(&net.OpError{Op: "dial", Net: network, Err: err}, conn.Close())
		}
		return conn, nil
	}, nil
}

// connect makes conn a connection to an address by the CONNECT method. Bytes that the other side sends unasked may be lost.
func connect(conn net.Conn, address string) error {
	if _, err := fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", address, address); err != nil {
		return err
	}
	res, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), &http.Request{Method: http.MethodConnect})
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK { // otherwise the body is the connection itself
		defer res.Body.Close()
		why, err := io.ReadAll(io.LimitReader(res.Body, 1000))
		return errors.Join(errors.New(strings.TrimSpace(string(why))), err)
	}
	return nil
}

// Proxy is a handler that connects its clients to addresses (CONNECT) by dial.
func Proxy(dial rest.DialFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			http.Error(w, "this proxy answers CONNECT only", http.StatusMethodNotAllowed)
			return
		}
		to, err := dial(r.Context(), "tcp", r.Host)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer to.Close()
		w.WriteHeader(http.StatusOK)
		from, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer from.Close()
		ended := make(chan struct{}, 2)
		go func() { _, _ = io.Copy(to, buffered); halfClose(to); ended <- struct{}{} }()
		go func() { _, _ = io.Copy(from, to); halfClose(from); ended <- struct{}{} }()
		<-ended
		<-ended
	})
}

// halfClose says that no more comes, where a connection can; otherwise it closes it.
func halfClose(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
		return
	}
	_ = c.Close()
}
