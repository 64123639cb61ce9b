package watchcache_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/replay/handmade"
	"github.com/lwtest/lwtest/conformance/watchcache"
)

// What kinds declare of which these histories are.
const (
	inTwoSteps = "... has comparable-rv grace delete-preconditions dry-run\n"
	onUpdate   = "... has comparable-rv create-on-update delete-preconditions dry-run\n"
)

// rightHistories are histories of correct servers in which some rule found something wrong when the model first knew
// such kinds.
var rightHistories = map[string]string{
	"a precondition that names the first step of a deletion, which nothing has shown": inTwoSteps + `
		c1 -> CREATE a/x v=1
		c2 -> DELETE a/x
		c3 -> UPDATE a/x @3 v=3
		c3 <- @3 uid=u2 body=spec=3+deleting
		c1 <- @2
		c2 <- ok`,
	"the mark of an object that a lost update made anew, with the content that one had which was deleted by its uid": onUpdate + `
		c1 -> CREATE a/x body=spec=6+finalizers=f
		c1 <- @2 uid=u2
		w1 -> WATCH rv=2
		c2 -> DELETE a/x uid=u2
		c2 <- ok
		w1 <- MODIFIED a/x @3 uid=u2 body=spec=6+finalizers=f+deleting
		c1 -> PATCH a/x body=spec=6+finalizers=f+deleting
		c3 -> UPDATE a/x body=spec=6+finalizers=f+deleting
		c1 <- @3 uid=u2 body=spec=6+finalizers=f+deleting
		c1 -> UPDATE a/x @3 v=7
		c1 <- @3 uid=u2 body=spec=7+deleting
		w1 <- DELETED a/x @4 uid=u2 body=spec=6+finalizers=f+deleting
		l1 -> LIST
		l1 <- @4 []
		c3 <- lost
		w1 <- ADDED a/x @5 uid=u5 body=spec=6+finalizers=f
		c2 -> DELETE a/x
		c2 <- ok
		w1 <- MODIFIED a/x @6 uid=u5 body=spec=6+finalizers=f+deleting`,
	"two deletes of one object, and another object": inTwoSteps + `
		c1 -> CREATE a/x v=1
		c1 <- @2
		w1 -> WATCH rv=2
		c1 -> DELETE a/x uid=u2
		c2 -> DELETE a/x uid=u2
		c2 <- ok
		c3 -> CREATE a/x v=2
		c1 <- ok
		c3 <- @5
		w1 <- MODIFIED a/x @3 body=spec=1+deleting
		w1 <- DELETED a/x @4 body=spec=1+deleting
		w1 <- ADDED a/x @5 v=2
		w1 <- SETTLED`,
	"a deletion of which the first step was before the watch": inTwoSteps + `
		c1 -> CREATE a/x v=1
		c2 -> DELETE a/x
		c1 <- @2
		l1 -> LIST ns=b
		l1 <- @3 []
		w1 -> WATCH rv=3
		w1 <- DELETED a/x @4 body=spec=1+deleting
		c2 <- ok`,
	"a lost update of what has time left": inTwoSteps + `
		c1 -> CREATE a/x body=spec=1+node=n
		c1 <- @2
		w1 -> WATCH rv=2
		c1 -> DELETE a/x
		c1 <- ok
		w1 <- MODIFIED a/x @3 body=spec=1+node=n+grace=30+deleting
		c1 -> UPDATE a/x @3 body=spec=2+node=n
		c1 <- lost
		w1 <- MODIFIED a/x @4 body=spec=2+node=n+grace=30+deleting`,
	"a period that a later delete set": inTwoSteps + `
		c1 -> CREATE a/x body=spec=1+node=n
		c1 <- @2
		c1 -> DELETE a/x @2
		c1 <- ok
		c1 -> DELETE a/x @3 grace=1
		c1 <- ok
		l1 -> LIST
		l1 <- @4 [a/x @4 body=spec=1+node=n+grace=1+deleting]`,
	"what was sent, and changed nothing, is marked": inTwoSteps + `
		c1 -> CREATE a/x v=1
		c1 <- @2
		w1 -> WATCH rv=2
		c1 -> UPDATE a/x v=2
		c1 <- lost
		c1 -> PATCH a/x v=2
		w1 <- MODIFIED a/x @3 v=2
		c1 <- @3
		c1 -> DELETE a/x @3
		w1 <- MODIFIED a/x @4 body=spec=2+deleting
		c1 <- ok
		w1 <- DELETED a/x @5 body=spec=2+deleting`,
	"a mark that is shown before the write that it marks": inTwoSteps + `
		c1 -> CREATE a/x v=1 uid=-
		c1 <- @2 uid=-
		w1 -> WATCH rv=2
		c1 -> UPDATE a/x @2 v=2
		c1 <- lost
		c2 -> DELETE a/x
		c2 <- lost
		c3 -> GET a/x
		c3 <- a/x @4 uid=- body=spec=2+deleting
		w1 <- MODIFIED a/x @3 uid=- v=2
		w1 <- MODIFIED a/x @4 uid=- body=spec=2+deleting`,
	"the mark of a later delete": inTwoSteps + `
		c1 -> CREATE a/y v=1
		c2 -> DELETE a/y
		c1 <- @2
		c3 -> CREATE a/y v=2
		c1 -> CREATE a/x v=1
		c3 <- @5
		c1 <- @6
		c2 <- ok
		c1 -> UPDATE a/x @6 v=2
		c1 <- @7
		w1 -> WATCH rv=7
		c2 -> DELETE a/y
		c4 -> PATCH a/y @1 v=9
		w1 <- MODIFIED a/y @8 body=spec=2+deleting
		c4 <- 409 Conflict
		c2 <- ok
		w1 <- DELETED a/y @9 body=spec=2+deleting`,
	"the mark of a lost delete, after other writes": inTwoSteps + `
		c1 -> CREATE a/x v=1
		c2 -> DELETE a/x
		c1 <- @2
		c2 <- lost
		c1 -> CREATE a/y v=1
		c1 <- @3
		w1 -> WATCH rv=2
		w1 <- ADDED a/y @3 v=1
		w1 <- MODIFIED a/x @4 body=spec=1+deleting`,
	"a lost delete marks what a later update stored": inTwoSteps + `
		c1 -> CREATE a/x v=1
		c1 <- @2
		w1 -> WATCH rv=2
		c2 -> DELETE a/x
		c1 -> UPDATE a/x v=2
		w1 <- MODIFIED a/x @3 v=2
		w1 <- MODIFIED a/x @4 body=spec=2+deleting
		c2 <- lost
		w1 <- DELETED a/x @5 body=spec=2+deleting`,

	"a patch creates anew": onUpdate + `
		w1 -> WATCH
		c1 -> CREATE a/x v=1
		w1 <- ADDED a/x @2 v=1
		c1 <- @2
		c1 -> PATCH a/x @2 v=2
		c2 -> DELETE a/x
		c2 <- ok
		c1 <- @4 uid=u4
		w1 <- DELETED a/x @3 v=1
		w1 <- ADDED a/x @4 uid=u4 v=2`,
	"a lost patch creates anew, after a lost delete": onUpdate + `
		c1 -> CREATE a/x v=1
		c1 <- @2
		w1 -> WATCH rv=2
		c1 -> PATCH a/x @2 v=2
		c2 -> DELETE a/x
		c2 <- lost
		c1 <- lost
		w1 <- DELETED a/x @3 v=1
		w1 <- ADDED a/x @4 uid=u4 v=2`,
	"a lost update may have created what nothing has shown": onUpdate + `
		c1 -> CREATE a/x v=1
		c1 <- @2
		c2 -> UPDATE a/x @2 v=2
		c2 <- lost
		c1 -> DELETE a/x @2
		c1 <- ok
		c2 -> PATCH a/x @4 v=3
		c1 -> DELETE a/x @4
		c1 <- ok
		c2 <- @6 uid=u6`,
	"updates create, and nothing has a uid": onUpdate + `
		c1 -> UPDATE a/x v=1
		c2 -> DELETE a/x
		c1 <- @2 uid=-
		c1 -> CREATE a/y v=1
		c1 <- @4 uid=-
		c1 -> UPDATE a/x @1 v=2
		c1 <- @5 uid=-
		c2 <- ok`,
	"a lost delete between an update's call and its answer": onUpdate + `
		c1 -> CREATE a/x v=1
		c1 <- @2
		c1 -> DELETE a/x
		c1 <- ok
		c1 -> CREATE a/x v=2
		c1 <- @4
		c1 -> UPDATE a/x @4 v=3
		c1 <- @5
		c2 -> UPDATE a/x v=4
		c1 -> DELETE a/x @5
		c1 <- lost
		c2 <- @7 uid=u7`,
	"a dry run of a patch that would create": onUpdate + `
		c1 -> CREATE a/x v=1
		c1 <- @2
		c2 -> PATCH a/x @2 v=2 dry
		c1 -> DELETE a/x
		c1 <- ok
		c2 <- uid=u9`,

	"a dry run shows what a lost create has made": `
		c1 -> CREATE a/x v=1
		c1 <- lost
		c2 -> UPDATE a/x @2 v=2 dry
		c2 <- @2
		c1 -> UPDATE a/x v=1
		c1 <- @2`,
}

func TestRightHistories(t *testing.T) {
	for name, text := range rightHistories {
		t.Run(name, func(t *testing.T) {
			h := handmade.History(t, text)
			for _, r := range watchcache.Suite.Rules {
				if asked(r, h.Header.Features) {
					assert.Empty(t, r.Judge(h).Bad, r.Address())
				}
			}
		})
	}
}
