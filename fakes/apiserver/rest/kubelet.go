package rest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"slices"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// DialFunc opens a connection, as net.Dialer.DialContext does.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// kubeletTransport returns the transport to kubelets and pods. It trusts every certificate, presents none, and keeps no
// connection open. A nil dial is DialNear.
func kubeletTransport(dial DialFunc) *http.Transport {
	if dial == nil {
		dial = DialNear
	}
	return &http.Transport{
		DialContext: dial,
		DialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return dialTLS(ctx, dial, network, address)
		},
		DisableKeepAlives: true, // nothing stays when a request has ended
	}
}

// DialNear opens a TCP connection to this machine or a private address. It refuses others.
func DialNear(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: 30 * time.Second, Control: onlyNear}
	conn, err := d.DialContext(ctx, network, address)
	if err == nil || ctx.Err() != nil {
		return conn, err
	}
	// A kubelet that listens on 127.0.0.1 alone still says the address of its machine.
	host, port, err2 := net.SplitHostPort(address)
	if ip, err3 := netip.ParseAddr(host); err2 != nil || err3 != nil || !own(ip) {
		return nil, err
	}
	if conn, err := d.DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port)); err == nil {
		return conn, nil
	}
	return nil, err
}

// dialTLS opens a connection to a kubelet: with TLS, or without where the kubelet serves plain HTTP.
func dialTLS(ctx context.Context, dial DialFunc, network, address string) (net.Conn, error) {
	conn, err := dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	// A server without TLS reads a line before it refuses. The second protocol puts the end of one into the handshake,
	// so that it is refused at once.
	secure := tls.Client(conn, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1", "\n"}})
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	err = secure.HandshakeContext(ctx)
	if err == nil {
		return abrupt{secure, conn}, nil
	}
	_ = conn.Close() // it has failed already
	if _, plain := errors.AsType[tls.RecordHeaderError](err); plain {
		return dial(ctx, network, address)
	}
	return nil, err
}

// abrupt is a TLS connection that closes without an alert. Over a net.Pipe the alert would wait for somebody to read it.
type abrupt struct {
	*tls.Conn
	under net.Conn
}

// Close implements net.Conn.
func (a abrupt) Close() error { return a.under.Close() }

// onlyNear refuses to connect to addresses that are neither private nor this machine's, whatever a node says of itself.
func onlyNear(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap()
	if ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() {
		return nil
	}
	if own(ip) {
		return nil
	}
	return fmt.Errorf("%s is neither a private address nor one of this machine: it is not connected to", ip)
}

// own reports whether an address is one of this machine.
func own(ip netip.Addr) bool {
	all, err := net.InterfaceAddrs()
	return err == nil && slices.ContainsFunc(all, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && n.IP.Equal(ip.Unmap().AsSlice())
	})
}

// forward lets another server answer a request, which may be upgraded. failed words errors of that server.
func (x *exchange) forward(to *url.URL, failed func(error) error) {
	upgrading := x.upgrading()
	x.forwardBy(x.kubelets, to, (*httputil.ProxyRequest).SetXForwarded, func(err error) {
		if _, dialing := errors.AsType[*net.OpError](err); dialing || !upgrading {
			err = failed(err)
		}
		x.fail(err)
	})
}

// forwardBy is forward by another transport. head sets headers, and failed answers if that server does not.
func (x *exchange) forwardBy(by http.RoundTripper, to *url.URL, head func(*httputil.ProxyRequest), failed func(error)) {
	upgrading := x.upgrading()
	(&httputil.ReverseProxy{
		Transport:     by,
		FlushInterval: -1, // at once
		ErrorLog:      log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL, r.Out.Host = to, to.Host
			r.Out.Header.Del("Authorization") // it was for this server
			head(r)
		},
		ModifyResponse: func(res *http.Response) error {
			if upgrading && res.StatusCode != http.StatusSwitchingProtocols && res.StatusCode < 400 {
				return fmt.Errorf("invalid upgrade response: status code %d", res.StatusCode)
			}
			if a, ok := x.w.(*framed).ResponseWriter.(*answer); ok && res.StatusCode == http.StatusSwitchingProtocols {
				a.code = res.StatusCode
			}
			return nil
		},
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) { failed(err) },
	}).ServeHTTP(x.w, x.r)
}

// copyLog sends what a kubelet says of a container.
func (x *exchange) copyLog(pod string, from *url.URL, follow bool) {
	client := http.Client{Transport: x.kubelets, CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect }}
	req, err := http.NewRequestWithContext(x.r.Context(), http.MethodGet, from.String(), nil)
	if err != nil {
		x.fail(err)
		return
	}
	res, err := client.Do(req)
	if err != nil {
		x.fail(err)
		return
	}
	defer res.Body.Close()
	if res.StatusCode < 200 || res.StatusCode > http.StatusPartialContent {
		x.fail(kubeletError(pod, res))
		return
	}
	x.w.Header().Set("Content-Type", "text/plain")
	x.w.WriteHeader(http.StatusOK)
	var to io.Writer = x.w
	if follow {
		to = flushing{x.w, http.NewResponseController(x.w)}
	}
	_, _ = io.Copy(to, res.Body) // whoever breaks it off, the answer has begun
}

// kubeletError is the error of a kubelet that has no logs.
func kubeletError(pod string, res *http.Response) error {
	const most = 50_000
	body, err := io.ReadAll(io.LimitReader(res.Body, most))
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	switch res.StatusCode {
	case http.StatusInternalServerError:
		return apierrors.NewInternalError(errors.New(string(body)))
	case http.StatusBadRequest:
		return apierrors.NewBadRequest(string(body))
	}
	return apierrors.NewGenericServerResponse(res.StatusCode, "", schema.GroupResource{Resource: "pods/log"}, pod, string(body), 0, false)
}

// flushing sends each piece at once.
type flushing struct {
	io.Writer
	out *http.ResponseController
}

// Write implements io.Writer.
func (f flushing) Write(b []byte) (int, error) {
	n, err := f.Writer.Write(b)
	if err == nil {
		err = f.out.Flush()
	}
	return n, err
}
