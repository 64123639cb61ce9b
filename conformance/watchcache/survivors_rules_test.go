package watchcache_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/replay/handmade"
)

// Traces whose contents are hashes, or any text: nothing in them says that a delete has only marked its object.

const hashed = inRealTime + `
	w1 -> WATCH ns=a rv=4
	w1 <- ok
	c1 -> CREATE a/x body=h1
	c1 <- @5 uid=u1
	w1 <- ADDED a/x @5 uid=u1 body=h1
	c1 -> DELETE a/x
	c1 <- ok`

func TestMarkedInOtherWords(t *testing.T) {
	judge(t, "list/most-recent", []judged{
		{name: "a list shows it", says: odd, history: hashed + `
			l1 -> LIST ns=a
			l1 <- @6 [a/x @6 uid=u1 body=h2]
			w1 <- DELETED a/x @7 uid=u1 body=h2`},
		{name: "a watch shows it, and another is created meanwhile", says: odd, history: hashed + `
			w1 <- MODIFIED a/x @6 uid=u1 body=h2
			l1 -> LIST ns=b
			l1 <- @6 []
			w1 <- DELETED a/x @8 uid=u1 body=h2`},
		{name: "no content at all", says: odd, history: inRealTime + `
			c1 -> CREATE a/x body=
			c1 <- @5 uid=u1
			c1 -> DELETE a/x
			c1 <- ok
			l1 -> LIST ns=a
			l1 <- @6 [a/x @6 uid=u1 body=]
			w1 -> WATCH rv=6
			w1 <- DELETED a/x @7 uid=u1 body=`},
		{name: "it had been gone, and the list is old", says: bad, history: hashed + `
			w1 <- DELETED a/x @7 uid=u1 body=h1
			l1 -> LIST ns=a
			l1 <- @5 [a/x @5 uid=u1 body=h1]`,
			bad: append(found("a resourceVersion of at least 7, which a write before it was answered with", "a list @5", 9, 10),
				found("nothing of a/x: a deletion before the list was answered", "a/x @5", 7, 9, 10)...)},
		{name: "its words say that it is not marked", says: bad, history: inRealTime + `
			c1 -> CREATE a/x v=1
			c1 <- @5 uid=u1
			w1 -> WATCH rv=5
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- DELETED a/x @7 uid=u1 v=1
			l1 -> LIST ns=a
			l1 <- @6 [a/x @6 uid=u1 v=9]`,
			bad: found("a resourceVersion of at least 7, which a write before it was answered with", "a list @6", 7, 8)},
		{name: "recent", says: good, history: `
			c1 -> CREATE a/x body=h1
			c1 <- @5 uid=u1
			l1 -> LIST ns=a
			l1 <- @5 [a/x @5 uid=u1 body=h1]`},
		{name: "nobody lists", says: untested, history: hashed},
	})
}

func TestCreatedWhileAnotherIsMarked(t *testing.T) {
	judge(t, "write/exists", []judged{
		{name: "before the other is gone", says: undecided, undecided: "another client", history: hashed + `
			w1 <- MODIFIED a/x @6 uid=u1 body=h2
			c1 -> CREATE a/y body=h1
			c1 <- @7 uid=u2
			w1 <- ADDED a/y @7 uid=u2 body=h1
			w1 <- DELETED a/x @8 uid=u1 body=h2`},
		{name: "refused", says: good, history: hashed + `
			c1 -> CREATE a/y body=h1
			c1 <- @8 uid=u2
			c1 -> CREATE a/y body=h1
			c1 <- 409 AlreadyExists`},
		{name: "accepted", says: bad, history: `
			c1 -> CREATE a/y body=h1
			c1 <- @8 uid=u2
			c1 -> CREATE a/y body=h1
			c1 <- @9 uid=u3`,
			bad: found("409 AlreadyExists: a/y was there before, and nobody had deleted it", "the CREATE was accepted", 1, 3, 4)},
		{name: "nobody creates", says: untested, history: `
			l1 -> LIST
			l1 <- @1 []`},
	})
}

func TestLastFinalizerInOtherWords(t *testing.T) {
	const ended = hashed + `
		w1 <- MODIFIED a/x @6 uid=u1 body=h2
		c1 -> PATCH a/x
		c1 <- @6 uid=u1 body=h2
		c1 -> UPDATE a/x body=h4
		c1 <- @6 uid=u1 body=h4
		c2 -> CREATE a/y body=h1
		c2 <- @9 uid=u2
		c2 -> UPDATE a/y body=h2
		c2 <- @10 uid=u2 body=h2`
	const changed = inRealTime + `
		c1 -> CREATE a/x body=h1
		c1 <- @5 uid=u1
		c1 -> UPDATE a/x body=h4
		c1 <- @5 uid=u1 body=h4`
	nobody := judged{name: "nobody writes", says: untested, history: `
		l1 -> LIST
		l1 <- @1 []`}
	judge(t, "write/version-grows", []judged{nobody,
		{name: "it is answered with the old resourceVersion", says: good, history: ended},
		{name: "nobody has deleted it", says: bad, history: changed, bad: found("a resourceVersion above 5", "a/x @5", 2, 3, 4)},
	})
	judge(t, "write/response", []judged{nobody,
		{name: "written", says: good, history: hashed},
		{name: "nobody has deleted it", says: bad, history: changed, bad: found(`a new resourceVersion: @5 was "h1"`, `"h4" @5`, 1, 3, 4)},
	})
	assert.Empty(t, ruleAt(t, "write/response").Judge(handmade.History(t, ended)).Bad, "it is answered with the old resourceVersion")
}
