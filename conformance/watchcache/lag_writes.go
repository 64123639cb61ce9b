package watchcache

import (
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// behindCheck writes to objects of which the cache has an earlier state. A server that begins a write with what its cache has must begin anew when
// the storage has something else.
var behindCheck = story.Check{
	Name:  "cache/lag/writes",
	About: "Objects are changed while the cache lags. Then they are written to, with what the cache has, and with what it does not have yet.",
	Needs: []harness.Feature{ComparableRV, Lag},
	Rules: []harness.Rule{cacheLag},
	Span:  30 * time.Second,
	Steps: story.Concat(
		watched([]story.Step{
			{Op: "create", Obj: "back"}, {Op: "create", Obj: "patched"}, {Op: "create", Obj: "newest"}, {Op: "create", Obj: "deleted"},
			{Op: "create", Obj: "gone"}, {Op: "create", Obj: "again"}, {Op: "create", Obj: "held"},
			{Op: "create", Obj: "freed", With: Create{Notes: map[string]string{"lwtest/protected": "yes"}}},
		}),
		[]story.Step{{Op: "lag", For: story.Duration(8 * time.Second)}},
		// What the cache has is stored again, over something else.
		outdate("back", story.When(PlainUpdate, story.Step{Op: "update", Obj: "back", With: Change{Part: "old"}})...),
		outdate("back", story.Step{Op: "update", Obj: "back", With: Change{Part: "old", Version: newestCopy}}),
		outdate("patched", story.When(Patch, story.Step{Op: "patch", Obj: "patched", With: Change{Part: "old"}})...),
		// What names a version or a uid that the cache does not have is no conflict.
		outdate("newest", story.Step{Op: "update", Obj: "newest", With: Change{Version: newestCopy}}),
		outdate("deleted", story.When(Precondition, story.Step{Op: "delete", Obj: "deleted", With: Delete{Version: newestCopy}})...),
		[]story.Step{{Op: "delete", Obj: "again"}, {Op: "create", Obj: "again"}},
		outdate("again", story.When(Precondition, story.Step{Op: "delete", Obj: "again", With: Delete{UID: newestCopy}})...),
		// A server may refuse to delete what has that annotation. It is gone, though not from the cache.
		[]story.Step{{Op: "update", Obj: "freed", With: Change{Part: "no-note", Version: newestCopy}}},
		andGet("freed", story.Step{Op: "delete", Obj: "freed"}),
		// What the cache still has is gone, and what it shows as free is held.
		[]story.Step{{Op: "delete", Obj: "gone"}},
		andGet("gone", story.Step{Op: "delete", Obj: "gone"}),
		story.When(Finalizers, story.Concat(
			[]story.Step{{Op: "update", Obj: "held", With: Change{Part: "finalizer", Version: newestCopy}}},
			andGet("held", story.Step{Op: "delete", Obj: "held"}),
			andGet("held", story.Step{Op: "update", Obj: "held", With: Change{Part: "no-finalizer", Version: newestCopy}}))...),
		[]story.Step{
			{Op: "list"}, {Op: "list", With: List{At: anyVersion}},
			{Op: "catch-up"}, {Op: "settle"}, {Op: "list"},
		},
	),
}

// outdate changes an object, which the cache does not have then, and makes a write to it.
func outdate(obj string, write ...story.Step) []story.Step {
	return append([]story.Step{{Op: "update", Obj: obj, With: Change{Version: newestCopy}}}, andGet(obj, write...)...)
}

// andGet makes a write, and looks at what it has done.
func andGet(obj string, write ...story.Step) []story.Step {
	return append(write[:len(write):len(write)], story.Step{Op: "get", Obj: obj})
}
