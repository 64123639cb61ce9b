package rest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
)

// Options of a handler or server. The zero value serves everybody, without TLS.
type Options struct {
	// Resources that the API serves; nil: apiserver.Resources().
	Resources []apiserver.Resource
	// Token is the bearer token that every request must have; "": none is asked for. A client may add a dot and a name of its own, which
	// the log of requests then has.
	Token string
	// Authentication says which credentials are believed beside Token. nil: whoever needs no Token is an administrator, and with the option
	// RBAC unknown tokens are 401.
	Authentication *Authentication
	// Tokens are those of the API's Options: they check the tokens of service accounts.
	Tokens *apiserver.TokenKeys
	// TLS serves HTTPS, with Pair, or where that is nil a certificate of a new authority of the server's own. Handler ignores both.
	TLS  bool
	Pair *Pair
	// HTTP1 serves no HTTP/2.
	HTTP1 bool
	// Untrusted is called whenever a client ends a TLS handshake because it does not trust the certificate. Nil: that goes to the log of
	// the package log, as other failed handshakes do.
	Untrusted func()
	// Address to listen on; "": a free port of 127.0.0.1. Only Serve heeds it.
	Address string
	// Version is the gitVersion of /version; "": that of the server that this one follows.
	Version string
	// MaxBody is how many bytes a request's body may have; 0: 3 MiB.
	MaxBody int64
	// Seed of the Audit-Id of answers.
	Seed uint64
	// DialKubelet connects to kubelets and to addresses of pods, whose logs, exec, attach, port-forward and proxies are
	// served by forwarding; nil: TCP, to private addresses and those of this machine alone.
	DialKubelet DialFunc
	// RBAC refuses what no role allows; see AddBootstrapRoles. The group system:masters may do everything; others can neither give rights
	// that they have not got, without the verbs escalate and bind, nor impersonate anybody without a right to that. A server with TLS, and neither
	// Token nor Authentication, makes a token of its own, and a request without credentials is anonymous there.
	RBAC bool
	// Aggregator reaches the servers of APIServices that name a service, which are unavailable without one.
	Aggregator *Aggregator
	// Pprof serves /debug/pprof/, as kube-apiserver does.
	Pprof bool
	// Around stands before the handler of a Server, and sees each request first; nil: nothing does. Handler ignores it.
	Around func(http.Handler) http.Handler
	// Log has each request, under the name of the View; nil: none.
	Log  *requestlog.Log
	View string

	pace time.Duration // between events of watches; see apiserver.Pusher
}

const defaultMaxBody = 3 << 20

// watching opens a watch.
type watching func(context.Context, apiserver.Request, metav1.ListOptions) (watch.Interface, error)

// handler is an API server's HTTP side. Beside the source of ids nothing in it changes.
type handler struct {
	api     apiserver.API
	stored  apiserver.API // without a log
	o       Options
	codecs  *codecs
	fixed   []*row // of the table
	reviews []review
	tables  atomic.Pointer[served]
	open    watching // of the API
	known   *encoded // events, for all watches

	kubelets http.RoundTripper

	listing  listing // nil: the API has only copies
	requests requests
	zips     zips
	writers  sync.Pool // of *gzip.Writer

	mu   sync.Mutex
	rand *rand.Rand
	flow [2]string // ids of API priority and fairness

	certificates sync.Map // from the SHA-256 of verified client certificates to certificateUser
	clusterRoles atomic.Pointer[clusterRoles]
	impersonated sync.Map // from the name of a user to the index of the mode by which he impersonated somebody last
}

// Handler serves an API over HTTP. It is safe for concurrent use and keeps no goroutine of its own;
// requests that are waiting or watching end when their context does.
func Handler(api apiserver.API, o Options) http.Handler {
	if o.Resources == nil {
		o.Resources = apiserver.Resources()
	}
	if o.MaxBody == 0 {
		o.MaxBody = defaultMaxBody
	}
	o.Tokens = o.Tokens.OrDefault()
	stored := api
	if o.Log != nil {
		api = o.Log.API(api, o.View)
	}
	h := &handler{api: api, stored: stored, o: o, codecs: newCodecs(), zips: newZips(), fixed: fixedRows(o.Resources), rand: rand.New(rand.NewPCG(o.Seed, 1))}
	h.reviews, h.kubelets = reviews(), kubeletTransport(o.DialKubelet)
	if slices.ContainsFunc(o.Resources, func(r apiserver.Resource) bool { return r.GroupVersionResource == apiserver.APIServices }) {
		h.reviews = slices.DeleteFunc(h.reviews, func(r review) bool { return r.row.GroupVersionResource == apiserver.APIServices })
	}
	h.open = api.Watch
	if s, ok := apiserver.Shares(api); ok {
		h.open, h.listing, h.known = s.WatchShared, s.ListShared, newEncoded()
	}
	h.flow = [2]string{h.newID(), h.newID()}
	return h
}

