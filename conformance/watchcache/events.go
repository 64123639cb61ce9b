package watchcache

import (
	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// isEvent says whether it tells of an object.
func isEvent(e *history.Event) bool {
	return e.Kind == replay.Added || e.Kind == replay.Modified || e.Kind == replay.Deleted
}

// changeIn is change, for an event in full.
func changeIn(r *replay.Replay, e *history.Event) int32 {
	if !isEvent(e) {
		return 0
	}
	if !r.ByOrder {
		return e.Obj.N
	}
	if v := r.VersionOf(e); v != replay.None {
		return r.Versions[v].N
	}
	return 0
}
