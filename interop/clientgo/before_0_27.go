//go:build before_0_27 || before_0_19

package main

import (
	"errors"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/plugins/adapter"
)

// process is what is done to an item that is popped. Nobody says which are initial.
func process(do func(x any, initial bool) error) cache.PopProcessFunc {
	return func(x any) error { return do(x, false) }
}

var popFeatures, handlerFeatures, removalFeatures []string

func handler(add func(x any, initial bool), update func(old, x any), remove func(x any)) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{AddFunc: func(x any) { add(x, false) }, UpdateFunc: update, DeleteFunc: remove}
}

func register(inf cache.SharedIndexInformer, h cache.ResourceEventHandler, period time.Duration) (adapter.Registration, error) {
	if period > 0 {
		inf.AddEventHandlerWithResyncPeriod(h, period)
	} else {
		inf.AddEventHandler(h)
	}
	return registration{}, nil
}

// registration is nothing: before 0.26 a handler that was added stays, and before 0.27 it does not say what it was told.
type registration struct{}

func (registration) HasSynced() bool { return false }

func (registration) Remove(bool) error { return errors.New("it cannot be removed") }

// transformed is not asked for: a shared informer of 0.23 has no transforms yet.
func transformed(cache.SharedIndexInformer) error { return errors.New("it has no transforms") }
