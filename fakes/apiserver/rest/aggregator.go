package rest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/transport"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// FrontProxy is the CN of the certificate by which an Aggregator shows other API servers who it is.
const FrontProxy = "front-proxy-client"

// Aggregator reaches the API servers behind APIServices that name a service, and says in their status whether they answer. It may be
// used concurrently, and must be closed.
type Aggregator struct {
	o    WebhookOptions
	ca   []byte
	pair tls.Certificate

	mu    sync.Mutex
	known map[string]*backend // by the names of APIServices
}

// backend is the API server behind an APIService.
type backend struct {
	*http.Transport
	of    apiserver.APIService // without status: what the transport was made for
	found apidiscoveryv2.APIVersionDiscovery
}

// NewAggregator returns an Aggregator that finds services as webhooks are found, and by their EndpointSlices.
func NewAggregator(o WebhookOptions) (*Aggregator, error) {
	if o.Dial == nil {
		o.Dial = DialNear
	}
	p, err := newPair(&x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, FrontProxy)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(p.Certificate, p.Key)
	return &Aggregator{o: o, ca: p.Authority, pair: pair, known: map[string]*backend{}}, err
}

// Run keeps the condition Available of the APIServices of an API until ctx ends. An API server that does not answer is asked each second,
// one that does every five.
func (a *Aggregator) Run(ctx context.Context, api apiserver.API) {
	for ctx.Err() == nil {
		if w, err := api.Watch(ctx, apiserver.Request{Resource: apiserver.APIServices}, metav1.ListOptions{}); err == nil {
			var next <-chan time.Time // nil: there is nobody to ask
			for open := true; open; {
				select {
				case _, open = <-w.ResultChan():
				case <-next:
				}
				next = nil
				if again := a.checkAll(ctx, api); again > 0 {
					next = time.After(again)
				}
			}
			w.Stop()
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// checkAll checks all APIServices that name a service. It returns the time until they should be checked again; 0: there are none.
func (a *Aggregator) checkAll(ctx context.Context, api apiserver.API) (again time.Duration) {
	l, err := api.List(ctx, apiserver.Request{Resource: apiserver.APIServices}, metav1.ListOptions{})
	if err != nil {
		return time.Second
	}
	var wg sync.WaitGroup
	there, unavailable := map[string]bool{}, make(chan bool, 1)
	for _, u := range l.(*unstructured.UnstructuredList).Items {
		s, err := apiserver.ReadAPIService(&u)
		if err != nil || s.Spec.Service == nil {
			continue
		}
		there[s.Name] = true
		wg.Go(func() {
			c := a.check(ctx, api, s)
			if ctx.Err() == nil {
				setAvailable(ctx, api, &u, s.Available(), c)
			}
			if c.Status != metav1.ConditionTrue {
				select {
				case unavailable <- true:
				default:
				}
			}
		})
	}
	wg.Wait()
	a.forget(func(name string) bool { return !there[name] })
	switch {
	case len(there) == 0:
		return 0
	case len(unavailable) > 0:
		return time.Second
	}
	return 5 * time.Second
}

// setAvailable writes a condition if it has changed. Whoever has changed the object meanwhile makes the next check come at once.
func setAvailable(ctx context.Context, api apiserver.API, u *unstructured.Unstructured, was, is apiserver.APIServiceCondition) {
	if was.Status == is.Status && was.Reason == is.Reason && was.Message == is.Message {
		return
	}
	is.Type, is.LastTransitionTime = "Available", was.LastTransitionTime
	if was.Status != is.Status || was.LastTransitionTime.IsZero() {
		is.LastTransitionTime = metav1.Now().Rfc3339Copy()
	}
	c, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&is)
	if err != nil {
		return // texts
	}
	u.Object["status"] = map[string]any{"conditions": []any{c}}
	req := apiserver.Request{Resource: apiserver.APIServices, Name: u.GetName(), Subresource: "status"}
	_, _ = api.Update(ctx, req, u, metav1.UpdateOptions{FieldManager: "kube-apiserver"})
}

// check asks the API server behind an APIService what it serves (k8s.io/kube-aggregator/pkg/controllers/status/remote).
func (a *Aggregator) check(ctx context.Context, api apiserver.API, s *apiserver.APIService) apiserver.APIServiceCondition {
	host, c := a.resolve(ctx, api, s.Spec.Service)
	if c != nil {
		a.stale(s)
		return *c
	}
	l, err := a.discover(ctx, s, &url.URL{Scheme: "https", Host: host, Path: "/apis/" + s.Spec.Group + "/" + s.Spec.Version})
	if err != nil {
		a.stale(s)
		return apiserver.APIServiceCondition{Status: metav1.ConditionFalse, Reason: "FailedDiscoveryCheck", Message: err.Error()}
	}
	slices.SortFunc(l.APIResources, func(a, b metav1.APIResource) int { return strings.Compare(a.Name, b.Name) })
	found := describeVersion(s.Spec.Version, l.APIResources)
	b := a.backend(s)
	a.mu.Lock()
	b.found = found
	a.mu.Unlock()
	return apiserver.APIServiceCondition{Status: metav1.ConditionTrue, Reason: "Passed", Message: "all checks passed"}
}

// discover reads the list of resources at a URL.
func (a *Aggregator) discover(ctx context.Context, s *apiserver.APIService, at *url.URL) (l metav1.APIResourceList, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return l, err
	}
	transport.SetAuthProxyHeaders(req, "system:kube-aggregator", "", []string{"system:masters"}, nil)
	client := http.Client{Transport: a.backend(s), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return l, fmt.Errorf("failing or missing response from %v: %w", at, err)
	}
	defer res.Body.Close()
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return l, fmt.Errorf("failing or missing response from %v: bad status from %v: %d", at, at, res.StatusCode)
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, defaultMaxBody))
	if err != nil {
		return l, fmt.Errorf("failing or missing response from %v: %w", at, err)
	}
	_ = json.Unmarshal(b, &l) // what is no list of resources has none; kube-apiserver looks at the status alone, too
	return l, nil
}

