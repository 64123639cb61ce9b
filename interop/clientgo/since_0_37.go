//go:build !before_0_37 && !before_0_35 && !before_0_33 && !before_0_27 && !before_0_19

package main

import "k8s.io/client-go/tools/cache"

// removalFeatures are those of a removal that can wait.
var removalFeatures = []string{"removal-waits"}

func shutDown(of cache.SharedIndexInformer, r cache.ResourceEventHandlerRegistration) error {
	return cache.ShutDownEventHandler(of, r)
}
