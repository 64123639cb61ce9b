package watchcache_test

import "testing"

// deleted is an object that was deleted.
const deleted = `
	c1 -> CREATE a/x v=1
	c1 <- @2
	c1 -> DELETE a/x
	c1 <- ok
`

// takenTwice has two creates of one name at once, both answered.
const takenTwice = `
	c1 -> CREATE a/x v=1
	c2 -> CREATE a/x v=2
	c1 <- @2 uid=u1
	c2 <- @3 uid=u2`

func TestWriteExists(t *testing.T) {
	judge(t, "write/exists", []judged{
		{name: "refused", says: good, history: replaced + `
			c1 -> CREATE a/x v=3
			c1 <- 409 AlreadyExists
			c1 -> CREATE a/x v=3 dry
			c1 <- 409 AlreadyExists`},
		{name: "of what is being deleted", says: odd, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- ok
			w1 -> WATCH rv=2
			w1 <- MODIFIED a/x @3 body=spec=1+finalizers=f+deleting
			c1 -> CREATE a/x v=3
			c1 <- 409 AlreadyExists`},
		{name: "refused, and created", says: bad, history: `
			w1 -> WATCH rv=1
			c1 -> CREATE a/x v=1
			c1 <- 409 AlreadyExists
			w1 <- ADDED a/x @2 v=1`,
			bad: found("a refused CREATE creates nothing", "a/x @2 shows what it was to create", 2, 4)},
		{name: "refused, and created by another client, or by a lost create", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- lost
			c1 -> CREATE a/x v=1
			c1 <- 409 AlreadyExists
			l1 -> LIST
			l1 <- @2 [a/x @2 v=1]`},
		{name: "accepted", says: bad, history: replaced + `
			c1 -> CREATE a/x v=3
			c1 <- @4`,
			bad: found("409 AlreadyExists: a/x was there before, and nobody had deleted it", "the CREATE was accepted", 3, 5, 6)},
		{name: "two at once", says: bad, history: takenTwice,
			bad: found("409 AlreadyExists: a/x was there before, and nobody had deleted it", "the CREATE was accepted", 1, 2, 4)},
		{name: "two at once, and a delete whose answer was lost between", says: untested, history: `
			c3 -> DELETE a/x
			c3 <- lost` + takenTwice},
		{name: "two at once, and another client may have deleted the first", says: untested, history: inRealTime + takenTwice},
		{name: "a dry run is accepted", says: bad, history: replaced + `
			c1 -> CREATE a/x v=3 dry
			c1 <- uid=u9`,
			bad: found("409 AlreadyExists: a/x was there all the time", "the CREATE was accepted", 5, 6)},
		{name: "another reason", says: bad, history: replaced + `
			c1 -> CREATE a/x v=3
			c1 <- 409 Conflict`,
			bad: found("409 AlreadyExists: a/x was there all the time", "409 Conflict", 5, 6)},
		{name: "refused, and it was not there", says: bad, history: deleted + `
			c1 -> CREATE a/x v=3
			c1 <- 409 AlreadyExists`,
			bad: found("a/x to be created: it was not there", "409 AlreadyExists", 5, 6)},
		{name: "created at the same time", says: untested, history: `
			c1 -> CREATE a/x v=1
			c2 -> CREATE a/x v=2
			c2 <- 409 AlreadyExists
			c1 <- @2`},
		{name: "a lost create may have made it", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- lost
			c2 -> CREATE a/x v=2
			c2 <- 409 AlreadyExists`},
		{name: "nobody looked", says: untested, history: replaced + `
			c1 -> CREATE a/x v=3
			c1 <- 403 Forbidden
			c1 -> CREATE a/x v=3
			c1 <- 422 Invalid
			c1 -> CREATE a/x v=3
			c1 <- 429 TooManyRequests retry=1
			c1 -> CREATE a/x v=3
			c1 <- lost`},
		{name: "created", says: untested, history: deleted + `
			c1 -> CREATE a/x v=2
			c1 <- @5`},
		{name: "a generated name", says: good, history: replaced + `
			c1 -> CREATE a/ v=3
			c1 <- a/gen1 @4`},
		{name: "generated names that meet others, twice at a time", says: good, history: replaced + `
			c1 -> CREATE a/ v=3 generate=made-
			c1 <- 409 AlreadyExists
			c1 -> CREATE a/ v=3 generate=made-
			c1 <- 409 AlreadyExists
			c1 -> CREATE a/ v=3 generate=made-
			c1 <- a/made-1 @4
			c1 -> CREATE a/ v=5 generate=made-
			c1 <- 409 AlreadyExists`},
		{name: "of three generateNames one each", says: untested, history: `
			c1 -> CREATE a/ v=3 generate=made-
			c1 <- 409 AlreadyExists
			c1 -> CREATE a/ v=3 generate=done-
			c1 <- 409 AlreadyExists
			c1 -> CREATE b/ v=3 generate=made-
			c1 <- 409 AlreadyExists`},
		{name: "generated names that meet others three times", says: bad, history: inRealTime + `
			c1 -> CREATE a/ v=3 generate=made-
			c1 <- 409 AlreadyExists
			c1 -> CREATE a/ v=3 generate=made-
			c1 <- 409 AlreadyExists
			c1 -> CREATE a/ v=3 generate=made-
			c1 <- 409 AlreadyExists`,
			bad: found("a name that nothing has", "409 AlreadyExists, for the third time", 1, 2, 3, 4, 5, 6)},
		{name: "a generated name that is another object's", says: bad, history: `
			c1 -> CREATE a/ v=3 generate=made-
			c1 <- a/made-1 @4 uid=u1
			c1 -> CREATE a/ v=4 generate=made-
			c1 <- a/made-1 @5 uid=u2`,
			bad: found("a name that nothing has: a/made-1 was there all the time", "the CREATE was answered with it", 3, 4)},
		{name: "older than the run", says: untested, history: `
			c1 -> CREATE a/x v=3
			c1 <- 409 AlreadyExists`},
		{name: "nothing is older than a check's history", says: bad, history: `
			... of a check
			c1 -> CREATE a/x v=3
			c1 <- 409 AlreadyExists`,
			bad: found("a/x to be created: it was not there", "409 AlreadyExists", 1, 2)},
		{name: "a list had shown that it was not there", says: bad, history: `
			l1 -> LIST
			l1 <- @2 [a/y @2 v=1]
			c1 -> CREATE a/x v=3
			c1 <- 409 AlreadyExists`,
			bad: found("a/x to be created: it was not there", "409 AlreadyExists", 3, 4)},
		{name: "a get had shown that it was not there", says: bad, history: `
			g1 -> GET a/x
			g1 <- 404 NotFound
			c1 -> CREATE a/x v=3
			c1 <- 409 AlreadyExists`,
			bad: found("a/x to be created: it was not there", "409 AlreadyExists", 3, 4)},
		{name: "older than the run, and a list of it, of another namespace, or a selection, or one too old, says nothing", says: untested, history: `
			l1 -> LIST ns=b
			l1 <- @2 []
			l1 -> LIST labels=app=one
			l1 <- @2 []
			l1 -> LIST rv=2
			l1 <- @2 []
			l1 -> LIST
			l1 <- @2 [a/x @2 v=1]
			c1 -> CREATE a/x v=3
			c1 <- 409 AlreadyExists`},
		{name: "where there are others, anybody may have made it", says: untested, history: `
			... real time
			... of a check
			l1 -> LIST
			l1 <- @2 []
			c1 -> CREATE a/x v=3
			c1 <- 409 AlreadyExists`},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
	})
}

// missingCases are of updates; the others differ in the verb alone.
var missingCases = []judged{
	{name: "refused", says: good, history: deleted + `
		c2 -> UPDATE a/x v=2
		c2 <- 404 NotFound`},
	{name: "before it was", says: good, history: `
		c2 -> UPDATE a/x v=2
		c2 <- 404 NotFound
		c1 -> CREATE a/x v=3
		c1 <- @2`},
	{name: "answered", says: bad, history: deleted + `
		c2 -> UPDATE a/x v=2
		c2 <- @9 uid=u9`,
		bad: found("404 NotFound: a/x was not there", "the UPDATE was answered", 5, 6)},
	{name: "another reason", says: bad, history: deleted + `
		c2 -> UPDATE a/x v=2
		c2 <- 404 Expired`,
		bad: found("404 NotFound: a/x was not there", "404 Expired", 5, 6)},
	{name: "409 without a precondition", says: bad, history: deleted + `
		c2 -> UPDATE a/x v=2
		c2 <- 409 Conflict`,
		bad: found("404 NotFound: a/x was not there", "409 Conflict", 5, 6)},
	{name: "nobody looked", says: untested, history: deleted + `
		c2 -> UPDATE a/x v=2
		c2 <- 422 Invalid
		c2 -> UPDATE a/x v=2
		c2 <- 403 Forbidden
		c2 -> UPDATE a/x v=2
		c2 <- 429 TooManyRequests retry=1
		c2 -> UPDATE a/x v=2
		c2 <- 504 Timeout`},
	{name: "created at the same time", says: untested, history: deleted + `
		c3 -> CREATE a/x v=3
		c2 -> UPDATE a/x v=2
		c2 <- 404 NotFound
		c3 <- @5`},
	{name: "a lost create may have made it", says: untested, history: deleted + `
		c3 -> CREATE a/x v=3
		c3 <- lost
		c2 -> UPDATE a/x v=2
		c2 <- 404 NotFound`},
	{name: "it was there before, and after", says: bad, history: replaced + `
		c2 -> UPDATE a/x v=3
		c2 <- 404 NotFound
		c1 -> GET a/x
		c1 <- a/x @3 v=2`,
		bad: found("no 404: a/x was there all the time, and is later", "404 NotFound", 5, 6, 8)},
	{name: "there is another after it", says: untested, history: replaced + `
		c3 -> DELETE a/x
		c2 -> UPDATE a/x v=3
		c2 <- 404 NotFound
		c3 <- ok
		c1 -> CREATE a/x v=4
		c1 <- @6`},
	{name: "nobody here deleted it, and nobody else is there", says: bad, history: replaced + `
		c2 -> UPDATE a/x v=3
		c2 <- 404 NotFound`,
		bad: found("no 404: a/x was there all the time", "404 NotFound", 5, 6)},
	{name: "nobody here deleted it, but another client may have", says: undecided, undecided: "nobody here deleted it", history: inRealTime + replaced + `
		c2 -> UPDATE a/x v=3
		c2 <- 404 NotFound`},
	{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
}

// creating is the start of a history of a kind that creates on update.
const creating = "... has create-on-update comparable-rv\n"

func TestWriteMissingCreate(t *testing.T) {
	const want = "the object to be created: a/x was not there, and this kind creates on update"
	judge(t, "write/missing/create", []judged{
		{name: "created", says: good, history: creating + deleted + `
			c2 -> UPDATE a/x v=2
			c2 <- @9 uid=u9`},
		{name: "created, whatever resourceVersion it has", says: good, history: creating + deleted + `
			c2 -> UPDATE a/x @2 v=2
			c2 <- @9 uid=u9`},
		{name: "as a dry run", says: good, history: creating + deleted + `
			c2 -> UPDATE a/x v=2 dry
			c2 <- uid=u9`},
		{name: "refused as missing", says: bad, history: creating + deleted + `
			c2 -> UPDATE a/x v=2
			c2 <- 404 NotFound`,
			bad: found(want, "404 NotFound", 5, 6)},
		{name: "refused as stale", says: bad, history: creating + deleted + `
			c2 -> UPDATE a/x @2 v=2
			c2 <- 409 Conflict`,
			bad: found(want, "409 Conflict", 5, 6)},
		{name: "refused as missing, where others write, too", says: bad, history: creating + deleted + `
			... real time
			c2 -> UPDATE a/x v=2
			c2 <- 404 NotFound`,
			bad: found(want, "404 NotFound", 5, 6)},
		{name: "refused as stale, where another may have made it", says: untested, history: creating + deleted + `
			... real time
			c2 -> UPDATE a/x @2 v=2
			c2 <- 409 Conflict`},
		{name: "a uid is a precondition", says: untested, history: creating + deleted + `
			c2 -> UPDATE a/x uid=u1 v=2
			c2 <- 409 Conflict`},
		{name: "nobody looked", says: untested, history: creating + deleted + `
			c2 -> UPDATE a/x v=2
			c2 <- 422 Invalid
			c2 -> UPDATE a/x v=2
			c2 <- 429 TooManyRequests retry=1`},
		{name: "it was there", says: untested, history: creating + replaced + `
			c2 -> UPDATE a/x @3 v=3
			c2 <- @4`},
		{name: "of another kind", says: untested, history: deleted + `
			c2 -> UPDATE a/x v=2
			c2 <- 404 NotFound`},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: creating + overlap},
	})
}
