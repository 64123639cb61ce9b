package fake

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
)

// takes says that a patch may take something away. An apply takes what its manager does not name any more,
// which the patch alone does not tell.
func takes(e *requestlog.Entry) bool {
	switch types.PatchType(e.PatchType) {
	case types.JSONPatchType:
		return stepsTake(e.Patch)
	case types.MergePatchType, types.StrategicMergePatchType:
		var patch map[string]any
		return json.Unmarshal([]byte(e.Patch), &patch) != nil || mergeTakes(patch)
	}
	return true
}

// inside are paths of a JSON patch at which a value can be set without the loss of one that has a name in a
// history.
var inside = regexp.MustCompile(`^/(metadata/(labels|annotations/|resourceVersion$|uid$)|(data|spec|status)/)`)

func stepsTake(patch string) bool {
	var steps []struct{ Op, Path string }
	if json.Unmarshal([]byte(patch), &steps) != nil {
		return true
	}
	for _, s := range steps {
		if s.Op != "test" && !(inside.MatchString(s.Path) && slices.Contains([]string{"add", "replace"}, s.Op)) {
			return true
		}
	}
	return false
}

// mergeTakes looks for null, for a directive, and for owners, which a merge patch replaces whole.
func mergeTakes(patch map[string]any) bool {
	for name, v := range patch {
		within, _ := v.(map[string]any)
		if v == nil || strings.HasPrefix(name, "$") || name == "ownerReferences" || mergeTakes(within) {
			return true
		}
		list, _ := v.([]any)
		for _, item := range list {
			if m, ok := item.(map[string]any); ok && mergeTakes(m) {
				return true
			}
		}
	}
	return false
}
