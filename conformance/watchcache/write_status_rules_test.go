package watchcache_test

import "testing"

// parted is an object of a kind whose status has a subresource: @2 was stale since its status was written.
const parted = `
	... has comparable-rv status-subresource
	c1 -> CREATE a/x body=spec=1
	c1 <- @2
	c2 -> UPDATE a/x @2 body=spec=1+status=s status
	c2 <- @3
`

func TestWriteStatusKept(t *testing.T) {
	judge(t, "write/status/status-kept", []judged{
		{name: "it brings another status", says: good, history: parted + `
			c1 -> UPDATE a/x @3 body=spec=2+status=t
			c1 <- @4 body=spec=2+status=s`},
		{name: "it leaves it out", says: good, history: parted + `
			c1 -> UPDATE a/x @3 v=2
			c1 <- @4 body=spec=2+status=s`},
		{name: "a patch", says: good, history: parted + `
			c1 -> PATCH a/x body=status=t
			c1 <- @3 body=spec=1+status=s`},
		{name: "as a dry run", says: good, history: parted + `
			c1 -> UPDATE a/x @3 body=spec=2+status=t dry
			c1 <- @3 body=spec=2+status=s`},
		{name: "the status follows from the spec", says: good, history: parted + `
			c1 -> UPDATE a/x @3 body=spec=2+status=t
			c1 <- @4 body=spec=2+status=pending`},
		{name: "the status that the object had with that spec: it may follow from it", says: untested, history: parted + `
			c1 -> PATCH a/x v=2
			c1 <- @4 body=spec=2+status=r
			c1 -> UPDATE a/x body=spec=1+status=s
			c1 <- @5 body=spec=1+status=s`},
		{name: "the same status", says: untested, history: parted + `
			c1 -> UPDATE a/x @3 body=spec=2+status=s
			c1 <- @4`},
		{name: "a patch of something else", says: untested, history: parted + `
			c1 -> PATCH a/x v=2
			c1 <- @4 body=spec=2+status=s`},
		{name: "a create: a few kinds take what it brings (pods, nodes)", says: untested, history: `
			... has comparable-rv status-subresource
			c1 -> CREATE a/x body=spec=1+status=s
			c1 <- @2`},
		{name: "what was there is not known", says: untested, history: inRealTime + parted + `
			c1 -> UPDATE a/x body=spec=2+status=t
			c1 <- @4`},
		{name: "a write to status", says: untested, history: parted + `
			c1 -> UPDATE a/x @3 body=spec=1+status=t status
			c1 <- @4`},
		{name: "refused", says: untested, history: parted + `
			c1 -> UPDATE a/x @3 body=spec=2+status=t
			c1 <- 403 Forbidden`},
		{name: "it sets it", says: bad, history: parted + `
			c1 -> UPDATE a/x @3 body=spec=2+status=t
			c1 <- @4`,
			bad: found("the status as before: s", "t, as it was sent", 3, 5, 6)},
		{name: "it takes it away", says: bad, history: parted + `
			c1 -> UPDATE a/x @3 v=2
			c1 <- @4`,
			bad: found("the status as before: s", "none, as it was sent", 3, 5, 6)},
		{name: "a patch sets it", says: bad, history: parted + `
			c1 -> PATCH a/x body=status=t
			c1 <- @4 body=spec=1+status=t`,
			bad: found("the status as before: s", "t, as it was sent", 3, 5, 6)},
		{name: "in real time, where the resourceVersion tells what was there", says: bad, history: inRealTime + parted + `
			c1 -> UPDATE a/x @3 body=spec=2+status=t
			c1 <- @4`,
			bad: found("the status as before: s", "t, as it was sent", 3, 5, 6)},
	})
}

