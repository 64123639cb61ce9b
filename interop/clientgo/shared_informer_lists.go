package main

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/plugins/adapter"
)

func offerSharedInformerLists(a *adapter.Adapter) {
	a.Informer = adapter.InformerOffer{Features: informerFeatures("page-size"), New: func(c adapter.InformerConfig) (adapter.Informer, error) {
		lw, err := listWatch(c)
		if err != nil {
			return nil, err
		}
		if c.PageSize > 0 { // a SharedIndexInformer does not say how large the pages of its Reflector are to be
			list := lw.ListFunc
			lw.ListFunc = func(o metav1.ListOptions) (runtime.Object, error) {
				o.Limit = c.PageSize
				return list(o)
			}
		}
		return newInformer(lists{lw}, c)
	}}
}

// lists is a ListWatch that says of itself that it has no streaming lists; versions that have none either do not ask.
type lists struct{ *cache.ListWatch }

func (lists) IsWatchListSemanticsUnSupported() bool { return true }
