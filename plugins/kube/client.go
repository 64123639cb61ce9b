package kube

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/plugins/resources"
)

// client is a watchcache.Client and Patcher of one resource in one namespace,
// or in all (""). client-go's typed clients would repeat a request up to ten
// times when the answer has a Retry-After; here each call is one request, and
// its answer is the server's.
type client struct {
	rest      rest.Interface
	resource  resources.Resource
	namespace string
}

var (
	_ watchcache.Client     = client{}
	_ watchcache.Patcher    = client{}
	_ watchcache.Namespacer = &subject{}

	_ watchcache.CollectionDeleter = client{}
	_ watchcache.StatusUpdater     = client{}
	_ watchcache.DeleteAnswerer    = client{}
	_ watchcache.PathWatcher       = client{}

	_ watchcache.SubresourceCreator = client{}
)

// formed is a client that can read other forms than JSON.
type formed struct {
	client
	forms *resources.Forms
}

// As implements watchcache.Former.
func (c formed) As(form string) watchcache.Client {
	return c.forms.Client(c.client, c.resource, c.namespace, form)
}

func (c client) to(r *rest.Request) *rest.Request {
	return r.MaxRetries(0).NamespaceIfScoped(c.namespace, c.namespace != "").Resource(c.resource.Name)
}

// object makes a request that answers with an object.
func (c client) object(ctx context.Context, r *rest.Request) (*corev1.ConfigMap, error) {
	o := c.resource.Fresh()
	if err := r.Do(ctx).Into(o); err != nil {
		return nil, err
	}
	return c.resource.Show(o).(*corev1.ConfigMap), nil
}

func (c client) Create(ctx context.Context, m *corev1.ConfigMap, o metav1.CreateOptions) (*corev1.ConfigMap, error) {
	return c.object(ctx, c.to(c.rest.Post()).SpecificallyVersionedParams(&o, scheme.ParameterCodec, corev1.SchemeGroupVersion).Body(c.resource.Hide(m)))
}

func (c client) Update(ctx context.Context, m *corev1.ConfigMap, o metav1.UpdateOptions) (*corev1.ConfigMap, error) {
	return c.object(ctx, c.to(c.rest.Put()).Name(m.Name).SpecificallyVersionedParams(&o, scheme.ParameterCodec, corev1.SchemeGroupVersion).Body(c.resource.Hide(m)))
}

// UpdateStatus implements watchcache.StatusUpdater.
func (c client) UpdateStatus(ctx context.Context, m *corev1.ConfigMap, o metav1.UpdateOptions) (*corev1.ConfigMap, error) {
	return c.object(ctx, c.to(c.rest.Put()).Name(m.Name).SubResource("status").SpecificallyVersionedParams(&o, scheme.ParameterCodec, corev1.SchemeGroupVersion).Body(c.resource.Hide(m)))
}

func (c client) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, o metav1.PatchOptions, subresources ...string) (*corev1.ConfigMap, error) {
	b, err := c.resource.PatchOf(pt, data)
	if err != nil {
		return nil, err
	}
	return c.object(ctx, c.to(c.rest.Patch(pt)).Name(name).SubResource(subresources...).SpecificallyVersionedParams(&o, scheme.ParameterCodec, corev1.SchemeGroupVersion).Body(b))
}

func (c client) Delete(ctx context.Context, name string, o metav1.DeleteOptions) error {
	return c.to(c.rest.Delete()).Name(name).Body(&o).Do(ctx).Error()
}

// DeleteAnswer implements watchcache.DeleteAnswerer.
func (c client) DeleteAnswer(ctx context.Context, name string, o metav1.DeleteOptions) (*corev1.ConfigMap, error) {
	answer, err := c.to(c.rest.Delete()).Name(name).Body(&o).Do(ctx).Get()
	if err != nil {
		return nil, err
	}
	m, _ := c.resource.Show(answer).(*corev1.ConfigMap) // a Status is none
	return m, nil
}

// DeleteCollection implements watchcache.CollectionDeleter.
func (c client) DeleteCollection(ctx context.Context, o metav1.DeleteOptions, which metav1.ListOptions) error {
	return c.to(c.rest.Delete()).SpecificallyVersionedParams(&which, scheme.ParameterCodec, corev1.SchemeGroupVersion).Body(&o).Do(ctx).Error()
}

func (c client) Get(ctx context.Context, name string, o metav1.GetOptions) (*corev1.ConfigMap, error) {
	return c.object(ctx, c.to(c.rest.Get()).Name(name).SpecificallyVersionedParams(&o, scheme.ParameterCodec, corev1.SchemeGroupVersion))
}

func (c client) List(ctx context.Context, o metav1.ListOptions) (*corev1.ConfigMapList, error) {
	l := c.resource.List()
	if err := c.to(c.rest.Get()).SpecificallyVersionedParams(&o, scheme.ParameterCodec, corev1.SchemeGroupVersion).Do(ctx).Into(l); err != nil {
		return nil, err
	}
	return c.resource.ShowList(l), nil
}

// CreateSubresource implements watchcache.SubresourceCreator: a dry run of an eviction.
func (c client) CreateSubresource(ctx context.Context, name string) error {
	return c.to(c.rest.Post()).Name(name).SubResource("eviction").Body(resources.EvictionDryRun(c.namespace, name)).Do(ctx).Error()
}

// WatchPath implements watchcache.PathWatcher. The path names the object: a selector that does so, too, is left out.
func (c client) WatchPath(ctx context.Context, name string, o metav1.ListOptions) (watch.Interface, error) {
	if o.FieldSelector == "metadata.name="+name {
		o.FieldSelector = ""
	}
	w, err := c.to(c.rest.Get().Prefix("watch")).Name(name).SpecificallyVersionedParams(&o, scheme.ParameterCodec, corev1.SchemeGroupVersion).Watch(ctx)
	if err != nil {
		return nil, err
	}
	return resources.Watch(w, c.resource.Show), nil
}

// Watch opens a watch. A connection that breaks before the server's answer is
// client-go's empty watch: it ends at once, without an error.
func (c client) Watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	o.Watch = true
	w, err := c.to(c.rest.Get()).SpecificallyVersionedParams(&o, scheme.ParameterCodec, corev1.SchemeGroupVersion).Watch(ctx)
	if err != nil {
		return nil, err
	}
	return resources.Watch(w, c.resource.Show), nil
}
