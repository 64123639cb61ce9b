package watchcache

import (
	"context"
	"errors"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	conformance "github.com/lwtest/lwtest/conformance/watchcache"
)

// answers are what a client does beside asking the good one.
type answers struct {
	before func(context.Context)                                  // each call
	ctx    func(context.Context) context.Context                  // what the good one gets
	opened func(context.Context, watch.Interface) watch.Interface // each watch
	none   bool                                                   // neither object nor error
}

// answering wraps every client of a subject; each subject has answers of its own.
func answering(set func(*answers)) func(conformance.Subject) conformance.Subject {
	return func(s conformance.Subject) conformance.Subject {
		a := &answers{before: func(context.Context) {}, ctx: func(c context.Context) context.Context { return c },
			opened: func(_ context.Context, w watch.Interface) watch.Interface { return w }}
		set(a)
		return subject{s, a}
	}
}

// once misbehaves in one call, when the drive is under way.
func once(f func(context.Context)) func(conformance.Subject) conformance.Subject {
	return answering(func(a *answers) {
		var calls atomic.Int32
		a.before = func(ctx context.Context) {
			if calls.Add(1) == 4 {
				f(ctx)
			}
		}
	})
}

// always misbehaves in every call.
func always(f func(context.Context)) func(conformance.Subject) conformance.Subject {
	return answering(func(a *answers) { a.before = f })
}

// watching misbehaves in every watch.
func watching(set func(*stream)) func(conformance.Subject) conformance.Subject {
	return answering(func(a *answers) {
		a.opened = func(_ context.Context, w watch.Interface) watch.Interface { return newStream(w, set) }
	})
}

var ignoring = answering(func(a *answers) {
	a.ctx = context.WithoutCancel
	a.opened = func(_ context.Context, w watch.Interface) watch.Interface { return deafWatch{w} }
})

type subject struct {
	inner conformance.Subject
	a     *answers
}

func (s subject) In(namespace string) conformance.Client { return client{s.inner.In(namespace), s.a} }

type client struct {
	inner conformance.Client
	a     *answers
}

// object makes one call that answers with an object.
func (c client) object(ctx context.Context, f func(context.Context) (*corev1.ConfigMap, error)) (*corev1.ConfigMap, error) {
	c.a.before(ctx)
	m, err := f(c.a.ctx(ctx))
	if c.a.none {
		return nil, nil
	}
	return m, err
}

func (c client) Create(ctx context.Context, m *corev1.ConfigMap, o metav1.CreateOptions) (*corev1.ConfigMap, error) {
	return c.object(ctx, func(ctx context.Context) (*corev1.ConfigMap, error) { return c.inner.Create(ctx, m, o) })
}

func (c client) Update(ctx context.Context, m *corev1.ConfigMap, o metav1.UpdateOptions) (*corev1.ConfigMap, error) {
	return c.object(ctx, func(ctx context.Context) (*corev1.ConfigMap, error) { return c.inner.Update(ctx, m, o) })
}

func (c client) Get(ctx context.Context, name string, o metav1.GetOptions) (*corev1.ConfigMap, error) {
	return c.object(ctx, func(ctx context.Context) (*corev1.ConfigMap, error) { return c.inner.Get(ctx, name, o) })
}

func (c client) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, o metav1.PatchOptions, sub ...string) (*corev1.ConfigMap, error) {
	p, ok := c.inner.(conformance.Patcher)
	if !ok {
		return nil, errors.New("the wrapped client has no Patch")
	}
	return c.object(ctx, func(ctx context.Context) (*corev1.ConfigMap, error) { return p.Patch(ctx, name, pt, data, o, sub...) })
}

func (c client) Delete(ctx context.Context, name string, o metav1.DeleteOptions) error {
	c.a.before(ctx)
	return c.inner.Delete(c.a.ctx(ctx), name, o)
}

func (c client) List(ctx context.Context, o metav1.ListOptions) (*corev1.ConfigMapList, error) {
	c.a.before(ctx)
	l, err := c.inner.List(c.a.ctx(ctx), o)
	if c.a.none {
		return nil, nil
	}
	return l, err
}

func (c client) Watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	c.a.before(ctx)
	w, err := c.inner.Watch(c.a.ctx(ctx), o)
	switch {
	case c.a.none:
		if w != nil {
			w.Stop()
		}
		return nil, nil
	case err != nil:
		return nil, err
	}
	return c.a.opened(ctx, w), nil
}
