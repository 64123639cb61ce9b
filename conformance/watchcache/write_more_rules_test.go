package watchcache_test

import "testing"

func TestWriteNoFalseConflict(t *testing.T) {
	const want = "the UPDATE to be taken: a/x was @3 all the time"
	judge(t, "write/no-false-conflict", []judged{
		{name: "taken", says: good, history: replaced + `
			c1 -> UPDATE a/x @3 v=3
			c1 <- @4
			c1 -> DELETE a/x @4
			c1 <- ok`},
		{name: "refused, though it held", says: bad, history: replaced + `
			c1 -> UPDATE a/x @3 v=3
			c1 <- 409 Conflict`,
			bad: found(want, "409 Conflict", 5, 6)},
		{name: "a patch", says: bad, history: replaced + `
			c1 -> PATCH a/x @3 v=3
			c1 <- 409 Conflict`,
			bad: found("the PATCH to be taken: a/x was @3 all the time", "409 Conflict", 5, 6)},
		{name: "a delete, of which the uid held, too", says: bad, history: replaced + `
			c1 -> DELETE a/x @3 uid=u2
			c1 <- 409 Conflict`,
			bad: found("the DELETE to be taken: a/x was @3 all the time", "409 Conflict", 5, 6)},
		{name: "another write at the same time was refused", says: bad, history: replaced + `
			c2 -> UPDATE a/x @2 v=9
			c1 -> UPDATE a/x @3 v=3
			c2 <- 409 Conflict
			c1 <- 409 Conflict`,
			bad: found(want, "409 Conflict", 6, 8)},
		{name: "an apply that does not force: it may be about fields", says: untested, history: replaced + `
			c1 -> PATCH a/x by=m @3 v=3
			c1 <- 409 Conflict`},
		{name: "an apply that forces", says: bad, history: replaced + `
			c1 -> PATCH a/x by=m! @3 v=3
			c1 <- 409 Conflict`,
			bad: found("the PATCH to be taken: a/x was @3 all the time", "409 Conflict", 5, 6)},
		{name: "it did not hold all the time", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x v=2
			c2 -> UPDATE a/x @2 v=9
			c2 <- 409 Conflict
			c1 <- @3`},
		{name: "it did not hold", says: untested, history: replaced + `
			c2 -> UPDATE a/x @2 v=9
			c2 <- 409 Conflict`},
		{name: "the uid did not hold", says: untested, history: replaced + `
			c2 -> UPDATE a/x @3 uid=other v=9
			c2 <- 409 Conflict`},
		{name: "deleted at the same time", says: untested, history: replaced + `
			c2 -> DELETE a/x
			c1 -> UPDATE a/x @3 v=3
			c1 <- 409 Conflict
			c2 <- ok`},
		{name: "a lost write may have come before it", says: untested, history: replaced + `
			c2 -> UPDATE a/x v=9
			c2 <- lost
			c1 -> UPDATE a/x @3 v=3
			c1 <- 409 Conflict`},
		{name: "refused for something else", says: untested, history: replaced + `
			c1 -> UPDATE a/x @3 v=3
			c1 <- 422 Invalid
			c1 -> UPDATE a/x @3 v=3
			c1 <- 429 TooManyRequests retry=1
			c1 -> UPDATE a/x @3 v=3
			c1 <- 504 Timeout`},
		{name: "an apply patch whose fields are another's", says: untested, history: replaced + `
			c1 -> PATCH a/x @3 v=3
			c1 <- 409 Conflict cause=FieldManagerConflict:.data.k`},
		{name: "no precondition", says: untested, history: replaced + `
			c1 -> UPDATE a/x v=3
			c1 <- 409 Conflict`},
		{name: "another client writes it", says: undecided, undecided: "another client writes it", history: inRealTime + replaced + `
			c1 -> UPDATE a/x @3 v=3
			c1 <- 409 Conflict
			l1 -> LIST
			l1 <- @4 [a/x @4 v=7]`},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
	})
}

func TestWriteResponse(t *testing.T) {
	judge(t, "write/response", []judged{
		{name: "as it was sent, with a new resourceVersion", says: good, history: replaced + `
			c1 -> PATCH a/x v=3 app=one
			c1 <- @4
			c1 -> CREATE a/ v=5
			c1 <- a/gen7 @5`},
		{name: "a name that the server made", says: good, history: `
			c1 -> CREATE a/ v=5 generate=gen-
			c1 <- a/gen-7 @5`},
		{name: "it begins otherwise", says: bad, history: `
			c1 -> CREATE a/ v=5 generate=gen-
			c1 <- a/gen7 @5`,
			bad: found("a name that begins with gen-", "a/gen7", 1, 2)},
		{name: "it is nothing but that", says: bad, history: `
			c1 -> CREATE a/ v=5 generate=gen-
			c1 <- a/gen- @5`,
			bad: found("a name that begins with gen-", "a/gen-", 1, 2)},
		{name: "a long one may be cut", says: good, history: `
			c1 -> CREATE a/ v=5 generate=gen-4567890123456789012345678901-
			c1 <- a/gen-7 @5`},
		{name: "it changed nothing", says: good, history: replaced + `
			c1 -> UPDATE a/x v=2
			c1 <- @3
			c1 -> PATCH a/x v=2
			c1 <- @3`},
		{name: "dry runs", says: good, history: replaced + `
			c1 -> UPDATE a/x @3 v=7 dry
			c1 <- @3
			c1 -> CREATE a/y v=8 dry
			c1 <- uid=u0`},
		{name: "a dry run with a resourceVersion that is not the object's", says: bad, history: replaced + `
			c1 -> UPDATE a/x @3 v=7 dry
			c1 <- @2`,
			bad: found("the resourceVersion that the object has: 3", "a/x @2", 3, 5, 6)},
		{name: "admission gives it more than was sent", says: good, history: `
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2 v=1 app=one team=x
			c1 -> UPDATE a/x @2 body=spec=2+finalizers=f app=one
			c1 <- @3 body=spec=2+finalizers=f,g app=one team=x
			c1 -> CREATE a/y app=one
			c1 <- @4 body=spec=default app=one`},
		{name: "a patch of a part of the object", says: good, history: replaced + `
			c1 -> PATCH a/x app=one
			c1 <- @4 v=2 app=one
			c1 -> PATCH a/x body=finalizers=f
			c1 <- @5 body=spec=2+finalizers=f app=one`},
		{name: "status is not what an update sets", says: good, history: `
			c1 -> CREATE a/x body=spec=1+status=old
			c1 <- @2 v=1
			c1 -> UPDATE a/x @2 body=spec=2
			c1 <- @3 body=spec=2+status=up`},
		{name: "who takes the last finalizer is answered with the old resourceVersion", says: odd, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			w1 -> WATCH rv=2
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- MODIFIED a/x @3 body=spec=1+finalizers=f+deleting
			c1 -> UPDATE a/x @3 body=spec=1+deleting
			c1 <- @3
			w1 <- DELETED a/x @4 body=spec=1+finalizers=f+deleting`},
		{name: "the delete's answer says nothing", says: odd, history: replaced + `
			c1 -> DELETE a/x
			c1 <- ok`},
		{name: "no answer, or a refusal", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- lost
			c1 -> CREATE a/y v=1
			c1 <- 429 TooManyRequests
			c1 -> UPDATE a/z v=1`},
		{name: "without the uid that it has", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 uid=u1
			c1 -> UPDATE a/x v=2
			c1 <- @3 uid=-`,
			bad: found("the object with its uid", "a/x @3 without one", 3, 4)},
		{name: "of another uid than was sent", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 uid=u1
			c1 -> UPDATE a/x v=2 uid=u1
			c1 <- @3 uid=u2`,
			bad: found("the object of uid u1, as it was sent", "uid u2", 3, 4)},
		{name: "another name", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- a/y @2`,
			bad: found("the object a/x", "a/y", 1, 2)},
		{name: "no resourceVersion", says: bad, history: replaced + `
			c1 -> UPDATE a/x @3 v=3
			c1 <- uid=u2`,
			bad: found("the object with its resourceVersion", "a/x without one", 5, 6)},
		{name: "another content", says: bad, history: replaced + `
			c1 -> UPDATE a/x @3 v=3
			c1 <- @4 v=2`,
			bad: found(`the object as it was sent: "spec=3"`, `"spec=2"`, 5, 6)},
		{name: "other labels", says: bad, history: `
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2 app=two`,
			bad: found(`the object with the labels "app=one"`, `"app=two"`, 1, 2)},
		{name: "more that is no part of a content", says: bad, history: replaced + `
			c1 -> UPDATE a/x @3 v=3
			c1 <- @4 body=spec=3+and+more`,
			bad: found(`the object as it was sent: "spec=3"`, `"spec=3 and more"`, 5, 6)},
		{name: "one label of two is missing", says: bad, history: `
			c1 -> CREATE a/x v=1 app=one tier=front
			c1 <- @2 app=one team=x`,
			bad: found(`the object with the labels "app=one,tier=front"`, `"app=one,team=x"`, 1, 2)},
		{name: "one finalizer of two is missing", says: bad, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f,g
			c1 <- @2 body=spec=1+finalizers=g`,
			bad: found(`the object as it was sent: "spec=1 finalizers=f,g"`, `"spec=1 finalizers=g"`, 1, 2)},
		{name: "a patch that is not written", says: bad, history: replaced + `
			c1 -> PATCH a/x v=3
			c1 <- @3 v=2`,
			bad: found(`the object as it was sent: "spec=3"`, `"spec=2"`, 5, 6)},
		{name: "a patch whose labels are not written", says: bad, history: replaced + `
			c1 -> PATCH a/x v=3 app=two
			c1 <- @4 v=3 app=one`,
			bad: found(`the object with the labels "app=two"`, `"app=one"`, 5, 6)},
		{name: "a patch that wipes the finalizers", says: bad, history: replaced + `
			c1 -> PATCH a/x body=finalizers=f
			c1 <- @4 v=2`,
			bad: found(`the object as it was sent: "finalizers=f"`, `"spec=2"`, 5, 6)},
		{name: "a dry-run create with a resourceVersion", says: bad, history: replaced + `
			c1 -> CREATE a/y v=3 dry
			c1 <- @4`,
			bad: found("an object without a resourceVersion: it was a dry run, and nothing is stored", "a/y @4", 5, 6)},
		{name: "a dry-run update with another time of creation", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 created=1
			c1 -> UPDATE a/x @2 v=2 dry
			c1 <- @2 created=2`,
			bad: found("the creationTimestamp that the object has: 1", "2", 1, 3, 4)},
		{name: "a dry-run update without its time of creation", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 created=1
			c1 -> UPDATE a/x @2 v=2 dry
			c1 <- @2`,
			bad: found("the creationTimestamp that the object has: 1", "none", 1, 3, 4)},
		{name: "a dry-run patch with a new one", says: bad, history: replaced + `
			c1 -> PATCH a/x v=3 dry
			c1 <- @4`,
			bad: found("the resourceVersion that the object has: 3", "a/x @4", 3, 5, 6)},
		{name: "the old resourceVersion", says: bad, history: replaced + `
			c1 -> PATCH a/x v=3
			c1 <- @3`,
			bad: found(`a new resourceVersion: @3 was "spec=2"`, `"spec=3" @3`, 3, 5, 6)},
		{name: "the old resourceVersion, and another client writes the object", says: bad, history: replaced + `
			c1 -> UPDATE a/x @3 v=3
			c1 <- @3
			l1 -> LIST
			l1 <- @4 [a/x @4 v=8]`,
			bad: found(`a new resourceVersion: @3 was "spec=2"`, `"spec=3" @3`, 3, 5, 6)},
		{name: "nobody is shown what was answered", says: bad, history: replaced + `
			c1 -> PATCH a/x
			c1 <- @4 v=2
			l1 -> LIST
			l1 <- @4 [a/x @4 v=3]
			c1 -> GET a/x
			c1 <- a/x @4 v=3`,
			bad: found("a/x @4 as lists, gets and watches show it", `an answer with content "spec=2", which was written as "spec=3"`, 5, 6, 8)},
		{name: "lists alone show another: that is theirs", says: odd, history: replaced + `
			l1 -> LIST
			l1 <- @3 [a/x @3 v=1]`},
		{name: "one of them shows it", says: odd, history: replaced + `
			l1 -> LIST
			l1 <- @3 [a/x @3 v=1]
			c1 -> GET a/x
			c1 <- a/x @3 v=1
			w1 -> WATCH rv=2
			w1 <- MODIFIED a/x @3 v=2`},
		{name: "writes without resourceVersions", says: undecided, undecided: "no resourceVersion", history: overlap},
	})
}

func TestWriteUIDKept(t *testing.T) {
	judge(t, "write/uid-kept", []judged{
		{name: "refused", says: good, history: replaced + `
			c1 -> UPDATE a/x @3 uid=other v=3
			c1 <- 409 Conflict
			c1 -> PATCH a/x uid=other v=3
			c1 <- 422 Invalid`},
		{name: "its own", says: untested, history: replaced + `
			c1 -> UPDATE a/x @3 uid=u2 v=3
			c1 <- @4`},
		{name: "refused for something else", says: untested, history: replaced + `
			c1 -> UPDATE a/x uid=other v=3
			c1 <- 429 TooManyRequests retry=1
			c1 -> UPDATE a/x uid=other v=3
			c1 <- 403 Forbidden
			c1 -> PATCH a/x uid=other v=3
			c1 <- 504 Timeout`},
		{name: "of what may have been replaced at the same time", says: untested, history: replaced + `
			c2 -> DELETE a/x
			c1 -> UPDATE a/x uid=other v=3
			c1 <- 404 NotFound
			c2 <- ok`},
		{name: "ignored by a write of the status", says: odd, history: replaced + `
			c1 -> PATCH a/x status uid=other v=3
			c1 <- @4 uid=u2`},
		{name: "taken by a write of the status", says: bad, history: replaced + `
			c1 -> PATCH a/x status uid=other v=3
			c1 <- @4 uid=other`,
			bad: found("the uid u2, as before", "other", 5, 6)},
		{name: "accepted", says: bad, history: replaced + `
			c1 -> PATCH a/x uid=other v=3
			c1 <- @4`,
			bad: found("409 or 422: the object's uid is u2, and not other", "the PATCH was accepted", 5, 6)},
		{name: "answered with another", says: bad, history: replaced + `
			c1 -> PATCH a/x v=3
			c1 <- @4 uid=other`,
			bad: found("the uid u2, as before", "other", 5, 6)},
		{name: "answered with another, where it says which it changes", says: bad, history: replaced + `
			c1 -> UPDATE a/x @3 v=3
			c1 <- @4 uid=other`,
			bad: found("the uid u2, as before", "other", 5, 6)},
		{name: "refused with another code", says: bad, history: replaced + `
			c1 -> PATCH a/x uid=other v=3
			c1 <- 400 BadRequest`,
			bad: found("409 or 422: the object's uid is u2, and not other", "400 BadRequest", 5, 6)},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
	})
}
