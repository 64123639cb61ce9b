package watchcache_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/replay/handmade"
	"github.com/lwtest/lwtest/harness/history"
)

func number(what string) string {
	return "a decimal integer above 0, without leading zeros, as the resourceVersion of " + what
}

func TestVersionComparable(t *testing.T) {
	judge(t, "version/comparable", []judged{
		{name: "numbers of any length", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @99999999999999999999
			c1 -> UPDATE a/x @99999999999999999999 v=2
			c1 <- @100000000000000000000
			c1 -> CREATE a/y v=3
			c1 <- @100000000000000000001
			l1 -> LIST
			l1 <- @100000000000000000001 [a/x @100000000000000000000, ~/1 @7]
			w1 -> WATCH
			w1 <- BOOKMARK @100000000000000000001`},
		{name: "an apply changes owners alone, of what a collection's deletion has marked", says: good, history: `
			... has comparable-rv finalizers deletecollection apply
			c1 -> CREATE a/x body=spec=1+finalizers=one
			c1 <- @2
			c1 -> DELETECOLLECTION ns=a
			c1 <- ok
			c1 -> CREATE a/y v=1
			c1 <- @4
			c2 -> PATCH a/x by=m
			c2 <- @5 body=spec=1+finalizers=one+deleting`},
		{name: "a dry-run create has none", says: untested, history: `
			c1 -> CREATE a/x v=1 dry
			c1 <- @
			c1 -> DELETE a/x
			c1 <- ok
			l1 -> LIST
			l1 <- 500
			l1 -> LIST
			l1 <- lost
			w1 -> WATCH
			w1 <- ok
			w1 <- ERROR 410 Expired
			w1 <- ENDED`},
		{name: "a dry-run update has the old one, what changes nothing, too", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> CREATE a/y v=1
			c1 <- @3
			c1 -> UPDATE a/x v=2 dry
			c1 <- @2
			c1 -> PATCH a/x v=1
			c1 <- @2`},
		{name: "two creates at once, answered crosswise", says: good, history: `
			c1 -> CREATE a/x v=1
			c2 -> CREATE a/y v=1
			c2 <- @3
			c1 <- @2`},
		{name: "of a subject that gives none", says: undecided, undecided: "no resourceVersion", history: `
			c1 -> CREATE a/x v=1
			c1 <- ok
			l1 -> LIST
			l1 <- ok [a/x v=1]`},
		{name: "leading zeros", says: bad, history: `
			l1 -> LIST
			l1 <- @007 []`, bad: found(number("a list"), `"007"`, 1, 2)},
		{name: "an item with a text", says: bad, history: `
			l1 -> LIST
			l1 <- @7 [~/1 @v7]`, bad: found(number("an item"), `"v7"`, 1, 2)},
		{name: "no number in the answer to a get", says: bad, history: `
			g1 -> GET a/x
			g1 <- a/x v=1`, bad: found(number("the answer to a GET"), `""`, 1, 2)},
		{name: "0 in an event", says: bad, history: `
			w1 -> WATCH
			w1 <- DELETED ~/1 @0`, bad: found(number("a DELETED"), `"0"`, 1, 2)},
		{name: "a sign in a bookmark", says: bad, history: `
			w1 -> WATCH
			w1 <- BOOKMARK @-5`, bad: found(number("a BOOKMARK"), `"-5"`, 1, 2)},
		{name: "created at no larger one than what was there", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @5
			c1 -> CREATE a/y v=1
			c1 <- @4`, bad: found("a resourceVersion above 5, which a write before it was answered with", "a/y @4", 3, 4)},
	})
}

// Who says that its resourceVersions can be compared has some.
func TestVersionIsDeclared(t *testing.T) {
	h := handmade.History(t, `
		c1 -> CREATE a/x v=1
		c1 <- ok`)
	head := h.Header
	head.Features = []string{"comparable-rv"}
	h, err := history.New(head, h.Events)
	require.NoError(t, err)
	j := ruleAt(t, "version/comparable").Judge(h)
	assert.Empty(t, j.Undecided)
	assert.Equal(t, found(number("the answer to a CREATE"), `""`, 1, 2), j.Bad)
}
