package watchcache_test

import "testing"

// testable is an object with a content, a label and an annotation, which was changed once.
const testable = `
	c1 -> CREATE a/x app=one body=spec=1+annotation:n=1
	c1 <- @2 uid=u
	c1 -> UPDATE a/x @2 app=one body=spec=2+annotation:n=1
	c1 <- @3 uid=u`

func TestWriteConflictTest(t *testing.T) {
	const accepted = "the PATCH was accepted"
	judge(t, "write/conflict/test", []judged{
		{name: "refused", says: good, history: testable + `
			c2 -> PATCH a/x v=3 json tests=resourceVersion=2
			c2 <- 422 Invalid`},
		{name: "as a conflict", says: good, history: testable + `
			c2 -> PATCH a/x v=3 json tests=resourceVersion=2
			c2 <- 409 Conflict`},
		{name: "as a precondition", says: good, history: testable + `
			c2 -> PATCH a/x v=3 json tests=resourceVersion=2
			c2 <- 412 PreconditionFailed`},
		{name: "one of several", says: good, history: testable + `
			c2 -> PATCH a/x v=3 json tests=label:app=one+annotation:n=1+spec=1
			c2 <- 422 Invalid`},
		{name: "it may have held", says: untested, history: testable + `
			c1 -> UPDATE a/x @3 app=one body=spec=4+annotation:n=1
			c2 -> PATCH a/x v=3 json tests=spec=2
			c2 <- 422 Invalid
			c1 <- @4 uid=u`},
		{name: "it held at a moment, and was accepted", says: odd, history: testable + `
			c2 -> PATCH a/x v=5 json tests=spec=4
			c1 -> UPDATE a/x @3 app=one body=spec=4+annotation:n=1
			c1 <- @4 uid=u
			c2 <- @5 uid=u app=one body=spec=5+annotation:n=1`},
		{name: "by another client", says: untested, history: inRealTime + testable + `
			c2 -> PATCH a/x v=3 json tests=spec=9
			c2 <- @5 uid=u app=one body=spec=3+annotation:n=1`},
		{name: "of what is not there", says: untested, history: testable + `
			c1 -> DELETE a/x
			c1 <- ok
			c2 -> PATCH a/x v=3 json tests=resourceVersion=2
			c2 <- 404 NotFound`},
		{name: "forbidden", says: untested, history: testable + `
			c2 -> PATCH a/x v=3 json tests=resourceVersion=2
			c2 <- 403 Forbidden`},
		{name: "a lost write may have made it so", says: odd, history: testable + `
			c1 -> UPDATE a/x @3 v=9
			c1 <- lost
			c2 -> PATCH a/x v=3 json tests=spec=9
			c2 <- @5 v=3`},
		{name: "that hold", says: untested, history: testable + `
			c2 -> PATCH a/x v=3 json tests=resourceVersion=3+uid=u+label:app=one+annotation:n=1+spec=2
			c2 <- @4 uid=u app=one body=spec=3+annotation:n=1`},
		{name: "a stale resourceVersion is accepted", says: bad, history: testable + `
			c2 -> PATCH a/x v=3 json tests=resourceVersion=2
			c2 <- @4 uid=u app=one body=spec=3+annotation:n=1`,
			bad: found("422, or 409: a/x was not resourceVersion=2", accepted, 5, 6)},
		{name: "also where others write", says: bad, history: inRealTime + testable + `
			c2 -> PATCH a/x v=3 json tests=resourceVersion=2
			c2 <- @4 uid=u app=one body=spec=3+annotation:n=1`,
			bad: found("422, or 409: a/x was not resourceVersion=2", accepted, 5, 6)},
		{name: "another uid", says: bad, history: testable + `
			c2 -> PATCH a/x v=3 json tests=uid=v
			c2 <- @4 uid=u app=one body=spec=3+annotation:n=1`,
			bad: found("422, or 409: a/x was not uid=v", accepted, 5, 6)},
		{name: "a label that is not there", says: bad, history: testable + `
			c2 -> PATCH a/x v=3 json tests=label:b=one
			c2 <- @4 uid=u app=one body=spec=3+annotation:n=1`,
			bad: found("422, or 409: a/x was not label:b=one", accepted, 5, 6)},
		{name: "in a dry run", says: bad, history: testable + `
			c2 -> PATCH a/x v=3 json tests=spec=1 dry
			c2 <- @3 uid=u app=one body=spec=3+annotation:n=1`,
			bad: found("422, or 409: a/x was not spec=1", accepted, 5, 6)},
		{name: "not found", says: bad, history: testable + `
			c2 -> PATCH a/x v=3 json tests=resourceVersion=2
			c2 <- 404 NotFound`,
			bad: found("422, or 409: a/x was not resourceVersion=2", "404 NotFound", 5, 6)},
		{name: "refused, and done", says: bad, history: testable + `
			c2 -> PATCH a/x app=one body=spec=3+annotation:n=1 json tests=resourceVersion=2
			c2 <- 422 Invalid
			l1 -> LIST
			l1 <- @4 [a/x @4 uid=u app=one body=spec=3+annotation:n=1]`,
			bad: found("a refused PATCH changes nothing", "a list @4 shows what it wrote", 5, 6, 8)},
	})
}

