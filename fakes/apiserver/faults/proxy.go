package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Proxy returns a handler whose requests meet the faults of the set before another API server, which next asks. told is called for each
// strike, with the name of the fault, what it does, and the request; nil: nobody is told. A watch whose events a fault disturbs is asked for in
// JSON. Proxy returns an error for a fault that needs lwtest's own API server.
func (s *Set) Proxy(next http.Handler, told func(fault, does string, q *http.Request)) (http.Handler, error) {
	for _, a := range s.armed {
		if what := a.ownServer(); what != "" {
			return nil, fmt.Errorf("%s: %s: only lwtest's own API server can: `lwtest serve apiserver --faults`", a.Name, what)
		}
	}
	return &proxy{api: api{set: s}, next: next, told: told}, nil
}

// ownServer names what of a fault no proxy can do; "": it can do all.
func (f *Fault) ownServer() string {
	switch {
	case f.View != "":
		return "view"
	case f.Stale != nil:
		return "stale"
	case f.Empty:
		return "empty"
	case f.Limit != 0:
		return "limit"
	case f.Wire != nil:
		return "wire"
	case f.Events != nil && slices.Contains(bytely, f.Events.Do):
		return string(f.Events.Do)
	}
	return ""
}

type proxy struct {
	api
	next http.Handler
	told func(fault, does string, q *http.Request)
}

// ServeHTTP implements http.Handler.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, ok := askedBy(r)
	if !ok { // discovery, health
		p.next.ServeHTTP(w, r)
		return
	}
	if q.verb == "create" && q.req.Name == "" {
		q.req.Name = nameIn(r)
	}
	wire := &Wire{}
	ctx := WithWire(apiserver.WithCaller(r.Context(), apiserver.Caller{UserAgent: r.UserAgent()}), wire)
	if p.told != nil {
		ctx = context.WithValue(ctx, toldKey{}, func(fault, does string) { p.told(fault, does, r) })
	}
	met, err := p.meet(ctx, q)
	switch {
	case errors.Is(err, ErrAnswered):
		answer(w, wire.Answer)
	case apierrors.ReasonForError(err) != metav1.StatusReasonUnknown || isStatus(err):
		refuse(w, err)
	case err != nil: // the connection breaks, or the client has gone
		panic(http.ErrAbortHandler)
	case met.lose != nil:
		p.next.ServeHTTP(httptest.NewRecorder(), r)
		tell(ctx, met.lose, met.lose.does())
		panic(http.ErrAbortHandler)
	case len(met.events) > 0:
		p.disturbWatch(ctx, w, r, met.events)
	case wire.Cut || wire.Hang:
		p.halfway(ctx, w, r, wire)
	default:
		p.next.ServeHTTP(w, r)
	}
}

// nameIn returns the name of the object that a body has, and leaves the body as it was.
func nameIn(r *http.Request) string {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(b))
	var o metav1.PartialObjectMetadata
	if p, ok := bytes.CutPrefix(b, []byte("k8s\x00")); ok { // protobuf, where the metadata is the first field of an object
		var outer runtime.Unknown
		if outer.Unmarshal(p) == nil {
			_ = o.Unmarshal(outer.Raw)
		}
	} else {
		_ = json.Unmarshal(b, &o)
	}
	return o.Name // none, if it cannot be read: the server says so
}

func isStatus(err error) bool {
	_, ok := err.(apierrors.APIStatus)
	return ok
}

// answer answers in place of the server.
func answer(w http.ResponseWriter, a *Answer) {
	kind := a.Type
	if kind == "" {
		kind = runtime.ContentTypeJSON
	}
	w.Header().Set("Content-Type", kind)
	if a.RetryAfter != "" {
		w.Header().Set("Retry-After", a.RetryAfter)
	}
	w.WriteHeader(a.Code)
	_, _ = io.WriteString(w, a.Body) // who is gone needs none
}

// refuse answers with a Status.
func refuse(w http.ResponseWriter, err error) {
	s := err.(apierrors.APIStatus).Status()
	s.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	w.Header().Set("Content-Type", runtime.ContentTypeJSON)
	if s.Details != nil && s.Details.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(s.Details.RetryAfterSeconds)))
	}
	w.WriteHeader(int(s.Code))
	_ = json.NewEncoder(w).Encode(s) // who is gone needs none
}

// halfway sends half of an answer, and then what the fault says.
func (p *proxy) halfway(ctx context.Context, w http.ResponseWriter, r *http.Request, wire *Wire) {
	rec := httptest.NewRecorder()
	p.next.ServeHTTP(rec, r)
	maps.Copy(w.Header(), rec.Header())
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Next(rec.Body.Len() / 2))
	_ = http.NewResponseController(w).Flush()
	if wire.Hang && sleep(ctx, wire.For) != nil || wire.Cut {
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(rec.Body.Bytes())
}

