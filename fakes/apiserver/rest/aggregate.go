package rest

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/transport"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// remote lets the API server behind an APIService answer, in the words of kube-apiserver where it cannot
// (k8s.io/kube-aggregator/pkg/apiserver/handler_proxy.go).
func (x *exchange) remote(s *apiserver.APIService) {
	if x.o.Aggregator == nil || s.Available().Status != metav1.ConditionTrue {
		x.unavailable("service unavailable")
		return
	}
	host, missing := x.o.Aggregator.resolve(x.r.Context(), x.stored, s.Spec.Service)
	if missing != nil {
		x.unavailable("service unavailable")
		return
	}
	extra := map[string][]string{}
	for k, v := range x.user.Extra {
		extra[k] = v
	}
	to := &url.URL{Scheme: "https", Host: host, Path: x.r.URL.Path, RawPath: x.r.URL.RawPath, RawQuery: x.r.URL.RawQuery}
	x.forwardBy(x.o.Aggregator.backend(s), to, func(r *httputil.ProxyRequest) {
		transport.SetAuthProxyHeaders(r.Out, x.user.Username, x.user.UID, x.user.Groups, extra)
		for name := range r.Out.Header {
			if strings.HasPrefix(name, "Impersonate-") {
				r.Out.Header.Del(name)
			}
		}
		r.Out.Header.Set("Audit-Id", x.w.Header().Get("Audit-Id"))
	}, func(err error) { x.unavailable("error trying to reach service: " + err.Error()) })
}

// unavailable is 503 in plain text.
func (x *exchange) unavailable(why string) {
	x.w.Header().Set("X-Content-Type-Options", "nosniff")
	x.text(http.StatusServiceUnavailable, why+"\n")
}

// withRemote returns the groups that are served here with those of APIServices that name a service, which come last, as by the low
// priorities that they usually have.
func withRemote(groups []metav1.APIGroup, remote []*apiserver.APIService) []metav1.APIGroup {
	groups = slices.Clone(groups)
	for _, s := range remote {
		v := metav1.GroupVersionForDiscovery{GroupVersion: s.Spec.Group + "/" + s.Spec.Version, Version: s.Spec.Version}
		i := slices.IndexFunc(groups, func(g metav1.APIGroup) bool { return g.Name == s.Spec.Group })
		if i < 0 {
			groups = append(groups, metav1.APIGroup{Name: s.Spec.Group, Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v})
		} else if !slices.Contains(groups[i].Versions, v) {
			groups[i].Versions = append(slices.Clone(groups[i].Versions), v)
		}
	}
	return groups
}

// aggregateWith returns an aggregate with what the API servers behind APIServices have said of themselves.
func (x *exchange) aggregateWith(of aggregate, remote []*apiserver.APIService) aggregate {
	l := of.list.DeepCopy()
	for _, s := range remote {
		i := slices.IndexFunc(l.Items, func(g apidiscoveryv2.APIGroupDiscovery) bool { return g.Name == s.Spec.Group })
		if i < 0 {
			i = len(l.Items)
			l.Items = append(l.Items, apidiscoveryv2.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: s.Spec.Group}})
		}
		g := &l.Items[i]
		if !slices.ContainsFunc(g.Versions, func(v apidiscoveryv2.APIVersionDiscovery) bool { return v.Version == s.Spec.Version }) {
			g.Versions = append(g.Versions, x.o.Aggregator.describe(s))
		}
	}
	return sealed(l)
}

// describe returns what the API server behind an APIService has said of itself. A nil Aggregator has asked nobody.
func (a *Aggregator) describe(s *apiserver.APIService) apidiscoveryv2.APIVersionDiscovery {
	if a == nil {
		return apidiscoveryv2.APIVersionDiscovery{Version: s.Spec.Version, Freshness: apidiscoveryv2.DiscoveryFreshnessStale}
	}
	b := a.backend(s)
	a.mu.Lock()
	defer a.mu.Unlock()
	return *b.found.DeepCopy()
}
