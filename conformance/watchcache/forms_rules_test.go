package watchcache_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/replay/handmade"
	"github.com/lwtest/lwtest/conformance/watchcache"
)

// oneObject is an object that a list shows as JSON.
const oneObject = `
	c1 -> CREATE a/x v=1 app=one
	c1 <- @2
	l1 -> LIST ns=a
	l1 <- @2 [a/x @2 uid=u2 v=1 app=one]`

func TestFormServed(t *testing.T) {
	judge(t, "form/served", []judged{
		{name: "JSON", says: untested, history: oneObject},
		{name: "a list", says: good, history: oneObject + `
			l2 -> LIST ns=a form=table
			l2 <- @2 [a/x @2 app=one]`},
		{name: "a refusal", says: untested, history: oneObject + `
			l2 -> LIST ns=a form=cbor
			l2 <- 406 NotAcceptable`},
		{name: "a list in another form", says: bad, history: oneObject + `
			l2 -> LIST ns=a form=table
			l2 <- WrongForm`, bad: found("an answer as table", "WrongForm", 5, 6)},
		{name: "a get in another form", says: bad, history: oneObject + `
			g1 -> GET a/x form=protobuf
			g1 <- WrongForm`, bad: found("an answer as protobuf", "WrongForm", 5, 6)},
		{name: "an event in another form", says: bad, history: `
			w1 -> WATCH ns=a rv=1 form=metadata-v1beta1
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 <- ADDED WrongForm`, bad: found("an answer as metadata-v1beta1", "WrongForm", 1, 4)},
		{name: "a bookmark in another form", says: bad, history: `
			w1 -> WATCH ns=a rv=1 form=table bookmarks
			w1 <- BOOKMARK WrongForm`, bad: found("an answer as table", "WrongForm", 1, 2)},
	})
}

func TestFormSame(t *testing.T) {
	judge(t, "form/same", []judged{
		{name: "JSON alone", says: untested, history: oneObject},
		{name: "metadata of the same object", says: good, history: oneObject + `
			l2 -> LIST ns=a form=metadata
			l2 <- @2 [a/x @2 app=one]`},
		{name: "the same in protobuf", says: good, history: oneObject + `
			l2 -> LIST ns=a form=protobuf
			l2 <- @2 [a/x @2 v=1 app=one]`},
		{name: "another content in protobuf", says: bad, history: oneObject + `
			g1 -> GET a/x form=protobuf
			g1 <- a/x @2 v=2 app=one`, bad: found("a/x @2 as json shows it", `as protobuf with "spec=2" instead of "spec=1"`, 4, 5, 6)},
		{name: "another label in a Table", says: bad, history: oneObject + `
			l2 -> LIST ns=a form=table
			l2 <- @2 [a/x @2 app=two]`, bad: found("a/x @2 as json shows it", "as table with the labels app=two instead of app=one", 4, 5, 6)},
		{name: "another uid on a watch", says: bad, history: oneObject + `
			w1 -> WATCH ns=a form=table-v1beta1
			w1 <- ADDED a/x @2 uid=u9 app=one`, bad: found("a/x @2 as json shows it", `as table-v1beta1 with the uid "u9" instead of "u2"`, 4, 5, 6)},
		{name: "an annotation is missing", says: bad, history: `
			w1 -> WATCH ns=a rv=1
			w2 -> WATCH ns=a rv=1 form=metadata-protobuf
			c1 -> CREATE a/x body=spec=1+annotation:note=n
			c1 <- @2
			w1 <- ADDED a/x @2 body=spec=1+annotation:note=n
			w2 <- ADDED a/x @2`, bad: found("a/x @2 as json shows it", `as metadata-protobuf with "" instead of "annotation:note=n"`, 5, 2, 6)},
		{name: "a deletion, and what left a selector", says: good, history: `
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2
			w1 -> WATCH ns=a rv=2 labels=app=one
			w2 -> WATCH ns=a rv=2 form=table
			c1 -> UPDATE a/x v=2 app=two
			c1 <- @3
			w1 <- DELETED a/x @3 v=1 app=one
			w2 <- MODIFIED a/x @3 app=two
			g1 -> GET a/x
			g1 <- a/x @3 v=2 app=two`},
	})
}

