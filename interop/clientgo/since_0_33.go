//go:build !before_0_33 && !before_0_27 && !before_0_19

package main

var contextWays = []way{
	{"shared-informer-context", "SharedIndexInformer, all with a context", offerSharedInformerContext},
	{"retry-watcher-context", "RetryWatcher with a context", offerRetryWatcherContext},
}
