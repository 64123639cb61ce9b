package rest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/pprof"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// about serves the paths that tell of the server itself; false: it is none of them.
func (x *exchange) about(path string) bool {
	switch {
	case path == "/.well-known/openid-configuration":
		scheme := "http"
		if x.r.TLS != nil {
			scheme = "https"
		}
		x.oneLine("application/json", struct {
			Issuer        string   `json:"issuer"`
			JWKs          string   `json:"jwks_uri"`
			ResponseTypes []string `json:"response_types_supported"`
			SubjectTypes  []string `json:"subject_types_supported"`
			Algorithms    []string `json:"id_token_signing_alg_values_supported"`
		}{x.o.Tokens.Issuer(), scheme + "://" + x.r.Host + "/openid/v1/jwks", []string{"id_token"}, []string{"public"}, []string{x.o.Tokens.JWKs()[0].Algorithm}})
	case path == "/openid/v1/jwks":
		x.oneLine("application/jwk-set+json", map[string]any{"keys": x.o.Tokens.JWKs()})
	case path == "/metrics":
		x.text(http.StatusOK, x.requests.text(x.git()))
	case x.o.Pprof && strings.HasPrefix(path, "/debug/pprof/"):
		switch name := strings.TrimPrefix(path, "/debug/pprof/"); name {
		case "profile":
			pprof.Profile(x.w, x.r)
		case "trace":
			pprof.Trace(x.w, x.r)
		default:
			pprof.Index(x.w, x.r)
		}
	default:
		return false
	}
	return true
}

// oneLine answers with JSON in one line, as clients that verify tokens get it.
func (x *exchange) oneLine(kind string, of any) {
	b, err := json.Marshal(of)
	if err != nil {
		x.fail(err)
		return
	}
	x.w.Header().Set("Content-Type", kind)
	x.w.Header().Set("Cache-Control", "public, max-age=3600")
	_, _ = x.w.Write(b) // whoever breaks it off
}

// requests counts requests for /metrics.
type requests struct {
	mu sync.Mutex
	n  map[requestKind]int
}

// requestKind has the labels of apiserver_request_total that are told.
type requestKind struct{ verb, group, version, resource, subresource string }

// add counts a request.
func (c *requests) add(t target, verb string) {
	gvr := t.req.Resource
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[requestKind]int{}
	}
	c.n[requestKind{verb, gvr.Group, gvr.Version, gvr.Resource, t.req.Subresource}]++
}

// text is in the text format of Prometheus.
func (c *requests) text(version string) string {
	c.mu.Lock()
	n := maps.Clone(c.n)
	c.mu.Unlock()
	var lines []string
	for k, count := range n {
		lines = append(lines, fmt.Sprintf("apiserver_request_total{group=%q,resource=%q,subresource=%q,verb=%q,version=%q} %d\n", k.group, k.resource, k.subresource, k.verb, k.version, count))
	}
	slices.Sort(lines)
	return "# HELP apiserver_request_total Requests that were begun, by what they are for. Answers are not told apart.\n# TYPE apiserver_request_total counter\n" + strings.Join(lines, "") +
		"# HELP go_goroutines Number of goroutines that currently exist.\n# TYPE go_goroutines gauge\n" + fmt.Sprintf("go_goroutines %d\n", runtime.NumGoroutine()) +
		"# HELP kubernetes_build_info What the server is.\n# TYPE kubernetes_build_info gauge\n" + fmt.Sprintf("kubernetes_build_info{git_version=%q,go_version=%q} 1\n", version, runtime.Version())
}

// verbs of metrics, by method. Those of collections are told apart.
func (x *exchange) metricsVerb(t target) string {
	switch {
	case t.watch || x.watching():
		return "WATCH"
	case x.r.Method == http.MethodGet && t.req.Name == "":
		return "LIST"
	case x.r.Method == http.MethodDelete && t.req.Name == "":
		return "DELETECOLLECTION"
	case x.r.Method == http.MethodPatch && strings.Contains(x.r.Header.Get("Content-Type"), "apply-patch"):
		return "APPLY"
	}
	return x.r.Method
}
