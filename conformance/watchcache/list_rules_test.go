package watchcache_test

import "testing"

// twice are changes that no resourceVersion tells of.
const twice = `
	c1 -> CREATE a/x v=1
	c1 <- ok
	c1 -> UPDATE a/x v=2
	c1 <- ok
	c1 -> CREATE a/y v=3
	c1 <- ok
`

func TestListSnapshot(t *testing.T) {
	judge(t, "list/snapshot", append(settledByWords, []judged{
		{name: "as it was", says: good, history: written + `
			l1 -> LIST ns=a
			l1 <- @4 [a/x @3 v=2 app=one, a/y @4 v=3 app=two]
			l1 -> LIST ns=a rv=2 match=Exact
			l1 <- @2 [a/x @2 v=1 app=one]
			l1 -> LIST labels=app=two
			l1 <- @4 [a/y @4 v=3 app=two]`},
		{name: "empty before the first write", says: untested, history: `
			l1 -> LIST
			l1 <- @1 []
			c1 -> CREATE a/x v=1
			c1 <- @2`},
		{name: "without resourceVersions the most recent state, in pages, too", says: good, history: twice + `
			l1 -> LIST limit=1
			l1 <- @two [a/x v=2] continue=tok
			l1 -> LIST limit=1 continue=tok
			l1 <- @two [a/y v=3]`},
		{name: "without resourceVersions any other list may be of long ago", says: untested, history: twice + `
			l1 -> LIST rv=one match=Exact
			l1 <- @one [a/x v=1]
			l1 -> LIST rv=one limit=1
			l1 <- @one [a/x v=1] continue=tok
			l1 -> LIST continue=tok
			l1 <- @one []
			l1 -> LIST rv=0
			l1 <- @one [a/x v=1]
			w1 -> WATCH rv=one
			w1 <- MODIFIED a/x v=2
			w1 <- ADDED a/y v=3`},
		{name: "without resourceVersions an old state as the most recent one", says: bad, history: twice + `
			l1 -> LIST rv=one match=Exact
			l1 <- @one [a/x v=1]
			l1 -> LIST
			l1 <- @two [a/x v=1, a/y v=3]`,
			bad: found("a/x (spec=2)", "a/x", 3, 9, 10)},
		{name: "something is missing", says: bad, history: written + `
			l1 -> LIST ns=a
			l1 <- @4 [a/x @3 v=2]`,
			bad: found("a/y @4 in the list, which is the state of a/y at the list's resourceVersion 4", "it is missing", 5, 9, 10)},
		{name: "what was deleted has the content of another", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> CREATE a/y v=2
			c1 <- @4
			l1 -> LIST limit=1
			l1 <- @4 [a/x @4 v=2] continue=t`,
			bad: found("a/x not in the list: it did not exist at that resourceVersion", "a/x @4", 7, 8)},
		{name: "something is newer", says: bad, history: written + `
			l1 -> LIST ns=a
			l1 <- @2 [a/x @3 v=2]`,
			bad: found("a/x @2, which is the state of a/x at the list's resourceVersion 2", "a/x @3", 1, 9, 10)},
		{name: "something did not exist yet", says: bad, history: written + `
			l1 -> LIST ns=a
			l1 <- @3 [a/x @3 v=2, a/y @4 v=3]`,
			bad: found("a/y not in the list: it did not exist at that resourceVersion", "a/y @4", 9, 10)},
		{name: "something is older", says: bad, history: written + `
			l1 -> LIST ns=a
			l1 <- @3 [a/x @2 v=1]`,
			bad: found("a/x @3, which is the state of a/x at the list's resourceVersion 3", "a/x @2", 3, 9, 10)},
		{name: "something is deleted", says: bad, history: written + `
			w1 -> WATCH rv=4
			w1 <- DELETED a/x @5 v=2
			l1 -> LIST ns=a
			l1 <- @5 [a/x @3 v=2, a/y @4 v=3]`,
			bad: found("a/x not in the list: it did not exist at that resourceVersion", "a/x @3", 11, 12)},
		{name: "something comes twice", says: bad, history: written + `
			l1 -> LIST ns=a
			l1 <- @4 [a/x @3 v=2, a/x @3 v=2, a/y @4 v=3]`,
			bad: found("each object once", "a/x twice", 9, 10)},
		{name: "another content under the same number", says: bad, history: written + `
			l1 -> LIST ns=a
			l1 <- @4 [a/x @3 v=1 app=one, a/y @4 v=3 app=two]`,
			bad: found("a/x @3 as it was written", `a/x @3 with content "spec=1", which was written as "spec=2"`, 3, 9, 10)},
		{name: "other labels under the same number", says: bad, history: written + `
			l1 -> LIST ns=a
			l1 <- @4 [a/x @3 v=2 app=two, a/y @4 v=3 app=two]`,
			bad: found("a/x @3 as it was written", `a/x @3 with labels "app=two", which was written as "app=one"`, 3, 9, 10)},
		{name: "a state that nobody wrote, and nobody else is there", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			l1 -> LIST ns=a
			l1 <- @9 [a/x @9 v=1]`,
			bad: found("a/x @2, which is the state of a/x at the list's resourceVersion 9", "a/x @9", 1, 3, 4)},
		{name: "another client writes it", says: undecided, undecided: "another client", history: inRealTime + `
			c1 -> CREATE a/x v=1
			c1 <- @2
			l1 -> LIST ns=a
			l1 <- @9 [a/x @9 v=1]`},
		{name: "it lives on after its deletion", says: undecided, undecided: "lives on after its deletion", history: inRealTime + `
			c1 -> CREATE a/x v=1
			c1 <- @2 uid=u
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> PATCH a/x v=2
			c1 <- @3 uid=u
			l1 -> LIST ns=a
			l1 <- @4 []`},
		{name: "the delete was of the object before it", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c2 -> CREATE a/x v=2
			c1 -> DELETE a/x
			c1 <- ok
			c2 <- @4
			c1 -> UPDATE a/x v=3
			c1 <- @5
			l1 -> LIST ns=a
			l1 <- @5 [a/x @5 v=3]`},
		{name: "content before it was written is no other client's", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x v=2
			c1 <- @9
			l1 -> LIST ns=a
			l1 <- @5 [a/x @5 v=2]`,
			bad: found("a/x @2, which is the state of a/x at the list's resourceVersion 5", "a/x @5", 1, 5, 6)},
		{name: "a collection is deleted, while it changes", says: undecided, undecided: "DELETECOLLECTION", history: `
			c1 -> CREATE a/x v=1
			c2 -> DELETECOLLECTION ns=a
			c2 <- ok
			c1 <- @2
			l1 -> LIST ns=a
			l1 <- @9 []`},
		{name: "a collection is deleted", says: good, history: `
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2
			c1 -> CREATE a/y v=1
			c1 <- @3
			c1 -> DELETECOLLECTION ns=a labels=app=one
			c1 <- ok
			l1 -> LIST ns=a
			l1 <- @9 [a/y @3 v=1]`},
		{name: "a collection is deleted, and one of it is listed", says: bad, history: `
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2
			c1 -> DELETECOLLECTION ns=a labels=app=one
			c1 <- ok
			c1 -> CREATE a/y v=1
			c1 <- @4
			l1 -> LIST ns=a
			l1 <- @9 [a/x @2 v=1 app=one, a/y @4 v=1]`,
			bad: found("a/x not in the list: it did not exist at that resourceVersion", "a/x @2", 7, 8)},
		{name: "a hole in a page", says: bad, history: written + `
			c1 -> CREATE a/z v=4
			c1 <- @6
			l1 -> LIST ns=a limit=1
			l1 <- @4 [a/y @4 v=3] continue=tok
			l1 -> LIST ns=a continue=tok
			l1 <- @4 []`,
			bad: found("a/x @3 in the list, which is the state of a/x at the list's resourceVersion 4", "it is missing", 3, 11, 12)},
		{name: "more than 20 digits", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @99999999999999999999
			c1 -> UPDATE a/x v=2
			c1 <- @100000000000000000000
			l1 -> LIST
			l1 <- @100000000000000000000 [a/x @99999999999999999999 v=1]`,
			bad: found("a/x @100000000000000000000, which is the state of a/x at the list's resourceVersion 100000000000000000000", "a/x @99999999999999999999", 3, 5, 6)},
		{name: "without resourceVersions", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- ok
			l1 -> LIST
			l1 <- @7 []`,
			bad: found("a/x (spec=1) in the list", "it is missing", 1, 3, 4)},
		{name: "without resourceVersions, while a write is under way", says: good, history: `
			c1 -> CREATE a/x v=1
			l1 -> LIST
			l2 -> LIST
			c1 <- ok
			l1 <- @7 []
			l2 <- @7 [a/x v=1]`},
		{name: "pages", says: good, history: written + `
			l1 -> LIST ns=a limit=1
			l1 <- @4 [a/x @3 v=2] continue=tok
			l1 -> LIST ns=a continue=tok
			l1 <- @4 [a/y @4 v=3]`},
		{name: "pages of two namespaces with equal tokens", says: odd, history: written + `
			c1 -> CREATE ab/x v=4
			c1 <- @6
			c1 -> CREATE ab/y v=5
			c1 <- @7
			w1 -> WATCH rv=4
			w1 <- DELETED a/x @5 v=2
			l1 -> LIST ns=ab limit=1
			l1 <- @7 [ab/x @6 v=4] continue=tok
			l1 -> LIST ns=a limit=1
			l1 <- @7 [a/y @4 v=3] continue=tok
			l1 -> LIST ns=ab continue=tok
			l1 <- @7 [ab/y @7 v=5]`},
		{name: "an empty last page", says: odd, history: written + `
			l1 -> LIST ns=a limit=2
			l1 <- @4 [a/x @3 v=2, a/y @4 v=3] continue=tok
			l1 -> LIST ns=a continue=tok
			l1 <- @4 []`},
		{name: "rv=0 with a limit: the whole list, stale", says: odd, history: written + `
			l1 -> LIST ns=a rv=0 limit=1
			l1 <- @3 [a/x @3 v=2]`},
		{name: "a page whose list is not there", says: odd, history: written + `
			l1 -> LIST ns=a continue=tok
			l1 <- @4 [a/y @4 v=3]`},
		{name: "an expired token goes on at a newer resourceVersion", says: odd, history: written + `
			l1 -> LIST ns=a limit=1
			l1 <- @2 [a/x @2 v=1] continue=tok
			l1 -> LIST ns=a continue=tok
			l1 <- 410 Expired
			l1 -> LIST ns=a continue=new
			l1 <- @4 [a/y @4 v=3]`},
		{name: "a deletion of unknown revision may have come", says: odd, history: written + `
			l1 -> LIST ns=a
			l1 <- @5 [a/y @4 v=3]
			l1 -> LIST ns=a
			l1 <- @5 [a/x @3 v=2, a/y @4 v=3]`},
		{name: "a lost write may have come", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- lost
			l1 -> LIST
			l1 <- @3 []`},
		{name: "a lost write that a list resolves", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x v=2
			c1 <- lost
			l1 -> LIST
			l1 <- @3 [a/x @3 v=2]
			l1 -> LIST
			l1 <- @2 [a/x @2 v=1]`},
		{name: "a list that overlaps a write shows it, or not", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			l1 -> LIST
			l2 -> LIST
			c1 -> UPDATE a/x v=2
			l1 <- @3 [a/x @3 v=2]
			l2 <- @2 [a/x @2 v=1]
			c1 <- @3`},
		{name: "two deletes at once, answered crosswise", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c2 -> DELETE a/x
			c3 -> DELETE a/x
			c3 <- ok
			c1 -> CREATE a/x v=2
			c1 <- @4
			c2 <- ok
			c1 -> CREATE a/y v=3
			c1 <- @6
			l1 -> LIST
			l1 <- @6 [a/y @6 v=3]`},
		{name: "finalizers: marked, then gone", says: good, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- ok
			l1 -> LIST
			l1 <- @3 [a/x @3 body=spec=1+finalizers=f+deleting]
			c1 -> PATCH a/x body=spec=1
			c1 <- @3 body=spec=1+deleting
			w1 -> WATCH rv=2
			w1 <- MODIFIED a/x @3 body=spec=1+finalizers=f+deleting
			w1 <- DELETED a/x @4 body=spec=1+finalizers=f+deleting
			l1 -> LIST
			l1 <- @3 [a/x @3 body=spec=1+finalizers=f+deleting]
			l1 -> LIST
			l1 <- @4 []`},
		{name: "an object that is older than the run", says: odd, history: `
			l1 -> LIST
			l1 <- @5 [a/x @3 v=0, a/y @2 v=0]
			c1 -> UPDATE a/x @3 v=1
			c1 <- @6
			c1 -> DELETE a/y
			c1 <- ok
			l1 -> LIST rv=5 match=Exact
			l1 <- @5 [a/x @3 v=0, a/y @2 v=0]`},
		{name: "a write that changes nothing", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> PATCH a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x @2 v=2 dry
			c1 <- @2
			l1 -> LIST
			l1 <- @2 [a/x @2 v=1]`},
		{name: "foreign objects", says: untested, history: `
			l1 -> LIST
			l1 <- @5 [~/1 @3, ~/1 @2]`},
		{name: "refused", says: untested, history: written + `
			l1 -> LIST rv=9
			l1 <- 504 Timeout`},
		{name: "a resourceVersion that cannot be compared", says: untested, history: written + `
			l1 -> LIST
			l1 <- @x [a/x @3 v=2]`},
		{name: "what is out of scope is another rule's", says: odd, history: written + `
			l1 -> LIST ns=b
			l1 <- @4 [a/y @4 v=3 app=two]`},
		{name: "by name, label and the field metadata.namespace", says: good, history: written + `
			l1 -> LIST ns=a fields=metadata.name=y labels=app=two
			l1 <- @4 [a/y @4 v=3 app=two]
			l1 -> LIST fields=metadata.namespace=a,metadata.name=y
			l1 <- @4 [a/y @4 v=3 app=two]
			l1 -> LIST fields=metadata.namespace=b
			l1 <- @4 []`},
		{name: "a trace without labels", says: good, history: written + `
			l1 -> LIST ns=a labels=app=two
			l1 <- @4 [a/y @4 v=3]`},
		{name: "a page that starts over", says: bad, history: written + `
			l1 -> LIST ns=a limit=1
			l1 <- @4 [a/x @3 v=2] continue=tok
			l1 -> LIST ns=a limit=1 continue=tok
			l1 <- @4 [a/x @3 v=2] continue=tok`,
			bad: found("each object once: this page begins after a/x", "a/x again", 11, 12)},
		{name: "a page that repeats the last item", says: bad, history: written + `
			c1 -> CREATE a/z v=4
			c1 <- @6
			l1 -> LIST ns=a rv=4 match=Exact limit=1
			l1 <- @4 [a/x @3 v=2] continue=tok
			l1 -> LIST ns=a continue=tok
			l1 <- @4 [a/x @3 v=2, a/y @4 v=3]`,
			bad: found("each object once: this page begins after a/x", "a/x again", 13, 14)},
		{name: "pages of a list that this history does not have", says: good, history: written + `
			l1 -> LIST ns=a limit=1 continue=tok
			l1 <- @4 [a/x @3 v=2] continue=tok2
			l1 -> LIST ns=a continue=tok2
			l1 <- @4 [a/x @3 v=2, a/y @4 v=3]`},
		{name: "a page at exactly an old resourceVersion shows the present", says: bad, history: written + `
			l1 -> LIST ns=a rv=2 match=Exact limit=1
			l1 <- @2 [a/x @3 v=2] continue=tok`,
			bad: found("a/x @2, which is the state of a/x at the list's resourceVersion 2", "a/x @3", 1, 9, 10)},
		{name: "pages end early", says: bad, history: written + `
			l1 -> LIST ns=a limit=1
			l1 <- @4 [a/x @3 v=2]`,
			bad: found("a/y @4 in the list, which is the state of a/y at the list's resourceVersion 4", "it is missing", 5, 9, 10)},
		{name: "without the uid that it has", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 uid=u
			l1 -> LIST ns=a
			l1 <- @2 [a/x @2 v=1 uid=-]`,
			bad: found("a/x @2 as it was written", `a/x @2 with uid "", which was written as "u"`, 1, 3, 4)},
		{name: "of a subject that gives no uids", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 uid=-
			l1 -> LIST ns=a
			l1 <- @2 [a/x @2 v=1 uid=-]`},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
	}...))
}
