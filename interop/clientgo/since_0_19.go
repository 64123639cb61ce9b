//go:build !before_0_19

package main

import "k8s.io/client-go/tools/cache"

var laterWays = []way{
	{"delta-fifo", "cache.DeltaFIFO", offerDeltaFIFO},
	{"typed", "its typed client, in JSON", offerTyped},
	{"pager", "ListPager.List", offerPager},
	{"retry-watcher", "RetryWatcher", offerRetryWatcher},
	{"fake-clientset", "kubernetes/fake", offerFakeClientset},
}

// hookFeatures are what an informer takes functions for.
var hookFeatures = []string{"error-hook"}

// failing has an informer tell of errors.
func failing(inf cache.SharedIndexInformer, tell func(error)) error {
	return inf.SetWatchErrorHandler(func(_ *cache.Reflector, err error) { tell(err) })
}
