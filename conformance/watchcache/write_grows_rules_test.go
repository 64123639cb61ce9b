package watchcache_test

import "testing"

func TestWriteVersionGrows(t *testing.T) {
	judge(t, "write/version-grows", []judged{
		{name: "larger each time", says: good, history: replaced + `
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> CREATE a/x v=3
			c1 <- @5`},
		{name: "it changed nothing", says: good, history: replaced + `
			c1 -> PATCH a/x v=2
			c1 <- @3`},
		{name: "who takes the last finalizer is answered with the old one", says: odd, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f,g
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> PATCH a/x body=spec=1+finalizers=f
			c1 <- @4 body=spec=1+finalizers=f+deleting
			c1 -> PATCH a/x body=spec=1
			c1 <- @4 body=spec=1+deleting`},
		{name: "smaller", says: bad, history: replaced + `
			c1 -> UPDATE a/x v=3
			c1 <- @2`,
			bad: found("a resourceVersion above 3", "a/x @2", 4, 5, 6)},
		{name: "as a string it is larger", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @10
			c1 -> UPDATE a/x v=2
			c1 <- @9`,
			bad: found("a resourceVersion above 10", "a/x @9", 2, 3, 4)},
		{name: "not above what was answered for another object", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> CREATE a/y v=2
			c1 <- @4
			c1 -> UPDATE a/x @2 v=3
			c1 <- @3`,
			bad: found("a resourceVersion above 4, which was answered before", "a/x @3", 5, 6)},
		{name: "not above it, though another may have made the change", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c2 -> UPDATE a/x v=3
			c2 <- lost
			c1 -> CREATE a/y v=2
			c1 <- @4
			c1 -> UPDATE a/x v=3
			c1 <- @3`},
		{name: "the same, though it changed", says: bad, history: replaced + `
			c1 -> PATCH a/x v=3
			c1 <- @3`,
			bad: found("a resourceVersion above 3", "a/x @3", 4, 5, 6)},
		{name: "whoever else writes it", says: bad, history: replaced + `
			l1 -> LIST
			l1 <- @5 [a/x @5 v=9]
			c1 -> UPDATE a/x v=3
			c1 <- @2`,
			bad: found("a resourceVersion above 3", "a/x @2", 4, 7, 8)},
		{name: "the uid of the object before", says: bad, history: deleted + `
			c1 -> CREATE a/x v=3
			c1 <- @5 uid=u2`,
			bad: found("a new uid: the object is another one", "u2 again", 2, 5, 6)},
		{name: "at the same time", says: untested, history: `
			c1 -> UPDATE a/x v=2
			c2 -> UPDATE a/x v=1
			c1 <- @3
			c2 <- @2`},
		{name: "dry runs", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x @2 v=2 dry
			c1 <- @2`},
		{name: "what cannot be compared is another rule's", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x v=2
			c1 <- @x3`},
		{name: "writes without resourceVersions", says: undecided, undecided: "no resourceVersion", history: overlap},
	})
}

func TestWriteNoOp(t *testing.T) {
	const want = "the resourceVersion 3, as before: nothing changed"
	judge(t, "write/no-op", []judged{
		{name: "the old resourceVersion", says: good, history: replaced + `
			c1 -> UPDATE a/x @3 v=2
			c1 <- @3
			c1 -> PATCH a/x v=2
			c1 <- @3`},
		{name: "a new one", says: bad, history: replaced + `
			c1 -> UPDATE a/x @3 v=2
			c1 <- @4`,
			bad: found(want, "@4", 5, 6)},
		{name: "a patch", says: bad, history: replaced + `
			c1 -> PATCH a/x v=2
			c1 <- @4`,
			bad: found(want, "@4", 5, 6)},
		{name: "it changes a field alone", says: untested, history: `
			c1 -> CREATE a/x v=1 .spec.nodeName=
			c1 <- @2 .spec.nodeName=
			c1 -> UPDATE a/x @2 v=1 .spec.nodeName=n1
			c1 <- @3 .spec.nodeName=n1`},
		{name: "it changes who manages what alone", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 managed=m1
			c1 -> PATCH a/x v=1
			c1 <- @3 managed=m2`},
		{name: "a new one, and nobody else manages it", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 managed=m1
			c1 -> PATCH a/x v=1
			c1 <- @3 managed=m1`,
			bad: found("the resourceVersion 2, as before: nothing changed", "@3", 3, 4)},
		{name: "it changes something", says: untested, history: replaced + `
			c1 -> UPDATE a/x @3 v=3
			c1 <- @4
			c1 -> UPDATE a/x @4 v=3 app=one
			c1 <- @5`},
		{name: "a dry run", says: untested, history: replaced + `
			c1 -> UPDATE a/x @3 v=2 dry
			c1 <- @3`},
		{name: "it may have been otherwise in between", says: untested, history: replaced + `
			c2 -> UPDATE a/x v=9
			c1 -> UPDATE a/x v=2
			c2 <- @4
			c1 <- @5`},
		{name: "a lost write may have changed it in between", says: untested, history: replaced + `
			c2 -> UPDATE a/x v=9
			c2 <- lost
			c1 -> UPDATE a/x v=2
			c1 <- @5`},
		{name: "refused", says: untested, history: replaced + `
			c1 -> UPDATE a/x @2 v=2
			c1 <- 409 Conflict`},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
	})
}

func TestWriteVisible(t *testing.T) {
	judge(t, "write/visible", []judged{
		{name: "in a list, and on a watch", says: good, history: replaced + `
			w1 -> WATCH rv=2
			l1 -> LIST
			l1 <- @3 [a/x @3 v=2]
			w1 <- MODIFIED a/x @3 v=2
			w1 <- SETTLED`},
		{name: "the list is older", says: bad, history: replaced + `
			l1 -> LIST
			l1 <- @2 [a/x @2 v=1]`,
			bad: found("a resourceVersion of at least 3, which a write before it was answered with", "a list @2", 5, 6)},
		{name: "a watch that was settled lacks it", says: bad, history: replaced + `
			w1 -> WATCH rv=2
			w1 <- SETTLED`,
			bad: found("MODIFIED for a/x @3", "no MODIFIED, though the watch had all the time it needs", 3, 5, 6)},
		{name: "a watch that went on lacks it", says: bad, history: replaced + `
			c1 -> CREATE a/y v=3
			c1 <- @4
			w1 -> WATCH rv=2
			w1 <- ADDED a/y @4 v=3`,
			bad: found("MODIFIED for a/x @3", "no MODIFIED, though ADDED a/y @4 came after it", 3, 7, 8)},
		{name: "the watch may not have come that far", says: untested, history: replaced + `
			w1 -> WATCH rv=2`},
		{name: "the write was not answered yet", says: untested, history: `
			c1 -> CREATE a/x v=1
			l1 -> LIST
			l1 <- @1 []
			c1 <- @2`},
		{name: "a stale list was asked for", says: untested, history: replaced + `
			l1 -> LIST rv=0
			l1 <- @2 [a/x @2 v=1]`},
		{name: "of another scope", says: untested, history: replaced + `
			w1 -> WATCH ns=b rv=2
			w1 <- SETTLED`},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
	})
}
