package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/plugins/adapter"
)

func offerSharedInformerLists(a *adapter.Adapter) {
	a.Informer = adapter.InformerOffer{Features: informerFeatures("page-size"), New: func(c adapter.InformerConfig) (adapter.Informer, error) {
		lw, err := listWatch(c, func(o *metav1.ListOptions) {
			if c.PageSize > 0 && !o.Watch { // a SharedIndexInformer does not say how large the pages of its Reflector are to be
				o.Limit = c.PageSize
			}
		})
		if err != nil {
			return nil, err
		}
		return newInformer(lists{lw}, c)
	}}
}

// lists is a ListWatch that says of itself that it has no streaming lists; versions that have none either do not ask.
type lists struct{ *cache.ListWatch }

func (lists) IsWatchListSemanticsUnSupported() bool { return true }
