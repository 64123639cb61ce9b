//go:build before_0_19

package main

import (
	"errors"

	"k8s.io/client-go/tools/cache"
)

// laterWays are none: the calls of the typed client take no context before 0.18, a DeltaFIFO has other options, a
// pager other results.
var laterWays []way

var hookFeatures []string

func failing(cache.SharedIndexInformer, func(error)) error { return errors.New("it has no error hook") }
