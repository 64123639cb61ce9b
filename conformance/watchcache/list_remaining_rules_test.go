package watchcache_test

import "testing"

func TestListRemaining(t *testing.T) {
	judge(t, "list/remaining", []judged{
		{name: "so many as come", says: good, history: four + `
			l1 -> LIST ns=a limit=1
			l1 <- @5 [a/a @2] continue=t1 remaining=3
			l1 -> LIST ns=a limit=2 continue=t1
			l1 <- @5 [a/b @3, a/c @4] continue=t2 remaining=1
			l1 -> LIST ns=a continue=t2
			l1 <- @5 [a/d @5]`},
		{name: "with foreign objects, of which nobody here knew", says: good, history: four + `
			l1 -> LIST limit=4
			l1 <- @5 [a/a @2, a/b @3, a/c @4, a/d @5] continue=t1 remaining=2
			l1 -> LIST continue=t1
			l1 <- @5 [a/kube-root-ca.crt @1, ~/2 @4]`},
		{name: "a token used twice", says: good, history: four + `
			l1 -> LIST ns=a limit=1
			l1 <- @5 [a/a @2] continue=t1 remaining=3
			l1 -> LIST ns=a limit=2 continue=t1
			l1 <- @5 [a/b @3, a/c @4] continue=t2 remaining=1
			l1 -> LIST ns=a continue=t1
			l1 <- @5 [a/b @3, a/c @4, a/d @5]`},
		{name: "not given", says: good, history: four + `
			l1 -> LIST ns=a limit=1
			l1 <- @5 [a/a @2] continue=t1
			l1 -> LIST ns=a continue=t1
			l1 <- @5 [a/b @3, a/c @4, a/d @5]`},
		{name: "with a selector, or not taken to the end", says: untested, history: four + `
			l2 -> LIST ns=a limit=1 labels=app=one
			l2 <- @5 [a/b @3] continue=t2 remaining=7
			l2 -> LIST ns=a labels=app=one continue=t2
			l2 <- @5 [a/d @5]
			l3 -> LIST ns=a limit=1
			l3 <- @5 [a/a @2] continue=t3 remaining=7
			l3 -> LIST ns=a limit=1 continue=t3
			l3 <- 410 Expired continue=new
			l3 -> LIST ns=a continue=new
			l3 <- @9 [a/d @5]`},
		{name: "pages of two states", says: untested, history: four + `
			l1 -> LIST ns=a limit=1
			l1 <- @5 [a/a @2] continue=t1 remaining=3
			l1 -> LIST ns=a continue=t1
			l1 <- @6 [a/b @3, a/c @4]`},
		{name: "another client writes it", says: undecided, undecided: "another client", history: inRealTime + `
			c1 -> CREATE a/x v=1
			c1 <- @2
			l1 -> LIST ns=a
			l1 <- @9 [a/x @9 v=1]`},
		{name: "one too many", says: bad, history: four + `
			l1 -> LIST ns=a limit=1
			l1 <- @5 [a/a @2] continue=t1 remaining=4
			l1 -> LIST ns=a continue=t1
			l1 <- @5 [a/b @3, a/c @4, a/d @5]`,
			bad: found("remainingItemCount 3: so many come after this page", "4", 9, 10)},
	})
}

func TestListRemainingAbsent(t *testing.T) {
	judge(t, "list/remaining-absent", []judged{
		{name: "with a selector, and on the last page", says: good, history: four + `
			l1 -> LIST ns=a limit=1 labels=app=one
			l1 <- @5 [a/b @3] continue=t1
			l1 -> LIST ns=a limit=3
			l1 <- @5 [a/a @2, a/b @3, a/c @4] continue=t2 remaining=1
			l1 -> LIST ns=a continue=t2
			l1 <- @5 [a/d @5]`},
		{name: "whole lists, pages that have more, made-up tokens", says: untested, history: four + `
			l1 -> LIST ns=a
			l1 <- @5 [a/a @2, a/b @3, a/c @4, a/d @5]
			l1 -> LIST ns=a limit=3
			l1 <- @5 [a/a @2, a/b @3, a/c @4] continue=t2 remaining=1
			l1 -> LIST ns=a continue=made-up:1
			l1 <- @5 []`},
		{name: "with a selector that the subject declares not to know", says: untested, history: "... has comparable-rv\n" + four + `
			l1 -> LIST ns=a limit=1 fields=metadata.name!=b
			l1 <- @5 [a/a @2] continue=t1 remaining=3
			l1 -> LIST ns=a limit=1 labels=app=one
			l1 <- @5 [a/a @2] continue=t1 remaining=3`},
		{name: "with a selector", says: bad, history: four + `
			l1 -> LIST ns=a limit=1 fields=metadata.name!=b
			l1 <- @5 [a/a @2] continue=t1 remaining=2`,
			bad: found("no remainingItemCount with a selector", "2", 9, 10)},
		{name: "on the last page", says: bad, history: four + `
			l1 -> LIST ns=a limit=3
			l1 <- @5 [a/a @2, a/b @3, a/c @4] continue=t2 remaining=1
			l1 -> LIST ns=a continue=t2
			l1 <- @5 [a/d @5] remaining=0`,
			bad: found("no remainingItemCount on the last page", "0", 11, 12)},
		{name: "on the only page", says: bad, history: four + `
			l1 -> LIST ns=a
			l1 <- @5 [a/a @2, a/b @3, a/c @4, a/d @5] remaining=0`,
			bad: found("no remainingItemCount on the last page", "0", 9, 10)},
	})
}
