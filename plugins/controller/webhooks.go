package controller

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/test/bufconn"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// hooks are the webhooks of a controller in one run: a certificate for them, and the lives that serve them. Each life has an address of its own,
// as pods have, so that two lives can run side by side.
type hooks struct {
	caller *rest.Webhooks
	pair   rest.Pair

	mu    sync.Mutex
	lives []*dial // of those that run
}

// dial connects to a life.
type dial func(context.Context) (net.Conn, error)

// serviceAddress stands for the lives that run: the address of each service.
const serviceAddress = "controller:443"

// newHooks returns the webhooks of services that exist, and of those that webhooks name.
func newHooks(manifests []rest.Manifest, definitions [][]byte) (*hooks, error) {
	services, hosts := map[string]string{}, []string{}
	add := func(namespace, name string) {
		services[namespace+"/"+name] = serviceAddress
		hosts = append(hosts, name+"."+namespace+".svc")
	}
	for _, u := range withDefinitions(manifests, definitions) {
		if u.GetKind() == "Service" {
			add(cmp.Or(u.GetNamespace(), "default"), u.GetName())
		}
		for _, c := range clientConfigs(u) {
			s := c["service"].(map[string]any)
			add(fmt.Sprint(s["namespace"]), fmt.Sprint(s["name"]))
		}
	}
	pair, err := rest.NewPair(hosts...)
	h := &hooks{pair: pair}
	h.caller = rest.NewWebhooks(rest.WebhookOptions{Services: services, Dial: h.dial})
	return h, err
}

// hooked reports whether a webhook names a service.
func (s *subject) hooked() bool {
	return slices.ContainsFunc(withDefinitions(s.manifests, s.definitions), func(u *unstructured.Unstructured) bool { return len(clientConfigs(u)) > 0 })
}

// withDefinitions returns manifests and definitions, which are JSON, as objects.
func withDefinitions(manifests []rest.Manifest, definitions [][]byte) (all []*unstructured.Unstructured) {
	for _, m := range manifests {
		all = append(all, m.Unstructured)
	}
	for _, d := range definitions {
		u := &unstructured.Unstructured{}
		if u.UnmarshalJSON(d) == nil { // else the API server refuses it
			all = append(all, u)
		}
	}
	return all
}

// clientConfigs returns the clientConfigs of an object that name a service. Changes of them change the object.
func clientConfigs(u *unstructured.Unstructured) (all []map[string]any) {
	add := func(in any) {
		m, _ := in.(map[string]any)
		c, _ := m["clientConfig"].(map[string]any)
		if _, ok := c["service"].(map[string]any); ok {
			all = append(all, c)
		}
	}
	switch u.GetKind() {
	case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
		some, _ := u.Object["webhooks"].([]any)
		for _, w := range some {
			add(w)
		}
	case "CustomResourceDefinition":
		spec, _ := u.Object["spec"].(map[string]any)
		conversion, _ := spec["conversion"].(map[string]any)
		add(conversion["webhook"])
	}
	return all
}

// trust lets the API server trust the certificate in webhooks that name a service.
func (h *hooks) trust(u *unstructured.Unstructured) {
	for _, c := range clientConfigs(u) {
		c["caBundle"] = base64.StdEncoding.EncodeToString(h.pair.Authority)
	}
}

// write makes a folder with tls.crt, tls.key and ca.crt.
func (h *hooks) write(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	var errs []error
	for name, b := range map[string][]byte{"tls.crt": h.pair.Certificate, "tls.key": h.pair.Key, "ca.crt": h.pair.Authority} {
		errs = append(errs, os.WriteFile(filepath.Join(dir, name), b, 0o600))
	}
	return errors.Join(errs...)
}

// dial connects to the newest life that listens, or to an address that is no service's.
func (h *hooks) dial(ctx context.Context, network, address string) (conn net.Conn, err error) {
	if address != serviceAddress {
		return rest.DialNear(ctx, network, address)
	}
	h.mu.Lock()
	lives := slices.Clone(h.lives)
	h.mu.Unlock()
	err = errors.New("connection refused: the controller does not run")
	for _, life := range slices.Backward(lives) {
		if conn, err = (*life)(ctx); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// add begins to call a life, and returns what ends that.
func (h *hooks) add(life dial) (remove func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lives = append(h.lives, &life)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.lives = slices.DeleteFunc(h.lives, func(l *dial) bool { return l == &life })
	}
}

// hooksOf is the key of the hooks in the context of a Run.
type hooksOf struct{}

// buffered is how much of a connection waits for its reader, in bytes.
const buffered = 1 << 16

// ServeWebhooks serves the webhooks of a controller in Go, of admission and conversion, until ctx ends. Run calls it with its own ctx, or one
// made from that. All services that webhooks name lead to h, over TLS and in memory. It returns an error if ctx comes from no Run,
// or if neither Manifests nor definitions have a webhook that names a service.
func ServeWebhooks(ctx context.Context, h http.Handler) error {
	called, _ := ctx.Value(hooksOf{}).(*hooks)
	if called == nil {
		return errors.New("no webhook calls this: call ServeWebhooks in Run, with the context of Run itself (the manager of controller-runtime gives its parts another), and name the webhook configurations in Manifests")
	}
	certificate, err := tls.X509KeyPair(called.pair.Certificate, called.pair.Key)
	if err != nil {
		return err
	}
	l := bufconn.Listen(buffered)
	defer called.add(l.DialContext)()
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute, TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })() // it ends at once, as a process that is killed
	if err := server.ServeTLS(l, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
