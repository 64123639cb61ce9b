package informers

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/conformance/informer"
)

// client is what a client of the server is made of. It may ask as often as it likes: that is what is tested.
func client(c informer.Config, contentType string) *rest.Config {
	s := c.Server
	return &rest.Config{Host: s.URL, BearerToken: s.Token, Dial: s.Dial, QPS: -1, ContentConfig: rest.ContentConfig{ContentType: contentType},
		TLSClientConfig: rest.TLSClientConfig{CAData: s.CA}}
}

// factory is one of client-go's three.
type factory interface {
	Start(<-chan struct{})
	Shutdown()
}

// produced is an informer of a factory's.
type produced struct {
	sharedInformer
	factory factory
}

// Run implements informer.Informer: it has the factory start what it has made, and waits for its end.
func (p produced) Run(ctx context.Context) {
	p.factory.Start(ctx.Done())
	<-ctx.Done()
	p.factory.Shutdown()
}

func made(f factory, inf cache.SharedIndexInformer, c informer.Config) (informer.Informer, error) {
	if c.Index != "" {
		if err := inf.AddIndexers(indexers(c)); err != nil {
			return nil, err
		}
	}
	s, err := configured(inf, c)
	return produced{s, f}, err
}

func newTyped(c informer.Config) (informer.Informer, error) {
	return typed(c, "application/json", func(of kubernetes.Interface) kubernetes.Interface { return of })
}

func newProtobuf(c informer.Config) (informer.Informer, error) {
	return typed(c, "application/vnd.kubernetes.protobuf", func(of kubernetes.Interface) kubernetes.Interface { return of })
}

// typedLists is a client that says of itself that it has no streaming lists, as fake ones do.
type typedLists struct{ kubernetes.Interface }

// IsWatchListSemanticsUnSupported is what client-go asks.
func (typedLists) IsWatchListSemanticsUnSupported() bool { return true }

func newTypedLists(c informer.Config) (informer.Informer, error) {
	return typed(c, "application/json", func(of kubernetes.Interface) kubernetes.Interface { return typedLists{of} }, informers.WithTweakListOptions(func(o *metav1.ListOptions) {
		c.Select(o)
		if c.PageSize > 0 {
			o.Limit = c.PageSize // on watches, too, where it says nothing
		}
	}))
}

func typed(c informer.Config, contentType string, as func(kubernetes.Interface) kubernetes.Interface, more ...informers.SharedInformerOption) (informer.Informer, error) {
	of, err := kubernetes.NewForConfig(client(c, contentType))
	if err != nil {
		return nil, err
	}
	f := informers.NewSharedInformerFactoryWithOptions(as(of), c.Resync, append([]informers.SharedInformerOption{informers.WithTweakListOptions(c.Select), informers.WithNamespace(c.Namespace), informers.WithTransform(transform(c))}, more...)...)
	return made(f, f.Core().V1().ConfigMaps().Informer(), c)
}

func newDynamic(c informer.Config) (informer.Informer, error) {
	of, err := dynamic.NewForConfig(client(c, "application/json"))
	if err != nil {
		return nil, err
	}
	f := dynamicinformer.NewFilteredDynamicSharedInformerFactory(of, c.Resync, c.Namespace, c.Select)
	return generic(f, f.ForResource(c.Resource).Informer(), c)
}

func newMetadata(c informer.Config) (informer.Informer, error) {
	of, err := metadata.NewForConfig(client(c, "")) // it always talks protobuf where it can
	if err != nil {
		return nil, err
	}
	f := metadatainformer.NewFilteredSharedInformerFactory(of, c.Resync, c.Namespace, c.Select)
	return generic(f, f.ForResource(c.Resource).Informer(), c)
}

// generic is an informer of a factory that is not told of namespace and transform at once.
func generic(f factory, inf cache.SharedIndexInformer, c informer.Config) (informer.Informer, error) {
	if err := inf.SetTransform(transform(c)); err != nil {
		return nil, err
	}
	return made(f, inf, c)
}
