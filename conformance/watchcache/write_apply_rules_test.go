package watchcache_test

import (
	"strings"
	"testing"
)

// applied is an object of which one manager has applied the content, and another a note.
const applied = `
	c1 -> PATCH a/x v=1 by=m1
	c1 <- @2 v=1
	c2 -> PATCH a/x body=annotation:n=1 by=m2
	c2 <- @3 body=spec=1+annotation:n=1
`

func TestWriteMissingApply(t *testing.T) {
	judge(t, "write/missing/apply", []judged{
		{name: "it creates", says: good, history: deleted + `
			c1 -> PATCH a/x v=1 by=m1
			c1 <- @4 uid=u4`},
		{name: "what never was", says: good, history: deleted + `
			c1 -> DELETE a/y
			c1 <- 404 NotFound
			c1 -> PATCH a/y v=1 by=m1
			c1 <- @4`},
		{name: "what may have been there", says: untested, history: deleted + `
			c1 -> PATCH a/y v=1 by=m1
			c1 <- @4`},
		{name: "not found", says: bad, history: deleted + `
			c1 -> PATCH a/x v=1 by=m1
			c1 <- 404 NotFound`,
			bad: found("a/x to be created: it was not there, and an apply creates", "404 NotFound", 5, 6)},
		{name: "a conflict with what is not there", says: bad, history: deleted + `
			c1 -> PATCH a/x v=1 by=m1
			c1 <- 409 Conflict`,
			bad: found("a/x to be created: it was not there, and an apply creates", "409 Conflict", 5, 6)},
		{name: "of what is there", says: bad, history: applied + `
			c1 -> PATCH a/x v=2 by=m1
			c1 <- 404 NotFound`,
			bad: found("no 404: a/x was there all the time", "404 NotFound", 5, 6)},
		{name: "with a precondition, which does not hold of it", says: untested, history: deleted + `
			c1 -> PATCH a/x @2 v=1 by=m1
			c1 <- 409 Conflict`},
		{name: "refused for another reason", says: untested, history: deleted + `
			c1 -> PATCH a/x v=1 by=m1
			c1 <- 403 Forbidden`},
		{name: "another patch", says: untested, history: deleted + `
			c1 -> PATCH a/x v=1
			c1 <- 404 NotFound`},
		{name: "which a lost create may have made", says: odd, history: deleted + `
			c2 -> CREATE a/x v=2
			c2 <- lost
			c1 -> PATCH a/x v=1 by=m1
			c1 <- 409 Conflict`},
	})
	judge(t, "write/missing/update", []judged{
		{name: "an apply creates", says: untested, history: deleted + `
			c1 -> PATCH a/x v=1 by=m1
			c1 <- @4`},
		{name: "another patch", says: good, history: deleted + `
			c1 -> PATCH a/x v=1
			c1 <- 404 NotFound`},
		{name: "another patch creates", says: bad, history: deleted + `
			c1 -> PATCH a/x v=1
			c1 <- @4 uid=u4`,
			bad: found("404 NotFound: a/x was not there", "the PATCH was answered", 5, 6)},
	})
}

// An apply of what is not there creates it, whatever resourceVersion it names: so kube-apiserver v1.37.1 does.
func TestApplyCreatesWhateverItNames(t *testing.T) {
	judge(t, "write/conflict/patch", []judged{
		{name: "what was never there, and is changed later", says: untested, history: deleted + `
			c1 -> PATCH a/y @1 v=1 by=m1
			c1 <- @4 uid=u4 v=1
			c1 -> PATCH a/y v=2
			c1 <- @5 uid=u4 v=2`},
		{name: "of what is there", says: bad, history: applied + `
			c1 -> PATCH a/x @1 v=2 by=m1
			c1 <- @4 v=2`,
			bad: found("409 Conflict: a/x was @3, and not of resourceVersion 1", "the PATCH was accepted", 5, 6)},
		{name: "what an unanswered delete may have taken", says: untested, history: applied + `
			c1 -> DELETE a/x
			c2 -> PATCH a/x @2 v=2 by=c2 dry
			c2 <- @2 v=2`},
		{name: "what was deleted, with its resourceVersion", says: untested, history: deleted + `
			c1 -> PATCH a/x @2 v=1 by=m1
			c1 <- @4 uid=u4 v=1
			c1 -> PATCH a/x v=2
			c1 <- @5 uid=u4 v=2`},
		{name: "an old version is refused", says: good, history: applied + `
			c1 -> PATCH a/x @1 v=2 by=m1
			c1 <- 409 Conflict`},
	})
}

