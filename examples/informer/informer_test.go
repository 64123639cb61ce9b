package informer_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"testing"

	suite "github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/examples/informer"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/fake"
)

// subject makes informers for the suite.
type subject struct{ merge bool }

func (s subject) New(c suite.Config) (suite.Informer, error) {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(c.Server.CA) // some checks serve TLS
	client := &http.Client{Transport: &http.Transport{DialContext: c.Server.Dial, TLSClientConfig: &tls.Config{RootCAs: roots}}}
	return &informer.Informer{Client: client, URL: c.Server.URL, Token: c.Server.Token, Namespace: c.Namespace, Merge: s.merge}, nil
}

var features = append([]harness.Feature{harness.VirtualTime, suite.HasSynced, suite.ClientGoSemantics}, fake.ServerFeatures...)

func test(t *testing.T, s subject) {
	suite.Test(t, fake.Server, func(*testing.T) suite.Subject { return s }, features...)
}

func TestInformer(t *testing.T) { test(t, subject{}) }

func FuzzInformer(f *testing.F) {
	suite.Fuzz(f, fake.Server, func(*testing.T) suite.Subject { return subject{} }, features...)
}
