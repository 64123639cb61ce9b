package exec

import (
	"fmt"
	"net/url"

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
		err = s.nonsense("it answers wc.start with a server that cannot be asked: "+err.Error(), nil)
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
	if u, err := url.Parse(s.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, nil, fmt.Errorf("its url is %q: say http://HOST:PORT or https://HOST:PORT", s.URL)
	}
	return kube.At(&rest.Config{Host: s.URL, BearerToken: s.Token, TLSClientConfig: rest.TLSClientConfig{CAData: []byte(s.CA)}})
}