func TestWriteSpecKept(t *testing.T) {
	judge(t, "write/status/spec-kept", []judged{
		{name: "it brings another spec", says: good, history: parted + `
			c2 -> UPDATE a/x @3 body=spec=2+status=t status
			c2 <- @4 body=spec=1+status=t`},
		{name: "it leaves it out", says: good, history: parted + `
			c2 -> UPDATE a/x @3 body=status=t status
			c2 <- @4 body=spec=1+status=t`},
		{name: "a patch, with the status alone", says: untested, history: parted + `
			c2 -> PATCH a/x body=status=t status
			c2 <- @4 body=spec=1+status=t`},
		{name: "a write to the object", says: untested, history: parted + `
			c1 -> UPDATE a/x @3 body=spec=2+status=s
			c1 <- @4`},
		{name: "it sets it", says: bad, history: parted + `
			c2 -> UPDATE a/x @3 body=spec=2+status=t status
			c2 <- @4`,
			bad: found("the spec as before: 1", "2, as it was sent", 3, 5, 6)},
		{name: "an apply sets it", says: bad, history: parted + `
			c2 -> PATCH a/x @3 body=spec=2+status=t status by=m1
			c2 <- @4`,
			bad: found("the spec as before: 1", "2, as it was sent", 3, 5, 6)},
	})
}