func TestWriteAnsweredPatches(t *testing.T) {
	const has = "... has comparable-rv json-patch strategic-merge-patch patch" + testable + `
		g1 -> GET a/x
		g1 <- a/x @3 uid=u app=one body=spec=2+annotation:n=1
		c1 -> PATCH a/x v=2 json
		c1 <- @3 uid=u app=one body=spec=2+annotation:n=1
		c1 -> PATCH a/x @3 v=2 strategic
		c1 <- @3 uid=u app=one body=spec=2+annotation:n=1`
	const want = "the PATCH to be done: nothing is wrong with it"
	judge(t, "write/answered", []judged{
		{name: "done", says: good, history: has},
		{name: "of nothing that anybody was shown", says: untested, history: "... has comparable-rv json-patch" + testable + `
			c2 -> PATCH a/x v=3 json tests=resourceVersion=2
			c2 <- 422 Invalid`},
		{name: "tests hold", says: bad, history: ofCheck + has + `
			c2 -> PATCH a/x v=3 json tests=resourceVersion=3+label:app=one
			c2 <- 422 Invalid`,
			bad: found(want, "422 Invalid, without a cause", 11, 12)},
		{name: "a test does not", says: odd, history: has + `
			c2 -> PATCH a/x v=3 json tests=resourceVersion=2
			c2 <- 422 Invalid`},
		{name: "what it names is not there, and need not have a place", says: odd, history: has + `
			c2 -> PATCH a/x json body=status=3
			c2 <- 422 Invalid`},
		{name: "what it removes is not there", says: odd, history: has + `
			c2 -> PATCH a/x v=3 json removes=label:b
			c2 <- 422 Invalid`},
		{name: "what it removes is there", says: bad, history: ofCheck + has + `
			c2 -> PATCH a/x v=3 json removes=label:app
			c2 <- 422 Invalid`,
			bad: found(want, "422 Invalid, without a cause", 11, 12)},
		{name: "strategic", says: bad, history: ofCheck + has + `
			c2 -> PATCH a/x @3 v=3 strategic
			c2 <- 415 UnsupportedMediaType`,
			bad: found(want, "415 UnsupportedMediaType, without a cause", 11, 12)},
		{name: "strategic, of a kind that has none", says: odd, history: "... has comparable-rv json-patch patch" + testable + `
			c2 -> PATCH a/x v=3 strategic
			c2 <- 415 UnsupportedMediaType`},
	})
}

// What becomes of patches of other types is judged as of merge patches.
func TestPatchTypes(t *testing.T) {
	judge(t, "write/conflict/patch", []judged{
		{name: "refused", says: good, history: testable + `
			c2 -> PATCH a/x @2 v=3 json
			c2 <- 409 Conflict
			c2 -> PATCH a/x @2 v=3 strategic
			c2 <- 409 Conflict`},
		{name: "JSON, that tests it", says: untested, history: testable + `
			c2 -> PATCH a/x v=3 json tests=resourceVersion=2
			c2 <- 422 Invalid`},
		{name: "JSON, with a stale resourceVersion", says: bad, history: testable + `
			c2 -> PATCH a/x @2 v=3 json
			c2 <- @4 uid=u app=one body=spec=3+annotation:n=1`,
			bad: found("409 Conflict: a/x was @3, and not of resourceVersion 2", "the PATCH was accepted", 5, 6)},
		{name: "JSON, that fails for another reason, too", says: odd, history: testable + `
			c2 -> PATCH a/x @2 v=3 json tests=spec=1
			c2 <- 422 Invalid`},
		{name: "JSON, that may", says: odd, history: testable + `
			c2 -> PATCH a/x @2 body=status=3 json
			c2 <- 422 Invalid`},
		{name: "JSON, of nothing else that could be wrong", says: bad, history: ofCheck + testable + `
			c2 -> PATCH a/x @2 v=3 json
			c2 <- 422 Invalid`,
			bad: found("409 Conflict: a/x was @3, and not of resourceVersion 2", "422 Invalid", 5, 6)},
		{name: "strategic, with a stale resourceVersion", says: bad, history: testable + `
			c2 -> PATCH a/x @2 v=3 strategic
			c2 <- @4 uid=u app=one body=spec=3+annotation:n=1`,
			bad: found("409 Conflict: a/x was @3, and not of resourceVersion 2", "the PATCH was accepted", 5, 6)},
	})
	judge(t, "write/response", []judged{
		{name: "no answer", says: untested, history: `
			c1 -> PATCH a/x v=3 json`},
		{name: "JSON removes", says: good, history: testable + `
			c2 -> PATCH a/x @3 json removes=annotation:n
			c2 <- @4 uid=u app=one body=spec=2`},
		{name: "JSON takes what it does not remove", says: bad, history: testable + `
			c2 -> PATCH a/x @3 v=3 json removes=label:app
			c2 <- @4 uid=u v=3`,
			bad: found("annotation:n=1 as before: the patch does not name it", "a/x @4 without it", 3, 5, 6)},
		{name: "strategic takes other owners", says: bad, history: hasOwner + `
			c2 -> PATCH a/x @2 body=owner:w=v1/Owner/p strategic
			c2 <- @3 body=spec=1+annotation:n=1+owner:w=v1/Owner/p`,
			bad: found("owner:u=v1/Owner/o as before: the patch does not name it", "a/x @3 without it", 1, 3, 4)},
	})
}
