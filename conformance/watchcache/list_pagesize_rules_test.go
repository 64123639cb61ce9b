package watchcache_test

import "testing"

func TestListPagesWithSelector(t *testing.T) {
	judge(t, "list/pages-with-selector", []judged{
		{name: "what is selected, with an empty last page", says: good, history: four + `
			l1 -> LIST ns=a limit=1 labels=app=one
			l1 <- @5 [a/b @3 v=2 app=one] continue=t1
			l1 -> LIST ns=a limit=1 labels=app=one continue=t1
			l1 <- @5 [a/d @5 v=4 app=one] continue=t2
			l1 -> LIST ns=a limit=1 labels=app=one continue=t2
			l1 <- @5 []`},
		{name: "by a field, and a trace without labels", says: good, history: four + `
			l1 -> LIST ns=a limit=2 fields=metadata.name!=b
			l1 <- @5 [a/a @2 v=1, a/c @4 v=3] continue=t1
			l1 -> LIST ns=a fields=metadata.name!=b continue=t1
			l1 <- @5 [a/d @5 v=4]
			l1 -> LIST ns=a limit=1 labels=app=one
			l1 <- @5 [a/b @3 v=2] continue=t2
			l1 -> LIST ns=a labels=app=one continue=t2
			l1 <- @5 [a/d @5 v=4]`},
		{name: "it left the selector between the pages", says: good, history: four + `
			l1 -> LIST ns=a limit=1 labels=app=one
			l1 <- @5 [a/b @3 v=2 app=one] continue=t1
			c1 -> UPDATE a/d v=5 app=two
			c1 <- @6
			l1 -> LIST ns=a labels=app=one continue=t1
			l1 <- @5 [a/d @5 v=4 app=one]`},
		{name: "foreign objects", says: odd, history: four + `
			l1 -> LIST limit=1 labels=app=one
			l1 <- @5 [~/1 @1] continue=t1
			l1 -> LIST labels=app=one continue=t1
			l1 <- @5 [a/b @3 v=2 app=one, a/d @5 v=4 app=one]`},
		{name: "without a selector, or one page", says: untested, history: four + `
			l1 -> LIST ns=a limit=1
			l1 <- @5 [a/b @3 v=2] continue=t1
			l1 -> LIST ns=a continue=t1
			l1 <- @5 [a/d @5 v=4]
			l1 -> LIST ns=a limit=9 labels=app=one
			l1 <- @5 [a/b @3 v=2]`},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "no resourceVersion", history: overlap},
		{name: "a limit that counts the others", says: bad, history: four + `
			l1 -> LIST ns=a limit=1 labels=app=one
			l1 <- @5 [] continue=t1
			l1 -> LIST ns=a labels=app=one continue=t1
			l1 <- @5 [a/d @5 v=4 app=one]`,
			bad: found("a/b @3 on one of 2 pages", "it is on none", 3, 10, 12)},
		{name: "others", says: bad, history: four + `
			l1 -> LIST ns=a limit=1 labels=app=one
			l1 <- @5 [a/b @3 v=2 app=one] continue=t1
			l1 -> LIST ns=a labels=app=one continue=t1
			l1 <- @5 [a/c @4 v=3 app=two, a/d @5 v=4 app=one]`,
			bad: found("only what the list is of: namespace a, app=one", "a/c @4 {app=two}", 10, 11, 12)},
	})
}

func TestListPageSize(t *testing.T) {
	judge(t, "list/page-size", []judged{
		{name: "so many, fewer, or none", says: good, history: four + `
			l1 -> LIST ns=a limit=2
			l1 <- @5 [a/a @2, a/b @3] continue=t1
			l1 -> LIST ns=a limit=2 continue=t1
			l1 <- @5 [a/c @4] continue=t2
			l1 -> LIST ns=a limit=2 continue=t2
			l1 <- @5 [] continue=t3`},
		{name: "all of it: limits are ignored", says: good, history: four + `
			l1 -> LIST ns=a limit=2 rv=0
			l1 <- @5 [a/a @2, a/b @3, a/c @4, a/d @5]`},
		{name: "all the rest, as it was asked for", says: good, history: four + `
			l1 -> LIST ns=a limit=1
			l1 <- @5 [a/a @2] continue=t1
			l1 -> LIST ns=a continue=t1
			l1 <- @5 [a/b @3, a/c @4, a/d @5]`},
		{name: "all the rest, of a cache that ignores limits", says: good, history: four + `
			l1 -> LIST ns=a limit=1
			l1 <- @5 [a/a @2] continue=t1
			l1 -> LIST ns=a limit=1 rv=0 continue=t1
			l1 <- @5 [a/b @3, a/c @4, a/d @5]`},
		{name: "of a subject without resourceVersions", says: good, history: `
			l1 -> LIST limit=1
			l1 <- ok [a/x v=1, a/y v=1]`},
		{name: "no limit, or no more than that", says: untested, history: four + `
			l1 -> LIST ns=a
			l1 <- @5 [a/a @2, a/b @3, a/c @4, a/d @5]
			l1 -> LIST ns=a limit=4
			l1 <- @5 [a/a @2, a/b @3, a/c @4, a/d @5]
			l1 -> LIST ns=a limit=1
			l1 <- 400`},
		{name: "a token that is made up, and ignored as limits are", says: untested, history: four + `
			l1 -> LIST ns=a limit=1 continue=made-up:!
			l1 <- @5 [a/a @2, a/b @3, a/c @4, a/d @5]`},
		{name: "more, and not all", says: bad, history: four + `
			l1 -> LIST ns=a limit=1
			l1 <- @5 [a/a @2, a/b @3] continue=t1`,
			bad: found("at most 1 items, or all of them", "2 items, and a token for more", 9, 10)},
		{name: "more, and not all, of a cache that ignores limits", says: bad, history: four + `
			l1 -> LIST ns=a limit=1
			l1 <- @5 [a/a @2] continue=t1
			l1 -> LIST ns=a limit=1 rv=0 continue=t1
			l1 <- @5 [a/b @3, a/c @4] continue=t2`,
			bad: found("at most 1 items, or all of them", "2 items, and a token for more", 11, 12)},
		{name: "more on the last page", says: bad, history: four + `
			l1 -> LIST ns=a limit=1
			l1 <- @5 [a/a @2] continue=t1
			l1 -> LIST ns=a limit=1 continue=t1
			l1 <- @5 [a/b @3, a/c @4, a/d @5]`,
			bad: found("at most 1 items, or all of them", "3 items on the last page", 11, 12)},
	})
}
