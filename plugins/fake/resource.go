package fake

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/resources"
)

// ofResource is the fake, tested with another resource than ConfigMaps: by it
// the fake is held against what a real server does with that. A name that ends
// in -uncached is served as a real server does without its watch cache.
func ofResource(arg string) (harness.Target, error) {
	name, uncached := strings.CutSuffix(arg, "-uncached")
	r, err := resources.Find(name)
	if err != nil {
		return harness.Target{}, err
	}
	target := "fake:resource/" + arg
	var lacks []harness.Feature
	if uncached {
		lacks = append(lacks, watchcache.Bookmarks, watchcache.Window, watchcache.Lag, watchcache.Starting)
	}
	return harness.Target{Name: target, Cases: casesOf(target, r, func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
		o.Resources = resources.Rows()
		for i := range o.Resources {
			if o.Resources[i].Resource == name && uncached {
				o.Resources[i].Uncached = true
			}
		}
		if r.Definition != "" {
			o.FirstRevision = 10 // its definition was written before
		}
		s := apiserver.New(o)
		return s, s
	}, lacks...)}, nil
}

// shown is the client of one resource in one namespace, with its objects as ConfigMaps.
type shown struct {
	api  apiserver.API
	res  resources.Resource
	path apiserver.Request
	http func() *resources.Forms
}

func (c shown) named(name string) apiserver.Request {
	p := c.path
	p.Name = name
	return p
}

func (c shown) object(o runtime.Object, err error) (*corev1.ConfigMap, error) {
	if err != nil {
		return nil, err
	}
	m, ok := c.res.Show(o).(*corev1.ConfigMap)
	if !ok {
		return nil, nil
	}
	return m, nil
}

// in is an object of the resource as it is sent in this namespace.
func (c shown) in(m *corev1.ConfigMap) runtime.Object {
	m = m.DeepCopy()
	m.Namespace = c.path.Namespace
	return c.res.Hide(m)
}

func (c shown) Create(ctx context.Context, m *corev1.ConfigMap, o metav1.CreateOptions) (*corev1.ConfigMap, error) {
	return c.object(c.api.Create(ctx, c.path, c.in(m), o))
}

func (c shown) Update(ctx context.Context, m *corev1.ConfigMap, o metav1.UpdateOptions) (*corev1.ConfigMap, error) {
	return c.object(c.api.Update(ctx, c.named(m.Name), c.in(m), o))
}

// UpdateStatus implements watchcache.StatusUpdater.
func (c shown) UpdateStatus(ctx context.Context, m *corev1.ConfigMap, o metav1.UpdateOptions) (*corev1.ConfigMap, error) {
	at := c.named(m.Name)
	at.Subresource = "status"
	return c.object(c.api.Update(ctx, at, c.in(m), o))
}

func (c shown) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, o metav1.PatchOptions, subresources ...string) (*corev1.ConfigMap, error) {
	b, err := c.res.PatchOf(pt, data)
	if err != nil {
		return nil, err
	}
	at := c.named(name)
	at.Subresource = strings.Join(subresources, "/")
	return c.object(c.api.Patch(ctx, at, pt, b, o))
}

func (c shown) Delete(ctx context.Context, name string, o metav1.DeleteOptions) error {
	_, err := c.api.Delete(ctx, c.named(name), o)
	return err
}

// DeleteAnswer implements watchcache.DeleteAnswerer.
func (c shown) DeleteAnswer(ctx context.Context, name string, o metav1.DeleteOptions) (*corev1.ConfigMap, error) {
	return c.object(c.api.Delete(ctx, c.named(name), o))
}

func (c shown) DeleteCollection(ctx context.Context, o metav1.DeleteOptions, which metav1.ListOptions) error {
	_, err := c.api.DeleteCollection(ctx, c.path, o, which)
	return err
}

func (c shown) Get(ctx context.Context, name string, o metav1.GetOptions) (*corev1.ConfigMap, error) {
	return c.object(c.api.Get(ctx, c.named(name), o))
}

func (c shown) List(ctx context.Context, o metav1.ListOptions) (*corev1.ConfigMapList, error) {
	l, err := c.api.List(ctx, c.path, o)
	if err != nil {
		return nil, err
	}
	return c.res.ShowList(l), nil
}

func (c shown) Watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	w, err := c.api.Watch(ctx, c.path, o)
	if err != nil {
		return nil, err
	}
	return resources.Watch(w, c.res.Show), nil
}

// As implements watchcache.Former.
func (c shown) As(form string) watchcache.Client {
	return c.http().Client(c, c.res, c.path.Namespace, form)
}

// CreateSubresource implements watchcache.SubresourceCreator: a dry run of an eviction.
func (c shown) CreateSubresource(ctx context.Context, name string) error {
	at := c.named(name)
	at.Subresource = "eviction"
	_, err := c.api.Create(ctx, at, resources.EvictionDryRun(c.path.Namespace, name), metav1.CreateOptions{})
	return err
}

// WatchPath implements watchcache.PathWatcher.
func (c shown) WatchPath(ctx context.Context, name string, o metav1.ListOptions) (watch.Interface, error) {
	w, err := c.api.Watch(ctx, c.named(name), o)
	if err != nil {
		return nil, err
	}
	return resources.Watch(w, c.res.Show), nil
}

var (
	_ watchcache.Client  = shown{}
	_ watchcache.Patcher = shown{}

	_ watchcache.StatusUpdater  = shown{}
	_ watchcache.DeleteAnswerer = shown{}
	_ watchcache.PathWatcher    = shown{}

	_ watchcache.SubresourceCreator = shown{}
)
