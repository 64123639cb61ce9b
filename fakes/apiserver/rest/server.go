package rest

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	clientrest "k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Server is an API on a listener of its own. It speaks HTTP/1.1 and HTTP/2, without TLS with prior knowledge.
type Server struct {
	http   *http.Server
	config clientrest.Config
	stop   context.CancelFunc

	conns pool
	mu    sync.Mutex
	open  sync.WaitGroup // connections, requests, and the loop that accepts
	ended bool
}

// Serve serves an API over loopback TCP, at a free port unless Options say another address. It must be closed.
func Serve(api apiserver.API, o Options) (*Server, error) {
	address := o.Address
	if address == "" {
		address = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("the API server cannot listen: %w", err)
	}
	o.pace = pace
	s, err := start(api, o, holding{l}, clientrest.Config{Host: reachable(l.Addr())})
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return s, nil
}

// ServePipe serves an API in memory: connections are made by the Dial of RESTConfig alone. Inside a bubble
// it must be closed there.
func ServePipe(api apiserver.API, o Options) (*Server, error) {
	p := newPipes()
	return start(api, o, p, clientrest.Config{Host: p.Addr().String(), Dial: p.dial})
}

// anybody is the token of clients where none is needed: over TLS, kubectl asks for a user name if it has no credentials at all.
const anybody = "anybody"

func start(api apiserver.API, o Options, l net.Listener, config clientrest.Config) (*Server, error) {
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{config: config, stop: stop, conns: pool{open: map[net.Conn]*pooled{}}}
	if o.TLS && o.RBAC && o.Token == "" && o.Authentication == nil {
		o.Token, o.Authentication = crand.Text(), &Authentication{Anonymous: true}
	}
	s.config.BearerToken = o.Token
	if o.TLS && o.Token == "" && o.Authentication == nil {
		s.config.BearerToken = anybody
	}
	s.config.QPS = -1 // it is there to be asked
	s.config.Host = "http://" + config.Host
	handler := Handler(api, o)
	if o.Around != nil {
		handler = o.Around(handler)
	}
	s.http = &http.Server{
		Handler: s.counted(handler), ConnState: s.count, Protocols: &http.Protocols{},
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnContext:       s.conns.begin,
		ReadHeaderTimeout: 32 * time.Second,
		IdleTimeout:       3 * time.Minute, // a client gives up first, so that no request meets a closing connection
	}
	s.http.Protocols.SetHTTP1(true)
	s.http.Protocols.SetHTTP2(o.TLS && !o.HTTP1)
	s.http.Protocols.SetUnencryptedHTTP2(!o.TLS && !o.HTTP1)
	serve := s.http.Serve
	if o.TLS {
		made, err := o.Pair, error(nil)
		if made == nil {
			var own Pair
			own, err = NewPair()
			made = &own
		}
		var pair tls.Certificate
		if err == nil {
			pair, err = tls.X509KeyPair(made.Certificate, made.Key)
		}
		if err != nil {
			stop()
			return nil, err
		}
		s.http.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, DynamicRecordSizingDisabled: true}
		if a := o.Authentication; a != nil && a.ClientCAs != nil {
			s.http.TLSConfig.ClientAuth, s.http.TLSConfig.ClientCAs = tls.RequestClientCert, a.ClientCAs // a wrong one is 401, not a failed handshake
		}
		if p, ok := l.(*pipes); ok {
			p.tls = true
			s.http.TLSConfig.SessionTicketsDisabled = true // nothing waits in one: a client of HTTP/2 writes before it reads the ticket
		}
		if o.Untrusted != nil {
			s.http.ErrorLog = log.New(handshakes{o.Untrusted}, "", 0)
		}
		s.config.CAData = made.Authority
		s.config.Host = "https://" + config.Host
		serve = func(l net.Listener) error { return s.http.ServeTLS(l, "", "") }
	}
	s.open.Go(func() { _ = serve(l) }) // it ends with ErrServerClosed
	return s, nil
}

// handshakes reads what net/http logs, which is the only place where it tells of failed handshakes.
type handshakes struct{ untrusted func() }

// Write implements io.Writer for a logger, which makes one call for each message.
func (h handshakes) Write(line []byte) (int, error) {
	for _, alert := range []string{"bad certificate", "unknown certificate"} { // and: unknown certificate authority
		if bytes.Contains(line, []byte("remote error: tls: "+alert)) {
			h.untrusted()
			return len(line), nil
		}
	}
	log.Print(string(line))
	return len(line), nil
}

// counted lets Close wait for requests: HTTP/2 has them on goroutines that outlive the connection.
func (s *Server) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.enter() {
			panic(http.ErrAbortHandler)
		}
		defer s.open.Done()
		next.ServeHTTP(w, r)
	})
}

// enter counts one more, unless the server is closed.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.open.Add(1)
	}
	return !s.ended
}

// count follows connections. They are told of one at a time, and of the first before Serve returns.
func (s *Server) count(c net.Conn, state http.ConnState) {
	s.conns.change(c, state)
	switch state {
	case http.StateNew:
		s.open.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.open.Done()
	}
}

// reachable returns an address by which clients of this machine reach a listener: a loopback one for one that listens on all.
func reachable(a net.Addr) string {
	at, err := netip.ParseAddrPort(a.String())
	if err != nil || !at.Addr().IsUnspecified() {
		return a.String()
	}
	// One that listens on [::] takes IPv4, too, and the certificate has both.
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port()).String()
}

// URL is where the server is.
func (s *Server) URL() string { return s.config.Host }

// RESTConfig is what a client-go client needs. It is the caller's.
func (s *Server) RESTConfig() *clientrest.Config { return clientrest.CopyConfig(&s.config) }

// Shutdown ends the server as an upgrade does: no connection is accepted any more, what was asked is answered to
// its end, and watches stay open until they end by themselves, or the context does. What is left then is broken
// off, and the context's error returned.
func (s *Server) Shutdown(ctx context.Context) error {
	return errors.Join(s.http.Shutdown(ctx), s.Close())
}

// Close breaks every connection off and returns when no goroutine of the server is left. The API stays
// as it is. It may be called twice.
func (s *Server) Close() error {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	err := s.http.Close()
	s.stop()
	s.open.Wait()
	return err
}