// backend returns what is known of the API server behind an APIService, anew where the APIService has changed.
func (a *Aggregator) backend(s *apiserver.APIService) *backend {
	a.mu.Lock()
	defer a.mu.Unlock()
	was := a.known[s.Name]
	if was != nil && was.of.UID == s.UID && reflect.DeepEqual(was.of.Spec, s.Spec) {
		return was
	}
	b := &backend{found: apidiscoveryv2.APIVersionDiscovery{Version: s.Spec.Version, Freshness: apidiscoveryv2.DiscoveryFreshnessStale}}
	b.of.UID, b.of.Spec = s.UID, s.Spec
	b.Transport = &http.Transport{
		DialContext: a.o.Dial, IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second, MaxIdleConnsPerHost: 25, DisableCompression: true,
		TLSClientConfig: &tls.Config{
			ServerName: s.Spec.Service.Name + "." + s.Spec.Service.Namespace + ".svc", MinVersion: tls.VersionTLS12,
			InsecureSkipVerify: s.Spec.InsecureSkipTLSVerify, Certificates: []tls.Certificate{a.pair},
		},
	}
	if len(s.Spec.CABundle) > 0 {
		b.TLSClientConfig.RootCAs = x509.NewCertPool()
		b.TLSClientConfig.RootCAs.AppendCertsFromPEM(s.Spec.CABundle)
	}
	if was != nil {
		b.found.Resources = was.found.Resources
		was.CloseIdleConnections()
	}
	a.known[s.Name] = b
	return b
}

// stale notes that what an API server serves may have changed since it was asked.
func (a *Aggregator) stale(s *apiserver.APIService) {
	b := a.backend(s)
	a.mu.Lock()
	defer a.mu.Unlock()
	b.found.Freshness = apidiscoveryv2.DiscoveryFreshnessStale
}

// forget forgets the API servers behind some APIServices.
func (a *Aggregator) forget(which func(name string) bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.DeleteFunc(a.known, func(name string, b *backend) bool {
		if which(name) {
			b.CloseIdleConnections()
			return true
		}
		return false
	})
}

// Close closes connections that are idle. It does not wait for requests.
func (a *Aggregator) Close() { a.forget(func(string) bool { return true }) }