// So does an update, of kinds that create on update.
func TestUpdateCreatesWhateverItNames(t *testing.T) {
	judge(t, "write/conflict/update", []judged{
		{name: "what an unanswered delete may have taken", says: untested, history: "... has create-on-update comparable-rv" + applied + `
			c1 -> DELETE a/x
			c2 -> UPDATE a/x @2 v=2 dry
			c2 <- @2 v=2`},
		{name: "an old version is refused", says: good, history: "... has create-on-update comparable-rv" + applied + `
			c2 -> UPDATE a/x @2 v=2
			c2 <- 409 Conflict`},
		{name: "an old version is accepted", says: bad, history: "... has create-on-update comparable-rv" + applied + `
			c2 -> UPDATE a/x @2 v=2 dry
			c2 <- @2 v=2`,
			bad: found("409 Conflict: a/x was @3, and not of resourceVersion 2", "the UPDATE was accepted", 5, 6)},
	})
}

// What an apply made anew has a uid of its own, and is there from then on.
func TestAppliedAnew(t *testing.T) {
	const anew = `
		c1 -> CREATE a/x v=1
		c1 <- @2 uid=u2
		c1 -> DELETE a/x
		c1 <- ok
		c1 -> PATCH a/x @2 v=1 by=m1
		c1 <- @4 uid=u4 v=1
	`
	judge(t, "write/uid-kept", []judged{
		{name: "anew", says: untested, history: anew},
		{name: "kept", says: good, history: anew + `
			c1 -> UPDATE a/x @4 uid=u9 v=2
			c1 <- 409 Conflict`},
		{name: "changed", says: bad, history: anew + `
			c1 -> UPDATE a/x @4 uid=u4 v=2
			c1 <- @5 uid=u9 v=2`,
			bad: found("the uid u4, as before", "u9", 7, 8)},
	})
}

func TestWriteConflictApply(t *testing.T) {
	const forced = "the apply to be done: it forces, and takes spec from who has applied it"
	const conflict = "409 Conflict: spec of a/x is what another manager has applied"
	const content = `
		c1 -> DELETE a/x
		c1 <- 404 NotFound
		c1 -> PATCH a/x v=1 by=m1
		c1 <- @2 v=1
	`
	judge(t, "write/conflict/apply", []judged{
		{name: "refused", says: good, history: content + `
			c2 -> PATCH a/x v=2 by=m2
			c2 <- 409 Conflict cause=FieldManagerConflict
			l1 -> LIST
			l1 <- @2 [a/x @2 v=1]`},
		{name: "accepted", says: bad, history: content + `
			c2 -> PATCH a/x v=2 by=m2
			c2 <- @3 v=2`,
			bad: found(conflict, "the apply was accepted", 3, 5, 6)},
		{name: "refused, and applied", says: bad, history: content + `
			c2 -> PATCH a/x v=2 by=m2
			c2 <- 409 Conflict
			l1 -> LIST
			l1 <- @3 [a/x @3 v=2]`,
			bad: found("a refused PATCH changes nothing", "a list @3 shows what it wrote", 5, 6, 8)},
		{name: "refused without a reason", says: bad, history: content + `
			c2 -> PATCH a/x v=2 by=m2
			c2 <- 409`,
			bad: found(conflict, "409", 3, 5, 6)},
		{name: "by force", says: good, history: content + `
			c2 -> PATCH a/x v=2 by=m2!
			c2 <- @3 v=2`},
		{name: "by force, and refused", says: bad, history: content + `
			c2 -> PATCH a/x v=2 by=m2!
			c2 <- 409 Conflict`,
			bad: found(forced, "409 Conflict", 3, 5, 6)},
		{name: "by force, and refused for its fields, whoever else is there", says: bad, history: inRealTime + content + `
			c2 -> PATCH a/x v=2 by=m2!
			c2 <- 409 Conflict cause=FieldManagerConflict`,
			bad: found(forced, "409 Conflict", 3, 5, 6)},
		{name: "by force, and refused: another client may have written it", says: untested, history: inRealTime + content + `
			c2 -> PATCH a/x v=2 by=m2!
			c2 <- 409 Conflict`},
		{name: "by force, and stale", says: untested, history: content + `
			c1 -> PATCH a/x v=2 by=m1
			c1 <- @3 v=2
			c2 -> PATCH a/x @2 v=3 by=m2!
			c2 <- 409 Conflict`},
		{name: "of the same value", says: untested, history: content + `
			c2 -> PATCH a/x v=1 by=m2
			c2 <- @3 v=1`},
		{name: "by the same manager", says: untested, history: content + `
			c1 -> PATCH a/x v=2 by=m1
			c1 <- @3 v=2`},
		{name: "of something else", says: untested, history: applied + `
			c3 -> PATCH a/x body=annotation:o=1 by=m3
			c3 <- @4 body=spec=1+annotation:n=1+annotation:o=1`},
		{name: "of what an update has changed since", says: untested, history: content + `
			c1 -> UPDATE a/x v=2
			c1 <- @3 v=2
			c2 -> PATCH a/x v=3 by=m2
			c2 <- @4 v=3`},
		{name: "another client may have given it up", says: untested, history: inRealTime + content + `
			c2 -> PATCH a/x v=2 by=m2
			c2 <- @3 v=2`},
	})
}