// served is what a request finds. It never changes: when definitions do, another takes its place.
type served struct {
	defined  *apiserver.Defined
	table    *table
	found    func() *discovery       // made at the first request that asks for it
	openAPIs func() (openAPI, error) // it takes a moment that nobody waits for who does not ask
	swagger  func() (openAPIDoc, error)
	changes  int // how often definitions have changed it
}

// current is what is served now.
func (h *handler) current() *served {
	defined, is := apiserver.DefinedBy(h.stored), h.tables.Load()
	if is != nil && is.defined == defined {
		return is
	}
	next := &served{defined: defined, table: newTable(h.fixed)}
	if defined != nil {
		for i := range defined.Resources {
			next.table.add(newRow(&defined.Resources[i]))
		}
	}
	if is != nil {
		next.changes = is.changes + 1
	}
	next.found = sync.OnceValue(func() *discovery { return discover(next.table, h.reviews) })
	next.openAPIs, next.swagger = sync.OnceValues(next.documents), sync.OnceValues(next.documentV2)
	if h.tables.CompareAndSwap(is, next) {
		return next
	}
	return h.current()
}

// exchange is one request and its answer.
type exchange struct {
	*handler
	*served
	w    http.ResponseWriter
	r    *http.Request
	wire faults.Wire // what faults do to the answer

	limited bool // in time, by the request
	user    authenticationv1.UserInfo
}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	client := h.client(r)
	ctx := apiserver.WithCaller(r.Context(), apiserver.Caller{UserAgent: r.UserAgent(), Remote: r.RemoteAddr, Client: client, Idle: idleBeside(r.Context(), client)})
	if h.o.Log != nil {
		x, ctx := h.logged(ctx, w, r)
		defer x.end()
		h.exchange(ctx, x, r)
		return
	}
	h.exchange(ctx, w, r)
}

// exchange serves one request.
func (h *handler) exchange(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	x := &exchange{handler: h, served: h.current()}
	x.w = &framed{w, &x.wire.Bytes}
	x.r = r.WithContext(faults.WithWire(ctx, &x.wire))
	x.head()
	if !x.authenticate(r) {
		x.fail(apierrors.NewUnauthorized("Unauthorized"))
		return
	}
	end, err := x.deadline()
	if err != nil {
		x.fail(err)
		return
	}
	defer end()
	attributes := x.attributes()
	if err := x.impersonate(r.Header, attributes); err != nil {
		x.refuse(err)
		return
	}
	w.Header().Set("X-Kubernetes-Pf-Flowschema-Uid", h.flow[0])
	w.Header().Set("X-Kubernetes-Pf-Prioritylevel-Uid", h.flow[1])
	if err := x.authorize(attributes); err != nil {
		x.refuse(err)
		return
	}
	x.route()
}

// head sets what every answer has.
func (x *exchange) head() {
	id := x.r.Header.Get("Audit-Id")
	if id == "" {
		id = x.newID()
	}
	out := x.w.Header()
	out.Set("Audit-Id", id)
	out.Set("Cache-Control", "no-cache, private")
}

// newID is a random (version 4) UUID.
func (h *handler) newID() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], h.rand.Uint64())
	binary.BigEndian.PutUint64(b[8:], h.rand.Uint64())
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// deadline ends a request after the time that its parameter "timeout" says, unless it is a watch or a connection.
func (x *exchange) deadline() (context.CancelFunc, error) {
	said := x.r.URL.Query().Get("timeout")
	if said == "" || x.watching() || x.connecting() {
		return func() {}, nil
	}
	limit, err := time.ParseDuration(said)
	if err != nil {
		return nil, apierrors.NewBadRequest("invalid timeout specified in the request URL - " + err.Error())
	}
	if limit <= 0 {
		return func() {}, nil
	}
	ctx, cancel := context.WithTimeout(x.r.Context(), limit)
	x.r, x.limited = x.r.WithContext(ctx), true
	return cancel, nil
}
