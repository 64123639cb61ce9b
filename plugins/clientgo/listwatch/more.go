package listwatch

import (
	"context"
	"fmt"
	"reflect"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/lwtest/lwtest/conformance/listerwatcher"
)

// What client-go makes of its typed client: lists in pages, watches that resume, waits.

func pages(config *rest.Config, c listerwatcher.Config) (calls, error) {
	of, err := typed(config, c)
	if err != nil {
		return calls{}, err
	}
	return calls{list: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		l, _, err := pager.New(of.list).List(ctx, o)
		return l, err
	}}, nil
}

func eachItem(config *rest.Config, c listerwatcher.Config) (calls, error) {
	of, err := typed(config, c)
	if err != nil {
		return calls{}, err
	}
	return calls{list: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		out := &metav1.List{}
		err := pager.New(of.list).EachListItem(ctx, o, func(item runtime.Object) error {
			out.Items = append(out.Items, runtime.RawExtension{Object: item})
			return nil
		})
		if err != nil {
			return nil, err
		}
		return out, nil
	}}, nil
}

// chosen is a ListerWatcher whose requests have the selectors of a call beside what whoever lists and watches asks for.
func chosen(of calls, o metav1.ListOptions) *cache.ListWatch {
	with := func(own metav1.ListOptions) metav1.ListOptions {
		own.LabelSelector, own.FieldSelector = o.LabelSelector, o.FieldSelector
		return own
	}
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, own metav1.ListOptions) (runtime.Object, error) {
			return of.list(ctx, with(own))
		},
		WatchFuncWithContext: func(ctx context.Context, own metav1.ListOptions) (watch.Interface, error) {
			return of.watch(ctx, with(own))
		},
	}
}

func retries(config *rest.Config, c listerwatcher.Config) (calls, error) {
	of, err := typed(config, c)
	if err != nil {
		return calls{}, err
	}
	return calls{watch: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
		w, err := watchtools.NewRetryWatcherWithContext(ctx, o.ResourceVersion, chosen(of, o))
		if err != nil {
			return nil, err // not a RetryWatcher that is nil, in an interface
		}
		return w, nil
	}}, nil
}

func until(config *rest.Config, c listerwatcher.Config) (calls, error) {
	of, err := typed(config, c)
	if err != nil {
		return calls{}, err
	}
	return calls{until: func(ctx context.Context, o metav1.ListOptions, _ *listerwatcher.Precondition, c listerwatcher.Condition) (*watch.Event, error) {
		return watchtools.Until(ctx, o.ResourceVersion, chosen(of, o), condition(c))
	}}, nil
}

func untilWithSync(config *rest.Config, c listerwatcher.Config) (calls, error) {
	of, err := typed(config, c)
	if err != nil {
		return calls{}, err
	}
	return calls{until: func(ctx context.Context, o metav1.ListOptions, p *listerwatcher.Precondition, wanted listerwatcher.Condition) (*watch.Event, error) {
		return watchtools.UntilWithSync(ctx, chosen(of, o), &corev1.ConfigMap{}, precondition(c.Namespace, p), condition(wanted))
	}}, nil
}

func untilWithoutRetry(config *rest.Config, c listerwatcher.Config) (calls, error) {
	of, err := typed(config, c)
	if err != nil {
		return calls{}, err
	}
	return calls{until: func(ctx context.Context, o metav1.ListOptions, _ *listerwatcher.Precondition, c listerwatcher.Condition) (*watch.Event, error) {
		w, err := of.watch(ctx, o)
		if err != nil {
			return nil, err
		}
		return watchtools.UntilWithoutRetry(ctx, w, condition(c))
	}}, nil
}

// precondition is one as client-go has it; nil: there is none.
func precondition(namespace string, p *listerwatcher.Precondition) watchtools.PreconditionFunc {
	if p == nil {
		return nil
	}
	return func(s cache.Store) (bool, error) {
		_, there, err := s.GetByKey(cache.NewObjectName(namespace, p.Name).String())
		return there == p.There, err
	}
}

// condition is one as client-go has it: an ERROR ends the wait, as callers of Until do it.
func condition(c listerwatcher.Condition) watchtools.ConditionFunc {
	return func(e watch.Event) (bool, error) {
		if e.Type == watch.Error {
			return false, apierrors.FromObject(e.Object)
		}
		m, err := meta.Accessor(e.Object)
		if err != nil {
			return false, err
		}
		return string(e.Type) == c.Type && m.GetName() == c.Name, nil
	}
}

// ofFactory is the ListWatch of a shared informer factory whose options are tweaked: what a call has of selectors and
// of time comes by the tweak, as its users do it, and the rest as a reflector asks for it.
func ofFactory(config *rest.Config, c listerwatcher.Config) (calls, error) {
	all, err := kubernetes.NewForConfig(config)
	if err != nil {
		return calls{}, err
	}
	if _, err := tweaked(all, c, metav1.ListOptions{}); err != nil {
		return calls{}, err
	}
	own := func(o metav1.ListOptions) metav1.ListOptions {
		o.LabelSelector, o.FieldSelector, o.TimeoutSeconds = "", "", nil
		return o
	}
	return calls{
		list: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			lw, err := tweaked(all, c, o)
			if err != nil {
				return nil, err
			}
			return lw.ListWithContext(ctx, own(o))
		},
		watch: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			lw, err := tweaked(all, c, o)
			if err != nil {
				return nil, err
			}
			return lw.WatchWithContext(ctx, own(o))
		},
	}, nil
}

// tweaked is the ListWatch of the informer of a factory. Nothing exported gives it: it is read from the informer.
func tweaked(all kubernetes.Interface, c listerwatcher.Config, o metav1.ListOptions) (cache.ListerWatcherWithContext, error) {
	factory := informers.NewSharedInformerFactoryWithOptions(all, 0, informers.WithNamespace(c.Namespace), informers.WithTweakListOptions(func(own *metav1.ListOptions) {
		own.LabelSelector, own.FieldSelector, own.TimeoutSeconds = o.LabelSelector, o.FieldSelector, o.TimeoutSeconds
	}))
	v := reflect.ValueOf(factory.Core().V1().ConfigMaps().Informer())
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v = v.Elem(); v.Kind() != reflect.Struct {
			continue
		}
		if f := v.FieldByName("listerWatcher"); f.IsValid() {
			lw, ok := reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem().Interface().(cache.ListerWatcher)
			if ok {
				return cache.ToListerWatcherWithContext(lw), nil
			}
		}
		v = v.FieldByName("SharedIndexInformer")
	}
	return nil, fmt.Errorf("the informers of this client-go have no field listerWatcher: they are made in another way now")
}
