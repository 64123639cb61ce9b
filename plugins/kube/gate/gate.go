// Package gate lets clients reach an API server by a proxy on this machine.
package gate

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// ReverseProxy returns a proxy that asks the API server of a configuration, with its credentials in place of those of the client. A request
// whose answer breaks off panics with http.ErrAbortHandler, as handlers do.
func ReverseProxy(config *rest.Config) (*httputil.ReverseProxy, error) {
	at, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, err
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, err
	}
	return &httputil.ReverseProxy{Transport: transport, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(q *httputil.ProxyRequest) {
			q.SetURL(at)
			q.Out.Header.Del("Authorization")
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }}, nil
}

// Gate serves an API to those who know its path: clients send no token where there is no TLS.
type Gate struct {
	server     *http.Server
	kubeconfig []byte
}

// New serves a handler at an address, without TLS, over HTTP/1.1 and HTTP/2.
func New(h http.Handler, address string) (*Gate, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("the proxy before the API server cannot listen: %w", err)
	}
	path := "/" + rand.Text()
	config := clientcmdapi.NewConfig()
	config.Clusters["lwtest"] = &clientcmdapi.Cluster{Server: (&url.URL{Scheme: "http", Host: l.Addr().String(), Path: path}).String(),
		InsecureSkipTLSVerify: true} // without it the client for JavaScript refuses to speak plain HTTP
	config.AuthInfos["lwtest"] = &clientcmdapi.AuthInfo{}
	config.Contexts["lwtest"] = &clientcmdapi.Context{Cluster: "lwtest", AuthInfo: "lwtest"}
	config.CurrentContext = "lwtest"
	file, err := clientcmd.Write(*config)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	g := &Gate{kubeconfig: file, server: &http.Server{Handler: http.StripPrefix(path, h), ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0), Protocols: &http.Protocols{}}}
	g.server.Protocols.SetHTTP1(true)
	g.server.Protocols.SetUnencryptedHTTP2(true)
	go func() { _ = g.server.Serve(l) }() // it ends with Close
	return g, nil
}

// Kubeconfig is a file for clients, with the path.
func (g *Gate) Kubeconfig() []byte { return g.kubeconfig }

// Close ends it, and breaks off what is open.
func (g *Gate) Close() error { return g.server.Close() }