func TestWriteNoOpApply(t *testing.T) {
	judge(t, "write/no-op", []judged{
		{name: "the same again", says: good, history: applied + `
			c2 -> PATCH a/x body=annotation:n=1 by=m2
			c2 <- @3 body=spec=1+annotation:n=1`},
		{name: "a new resourceVersion", says: bad, history: applied + `
			c2 -> PATCH a/x body=annotation:n=1 by=m2
			c2 <- @4 body=spec=1+annotation:n=1`,
			bad: found("the resourceVersion 3, as before: nothing changed", "@4", 5, 6)},
		{name: "by another version: managedFields say so", says: untested, history: applied + `
			c2 -> PATCH a/x body=annotation:n=1 by=m2 served=other
			c2 <- @4 body=spec=1+annotation:n=1`},
		{name: "of another manager: it comes to manage it, too", says: untested, history: applied + `
			c3 -> PATCH a/x body=annotation:n=1 by=m3
			c3 <- @4 body=spec=1+annotation:n=1`},
		{name: "after another's", says: untested, history: applied + `
			c1 -> PATCH a/x v=1 by=m1
			c1 <- @4 body=spec=1+annotation:n=1`},
		{name: "after a lost one", says: untested, history: applied + `
			c3 -> PATCH a/x body=annotation:n=1 by=m3
			c3 <- lost
			c2 -> PATCH a/x body=annotation:n=1 by=m2
			c2 <- @5 body=spec=1+annotation:n=1`},
	})
}

// keptApplied is what its manager has applied, and then leaves out, and what is there all the same.
const keptApplied = `
	c0 -> DELETE a/x
	c0 <- 404 NotFound
	c1 -> PATCH a/x app=one by=m1
	c1 <- @2
	c1 -> PATCH a/x app=one v=1 by=m1
	c1 <- @3
	c2 -> PATCH a/x body=annotation:o=1 by=m2
	c2 <- @4 app=one body=spec=1+annotation:o=1
	c1 -> PATCH a/x app=one by=m1
	c1 <- @4 app=one body=spec=1+annotation:o=1
`

func TestWriteResponseApply(t *testing.T) {
	judge(t, "write/response", []judged{
		{name: "it leaves alone what others have applied", says: good, history: applied},
		{name: "it loses that", says: bad, history: `
			c1 -> PATCH a/x body=spec=1+annotation:n=1 by=m1
			c1 <- @2
			c2 -> PATCH a/x body=annotation:o=1 by=m2
			c2 <- @3 body=spec=1+annotation:o=1`,
			bad: found("annotation:n=1 as before: the patch does not name it", "a/x @3 without it", 1, 3, 4)},
		{name: "it takes back what it has applied itself", says: good, history: applied + `
			c2 -> PATCH a/x body=annotation:o=1 by=m2
			c2 <- @4 body=spec=1+annotation:o=1`},
		{name: "it leaves out what it has applied, and that stays", says: bad, history: keptApplied,
			bad: found("a/x without spec: it was sent without, and had it from #5", "spec=1 again", 5, 9, 10)},
		{name: "another manager has applied it, too", says: good, history: strings.Replace(keptApplied, "c2 -> PATCH a/x body=annotation:o=1", "c2 -> PATCH a/x body=spec=1+annotation:o=1", 1)},
		{name: "it has applied it to status, which has owners of its own", says: good, history: strings.Replace(keptApplied, "v=1 by=m1", "v=1 by=m1 status", 1)},
		{name: "an update has written it, too", says: good, history: strings.Replace(keptApplied, "c2 -> PATCH a/x body=annotation:o=1 by=m2", "c2 -> UPDATE a/x body=spec=1+annotation:o=1", 1)},
		{name: "another client may have applied it, too", says: good, history: inRealTime + keptApplied},
		{name: "a server that fills it in always", says: good, history: strings.Replace(keptApplied, "c1 <- @2", "c1 <- @2 body=spec=1", 1)},
		{name: "a dry run that would create has no resourceVersion", says: good, history: `
			c1 -> CREATE a/y v=1
			c1 <- @2
			c1 -> PATCH a/x v=1 by=m1 dry
			c1 <- uid=u0`},
		{name: "it has one", says: bad, history: `
			c1 -> DELETE a/x
			c1 <- 404
			c1 -> PATCH a/x v=1 by=m1 dry
			c1 <- @3`,
			bad: found("an object without a resourceVersion: it was a dry run, and nothing is stored", "a/x @3", 3, 4)},
		{name: "a dry run that would change has none", says: bad, history: applied + `
			c1 -> PATCH a/x v=2 by=m1 dry
			c1 <- body=spec=2+annotation:n=1`,
			bad: found("the object with its resourceVersion", "a/x without one", 5, 6)},
		{name: "nobody looks", says: untested, history: `
			l1 -> LIST
			l1 <- @1 []`},
	})
}

