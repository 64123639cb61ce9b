package watchcache

import (
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// stored says whether a content may be what came of the one that was sent. What
// is stored may have more than was sent: admission adds finalizers, and fills in
// what was left out. It has nothing less, and nothing else: more is a name with
// its value, as all parts of a content are.
func stored(sent, got string) bool {
	if sent == got {
		return true
	}
	was, is := strings.Fields(sent), strings.Fields(got)
	return !slices.ContainsFunc(was, func(p string) bool { return !has(got, is, p) }) &&
		!slices.ContainsFunc(is, func(p string) bool { return !strings.Contains(p, "=") && !slices.Contains(was, p) })
}

// patched says whether an answer has all that a merge patch says of the object.
// What has no names is no content that could be told from the rest of the object.
func patched(sent, got string) bool {
	is := strings.Fields(got)
	return !slices.ContainsFunc(strings.Fields(sent), func(p string) bool {
		return strings.Contains(p, "=") && !has(got, is, p)
	})
}

// has says that a part that was sent is there unchanged: of finalizers each.
func has(got string, parts []string, p string) bool {
	if slices.Contains(parts, p) {
		return true
	}
	sent, there := replay.FinalizersOf(p), replay.FinalizersOf(got)
	return sent != nil && !slices.ContainsFunc(sent, func(f string) bool { return !slices.Contains(there, f) })
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
