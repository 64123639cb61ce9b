package informer

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"

	conformance "github.com/lwtest/lwtest/conformance/informer"
)

// server is what an informer asks: list and watch functions, and a client to write with.
type server struct {
	list  func(context.Context, metav1.ListOptions) (page, error)
	watch func(context.Context, metav1.ListOptions) (watch.Interface, error)
	write func(namespace string) typed.ConfigMapInterface
	close func() // connections that nobody uses
}

// page is one of a list, or all of it.
type page struct {
	version, token string
	items          []runtime.Object
}

// serverOf goes round the wire where that can be. What wraps the transport may be nil.
func serverOf(c conformance.Config, wrap transport.WrapperFunc) (server, error) {
	config := &rest.Config{Host: c.Server.URL, BearerToken: c.Server.Token, Dial: c.Server.Dial, QPS: -1, WrapTransport: wrap, TLSClientConfig: rest.TLSClientConfig{CAData: c.Server.CA}}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return server{}, err
	}
	core, err := typed.NewForConfigAndClient(config, client)
	if err != nil {
		return server{}, err
	}
	of := core.ConfigMaps(c.Namespace)
	s := server{write: core.ConfigMaps, close: client.CloseIdleConnections, watch: of.Watch,
		list: func(ctx context.Context, o metav1.ListOptions) (page, error) { return pageOf(of.List(ctx, o)) }}
	if d := c.Server.Direct; d != nil {
		s.list = func(ctx context.Context, o metav1.ListOptions) (page, error) {
			return pageOf(d.List(ctx, c.Resource, c.Namespace, o))
		}
		s.watch = func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return d.Watch(ctx, c.Resource, c.Namespace, o)
		}
	}
	return s, nil
}

// pageOf is a list, or the error that there is instead.
func pageOf(l runtime.Object, err error) (page, error) {
	if err != nil {
		return page{}, err
	}
	m, err := meta.ListAccessor(l)
	if err != nil {
		return page{}, err
	}
	items, err := meta.ExtractList(l)
	return page{m.GetResourceVersion(), m.GetContinue(), items}, err
}

// noted is an object with another note.
func noted(m *corev1.ConfigMap, note string) *corev1.ConfigMap {
	m = m.DeepCopy()
	if m.Annotations == nil {
		m.Annotations = map[string]string{}
	}
	m.Annotations["note"] = note
	return m
}

type (
	options  = metav1.ListOptions
	watching = watch.Interface
)
