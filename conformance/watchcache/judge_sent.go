package watchcache

import (
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// patched says whether an answer has all that a merge patch says of the object.
// What has no names is no content that could be told from the rest of the object.
func patched(sent, got string) bool {
	return !slices.ContainsFunc(strings.Fields(sent), func(p string) bool {
		return strings.Contains(p, "=") && !replay.Has(got, p)
	})
}

// keepsLabels says whether all labels that were sent are there.
func keepsLabels(sent, got *history.Set) bool {
	if sent == got {
		return true
	}
	is := got.Map()
	for k, v := range sent.Map() {
		if there, ok := is[k]; !ok || there != v {
			return false
		}
	}
	return true
}
