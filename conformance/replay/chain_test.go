package replay_test

import (
	"testing"
)

// TestChain: what becomes of a/x.
func TestChain(t *testing.T) {
	for _, c := range []struct{ name, history, want string }{
		{"an update that names what is gone, of a kind that creates by it", `
			... has comparable-rv create-on-update
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> UPDATE a/x @2 v=2
			c1 <- @9 uid=u9`, "@2 -(2,9) @9"},
		{"the same, and nobody had deleted it", `
			... has comparable-rv create-on-update
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x @2 v=2
			c1 <- @9 uid=u9`, "@2 @9"},
		{"the same, and its answer was lost", `
			... has comparable-rv create-on-update
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=2
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- DELETED a/x @3 v=1
			c1 -> UPDATE a/x @2 v=2
			w1 <- ADDED a/x @9 uid=u9 v=2`, "@2 -@3 @9?"},
		{"a lost deletion of what a lost create had made", `
			c1 -> CREATE a/x v=1
			c1 <- lost
			w1 -> WATCH rv=1
			c1 -> DELETE a/x
			c1 <- lost
			w1 <- DELETED a/x @5 v=1`, ""},
		{"what changes nothing shows what a lost update did", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x @2 v=2
			c1 <- lost
			c1 -> UPDATE a/x @3 v=2
			c1 <- @3
			c1 -> PATCH a/x v=2
			c1 <- @3`, "@2 @3"},
		{"a lost update with a status, of a kind that has none", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=2
			c1 -> UPDATE a/x @2 body=spec=2+status=s
			c1 <- lost
			w1 <- MODIFIED a/x @3 v=2`, "@2 @3?"},
		{"the same, of another kind", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> UPDATE a/x @2 v=2
			c1 <- @9 uid=u9`, "@2 @9"},
		{"the life of an object", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x v=2
			c1 <- @3
			c1 -> DELETE a/x
			c1 <- ok
			w1 -> WATCH rv=1
			w1 <- DELETED a/x @5 v=2`, "@2 @3 -@5"},
		{"answers out of order", `
			c1 -> UPDATE a/x v=2
			c2 -> CREATE a/x v=1
			c1 <- @3
			c2 <- @2`, "@2 @3"},
		{"an event before the answer", `
			w1 -> WATCH rv=1
			c1 -> CREATE a/x v=1
			w1 <- ADDED a/x @2 v=1
			c2 -> DELETE a/x
			w1 <- DELETED a/x @3 v=1
			c2 <- ok
			c1 <- @2`, "@2 -@3"},
		{"resourceVersions of any length", `
			c1 -> CREATE a/x v=1
			c1 <- @99999999999999999999999
			c1 -> UPDATE a/x v=2
			c1 <- @100000000000000000000000
			c1 -> UPDATE a/x v=3
			c1 <- @100000000000000000000001`, "@99999999999999999999999 @100000000000000000000000 @100000000000000000000001"},
		{"a write that changes nothing", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> PATCH a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x @2 v=1
			c1 <- @2`, "@2"},
		{"dry runs and refusals", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x v=2 dry
			c1 <- @2
			c1 -> DELETE a/x dry
			c1 <- ok
			c1 -> UPDATE a/x @1 v=3
			c1 <- 409 Conflict`, "@2"},
		{"generateName", `
			c1 -> CREATE a/ v=1
			c1 <- a/x @2`, "@2"},
		{"a lost create that a watch shows", `
			w1 -> WATCH rv=1
			c1 -> CREATE a/x v=1
			c1 <- lost
			w1 <- ADDED a/x @2 v=1 uid=u2`, "@2?"},
		{"a lost update that a list shows", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x v=2
			l1 -> LIST
			l1 <- @3 [a/x @3 v=2]`, "@2 @3?"},
		{"a lost update that a get shows", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x v=2
			c1 <- 504
			c1 -> GET a/x
			c1 <- a/x @3 v=2`, "@2 @3?"},
		{"a lost update that nothing shows", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x v=2
			c1 <- lost
			c1 -> UPDATE a/x v=3
			c1 <- @5`, "@2 @5~"},
		{"a lost update that cannot have come before", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c2 -> UPDATE a/x @2 v=2
			c2 <- lost
			c1 -> UPDATE a/x @2 v=3
			c1 <- @5
			c1 -> UPDATE a/x v=4
			c1 <- @6`, "@2 @5 @6"},
		{"the same content, lost after it was seen", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=2
			w1 <- MODIFIED a/x @3 v=2
			c1 -> UPDATE a/x v=2
			c1 <- lost`, "@2"},
		{"a lost write, found by one that had nothing to do", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x v=2
			c1 <- lost
			c2 -> PATCH a/x v=2
			c2 <- @3`, "@2 @3~"},
		{"a delete that nobody shows", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- ok`, "@2 -(2,)"},
		{"its bounds: what was acknowledged before, and what was called after", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> CREATE a/y v=1
			c1 <- @3
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> CREATE a/z v=1
			c1 <- @9
			c1 -> CREATE a/x v=2
			c1 <- @11`, "@2 -(3,9) @11"},
		{"its bounds, where the write after it may have found what was there", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> CREATE a/y v=1
			c1 <- @3
			c1 -> UPDATE a/y v=2
			c1 <- lost
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> PATCH a/y v=2
			c1 <- @4
			c1 -> CREATE a/x v=2
			c1 <- @11`, "@2 -(3,11) @11"},
		{"deleted and created again by answers that were lost", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- lost
			c1 -> CREATE a/x v=2
			c1 <- @5`, "@2 -(2,5) @5"},
		{"a lost delete that a watch shows", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=2
			c1 -> DELETE a/x
			c1 <- lost
			w1 <- DELETED a/x @3 v=1
			c1 -> CREATE a/x v=2
			c1 <- @4
			c1 -> DELETE a/x
			c1 <- ok`, "@2 -@3? @4 -(4,)"},
		{"a delete that may have been of what was there before the run", `
			... real time
			c2 -> DELETE a/x
			c1 -> CREATE a/x v=1
			c1 <- @5
			c2 <- ok`, "@5 -(5,)?"},
		{"the same, called after the create", `
			... real time
			c1 -> CREATE a/x v=1
			c2 -> DELETE a/x
			c2 <- ok
			c1 <- @5`, "@5 -(5,)?"},
		{"a delete that may have been of what a lost create made before", `
			c2 -> CREATE a/x v=9
			c2 <- lost
			c1 -> DELETE a/x
			c3 -> CREATE a/x v=1
			c3 <- @5
			c1 <- ok`, "@5~ -(5,)?"},
		{"the acknowledged delete was the second", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- lost
			c1 -> CREATE a/x v=2
			c1 <- @5
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> CREATE a/y v=2
			c1 <- @8`, "@2 -(2,5) @5 -(5,8)"},
		{"two deletes at once, answered crosswise", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c2 -> DELETE a/x
			c3 -> DELETE a/x
			c3 <- ok
			c1 -> CREATE a/x v=2
			c1 <- @5
			c2 <- ok
			c1 -> CREATE a/y v=2
			c1 <- @8`, "@2 -(2,5) @5 -(5,8)"},
		{"several deletions of one revision", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> CREATE a/y v=1
			c1 <- @3
			c1 -> DELETE a/x
			c2 -> DELETE a/y
			c1 <- ok
			c2 <- ok
			w1 -> WATCH rv=3
			w1 <- DELETED a/y @5 v=1
			w1 <- DELETED a/x @5 v=1`, "@2 -@5"},
		{"leaving a selector is not a deletion", `
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2
			c1 -> UPDATE a/x v=2 app=two
			c1 <- @3
			w1 -> WATCH rv=2 labels=app=one
			w1 <- DELETED a/x @3 v=1 app=one`, "@2 @3"},
		{"what left a selector by a lost write, and what a later delete did", `
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2
			w1 -> WATCH rv=2 labels=app=one
			c2 -> UPDATE a/x v=2 app=two
			c2 <- lost
			w1 <- DELETED a/x @3 v=1 app=one
			c1 -> DELETE a/x
			c1 <- ok`, "@2 -(2,)~"},
		{"and where another watch tells", `
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2
			w1 -> WATCH rv=2 labels=app=one
			w2 -> WATCH rv=2
			c2 -> UPDATE a/x v=2 app=two
			c2 <- lost
			w1 <- DELETED a/x @3 v=1 app=one
			w2 <- MODIFIED a/x @3 v=2 app=two
			c1 -> DELETE a/x
			c1 <- ok
			w2 <- DELETED a/x @4 v=2 app=two`, "@2 @3? -@4"},
		{"a deletion of what lived on", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x v=2
			c1 <- @5
			c1 -> DELETE a/x
			c1 <- ok
			w1 -> WATCH rv=2
			w1 <- DELETED a/x @3 v=1
			w1 <- DELETED a/x @6 v=2`, "@2 @5 -@6"},
		{"a deletion that was shown before anybody asked for it", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=2
			w1 <- DELETED a/x @3 v=1
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- DELETED a/x @4 v=1`, "@2 -@4"},
		{"a deletion of an object that nothing else shows", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- lost
			c1 -> CREATE a/x v=2
			c1 <- lost
			c1 -> DELETE a/x
			c1 <- ok
			w1 -> WATCH rv=4
			w1 <- DELETED a/x @5 v=2 uid=u4`, "@2 -(2,5)?~ -@5~"},
		{"without uids", `
			c1 -> CREATE a/x v=1
			c1 <- @2 uid=-
			c1 -> UPDATE a/x v=2
			c1 <- @3 uid=-
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> CREATE a/x v=3
			c1 <- @5 uid=-`, "@2 @3 -(3,5) @5"},
		{"finalizers: marked, then gone", `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			w1 -> WATCH rv=2
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- MODIFIED a/x @3 body=spec=1+finalizers=f+deleting
			c1 -> UPDATE a/x @3 body=spec=1
			c1 <- @3 body=spec=1+deleting
			w1 <- DELETED a/x @4 body=spec=1+finalizers=f+deleting`, "@2 @3 -@4"},
		{"older than the run", `
			c1 -> UPDATE a/x @3 v=2
			c1 <- @5
			c1 -> UPDATE a/x v=3
			c1 <- @6`, "@5~ @6"},
		{"without resourceVersions", `
			c1 -> CREATE a/x v=1
			c1 <- ok
			c1 -> CREATE a/y v=1
			c1 <- ok
			c1 -> UPDATE a/x v=1
			c1 <- ok
			c1 -> UPDATE a/x v=2
			c1 <- ok
			c1 -> DELETE a/x
			c1 <- ok`, "1 3? 4 -5"},
	} {
		t.Run(c.name, func(t *testing.T) { becomes(t, c.history, c.want) })
	}
}