// What an apply does to finalizers.
func TestWriteResponseAppliedFinalizers(t *testing.T) {
	const held = `
		c1 -> PATCH a/x body=spec=1+finalizers=f.io/a,f.io/b by=m1
		c1 <- @2 uid=u
		c1 -> DELETE a/x
		c1 <- ok
		g1 -> GET a/x
		g1 <- a/x @3 uid=u body=spec=1+finalizers=f.io/a,f.io/b+deleting`
	judge(t, "write/response", []judged{
		{name: "its own goes", says: good, history: held + `
			c1 -> PATCH a/x v=1 by=m1
			c1 <- @3 uid=u body=spec=1+deleting`},
		{name: "another's stays", says: good, history: held + `
			c1 -> PATCH a/x body=annotation:n=1 by=m2
			c1 <- @4 uid=u body=spec=1+annotation:n=1+finalizers=f.io/a,f.io/b+deleting`},
		{name: "a patch removes them", says: good, history: held + `
			c1 -> PATCH a/x json removes=finalizers
			c1 <- @3 uid=u body=spec=1+deleting`},
		{name: "one that the server has set", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 uid=u body=spec=1+finalizers=f.io/a
			c1 -> PATCH a/x body=annotation:n=1
			c1 <- @3 uid=u body=spec=1+annotation:n=1`},
		{name: "no answer", says: untested, history: `
			c1 -> PATCH a/x v=1 by=m1`},
		{name: "another's goes", says: bad, history: held + `
			c1 -> PATCH a/x body=annotation:n=1 by=m2
			c1 <- @4 uid=u body=spec=1+annotation:n=1+finalizers=f.io/a+deleting`,
			bad: found("the finalizer f.io/b as before: the patch does not name it", "a/x @4 without it", 3, 7, 8)},
	})
	judge(t, "write/finalizers", []judged{
		{name: "no delete", says: untested, history: `
			c1 -> PATCH a/x v=1 by=m1`},
		{name: "its own go", says: good, history: held + `
			c1 -> PATCH a/x v=1 by=m1
			c1 <- @3 uid=u body=spec=1+deleting
			g1 -> GET a/x
			g1 <- 404 NotFound`},
		{name: "a patch removes them", says: good, history: held + `
			c1 -> PATCH a/x json removes=finalizers
			c1 <- @3 uid=u body=spec=1+deleting`},
		{name: "a merge patch has none", says: good, history: held + `
			c1 -> PATCH a/x body=spec=1+finalizers=f.io/a
			c1 <- @4 uid=u body=spec=1+finalizers=f.io/a+deleting
			c1 -> PATCH a/x removes=finalizers
			c1 <- @4 uid=u body=spec=1+deleting`},
		{name: "it lives on", says: bad, history: held + `
			c1 -> PATCH a/x v=1 by=m1
			c1 <- @3 uid=u body=spec=1+deleting
			g1 -> GET a/x
			g1 <- a/x @3 uid=u body=spec=1+finalizers=f.io/a,f.io/b+deleting`,
			bad: found("no a/x: its last finalizer was taken, and it was deleted", "a/x @3", 3, 8, 9, 10)},
		{name: "a patch loses them", says: bad, history: held + `
			c1 -> PATCH a/x body=annotation:n=1 strategic
			c1 <- @3 uid=u body=spec=1+annotation:n=1+deleting`,
			bad: found("a/x to wait for f.io/a: the patch does not name it", "a/x @3 without it", 7, 8)},
		{name: "another's apply takes them", says: bad, history: held + `
			c1 -> PATCH a/x body=annotation:n=1 by=m2
			c1 <- @3 uid=u body=spec=1+annotation:n=1+deleting`,
			bad: found("a/x to wait for f.io/a: the patch does not name it", "a/x @3 without it", 7, 8)},
	})
}
