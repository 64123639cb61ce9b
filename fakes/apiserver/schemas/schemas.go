// Package schemas has the schemas of built-in kinds, by which a server-side apply merges them. They are
// client-go's, which package apiserver does without.
package schemas

import (
	"sync"

	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
)

// Types is for apiserver.Options. The first call in a process reads the schemas, which takes a moment.
func Types() managedfields.TypeConverter { return types() }

var types = sync.OnceValue(func() managedfields.TypeConverter { return applyconfigurations.NewTypeConverter(scheme.Scheme) })
