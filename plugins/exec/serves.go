package exec

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/plugins/kube"
)

// servingServer is a server of an adapter that speaks the API over HTTP itself: it is asked there, and told by the pipe
// what no API can tell it.
type servingServer struct {
	remoteServer
	in func(namespace string) watchcache.Client
}

func (s *session) startServer() (watchcache.Subject, error) {
	r := remoteServer{s, s.handle("s")}
	var at WCStarted
	if err := r.do(s.t.Context(), "wc.start", WCServer{r.h}, &at); err != nil {
		return nil, err
	}
	in, hangUp, err := at.Server.clients()
	if err != nil {
		err = s.protocolError("it answers wc.start with a server that lwtest cannot connect to: "+err.Error(), nil)
		s.close(err)
		return nil, err
	}
	s.t.Cleanup(hangUp)
	return servingServer{r, in}, nil
}

// In implements watchcache.Subject.
func (s servingServer) In(namespace string) watchcache.Client { return s.in(namespace) }

// clients ask a server that an adapter has started; hangUp lets go of its connections. An error says what is wrong with
// what the adapter told of it.
func (s Server) clients() (in func(namespace string) watchcache.Client, hangUp func(), err error) {
	config, err := s.config()
	if err != nil {
		return nil, nil, err
	}
	return kube.At(config)
}

// config is how it is asked.
func (s Server) config() (*rest.Config, error) {
	if u, err := url.Parse(s.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("its url is %q: it must be http://HOST:PORT or https://HOST:PORT", s.URL)
	}
	if s.CA != "" && !x509.NewCertPool().AppendCertsFromPEM([]byte(s.CA)) {
		return nil, fmt.Errorf("its ca holds no certificate: it must be the PEM of the authority that signed the server's certificate, not %.60q", s.CA)
	}
	return &rest.Config{Host: s.URL, BearerToken: s.Token, TLSClientConfig: rest.TLSClientConfig{CAData: []byte(s.CA)}}, nil
}

// answers asks a server that an adapter has started for a list.
func (s Server) answers(ctx context.Context) error {
	in, hangUp, err := s.clients()
	if err != nil {
		return fmt.Errorf("wc.start: %w", err)
	}
	defer hangUp()
	if _, err = in("a").List(ctx, metav1.ListOptions{}); err == nil {
		err = s.lists(ctx)
	}
	if err != nil {
		return fmt.Errorf("wc.start names %s, but a list of configmaps in the namespace a failed there: %w", s.URL, err)
	}
	return nil
}

// lists looks at what the server writes for a list: Go's clients take any object for one that is empty.
func (s Server) lists(ctx context.Context) error {
	config, err := s.config()
	if err != nil {
		return err
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base.JoinPath("api/v1/namespaces/a/configmaps").String(), nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "application/json")
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return err
	}
	var l struct {
		Kind, APIVersion string
		Items            json.RawMessage
	}
	if err := json.Unmarshal(body, &l); err != nil || l.Kind != "ConfigMapList" || l.APIVersion != "v1" || l.Items == nil {
		return fmt.Errorf("the answer must be a v1 ConfigMapList with items; it is %.200s", body)
	}
	return nil
}

// goneLimit is what a server that should be gone may take to answer all the same.
const goneLimit = 2 * time.Second

// gone asks a server for a list that has ended with its case.
func (s Server) gone(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, goneLimit)
	defer cancel()
	if s.answers(ctx) == nil {
		return fmt.Errorf("its server still answers at %s", s.URL)
	}
	return nil
}
