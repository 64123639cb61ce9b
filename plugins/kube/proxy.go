package kube

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
)

// proxy stands on loopback between a client under test and an API server, and notes what passes. It changes nothing
// of that but who asks: the client has a token of the proxy's, and the server is given the kubeconfig's credentials.
type proxy struct {
	url, token string
	http       *http.Server
	reverse    *httputil.ReverseProxy
	codec      codec
	end        context.CancelFunc // of all requests
	open       sync.WaitGroup     // they, and the loop that accepts

	mu     sync.Mutex
	closed bool
	n      int64             // requests so far
	log    []func(rig.Entry) // set before the client is asked anything
}

func newProxy(to *url.URL, transport http.RoundTripper) (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("the proxy before the API server cannot listen: %w", err)
	}
	ctx, end := context.WithCancel(context.Background())
	p := &proxy{url: "http://" + l.Addr().String(), token: rand.Text(), codec: newCodec(), end: end}
	p.reverse = &httputil.ReverseProxy{
		Transport:      transport,
		FlushInterval:  -1,
		Rewrite:        func(r *httputil.ProxyRequest) { passOn(r, to) },
		ModifyResponse: p.answered,
		ErrorHandler:   func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:       log.New(io.Discard, "", 0), // the history has it
	}
	p.http = &http.Server{Handler: p, ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0), Protocols: &http.Protocols{},
		BaseContext: func(net.Listener) context.Context { return ctx }}
	p.http.Protocols.SetHTTP1(true)
	p.http.Protocols.SetUnencryptedHTTP2(true)
	p.open.Go(func() { _ = p.http.Serve(l) }) // it ends with ErrServerClosed
	return p, nil
}

// close breaks off what is open, and returns when nothing is noted any more.
func (p *proxy) close() {
	_ = p.http.Close() // of a listener and connections that nobody uses any more
	p.end()
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.open.Wait()
}

// Log implements rig.Server.
func (p *proxy) Log(f func(rig.Entry)) { p.log = append(p.log, f) }

// passage is one request, from its coming to the end of its answer.
type passage struct {
	proxy   *proxy
	id      int64
	watch   bool
	body    *frames // of a watch that is open
	written bool    // all that there was
}

type passageKey struct{}

func (x *passage) note(e rig.Entry) {
	p := x.proxy
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.What == rig.Asked {
		p.n++
		x.id = p.n
	}
	e.Request = x.id
	for _, f := range p.log {
		f(e)
	}
}

// begins counts one request more, unless it comes too late to be waited for.
func (p *proxy) begins() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.open.Add(1)
	}
	return !p.closed
}

// ServeHTTP implements http.Handler.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.begins() {
		panic(http.ErrAbortHandler)
	}
	defer p.open.Done()
	given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	token, client, _ := strings.Cut(given, ".")
	if !bearer || token != p.token {
		http.Error(w, "this is a test's: it has a token of its own", http.StatusUnauthorized)
		return
	}
	e := asked(r)
	e.Client = client
	x := &passage{proxy: p, watch: e.Verb == "watch"}
	x.note(e)
	defer func() { x.note(rig.Entry{What: rig.Over, How: x.how(r.Context())}) }()
	p.reverse.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), passageKey{}, x)))
	x.written = true
}

// how says how the answer ended.
func (x *passage) how(ctx context.Context) string {
	switch {
	case x.written && (x.body == nil || x.body.whole):
		return "clean"
	case x.watch && ctx.Err() != nil:
		return "stopped"
	}
	return "broken"
}

// passOn makes of a request the one that the server is sent.
func passOn(r *httputil.ProxyRequest, to *url.URL) {
	r.SetURL(to)
	r.Out.Header.Del("Authorization")
	if x, ok := r.In.Context().Value(passageKey{}).(*passage); ok && x.watch {
		r.Out.Header.Set("Accept-Encoding", "identity") // or its events could not be noted one by one
	}
}

// answered notes an answer before the client gets any of it.
func (p *proxy) answered(r *http.Response) error {
	x := r.Request.Context().Value(passageKey{}).(*passage)
	if x.watch && r.StatusCode == http.StatusOK {
		x.note(rig.Entry{What: rig.Answered, Code: http.StatusOK})
		media := r.Header.Get("Content-Type")
		x.body = &frames{Closer: r.Body, next: framing(media, r.Body), note: x.note, event: func(b []byte) rig.Entry { return p.codec.event(media, b) }}
		r.Body = x.body
		return nil
	}
	b, err := io.ReadAll(r.Body)
	_ = r.Body.Close() // it was read to its end, or to an error
	if err != nil {
		return err
	}
	x.note(p.codec.answer(r.StatusCode, r.Header, b))
	r.Body = io.NopCloser(bytes.NewReader(b))
	return nil
}
