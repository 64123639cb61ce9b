package rest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	hooksv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	clientrest "k8s.io/client-go/rest"
)

// WebhookOptions say how webhooks are reached. The zero value reaches those at URLs of this machine and of private addresses.
type WebhookOptions struct {
	// Dial connects to webhooks; nil: DialNear.
	Dial DialFunc
	// Services are the addresses (host:port) of services, which are named NAMESPACE/NAME. There are no others.
	Services map[string]string
}

// Webhooks calls webhooks over HTTP. Its method Call is what apiserver.Options.Webhooks wants. It must be closed.
type Webhooks struct {
	o     WebhookOptions
	mu    sync.Mutex
	known map[webhookKey]*http.Client
}

// webhookKey says for whom a client is: it has a certificate by that authority, for that service.
type webhookKey struct{ authority, service, address, missing string }

// NewWebhooks returns a caller of webhooks.
func NewWebhooks(o WebhookOptions) *Webhooks {
	if o.Dial == nil {
		o.Dial = DialNear
	}
	return &Webhooks{o: o, known: map[webhookKey]*http.Client{}}
}

// Call implements apiserver.WebhookCaller. Errors are worded as those of a kube-apiserver, by the same client.
func (w *Webhooks) Call(ctx context.Context, to hooksv1.WebhookClientConfig, review []byte) ([]byte, error) {
	c := clientrest.Config{QPS: -1, WarningHandler: clientrest.NoWarnings{}}
	c.NegotiatedSerializer = serializer.NewCodecFactory(runtime.NewScheme()).WithoutConversion()
	key := webhookKey{authority: string(to.CABundle)}
	switch s := to.Service; {
	case s != nil:
		port := int32(443)
		if s.Port != nil {
			port = *s.Port
		}
		key.service = s.Name + "." + s.Namespace + ".svc"
		if c.Host = "https://" + net.JoinHostPort(key.service, strconv.Itoa(int(port))); s.Path != nil {
			c.APIPath = *s.Path
		}
		if key.address = w.o.Services[s.Namespace+"/"+s.Name]; key.address == "" {
			key.missing = s.Name
		}
	case to.URL != nil:
		at, err := url.Parse(*to.URL)
		if err != nil {
			return nil, err
		}
		c.Host, c.APIPath = at.Scheme+"://"+at.Host, at.Path
	default:
		return nil, errors.New("webhook configuration must have either service or URL")
	}
	client, err := clientrest.UnversionedRESTClientForConfigAndClient(&c, w.client(key))
	if err != nil {
		return nil, err
	}
	req := client.Post().SetHeader("Content-Type", runtime.ContentTypeJSON).SetHeader("Accept", runtime.ContentTypeJSON).Body(review)
	if end, ok := ctx.Deadline(); ok {
		req = req.Timeout((max(time.Until(end), 0) + time.Second - 1).Truncate(time.Second)) // a webhook is told, in whole seconds
	}
	return req.Do(ctx).Raw()
}

// client returns the HTTP client for a webhook.
func (w *Webhooks) client(key webhookKey) *http.Client {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.known[key]; c != nil {
		return c
	}
	t := &http.Transport{
		IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second, MaxIdleConnsPerHost: 25,
		TLSClientConfig: &tls.Config{ServerName: key.service, MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if key.missing != "" {
				return nil, fmt.Errorf("service %q not found", key.missing)
			}
			if key.address != "" {
				address = key.address
			}
			return w.o.Dial(ctx, network, address)
		},
	}
	if key.authority != "" {
		t.TLSClientConfig.RootCAs = x509.NewCertPool()
		t.TLSClientConfig.RootCAs.AppendCertsFromPEM([]byte(key.authority))
	}
	c := &http.Client{Transport: t}
	w.known[key] = c
	return c
}

// Close closes connections that are idle. It does not wait for calls.
func (w *Webhooks) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.known {
		c.CloseIdleConnections()
	}
}
