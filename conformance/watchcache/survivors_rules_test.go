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
			bad: found("nothing of a/x: a deletion before the list was answered", "a/x @5", 7, 9, 10)},
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
	const changed = `
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

func TestMarkedBeforeItWasDeleted(t *testing.T) {
	const again = inRealTime + `
		w1 -> WATCH ns=a rv=4
		w1 <- ok
		c1 -> PATCH a/x body=
		c1 <- @5 uid=u1 body=h2
		w1 <- MODIFIED a/x @5 uid=u1 body=h2
		c1 -> DELETE a/x
		c1 <- ok`
	judge(t, "version/comparable", []judged{
		{name: "a delete of what was marked before the run", says: good, history: again + `
			c1 -> CREATE a/y body=h1
			c1 <- @7 uid=u2
			w1 <- ADDED a/y @7 uid=u2 body=h1
			c1 -> PATCH a/x body=
			c1 <- @5 uid=u1 body=h3
			w1 <- DELETED a/x @8 uid=u1 body=h3`},
		{name: "two objects, each deleted twice", says: good, history: inRealTime + `
			c1 -> CREATE a/x body=h1
			c1 <- @2 uid=u1
			c1 -> CREATE a/y body=h1
			c1 <- @3 uid=u2
			w1 -> WATCH ns=a rv=3
			c1 -> DELETE a/y
			c1 <- ok
			w1 <- MODIFIED a/y @4 uid=u2 body=h2
			c1 -> DELETE a/y
			c1 <- ok
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- MODIFIED a/x @5 uid=u1 body=h2
			c1 -> PATCH a/y body=
			c1 <- @4 uid=u2 body=h3
			w1 <- DELETED a/y @6 uid=u2 body=h3
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> CREATE a/y body=h1
			c1 <- @7 uid=u7
			c1 -> PATCH a/x body=
			c1 <- @5 uid=u1 body=h3
			w1 <- DELETED a/x @8 uid=u1 body=h3`},
		{name: "in words that tell that it was not", says: bad, history: inRealTime + `
			c1 -> CREATE a/x v=1
			c1 <- @5 uid=u1
			w1 -> WATCH ns=a rv=5
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> CREATE a/y v=1
			c1 <- @7 uid=u2
			w1 <- DELETED a/x @8 uid=u1 v=1`,
			bad: found("a resourceVersion above 8, which a write before it was answered with", "a/y @7", 6, 7)},
		{name: "nobody is answered", says: untested, history: `
			c1 -> CREATE a/x v=1`},
	})
	judge(t, "watch/reliable", []judged{
		{name: "no DELETED for it", says: undecided, undecided: "waits for something", history: again + `
			w1 <- SETTLED`},
		{name: "no DELETED, and its words tell that it was not marked", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @5 uid=u1
			w1 -> WATCH ns=a rv=5
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- SETTLED`,
			bad: found("DELETED for the deletion of a/x", "no DELETED, though the watch had all the time it needs", 4, 3, 6)},
		{name: "it comes", says: good, history: hashed + `
			w1 <- DELETED a/x @7 uid=u1 body=h1`},
		{name: "nobody watches", says: untested, history: `
			l1 -> LIST
			l1 <- @1 []`},
	})
}

func TestMarkedByACollection(t *testing.T) {
	const swept = `
		c1 -> CREATE a/x body=h1
		c1 <- @2 uid=u1
		c1 -> DELETECOLLECTION ns=a
		c1 <- ok
		c1 -> PATCH a/x body=
		c1 <- @3 uid=u1 body=h1
		c1 -> UPDATE a/x body=h2
		c1 <- @3 uid=u1 body=h2`
	judge(t, "write/version-grows", []judged{
		{name: "who takes the last finalizer is answered with the old resourceVersion", says: good, history: swept},
		{name: "of another object, created since", says: bad, history: `
			c1 -> CREATE a/x body=h1
			c1 <- @2 uid=u1
			w1 -> WATCH rv=2
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- DELETED a/x @3 uid=u1 body=h1
			c1 -> CREATE a/x body=h1
			c1 <- @4 uid=u2
			c1 -> UPDATE a/x body=h2
			c1 <- @4 uid=u2 body=h2`,
			bad: found("a resourceVersion above 4", "a/x @4", 8, 9, 10)},
		{name: "nobody writes", says: untested, history: `
			l1 -> LIST
			l1 <- @1 []`},
	})
}
