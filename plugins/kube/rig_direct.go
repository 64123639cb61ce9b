package kube

import (
	"context"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/conformance/rig"
)

// request is one by the proxy, as any client's, with a token: of a list or a watch of a resource that is built in. It is made
// once, whatever comes of it.
func (l *lent) request(token string, r schema.GroupVersionResource, namespace string, o metav1.ListOptions) (*rest.Request, error) {
	config := &rest.Config{Host: l.url, QPS: -1, ContentConfig: rest.ContentConfig{NegotiatedSerializer: scheme.Codecs.WithoutConversion()}}
	c, err := restClient(config, l.own, r.GroupVersion())
	if err != nil {
		return nil, err
	}
	return c.Get().MaxRetries(0).SetHeader("Authorization", "Bearer "+token).NamespaceIfScoped(namespace, namespace != "").Resource(r.Resource).
		SpecificallyVersionedParams(&o, scheme.ParameterCodec, corev1.SchemeGroupVersion), nil
}

// functions returns the list and watch functions of the client with a token.
func (l *lent) functions(token string) *rig.Direct {
	return &rig.Direct{
		List: func(ctx context.Context, r schema.GroupVersionResource, namespace string, o metav1.ListOptions) (runtime.Object, error) {
			q, err := l.request(token, r, namespace, o)
			if err != nil {
				return nil, err
			}
			return q.Do(ctx).Get()
		},
		Watch: func(ctx context.Context, r schema.GroupVersionResource, namespace string, o metav1.ListOptions) (watch.Interface, error) {
			o.Watch = true
			q, err := l.request(token, r, namespace, o)
			if err != nil {
				return nil, err
			}
			return q.Watch(ctx)
		},
	}
}

// ownClient is that of requests by the proxy.
func ownClient(p *proxy) (*http.Client, error) {
	return rest.HTTPClientFor(&rest.Config{Host: p.url})
}