func TestFormList(t *testing.T) {
	judge(t, "form/list", []judged{
		{name: "the same", says: good, history: `
			l1 -> LIST ns=a limit=1
			l1 <- @2 [a/x @2] continue=tok remaining=1
			l2 -> LIST ns=a limit=1 form=table
			l2 <- @2 [a/x @2] continue=tok2 remaining=1`},
		{name: "at any state, which a cache gives whole", says: untested, history: `
			l1 -> LIST ns=a limit=1
			l1 <- @2 [a/x @2] continue=tok remaining=1
			l2 -> LIST ns=a limit=1 rv=0 form=table
			l2 <- @2 [a/x @2, a/y @1]`},
		{name: "at any state, while the cache is not ready", says: untested, history: `
			l1 -> LIST ns=a limit=1 rv=0
			l1 <- @2 [a/x @2, a/y @1]
			l2 -> LIST ns=a limit=1 rv=0 form=table
			l2 <- @2 [a/x @2] continue=tok remaining=1`},
		{name: "no token", says: bad, history: `
			l1 -> LIST ns=a limit=1
			l1 <- @2 [a/x @2] continue=tok remaining=1
			l2 -> LIST ns=a limit=1 form=table
			l2 <- @2 [a/x @2] remaining=1`, bad: found("a continue token and remainingItemCount 1, as the list says as json", "no continue token and remainingItemCount 1 as table", 2, 3, 4)},
		{name: "no count", says: bad, history: `
			l1 -> LIST ns=a limit=1
			l1 <- @2 [a/x @2] continue=tok remaining=1
			l2 -> LIST ns=a limit=1 form=metadata
			l2 <- @2 [a/x @2] continue=tok`, bad: found("a continue token and remainingItemCount 1, as the list says as json", "a continue token and no remainingItemCount as metadata", 2, 3, 4)},
	})
}

func TestVersionServed(t *testing.T) {
	judge(t, "version/served", []judged{
		{name: "one version", says: untested, history: oneObject},
		{name: "the same by the other", says: good, history: oneObject + `
			l2 -> LIST ns=a served=other
			l2 <- @2 [a/x @2 v=1 app=one]`},
		{name: "another content", says: bad, history: oneObject + `
			l2 -> LIST ns=a served=other
			l2 <- @2 [a/x @2 app=one]`, bad: found("a/x @2 as the first version shows it", `as other with "" instead of "spec=1"`, 4, 5, 6)},
		{name: "another uid", says: bad, history: oneObject + `
			g2 -> GET a/x served=other
			g2 <- a/x @2 uid=u7 v=1 app=one`, bad: found("a/x @2 as the first version shows it", `as other with the uid "u7" instead of "u2"`, 4, 5, 6)},
		{name: "a form without content", says: untested, history: oneObject + `
			l2 -> LIST ns=a served=other form=table
			l2 <- @2 [a/x @2 app=one]`},
	})
}

// Every rule judges what any form shows: a Table without an object is no snapshot, and a watch of metadata that misses a change has
// a gap.
func TestEveryRuleJudgesEveryForm(t *testing.T) {
	for name, c := range map[string]struct{ rule, history string }{
		"a list misses an object": {"list/snapshot", oneObject + `
			l2 -> LIST ns=a form=table
			l2 <- @2 []`},
		"a list has an older object": {"list/snapshot", oneObject + `
			c1 -> UPDATE a/x v=2 app=one
			c1 <- @3
			l2 -> LIST ns=a form=metadata
			l2 <- @3 [a/x @2 app=one]`},
		"a watch misses a change": {"watch/reliable", oneObject + `
			w1 -> WATCH ns=a rv=2 form=metadata
			c1 -> UPDATE a/x v=2 app=one
			c1 <- @3
			w1 <- SETTLED`},
	} {
		t.Run(name, func(t *testing.T) {
			h := handmade.History(t, c.history)
			for _, r := range watchcache.Suite.Rules {
				if r.Address() == c.rule {
					assert.NotEmpty(t, r.Judge(h).Bad)
				}
			}
		})
	}
}

// What a form does not show is no finding: the content, and what a write of unknown outcome may have stored.
func TestFormsRaiseNoFalseAlarm(t *testing.T) {
	for name, history := range map[string]string{
		"changes and ends": `
			w1 -> WATCH ns=a rv=1 form=table
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2
			w1 <- ADDED a/x @2 app=one
			c1 -> UPDATE a/x v=2 app=one
			c1 <- @3
			w1 <- MODIFIED a/x @3 app=one
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- DELETED a/x @4 app=one
			w1 <- SETTLED
			l1 -> LIST ns=a form=metadata
			l1 <- @4 []`,
		"a lost write": `
			w1 -> WATCH ns=a rv=1 form=table
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2
			w1 <- ADDED a/x @2 app=one
			c1 -> UPDATE a/x v=2 app=one
			c1 <- lost
			w1 <- MODIFIED a/x @3 app=one
			l1 -> LIST ns=a form=metadata
			l1 <- @3 [a/x @3 app=one]`,
	} {
		t.Run(name, func(t *testing.T) {
			h := handmade.History(t, history)
			for _, r := range watchcache.Suite.Rules {
				assert.Empty(t, r.Judge(h).Bad, r.Address())
			}
		})
	}
}
