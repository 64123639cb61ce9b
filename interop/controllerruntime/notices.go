package controllerruntime

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lwtest/lwtest/conformance/informer"
)

// told is a handler that tells of what it is told, and of what a read of the cache gives then.
func (c *cached) told(tell func(informer.Notice)) toolscache.ResourceEventHandler {
	return toolscache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(x any, initial bool) {
			tell(c.seen(x, informer.Notice{Type: informer.Added, Object: plain(x), Initial: initial}))
		},
		UpdateFunc: func(old, x any) {
			tell(c.seen(x, informer.Notice{Type: informer.Updated, Object: plain(x), Old: plain(old)}))
		},
		DeleteFunc: func(x any) {
			n := informer.Notice{Type: informer.Deleted}
			if d, ok := x.(toolscache.DeletedFinalStateUnknown); ok {
				n.Unknown, n.Key, x = true, d.Key, d.Obj
			}
			n.Object = plain(x)
			tell(c.seen(x, n))
		},
	}
}

func (c *cached) seen(x any, n informer.Notice) informer.Notice {
	o, ok := x.(*corev1.ConfigMap)
	if !ok {
		return n
	}
	n.Held, _ = read(c.ctx, c.cache, o.Namespace+"/"+o.Name)
	if c.index == "" {
		return n
	}
	var all corev1.ConfigMapList
	if c.cache.List(c.ctx, &all, client.MatchingFields{c.index: o.Labels["app"]}) == nil {
		for _, x := range all.Items {
			n.Indexed = append(n.Indexed, x.Namespace+"/"+x.Name)
		}
	}
	return n
}

// plain is an object in JSON; nil: there is none.
func plain(x any) json.RawMessage {
	if x == nil {
		return nil
	}
	b, _ := json.Marshal(x) // what a client has decoded can be encoded
	return b
}
