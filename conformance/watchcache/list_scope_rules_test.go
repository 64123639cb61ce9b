package watchcache_test

import "testing"

func TestListScope(t *testing.T) {
	const two = `
		c1 -> CREATE a/x v=1 app=one
		c1 <- @2
		c1 -> CREATE a/y v=2 app=two
		c1 <- @3
		c1 -> CREATE ab/x v=3 app=one
		c1 <- @4
	`
	judge(t, "list/scope", []judged{
		{name: "of a namespace, a name, a label and a field", says: good, history: two + `
			l1 -> LIST ns=a
			l1 <- @4 [a/x @2 v=1 app=one, a/y @3 v=2 app=two]
			l1 -> LIST fields=metadata.name=x
			l1 <- @4 [a/x @2 v=1 app=one, ab/x @4 v=3 app=one]
			l1 -> LIST labels=app=one
			l1 <- @4 [a/x @2 v=1 app=one, ab/x @4 v=3 app=one]
			l1 -> LIST ns=a fields=metadata.name=y labels=app=two
			l1 <- @4 [a/y @3 v=2 app=two]
			l1 -> LIST fields=metadata.namespace=ab
			l1 <- @4 [ab/x @4 v=3 app=one]`},
		{name: "nothing outside, or nothing listed", says: untested, history: two + `
			l1 -> LIST
			l1 <- @4 [a/x @2 v=1 app=one, a/y @3 v=2 app=two, ab/x @4 v=3 app=one]
			l1 -> LIST ns=b
			l1 <- @4 []
			l1 -> LIST ns=a
			l1 <- 504 Timeout
			l1 -> LIST ns=a
			l1 <- lost`},
		{name: "foreign objects: of their labels and names nothing is known", says: odd, history: two + `
			l1 -> LIST labels=app=one
			l1 <- @4 [a/x @2 v=1 app=one, ab/x @4 v=3 app=one, ~/1 @1]
			l1 -> LIST fields=metadata.name=x
			l1 <- @4 [a/x @2 v=1 app=one, ab/x @4 v=3 app=one, ~/1 @1]`},
		{name: "what nobody here made, since the run began", says: bad, history: ofSole + two + `
			l1 -> LIST ns=a
			l1 <- @5 [a/x @2 v=1 app=one, a/y @3 v=2 app=two, a/odd @5 v=9]`,
			bad: found("only what was created here", "a/odd @5: nobody here made it", 7, 8)},
		{name: "what was there before the run, or has a name of the server's", says: odd, history: ofSole + `
			c1 -> CREATE a/ v=1 generate=g-
			c1 <- lost` + two + `
			l1 -> LIST ns=a
			l1 <- @4 [a/x @2 v=1 app=one, a/y @3 v=2 app=two, a/old @1 v=9]
			l1 -> LIST ns=a
			l1 <- @5 [a/x @2 v=1 app=one, a/y @3 v=2 app=two, a/old @1 v=9, a/g-1 @5 v=1]`},
		{name: "a trace may lack who made it", says: odd, history: "... has comparable-rv sole-writer\n" + two + `
			l1 -> LIST ns=a
			l1 <- @5 [a/x @2 v=1 app=one, a/y @3 v=2 app=two, a/odd @5 v=9]`},
		{name: "a trace without labels", says: good, history: written + `
			l1 -> LIST ns=a labels=app=two
			l1 <- @4 [a/y @4 v=3]
			l1 -> LIST ns=a fields=metadata.name=y
			l1 <- @4 [a/y @4 v=3]`},
		{name: "selectors that the subject declares not to know", says: good, history: "... has comparable-rv\n" + two + `
			l1 -> LIST labels=app=one
			l1 <- @4 [a/x @2 v=1 app=one, a/y @3 v=2 app=two, ab/x @4 v=3 app=one]
			l1 -> LIST ns=a fields=metadata.name=x
			l1 <- @4 [a/x @2 v=1 app=one, a/y @3 v=2 app=two]`},
		{name: "beside a selector that the subject declares not to know, one that it knows", says: bad, history: "... has comparable-rv label-selectors\n" + two + `
			l1 -> LIST ns=a labels=app=one fields=metadata.name=x
			l1 <- @4 [a/x @2 v=1 app=one, a/y @3 v=2 app=two]`,
			bad: found("only what the list is of: namespace a, app=one, metadata.name=x", "a/y @3 {app=two}", 7, 8)},
		{name: "the other of the two", says: bad, history: "... has comparable-rv field-selectors\n" + two + `
			l1 -> LIST ns=a labels=app=one fields=metadata.name=x
			l1 <- @4 [a/x @2 v=1 app=one, a/y @3 v=2 app=two]`,
			bad: found("only what the list is of: namespace a, app=one, metadata.name=x", "a/y @3 {app=two}", 7, 8)},
		{name: "it left the selector while it was listed", says: odd, history: two + `
			l1 -> LIST labels=app=one
			c1 -> UPDATE a/x v=4 app=two
			c1 <- @5
			l1 <- @4 [a/x @2 v=1 app=one, ab/x @4 v=3 app=one]`},
		{name: "without resourceVersions", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- ok
			l1 -> LIST ns=b
			l1 <- ok [a/x v=1]`,
			bad: found("only what the list is of: namespace b", "a/x", 3, 4)},
		{name: "a foreign object in a namespace of this run's", says: bad, history: two + `
			l1 -> LIST ns=a
			l1 <- @4 [a/x @2 v=1 app=one, a/y @3 v=2 app=two, ~/1 @1]`,
			bad: found("only what the list is of: namespace a", "~/1 @1", 7, 8)},
		{name: "a namespace that begins alike", says: bad, history: two + `
			l1 -> LIST ns=a
			l1 <- @4 [a/x @2 v=1 app=one, a/y @3 v=2 app=two, ab/x @4 v=3 app=one]`,
			bad: found("only what the list is of: namespace a", "ab/x @4 {app=one}", 7, 8)},
		{name: "what is in another namespace", says: bad, history: written + `
			l1 -> LIST ns=b
			l1 <- @4 [a/y @4 v=3 app=two]`,
			bad: found("only what the list is of: namespace b", "a/y @4 {app=two}", 9, 10)},
		{name: "the name is right, the label is not", says: bad, history: written + `
			l1 -> LIST ns=a fields=metadata.name=y labels=app=one
			l1 <- @4 [a/y @4 v=3 app=two]`,
			bad: found("only what the list is of: namespace a, app=one, metadata.name=y", "a/y @4 {app=two}", 9, 10)},
		{name: "the field metadata.namespace names another", says: bad, history: written + `
			l1 -> LIST fields=metadata.namespace=b
			l1 <- @4 [a/y @4 v=3 app=two]`,
			bad: found("only what the list is of: all namespaces, metadata.namespace=b", "a/y @4 {app=two}", 9, 10)},
		{name: "a name that begins alike", says: bad, history: two + `
			c1 -> CREATE a/xy v=5
			c1 <- @6
			l1 -> LIST ns=a fields=metadata.name=x
			l1 <- @6 [a/x @2 v=1 app=one, a/xy @6 v=5]`,
			bad: found("only what the list is of: namespace a, metadata.name=x", "a/xy @6", 9, 10)},
	})
}