// What other rules say of writes to status.
func TestWritesToStatus(t *testing.T) {
	judge(t, "write/conflict/status", []judged{
		{name: "refused with 409", says: good, history: parted + `
			c2 -> UPDATE a/x @2 body=status=t status
			c2 <- 409 Conflict
			c2 -> PATCH a/x @2 body=status=t status
			c2 <- 409 Conflict`},
		{name: "a write to the object", says: untested, history: parted + `
			c2 -> UPDATE a/x @2 v=9
			c2 <- @4`},
		{name: "accepted", says: bad, history: parted + `
			c2 -> UPDATE a/x @2 body=spec=1+status=t status
			c2 <- @4`,
			bad: found("409 Conflict: a/x was @3, and not of resourceVersion 2", "the UPDATE was accepted", 5, 6)},
		{name: "refused, and what it would have made of the object is shown", says: bad, history: parted + `
			w1 -> WATCH rv=3
			c2 -> UPDATE a/x @2 body=spec=7+status=t status
			c2 <- 409 Conflict
			w1 <- MODIFIED a/x @4 body=spec=1+status=t`,
			bad: found("a refused UPDATE changes nothing", "a/x @4 shows what it wrote", 6, 7, 8)},
	})
	judge(t, "write/conflict/update", []judged{
		{name: "refused with 409", says: good, history: parted + `
			c2 -> UPDATE a/x @2 v=9
			c2 <- 409 Conflict`},
		{name: "a write to status", says: untested, history: parted + `
			c2 -> UPDATE a/x @2 body=status=t status
			c2 <- @4`},
		{name: "refused, and shown with the status that the object had", says: bad, history: parted + `
			w1 -> WATCH rv=3
			c1 -> UPDATE a/x @2 body=spec=7+status=old
			c1 <- 409 Conflict
			w1 <- MODIFIED a/x @4 body=spec=7+status=s`,
			bad: found("a refused UPDATE changes nothing", "a/x @4 shows what it wrote", 6, 7, 8)},
	})
	judge(t, "write/response", []judged{
		{name: "what was there beside its status", says: good, history: parted + `
			c2 -> UPDATE a/x @3 body=spec=7+status=t+annotation:n=1 app=one status
			c2 <- @4 body=spec=1+status=t app=two`},
		{name: "no answer", says: untested, history: `
			c1 -> CREATE a/x v=1`},
		{name: "another status", says: bad, history: parted + `
			c2 -> UPDATE a/x @3 body=status=t status
			c2 <- @4 body=spec=1+status=s`,
			bad: found(`the object as it was sent: "status=t"`, `"spec=1 status=s"`, 5, 6)},
		{name: "a patch of status takes away what it does not name", says: bad, history: parted + `
			c1 -> UPDATE a/x @3 body=spec=1+status=s+annotation:n=1
			c1 <- @4
			c2 -> PATCH a/x @4 body=status=t status
			c2 <- @5 body=spec=1+status=t`,
			bad: found("annotation:n=1 as before: the patch does not name it", "a/x @5 without it", 5, 7, 8)},
	})
	judge(t, "write/no-op", []judged{
		{name: "another spec, and the status that it has", says: good, history: parted + `
			c2 -> UPDATE a/x @3 body=spec=7+status=s status
			c2 <- @3 body=spec=1+status=s`},
		{name: "another status, by a write to the object", says: good, history: parted + `
			c1 -> UPDATE a/x @3 body=spec=1+status=t
			c1 <- @3 body=spec=1+status=s`},
		{name: "another annotation, which some kinds take", says: untested, history: parted + `
			c2 -> UPDATE a/x @3 body=spec=1+status=s+annotation:n=1 status
			c2 <- @4`},
		{name: "the server changes the status itself", says: untested, history: parted + `
			c1 -> UPDATE a/x @3 body=spec=1+status=t
			c1 <- @4 body=spec=1+status=u`},
		{name: "a new resourceVersion", says: bad, history: parted + `
			c2 -> UPDATE a/x @3 body=spec=7+status=s status
			c2 <- @4 body=spec=1+status=s`,
			bad: found("the resourceVersion 3, as before: nothing changed", "@4", 5, 6)},
	})
	judge(t, "write/missing/update", []judged{
		{name: "an apply of status creates nothing", says: good, history: parted + `
			c1 -> DELETE a/x
			c1 <- ok
			c2 -> PATCH a/x body=status=t status by=m1
			c2 <- 404 NotFound`},
		{name: "it says nothing", says: untested, history: parted},
		{name: "of a kind whose status has none, 404 says that there is no such path", says: untested, history: deleted + `
			c1 -> CREATE a/x v=5
			c1 <- @5
			c2 -> UPDATE a/x @5 body=spec=5+status=t status
			c2 <- 404 NotFound`},
		{name: "of what is there", says: bad, history: parted + `
			c2 -> UPDATE a/x @3 body=status=t status
			c2 <- 404 NotFound`,
			bad: found("no 404: a/x was there all the time", "404 NotFound", 5, 6)},
		{name: "it creates", says: bad, history: parted + `
			c1 -> DELETE a/x
			c1 <- ok
			c2 -> PATCH a/x body=status=t status by=m1
			c2 <- @6 uid=u6`,
			bad: found("404 NotFound: a/x was not there", "the PATCH was answered", 7, 8)},
	})
	judge(t, "write/dry-run", []judged{
		{name: "nothing of it is shown", says: good, history: parted + `
			c2 -> UPDATE a/x @3 body=spec=7+status=t status dry
			c2 <- @3 body=spec=1+status=t
			c1 -> GET a/x
			c1 <- a/x @3 body=spec=1+status=s`},
		{name: "then it is done, and takes the last finalizer", says: good, history: `
			... has comparable-rv status-subresource
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			c2 -> UPDATE a/x @2 body=spec=1+status=s+finalizers=f status
			c2 <- @3
			w1 -> WATCH rv=3
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- MODIFIED a/x @4 body=spec=1+status=s+finalizers=f+deleting
			c1 -> UPDATE a/x @4 body=spec=1+status=s+deleting dry
			c1 <- @4
			c1 -> UPDATE a/x @4 body=spec=1+status=s+deleting
			c1 <- @4`},
		{name: "no dry run", says: untested, history: parted},
		{name: "its status is shown", says: bad, history: parted + `
			c2 -> UPDATE a/x @3 body=spec=7+status=t status dry
			c2 <- @3 body=spec=1+status=t
			c1 -> GET a/x
			c1 <- a/x @4 body=spec=1+status=t`,
			bad: found("nothing of a dry run", "GET a/x with what it sent", 5, 8)},
	})
}
