package informers

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/conformance/informer"
)

// told is a handler that tells of what it is told, and of what the copy has then.
func (s copied) told(tell func(informer.Notice)) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(x any, initial bool) {
			tell(s.seen(x, informer.Notice{Type: informer.Added, Object: plain(x), Initial: initial}))
		},
		UpdateFunc: func(old, x any) {
			tell(s.seen(x, informer.Notice{Type: informer.Updated, Object: plain(x), Old: plain(old)}))
		},
		DeleteFunc: func(x any) {
			n := informer.Notice{Type: informer.Deleted}
			if d, ok := x.(cache.DeletedFinalStateUnknown); ok {
				n.Unknown, x = true, d.Obj
			}
			n.Object = plain(x)
			tell(s.seen(x, n))
		},
	}
}

// seen says what store and index have now.
func (s copied) seen(x any, n informer.Notice) informer.Notice {
	o, ok := x.(metav1.Object)
	if !ok {
		return n
	}
	n.Held, _ = s.Get(cache.MetaObjectToName(o).String())
	if s.index != "" {
		n.Indexed, _ = s.Store.(cache.Indexer).IndexKeys(s.index, o.GetLabels()["app"])
	}
	return n
}

// Handle implements informer.Handled.
func (s sharedInformer) Handle(tell func(informer.Notice), period time.Duration) (informer.Registration, error) {
	var r cache.ResourceEventHandlerRegistration
	var err error
	if h := s.told(tell); period > 0 {
		r, err = s.inf.AddEventHandlerWithResyncPeriod(h, period)
	} else {
		r, err = s.inf.AddEventHandler(h)
	}
	if err != nil {
		return nil, err
	}
	return registration{s.inf, r}, nil
}

type registration struct {
	of cache.SharedIndexInformer
	r  cache.ResourceEventHandlerRegistration
}

// HasSynced implements informer.Registration.
func (r registration) HasSynced() bool { return r.r.HasSynced() }

// Remove implements informer.Registration.
func (r registration) Remove(wait bool) error {
	if wait {
		return cache.ShutDownEventHandler(r.of, r.r)
	}
	return r.of.RemoveEventHandler(r.r)
}
