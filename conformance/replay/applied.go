package replay

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/harness/history"
)

// AppliedBy is who makes the call of a server-side apply, and whether it takes fields from others; ok: it is one.
func AppliedBy(call *history.Event) (manager string, force, ok bool) {
	if call.Kind != Patch || call.X == nil {
		return "", false, false
	}
	a, err := readWriteArgs(call.X.Args) // unreadable: NotRead says so
	return a.FieldManager, a.Force, err == nil && a.Type == types.ApplyYAMLPatchType
}

// WrittenBy returns the API version that a write asks by, where a resource has two; "": the first.
func WrittenBy(call *history.Event) string {
	if call.X == nil {
		return ""
	}
	a, _ := readWriteArgs(call.X.Args) // unreadable: NotRead says so
	return a.Served
}
