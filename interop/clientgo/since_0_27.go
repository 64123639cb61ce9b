//go:build !before_0_27 && !before_0_19

package main

import (
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/plugins/adapter"
)

// process is what is done to an item that is popped.
func process(do func(x any, initial bool) error) cache.PopProcessFunc { return do }

// popFeatures are those of what process is told.
var popFeatures = []string{"initial-flag"}

// handlerFeatures are those of a handler and of how it is added, and what else an informer has.
var handlerFeatures = []string{"handler-synced", "initial-flag", "removal", "transforms"}

// handler is one as client-go has it.
func handler(add func(x any, initial bool), update func(old, x any), remove func(x any)) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerDetailedFuncs{AddFunc: add, UpdateFunc: update, DeleteFunc: remove}
}

// register adds a handler; a period of 0 is the informer's.
func register(inf cache.SharedIndexInformer, h cache.ResourceEventHandler, period time.Duration) (adapter.Registration, error) {
	var r cache.ResourceEventHandlerRegistration
	var err error
	if period > 0 {
		r, err = inf.AddEventHandlerWithResyncPeriod(h, period)
	} else {
		r, err = inf.AddEventHandler(h)
	}
	if err != nil {
		return nil, err
	}
	return registration{r, inf}, nil
}

type registration struct {
	cache.ResourceEventHandlerRegistration
	of cache.SharedIndexInformer
}

// Remove implements adapter.Registration.
func (r registration) Remove(wait bool) error {
	if wait {
		return shutDown(r.of, r.ResourceEventHandlerRegistration)
	}
	return r.of.RemoveEventHandler(r.ResourceEventHandlerRegistration)
}

// transformed has an informer mark what it keeps.
func transformed(inf cache.SharedIndexInformer) error { return inf.SetTransform(mark) }