// askedBy reads a request; false: it is for no resource.
func askedBy(r *http.Request) (q asked, ok bool) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case len(parts) > 2 && parts[0] == "api":
		q.req.Resource.Version, parts = parts[1], parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		q.req.Resource.Group, q.req.Resource.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return q, false
	}
	if len(parts) > 2 && parts[0] == "namespaces" && parts[2] != "status" && parts[2] != "finalize" {
		q.req.Namespace, parts = parts[1], parts[2:]
	}
	for i, to := range []*string{&q.req.Resource.Resource, &q.req.Name, &q.req.Subresource} {
		if i < len(parts) {
			*to = parts[i]
		}
	}
	query := r.URL.Query()
	on := func(name string) bool { v, err := strconv.ParseBool(query.Get(name)); return err == nil && v }
	collection := q.req.Name == ""
	q.verb = map[string]string{http.MethodGet: "get", http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete"}[r.Method]
	switch {
	case r.Method == http.MethodGet && on("watch"):
		q.verb = "watch"
	case r.Method == http.MethodGet && collection:
		q.verb = "list"
	case r.Method == http.MethodDelete && collection:
		q.verb = "deletecollection"
	}
	rv := query.Get("resourceVersion")
	q.streaming, q.continued, q.versioned, q.wire = on("sendInitialEvents"), query.Get("continue") != "", rv != "" && rv != "0", true
	return q, true
}

// disturbWatch passes a watch on in JSON, event by event.
func (p *proxy) disturbWatch(ctx context.Context, w http.ResponseWriter, r *http.Request, all []*Fault) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r = r.Clone(ctx)
	r.Header.Set("Accept", runtime.ContentTypeJSON)
	r.Header.Del("Accept-Encoding")
	in := &incoming{to: w, out: make(chan watch.Event), stop: cancel, begun: make(chan struct{})}
	go in.serve(ctx, p.next, r)
	defer func() { // it must not use w after this
		cancel()
		for range in.out {
		}
	}()
	<-in.begun
	if in.code != http.StatusOK {
		<-in.out // it has been answered when this is closed
		return
	}
	var events watch.Interface = in
	for _, f := range all {
		d := p.disturbance(ctx, f, metav1.ListOptions{ResourceVersion: r.URL.Query().Get("resourceVersion")})
		d.empty = in.bookmark
		events = apiserver.NewRelay(ctx, events, d.run)
	}
	defer events.Stop()
	for e := range events.ResultChan() {
		b, err := frame(e)
		if err == nil {
			_, err = w.Write(b)
		}
		if err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush() // an error is the next write's, too
	}
	if b, ok := events.(interface{ Broken() bool }); ok && b.Broken() {
		panic(http.ErrAbortHandler)
	}
}

// frame is an event in JSON.
func frame(e watch.Event) ([]byte, error) {
	if s, ok := e.Object.(*metav1.Status); ok {
		s.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	}
	object, err := json.Marshal(e.Object)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "{\"type\":%q,\"object\":%s}\n", e.Type, bytes.TrimSpace(object)), nil
}

// incoming is the watch of the other API server, as its answer comes. Another answer than a watch goes to the client.
type incoming struct {
	to    http.ResponseWriter
	out   chan watch.Event
	stop  context.CancelFunc
	begun chan struct{} // closed when its code is known
	once  sync.Once
	code  int
	rest  []byte // of a line
	ctx   context.Context

	broken atomic.Bool // the answer broke off by itself; set before out is closed

	mu   sync.Mutex
	kind schema.GroupVersionKind // of its objects
}

// serve asks for the watch, and ends with its answer.
func (in *incoming) serve(ctx context.Context, next http.Handler, r *http.Request) {
	in.ctx = ctx
	defer close(in.out)
	defer in.WriteHeader(http.StatusOK)
	defer func() { in.broken.Store(recover() != nil && ctx.Err() == nil) }()
	next.ServeHTTP(in, r)
}

// Broken reports, after the end, whether the answer broke off.
func (in *incoming) Broken() bool { return in.broken.Load() }

// Header implements http.ResponseWriter.
func (in *incoming) Header() http.Header { return in.to.Header() }

// WriteHeader implements http.ResponseWriter.
func (in *incoming) WriteHeader(code int) {
	in.once.Do(func() {
		in.code = code
		in.Header().Del("Content-Length")
		in.to.WriteHeader(code)
		_ = http.NewResponseController(in.to).Flush() // clients wait for it; an error is the next write's, too
		close(in.begun)
	})
}

// FlushError lets http.ResponseController flush. Each event is flushed when it goes out.
func (in *incoming) FlushError() error { return nil }

// Write implements io.Writer.
func (in *incoming) Write(b []byte) (int, error) {
	in.WriteHeader(http.StatusOK)
	if in.code != http.StatusOK {
		return in.to.Write(b)
	}
	in.rest = append(in.rest, b...)
	for {
		i := bytes.IndexByte(in.rest, '\n')
		if i < 0 {
			return len(b), nil
		}
		if err := in.pass(in.rest[:i]); err != nil {
			return 0, err
		}
		in.rest = in.rest[i+1:]
	}
}

// pass passes a line on as an event.
func (in *incoming) pass(line []byte) error {
	var f struct {
		Type   watch.EventType
		Object json.RawMessage
	}
	if err := json.Unmarshal(line, &f); err != nil {
		return err
	}
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(f.Object); err != nil {
		return err
	}
	if f.Type != watch.Error {
		in.mu.Lock()
		in.kind = o.GroupVersionKind()
		in.mu.Unlock()
	}
	select {
	case in.out <- watch.Event{Type: f.Type, Object: o}:
		return nil
	case <-in.ctx.Done():
		return in.ctx.Err()
	}
}

// bookmark returns the object of a bookmark.
func (in *incoming) bookmark() runtime.Object {
	in.mu.Lock()
	defer in.mu.Unlock()
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(in.kind)
	return o
}

// Stop implements watch.Interface.
func (in *incoming) Stop() { in.stop() }

// ResultChan implements watch.Interface.
func (in *incoming) ResultChan() <-chan watch.Event { return in.out }
