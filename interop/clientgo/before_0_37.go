//go:build (before_0_37 || before_0_35 || before_0_33) && !before_0_27 && !before_0_19

package main

import (
	"errors"

	"k8s.io/client-go/tools/cache"
)

var removalFeatures []string

func shutDown(cache.SharedIndexInformer, cache.ResourceEventHandlerRegistration) error {
	return errors.New("no removal waits")
}
