package watchcache

import (
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// edgeCheck watches over a deletion that is the last thing that happened before a compaction: a storage may have removed all that is left of it
// (etcd#18089).
var edgeCheck = story.Check{
	Name:      "watch/compacted-edge/delete",
	About:     "An object is deleted, and then the states before the present are dropped. Watches begin right before the deletion.",
	Needs:     []harness.Feature{ComparableRV, Compaction},
	Rules:     []harness.Rule{watchCompactedEdge},
	Isolation: harness.Disturbs,
	Span:      2 * compactionSpan,
	Steps: []story.Step{
		{Op: "create", Obj: "x"},
		{Op: "create", Obj: "y"},
		{Op: "list", As: "v1"},
		{Op: "delete", Obj: "x"},
		{Op: "compact"},
		{Op: "watch", Actor: "w1", With: Watch{At: "v1"}},
		{Op: "watch", Actor: "w2", With: Watch{At: "v1", Scope: Scope{Namespace: "all"}}},
		{Op: "update", Obj: "y", With: Change{Version: newestCopy}},
		{Op: "settle"},
	},
}
