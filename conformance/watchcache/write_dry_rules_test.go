package watchcache_test

import "testing"

// waiting is an object that is being deleted, under a watch.
const waiting = `
	c1 -> CREATE a/x body=spec=1+finalizers=f
	c1 <- @2
	w1 -> WATCH rv=2
	c1 -> DELETE a/x
	c1 <- ok
	w1 <- MODIFIED a/x @3 body=spec=1+finalizers=f+deleting
`

func TestWriteDryRun(t *testing.T) {
	const nothing = "nothing of a dry run"
	judge(t, "write/dry-run", []judged{
		{name: "a patch whose answer was lost asked for the same", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @9
			c0 -> PATCH a/x body=annotation:n=q dry
			c0 <- @9 body=spec=1+annotation:n=q
			c0 -> PATCH a/x body=annotation:n=q
			c0 <- lost
			l1 -> LIST
			l1 <- @10 [a/x @10 body=spec=1+annotation:n=q]`},
		{name: "what was being deleted before the run, and a list of then", says: good, history: `
			l1 -> LIST rv=3
			c1 -> DELETE a/x dry
			l1 <- @3 [a/x @2 body=spec=1+finalizers=f+deleting]
			c1 <- ok`},
		{name: "what was deleted before the run, and a watch from then", says: good, history: `
			c1 -> UPDATE a/x @5 v=2
			c1 <- @6
			c1 -> DELETE a/x dry
			c1 <- ok
			w1 -> WATCH rv=2
			w1 <- DELETED a/x @3 v=1
			w1 <- ADDED a/x @6 v=2`},
		{name: "what was there before the run is deleted after it", history: `
			c1 -> UPDATE a/y @5 v=2
			c1 <- @6
			w1 -> WATCH rv=6
			c1 -> DELETE a/x dry
			c1 <- ok
			w1 <- DELETED a/x @7 v=1`, says: bad, bad: found("no deletion: it was a dry run", "DELETED a/x @7", 3, 4, 6)},
		{name: "seen, and then done for real", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x @2 v=2 dry
			c1 <- @2
			l1 -> LIST
			l1 <- @3 [a/x @3 v=2]
			c1 -> UPDATE a/x v=2
			c1 <- @3`, bad: found("nothing of a dry run", "LIST a/x with what it sent", 3, 6)},
		{name: "a delete, seen and then done for real", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=2
			c1 -> DELETE a/x dry
			c1 <- ok
			w1 <- DELETED a/x @3 v=1
			c1 -> DELETE a/x
			c1 <- 404 NotFound`, bad: found("no deletion: it was a dry run", "DELETED a/x @3", 3, 4, 6)},
		{name: "seen after it was asked for, for real", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x @2 v=2 dry
			c1 <- @2
			c1 -> UPDATE a/x v=2
			l1 -> LIST
			l1 <- @3 [a/x @3 v=2]
			c1 <- @3`},
		{name: "a patch of nothing, where a delete has left more than is known", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @4
			c1 -> DELETE a/x policy=Foreground
			c1 <- ok
			c1 -> PATCH a/x dry
			c1 <- @5 body=spec=1+finalizers=foregroundDeletion+deleting
			l1 -> LIST
			l1 <- @5 [a/x @5 body=spec=1+finalizers=foregroundDeletion+deleting]`},
		{name: "what another client had written, and was read before", says: odd, history: `
			... real time
			c1 -> CREATE a/x v=1
			c1 <- @4
			g1 -> GET a/x
			g1 <- a/x @5 v=2
			c1 -> UPDATE a/x v=2 dry
			c1 <- @5
			l1 -> LIST
			l1 <- @5 [a/x @5 v=2]`},
		{name: "a patch that takes away what is not there, of what another client had written", says: odd, history: `
			... real time
			c1 -> CREATE a/x v=1
			c1 <- @4
			c1 -> PATCH a/x dry
			c1 <- @6 body=spec=1+annotation:n=1
			l1 -> LIST
			l1 <- @6 [a/x @6 body=spec=1+annotation:n=1]`},
		{name: "answered, and nothing is seen of it", says: good, history: replaced + `
			w1 -> WATCH rv=3
			c1 -> CREATE a/y v=8 dry
			c1 <- uid=u0
			c1 -> UPDATE a/x @3 v=9 dry
			c1 <- @3
			c1 -> DELETE a/x @3 dry
			c1 <- ok
			c1 -> GET a/x
			c1 <- a/x @3 v=2
			l1 -> LIST
			l1 <- @3 [a/x @3 v=2]
			w1 <- SETTLED`},
		{name: "refused", says: good, history: replaced + `
			c1 -> CREATE a/x v=8 dry
			c1 <- 409 AlreadyExists
			c1 -> UPDATE a/x @2 v=9 dry
			c1 <- 409 Conflict
			c1 -> DELETE a/x @2 dry
			c1 <- 409 Conflict`},
		{name: "a patch of a part, and it is stored", says: bad, history: replaced + `
			c1 -> PATCH a/x body=finalizers=f dry
			c1 <- @3 body=spec=2+finalizers=f
			c1 -> GET a/x
			c1 <- a/x @4 body=spec=2+finalizers=f`,
			bad: found(nothing, "GET a/x with what it sent", 5, 8)},
		{name: "a patch of a part, and another did the same", says: good, history: replaced + `
			c1 -> PATCH a/x body=finalizers=f dry
			c1 <- @3 body=spec=2+finalizers=f
			c1 -> PATCH a/x body=finalizers=f
			c1 <- @4 body=spec=2+finalizers=f
			c1 -> GET a/x
			c1 <- a/x @4 body=spec=2+finalizers=f`},
		{name: "a patch of a part, and another may have done the same", says: good, history: replaced + `
			c1 -> PATCH a/x body=finalizers=f
			c1 -> PATCH a/x body=finalizers=f dry
			c1 <- @3 body=spec=2+finalizers=f
			c1 <- lost
			c1 -> GET a/x
			c1 <- a/x @4 body=spec=2+finalizers=f`},
		{name: "it would change nothing", says: good, history: replaced + `
			c1 -> UPDATE a/x @3 v=2 dry
			c1 <- @3
			l1 -> LIST
			l1 <- @3 [a/x @3 v=2]`},
		{name: "done for good later", says: good, history: replaced + `
			w1 -> WATCH rv=3
			c1 -> UPDATE a/x @3 v=9 dry
			c1 <- @3
			c1 -> DELETE a/x dry
			c1 <- ok
			c1 -> UPDATE a/x @3 v=9
			c1 <- @4
			c1 -> DELETE a/x
			c1 <- lost
			w1 <- MODIFIED a/x @4 v=9
			w1 <- DELETED a/x @5 v=9`},
		{name: "it leaves the selector", says: good, history: `
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2
			w1 -> WATCH rv=2 labels=app=one
			c1 -> DELETE a/x dry
			c1 <- ok
			c1 -> UPDATE a/x v=2 app=two
			c1 <- @3
			w1 <- DELETED a/x @3 v=1 app=one`},
		{name: "a get from before it was created", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x dry
			c1 <- ok
			c1 -> GET a/x rv=0
			c1 <- 404 NotFound`},
		{name: "swept", says: good, history: replaced + `
			w1 -> WATCH rv=3
			c1 -> DELETE a/x dry
			c1 <- ok
			c1 -> DELETECOLLECTION ns=a
			c1 <- ok
			w1 <- DELETED a/x @4 v=2`},
		{name: "a collection, and it is all there", says: good, history: replaced + `
			w1 -> WATCH rv=3
			c1 -> DELETECOLLECTION ns=a dry
			c1 <- ok
			c1 -> GET a/x
			c1 <- a/x @3 v=2
			c1 -> GET a/y
			c1 <- 404 NotFound
			w1 <- SETTLED`},
		{name: "of a collection one is deleted for good later", says: good, history: replaced + `
			w1 -> WATCH rv=3
			c1 -> DELETECOLLECTION ns=a dry
			c1 <- ok
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- DELETED a/x @4 v=2`},
		{name: "what was made after a collection is gone", says: good, history: replaced + `
			c1 -> DELETECOLLECTION ns=a dry
			c1 <- ok
			c1 -> GET a/y
			c1 <- 404 NotFound
			c1 -> CREATE a/y v=5
			c1 <- @4`},
		{name: "the last finalizer, and it stays", says: good, history: waiting + `
			c1 -> UPDATE a/x @3 v=1 dry
			c1 <- @3
			c1 -> GET a/x
			c1 <- a/x @3 body=spec=1+finalizers=f+deleting
			c1 -> UPDATE a/x @3 v=1
			c1 <- @3 body=spec=1+deleting
			w1 <- DELETED a/x @4 body=spec=1+finalizers=f+deleting`},
		{name: "a delete of what is missing is refused", says: good, history: replaced + `
			c1 -> DELETE a/y dry
			c1 <- 404 NotFound`},
		{name: "none, or nobody knows", says: untested, history: replaced + `
			c1 -> UPDATE a/x v=9 dry
			c1 <- lost
			c1 -> UPDATE a/x @3 v=10
			c1 <- @4`},
		{name: "a create is in a list", says: bad, history: replaced + `
			c1 -> CREATE a/y v=8 dry
			c1 <- uid=u0
			l1 -> LIST
			l1 <- @4 [a/x @3 v=2, a/y @4 v=8]`,
			bad: found(nothing, "LIST a/y with what it sent", 5, 8)},
		{name: "an update is on a watch", says: bad, history: replaced + `
			w1 -> WATCH rv=3
			c1 -> UPDATE a/x @3 v=9 dry
			c1 <- @3
			w1 <- MODIFIED a/x @4 v=9`,
			bad: found(nothing, "MODIFIED a/x with what it sent", 6, 8)},
		{name: "a delete is on a watch", says: bad, history: replaced + `
			w1 -> WATCH rv=3
			c1 -> DELETE a/x dry
			c1 <- ok
			w1 <- DELETED a/x @4 v=2`,
			bad: found("no deletion: it was a dry run", "DELETED a/x @4", 5, 6, 8)},
		{name: "what was deleted cannot be got", says: bad, history: replaced + `
			c1 -> DELETE a/x dry
			c1 <- ok
			c1 -> GET a/x
			c1 <- 404 NotFound`,
			bad: found("no deletion: it was a dry run", "404", 5, 7, 8)},
		{name: "a create of what exists is taken", says: bad, history: replaced + `
			c1 -> CREATE a/x v=8 dry
			c1 <- uid=u0`,
			bad: found("409 AlreadyExists, as the real CREATE would be answered", "the dry run was accepted", 5, 6)},
		{name: "a stale update is taken", says: bad, history: replaced + `
			c1 -> UPDATE a/x @2 v=8 dry
			c1 <- @3`,
			bad: found("409 Conflict, as the real UPDATE would be answered", "the dry run was accepted", 5, 6)},
		{name: "a delete of another uid is taken", says: bad, history: replaced + `
			c1 -> DELETE a/x uid=other dry
			c1 <- ok`,
			bad: found("409 Conflict, as the real DELETE would be answered", "the dry run was accepted", 5, 6)},
		{name: "a patch is in a list", says: bad, history: replaced + `
			c1 -> PATCH a/x v=9 dry
			c1 <- @3
			l1 -> LIST
			l1 <- @4 [a/x @4 v=9]`,
			bad: found(nothing, "LIST a/x with what it sent", 5, 8)},
		{name: "a collection is gone", says: bad, history: replaced + `
			c1 -> DELETECOLLECTION ns=a dry
			c1 <- ok
			c1 -> GET a/x
			c1 <- 404 NotFound`,
			bad: found("no deletion: it was a dry run", "404", 5, 7, 8)},
		{name: "what has finalizers is marked", says: bad, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			c1 -> DELETE a/x dry
			c1 <- ok
			c1 -> GET a/x
			c1 <- a/x @3 body=spec=1+finalizers=f+deleting`,
			bad: found("no deletion: it was a dry run", "GET a/x, which is being deleted", 3, 5, 6)},
		{name: "the last finalizer is taken", says: bad, history: waiting + `
			c1 -> UPDATE a/x @3 v=1 dry
			c1 <- @3
			w1 <- DELETED a/x @4 body=spec=1+finalizers=f+deleting`,
			bad: found("no deletion: it was a dry run", "DELETED a/x @4", 3, 7, 9)},
		{name: "a delete of what is missing is taken", says: bad, history: replaced + `
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> DELETE a/x dry
			c1 <- ok`,
			bad: found("404 NotFound, as the real DELETE would be answered", "the dry run was accepted", 7, 8)},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
	})
}
