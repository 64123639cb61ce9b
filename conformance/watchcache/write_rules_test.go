package watchcache_test

import (
	"strings"
	"testing"
)

// replaced is an object that was changed once: @2 is stale, @3 holds.
const replaced = `
	c1 -> CREATE a/x v=1
	c1 <- @2
	c1 -> UPDATE a/x v=2
	c1 <- @3
`

// conflictCases are those of updates; other verbs differ in the verb alone.
var conflictCases = []judged{
	{name: "refused with 409", says: good, history: replaced + `
		c2 -> UPDATE a/x @2 v=9
		c2 <- 409 Conflict`},
	{name: "accepted", says: bad, history: replaced + `
		c2 -> UPDATE a/x @2 v=9
		c2 <- @4`,
		bad: found("409 Conflict: a/x was @3, and not of resourceVersion 2", "the UPDATE was accepted", 5, 6)},
	{name: "400", says: bad, history: ofCheck + replaced + `
		c2 -> UPDATE a/x @2 v=9
		c2 <- 400 BadRequest`,
		bad: found("409 Conflict: a/x was @3, and not of resourceVersion 2", "400 BadRequest", 5, 6)},
	{name: "400 of anybody: a webhook may be against it, or its content wrong", says: untested, history: replaced + `
		c2 -> UPDATE a/x @2 v=9
		c2 <- 400 BadRequest`},
	{name: "400 in real time", says: bad, history: inRealTime + ofCheck + replaced + `
		c2 -> UPDATE a/x @2 v=9
		c2 <- 400 BadRequest`,
		bad: found("409 Conflict: a/x was @3, and not of resourceVersion 2", "400 BadRequest", 5, 6)},
	{name: "410", says: bad, history: replaced + `
		c2 -> UPDATE a/x @2 v=9
		c2 <- 410 Expired`,
		bad: found("409 Conflict: a/x was @3, and not of resourceVersion 2", "410 Expired", 5, 6)},
	{name: "422", says: bad, history: ofCheck + replaced + `
		c2 -> UPDATE a/x @2 v=9
		c2 <- 422 Invalid`,
		bad: found("409 Conflict: a/x was @3, and not of resourceVersion 2", "422 Invalid", 5, 6)},
	{name: "404, though it is there", says: bad, history: replaced + `
		c2 -> UPDATE a/x @2 v=9
		c2 <- 404 NotFound`,
		bad: found("409 Conflict: a/x was @3, and not of resourceVersion 2", "404 NotFound", 5, 6)},
	{name: "404 in real time: another client may have deleted it", says: undecided, undecided: "nobody here deleted it", history: inRealTime + replaced + `
		c2 -> UPDATE a/x @2 v=9
		c2 <- 404 NotFound`},
	{name: "refused for what nobody had to look at the object for", says: untested, history: replaced + `
		c2 -> UPDATE a/x @2 v=9
		c2 <- 401 Unauthorized
		c2 -> UPDATE a/x @2 v=9
		c2 <- 403 Forbidden
		c2 -> UPDATE a/x @2 v=9
		c2 <- 413 RequestEntityTooLarge
		c2 -> UPDATE a/x @2 v=9
		c2 <- 415 UnsupportedMediaType
		c2 -> UPDATE a/x @2 v=9
		c2 <- 503 ServiceUnavailable`},
	{name: "422, and there is more that is wrong with it: the uid", says: untested, history: replaced + `
		c2 -> UPDATE a/x @2 uid=other v=9
		c2 <- 422 Invalid`},
	{name: "422, and there is more that is wrong with it: it is being deleted", says: untested, history: `
		c1 -> CREATE a/x body=spec=1+finalizers=f
		c1 <- @2
		c1 -> DELETE a/x
		c1 <- ok
		c1 -> GET a/x
		c1 <- a/x @3 body=spec=1+finalizers=f+deleting
		c2 -> UPDATE a/x @2 body=spec=2+finalizers=f,g
		c2 <- 422 Invalid`},
	{name: "422 without a precondition, as some kinds refuse an update", says: untested, history: replaced + `
		c2 -> UPDATE a/x v=9
		c2 <- 422 Invalid`},
	{name: "404 for what may have been deleted", says: untested, history: replaced + `
		c3 -> DELETE a/x
		c2 -> UPDATE a/x @2 v=9
		c2 <- 404 NotFound
		c3 <- ok`},
	{name: "of the object before", says: bad, history: `
		c1 -> CREATE a/x v=1
		c1 <- @2
		c1 -> DELETE a/x
		c1 <- ok
		c1 -> CREATE a/x v=2
		c1 <- @4
		c2 -> UPDATE a/x @2 v=9
		c2 <- @5`,
		bad: found("409 Conflict: a/x was @4, and not of resourceVersion 2", "the UPDATE was accepted", 7, 8)},
	{name: "of none that ever was, without resourceVersions", says: bad, history: `
		c1 -> CREATE a/x v=1
		c1 <- ok
		c2 -> UPDATE a/x @1 v=9
		c2 <- ok`,
		bad: found("409 Conflict: a/x was without a resourceVersion, and not of resourceVersion 1", "the UPDATE was accepted", 3, 4)},
	{name: "it holds", says: untested, history: replaced + `
		c2 -> UPDATE a/x @3 v=9
		c2 <- @4`},
	{name: "it held at one of its moments", says: untested, history: `
		c1 -> CREATE a/x v=1
		c1 <- @2
		c1 -> UPDATE a/x @2 v=2
		c2 -> UPDATE a/x @2 v=9
		c2 <- 409 Conflict
		c1 <- @3`},
	{name: "a lost write may have made it hold", says: untested, history: replaced + `
		c2 -> UPDATE a/x v=9
		c2 <- lost
		c2 -> UPDATE a/x @4 v=10
		c2 <- @5`},
	{name: "an object that is older than the run", says: untested, history: `
		c2 -> UPDATE a/x @4 v=10
		c2 <- @5`},
	{name: "no precondition", says: untested, history: replaced + `
		c2 -> UPDATE a/x v=9
		c2 <- @4`},
	{name: "nobody knows what came of it", says: untested, history: replaced + `
		c2 -> UPDATE a/x @2 v=9
		c2 <- 500`},
	{name: "a resourceVersion that cannot be compared", says: untested, history: replaced + `
		c2 -> UPDATE a/x @abc v=9
		c2 <- 400 BadRequest`},
	{name: "404 for what is gone", says: odd, history: `
		c1 -> CREATE a/x v=1
		c1 <- @2
		c1 -> DELETE a/x
		c1 <- ok
		c2 -> UPDATE a/x @9 v=9
		c2 <- 404 NotFound`},
	{name: "429", says: odd, history: replaced + `
		c2 -> UPDATE a/x @2 v=9
		c2 <- 429 TooManyRequests`},
	{name: "a dry run is refused as well", says: good, history: replaced + `
		c2 -> UPDATE a/x @2 v=9 dry
		c2 <- 409 Conflict`},
	{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
}

// verbal replaces the verb of what is put to the test: the lines of c2.
func verbal(verb string, cases []judged) []judged {
	var out []judged
	for _, c := range cases {
		c.history = strings.ReplaceAll(c.history, "c2 -> UPDATE", "c2 -> "+verb)
		if len(c.bad) > 0 {
			c.bad = found(c.bad[0].Want, strings.Replace(c.bad[0].Got, "UPDATE", verb, 1), c.bad[0].At...)
		}
		out = append(out, c)
	}
	return out
}

func TestWriteConflictUpdate(t *testing.T) {
	judge(t, "write/conflict/update", append([]judged{
		{name: "of two at once both are accepted", says: bad, history: replaced + `
			c1 -> UPDATE a/x @3 v=8
			c2 -> UPDATE a/x @3 v=9
			c1 <- @4
			c2 <- @5`,
			bad: found("409 Conflict: a/x was @4, and not of resourceVersion 3", "the UPDATE was accepted", 6, 8)},
		{name: "of two at once the stale one is refused", says: good, history: replaced + `
			c1 -> UPDATE a/x @3 v=8
			c2 -> UPDATE a/x @2 v=9
			c1 <- @4
			c2 <- 409 Conflict`},
		{name: "refused, done all the same, and then done again", says: bad, history: replaced + `
			c2 -> UPDATE a/x @2 v=9
			c2 <- 409 Conflict
			l1 -> LIST
			l1 <- @4 [a/x @4 v=9]
			c2 -> UPDATE a/x v=9
			c2 <- @4`,
			bad: found("a refused UPDATE changes nothing", "a list @4 shows what it wrote", 5, 6, 8)},
		{name: "refused with another reason", says: bad, history: replaced + `
			c2 -> UPDATE a/x @2 v=9
			c2 <- 409 AlreadyExists`,
			bad: found("409 Conflict: a/x was @3, and not of resourceVersion 2", "409 AlreadyExists", 5, 6)},
		{name: "refused without a reason", says: bad, history: replaced + `
			c2 -> UPDATE a/x @2 v=9
			c2 <- 409`,
			bad: found("409 Conflict: a/x was @3, and not of resourceVersion 2", "409", 5, 6)},
		{name: "refused without a reason, of what is being deleted", says: good, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			c1 -> UPDATE a/x body=spec=2+finalizers=f
			c1 <- @3
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> UPDATE a/x body=spec=4+finalizers=f+deleting
			c1 <- @5
			c2 -> UPDATE a/x @2 v=9
			c2 <- 409`},
		{name: "it created the object anew", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @5 uid=u
			c1 -> DELETE a/x
			c2 -> UPDATE a/x @3 v=9
			c1 <- ok
			c2 <- @7 uid=v`},
		{name: "refused, and done: on a watch", says: bad, history: replaced + `
			w1 -> WATCH rv=3
			c2 -> UPDATE a/x @2 v=9
			c2 <- 409 Conflict
			w1 <- MODIFIED a/x @4 v=9`,
			bad: found("a refused UPDATE changes nothing", "a/x @4 shows what it wrote", 6, 7, 8)},
		{name: "refused, and done: in a list", says: bad, history: replaced + `
			c2 -> UPDATE a/x @2 v=9
			c2 <- 409 Conflict
			l1 -> LIST
			l1 <- @4 [a/x @4 v=9]`,
			bad: found("a refused UPDATE changes nothing", "a list @4 shows what it wrote", 5, 6, 8)},
		{name: "refused though it held, and done", says: bad, history: replaced + `
			w1 -> WATCH rv=3
			c2 -> UPDATE a/x @3 v=9
			c2 <- 409 Conflict
			w1 <- MODIFIED a/x @4 v=9`,
			bad: found("a refused UPDATE changes nothing", "a/x @4 shows what it wrote", 6, 7, 8)},
		{name: "tried again with the same content", says: good, history: replaced + `
			c2 -> UPDATE a/x @2 v=9
			c2 <- 409 Conflict
			c2 -> UPDATE a/x @3 v=9
			c2 <- @4
			l1 -> LIST
			l1 <- @4 [a/x @4 v=9]`},
		{name: "tried again with the same content, and lost", says: good, history: replaced + `
			c2 -> UPDATE a/x @2 v=9
			c2 <- 409 Conflict
			c2 -> UPDATE a/x @3 v=9
			c2 <- lost
			w1 -> WATCH rv=3
			w1 <- MODIFIED a/x @4 v=9`},
		{name: "accepted over a change at the same time", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x @2 v=2
			c2 -> UPDATE a/x @2 v=9
			c1 <- @3
			c2 <- @4`,
			bad: found("409 Conflict: a/x was @3, and not of resourceVersion 2", "the UPDATE was accepted", 4, 6)},
		{name: "another wrote the same, and a patch found nothing to do", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c2 -> PATCH a/x v=9
			c1 -> UPDATE a/x @2 v=9
			c1 <- @3
			c2 <- @3`},
	}, conflictCases...))
}

func TestWriteConflictPatch(t *testing.T) {
	judge(t, "write/conflict/patch", verbal("PATCH", conflictCases))
}

func TestWriteConflictDelete(t *testing.T) {
	judge(t, "write/conflict/delete", append([]judged{
		{name: "what it names lived on under an update at once", says: bad, history: replaced + `
			c1 -> UPDATE a/x @3 v=3
			c2 -> DELETE a/x @3
			c1 <- @4
			c2 <- ok`,
			bad: found("409 Conflict: a/x was @4, and not of resourceVersion 3", "the DELETE was accepted", 6, 8)},
		{name: "it came before an update at once, which was refused", says: untested, history: replaced + `
			c1 -> UPDATE a/x @3 v=3
			c2 -> DELETE a/x @3
			c1 <- 409 Conflict
			c2 <- ok`},
		{name: "it came after an update at once", says: untested, history: replaced + `
			c1 -> UPDATE a/x @3 v=3
			c2 -> DELETE a/x @4
			c1 <- @4
			c2 <- ok`},
		{name: "deleted, and created anew at once", says: untested, history: replaced + `
			c2 -> DELETE a/x @3
			c1 -> CREATE a/x v=3
			c1 <- @5
			c2 <- ok`},
		{name: "what an update that changed nothing tells of the mark before it", says: untested, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- ok
			c2 -> DELETE a/x @3
			c2 <- ok
			c1 -> UPDATE a/x body=spec=1+finalizers=f+deleting
			c1 <- @3 body=spec=1+finalizers=f+deleting`},
		{name: "a dry run deletes nothing", says: untested, history: replaced + `
			c1 -> UPDATE a/x @3 v=3
			c2 -> DELETE a/x @3 dry
			c1 <- @4
			c2 <- ok`},
		{name: "an accepted dry run before it may have done it", says: good, history: replaced + `
			w1 -> WATCH rv=3
			c2 -> DELETE a/x dry
			c2 <- ok
			c2 -> DELETE a/x @2
			c2 <- 409 Conflict
			w1 <- DELETED a/x @4 v=2`},
		{name: "refused, and done", says: bad, history: replaced + `
			w1 -> WATCH rv=3
			c2 -> DELETE a/x @2
			c2 <- 409 Conflict
			w1 <- DELETED a/x @4 v=2`,
			bad: found("a refused DELETE changes nothing", "a/x @4 shows what it wrote", 6, 7, 8)},
		{name: "refused though it held, and done", says: bad, history: replaced + `
			w1 -> WATCH rv=3
			c2 -> DELETE a/x @3
			c2 <- 409 Conflict
			w1 <- DELETED a/x @4 v=2`,
			bad: found("a refused DELETE changes nothing", "a/x @4 shows what it wrote", 6, 7, 8)},
		{name: "refused, had no precondition, and done", says: bad, history: replaced + `
			w1 -> WATCH rv=3
			c2 -> DELETE a/x
			c2 <- 409 Conflict
			w1 <- DELETED a/x @4 v=2`,
			bad: found("a refused DELETE changes nothing", "a/x @4 shows what it wrote", 6, 7, 8)},
		{name: "refused, and marked", says: bad, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2 body=spec=1+finalizers=f
			w1 -> WATCH rv=2
			c2 -> DELETE a/x
			c2 <- 409 Conflict
			w1 <- MODIFIED a/x @3 body=spec=1+finalizers=f+deleting`,
			bad: found("a refused DELETE changes nothing", "a/x @3 shows what it wrote", 4, 5, 6)},
		{name: "refused, and gone: in real time another client may have deleted it", says: undecided, undecided: "another client writes it", history: inRealTime + replaced + `
			w1 -> WATCH rv=3
			c2 -> DELETE a/x @2
			c2 <- 409 Conflict
			w1 <- DELETED a/x @4 v=2`},
		{name: "refused, then deleted by another", says: good, history: replaced + `
			w1 -> WATCH rv=3
			c2 -> DELETE a/x @2
			c2 <- 409 Conflict
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- DELETED a/x @4 v=2`},
		{name: "refused, then deleted by who made it and got no answer", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- lost
			w1 -> WATCH rv=2
			c2 -> DELETE a/x @1
			c2 <- 409 Conflict
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- DELETED a/x @4 v=1 uid=u2
			c1 -> CREATE a/x v=2
			c1 <- @5
			c2 -> DELETE a/x @1
			c2 <- 409 Conflict`},
	}, verbal("DELETE", conflictCases)...))
}

func TestWriteConflictUID(t *testing.T) {
	judge(t, "write/conflict/uid", []judged{
		{name: "an update that changes nothing of what a delete has marked, for a time that nobody knew", says: odd, history: `
			... has comparable-rv grace
			c1 -> CREATE a/x body=spec=1+node=n
			c1 <- @2 uid=u1
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> CREATE a/y v=1
			c1 <- @4
			c1 -> UPDATE a/x uid=u1 body=spec=1+node=n
			c1 <- @3 uid=u1 body=spec=1+node=n+grace=30+deleting`},
		{name: "an update is refused", says: good, history: replaced + `
			c2 -> UPDATE a/x @3 uid=other v=9
			c2 <- 409 Conflict`},
		{name: "a delete is refused", says: good, history: replaced + `
			c2 -> DELETE a/x uid=other
			c2 <- 409 Conflict`},
		{name: "an update is accepted", says: bad, history: replaced + `
			c2 -> UPDATE a/x @3 uid=other v=9
			c2 <- @4`,
			bad: found("409 Conflict: a/x was of uid u2, and not of uid other", "the UPDATE was accepted", 5, 6)},
		{name: "the uid of the object before", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> CREATE a/x v=2
			c1 <- @4
			c2 -> DELETE a/x uid=u2
			c2 <- ok
			c1 -> CREATE a/x v=3
			c1 <- @6`,
			bad: found("409 Conflict: a/x was of uid u4, and not of uid u2", "the DELETE was accepted", 7, 8)},
		{name: "both do not hold", says: untested, history: replaced + `
			c2 -> UPDATE a/x @2 uid=other v=9
			c2 <- @4`},
		{name: "it holds", says: untested, history: replaced + `
			c2 -> UPDATE a/x @3 uid=u2 v=9
			c2 <- @4
			c2 -> DELETE a/x uid=u2
			c2 <- ok`},
		{name: "patches have none", says: untested, history: replaced + `
			c2 -> PATCH a/x uid=other v=9
			c2 <- @4`},
		{name: "a PUT without resourceVersion that some kinds refuse", says: odd, history: replaced + `
			c2 -> UPDATE a/x uid=other v=9
			c2 <- 422 Invalid`},
		{name: "404 for what is gone", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- ok
			c2 -> DELETE a/x uid=u2
			c2 <- 404 NotFound`},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
	})
}
