package fake

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
)

// FeaturesOf are what the fake declares of a resource in a history of a request log: what any has, and what our
// server knows of this one.
func FeaturesOf(of schema.GroupResource) []harness.Feature {
	out := slices.DeleteFunc(Features(), func(f harness.Feature) bool {
		return f == harness.VirtualTime || f == watchcache.UpdateNeedsObject || f == watchcache.PlainUpdate // not of every resource
	})
	row := rowOf(of)
	if row != nil && row.Status != nil {
		out = append(out, watchcache.StatusSubresource)
	}
	if row != nil && row.CreateOnUpdate {
		out = append(out, watchcache.CreateOnUpdate)
	}
	return out
}
