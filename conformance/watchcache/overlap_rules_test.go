package watchcache_test

import "testing"

// What others do at the same time, or have done before anybody looked: a write that changes nothing is answered with
// what it finds, and of a server that others write to, too, a trace tells less.

func TestOverlappingTests(t *testing.T) {
	const overlapped = testable + `
		c1 -> UPDATE a/x @3 app=one body=spec=4+annotation:n=1
		c2 -> PATCH a/x json tests=spec=4
		c2 <- @4 uid=u app=one body=spec=4+annotation:n=1
		c1 <- @4 uid=u`
	judge(t, "write/conflict/test", []judged{
		{name: "it found what another made, changed nothing and was answered first", says: odd, history: overlapped},
		{name: "it held", says: good, history: testable + `
			c2 -> PATCH a/x v=3 json tests=spec=9
			c2 <- 422 Invalid`},
		{name: "it held neither before nor after", says: bad, history: testable + `
			c1 -> UPDATE a/x @3 app=one body=spec=4+annotation:n=1
			c2 -> PATCH a/x json tests=spec=9
			c2 <- @4 uid=u app=one body=spec=4+annotation:n=1
			c1 <- @4 uid=u`,
			bad: found("422, or 409: a/x was not spec=9", "the PATCH was accepted", 6, 7)},
		{name: "nobody tests", says: untested, history: testable},
	})
}

func TestOverlappingFirstPatch(t *testing.T) {
	judge(t, "write/response", []judged{
		{name: "it found what was there before the run", says: good, history: `
			c3 -> CREATE a/y v=1
			c3 <- @7 uid=v
			c1 -> PATCH a/x json
			c2 -> PATCH a/x v=4
			c2 <- @8 uid=u app=one v=4
			c1 <- @6 uid=u app=one body=spec=0+annotation:m=p`},
		{name: "it follows the other", says: good, history: `
			c2 -> PATCH a/x v=4 @5
			c2 <- @6 uid=u app=one v=4
			c1 -> PATCH a/x body=annotation:n=1 @6
			c1 <- @8 uid=u app=one body=spec=4+annotation:n=1`},
		{name: "and loses what that made", says: bad, history: `
			c2 -> PATCH a/x v=4 @5
			c2 <- @6 uid=u app=one v=4
			c1 -> PATCH a/x body=annotation:n=1 @6
			c1 <- @8 uid=u app=one body=annotation:n=1`,
			bad: found("spec=4 as before: the patch does not name it", "a/x @8 without it", 1, 3, 4)},
		{name: "nothing was answered", says: untested, history: `
			c1 -> PATCH a/x json`},
	})
}

func TestChangedBeforeTheWatch(t *testing.T) {
	const deleted = `
		c1 -> DELETE a/x
		c1 <- ok
		w1 <- DELETED a/x @5 uid=u body=spec=1+annotation:n=1`
	const created = `
		c1 -> CREATE a/x v=1
		c1 <- @2 uid=u`
	judge(t, "watch/delete-version", []judged{
		{name: "another client changed it before the watch began", says: odd, history: inRealTime + created + `
			w1 -> WATCH initial=false match=NotOlderThan
			w1 <- ok` + deleted},
		{name: "as it was", says: good, history: inRealTime + created + `
			w1 -> WATCH initial=false match=NotOlderThan
			w1 <- ok
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- DELETED a/x @5 uid=u v=1`},
		{name: "the watch would have shown it", says: bad, history: inRealTime + created + `
			w1 -> WATCH rv=2
			w1 <- ok` + deleted,
			bad: found("the last state, as it was before the change", `a/x @5 with content "spec=1 annotation:n=1", which was written as "spec=1"`, 1, 3, 7)},
		{name: "the watch began before", says: bad, history: inRealTime + `
			w1 -> WATCH initial=false match=NotOlderThan
			w1 <- ok` + created + `
			w1 <- ADDED a/x @2 uid=u v=1` + deleted,
			bad: found("the last state, as it was before the change", `a/x @5 with content "spec=1 annotation:n=1", which was written as "spec=1"`, 3, 1, 8)},
		{name: "nothing was deleted", says: untested, history: inRealTime + created},
	})
}

func TestDeletedAgainOtherwise(t *testing.T) {
	const marked = `
		w1 -> WATCH rv=1
		c1 -> CREATE a/x body=spec=1+finalizers=f.io/a
		c1 <- @2 uid=u
		w1 <- ADDED a/x @2 uid=u body=spec=1+finalizers=f.io/a
		c1 -> DELETE a/x
		c1 <- ok
		w1 <- MODIFIED a/x @3 uid=u body=spec=1+finalizers=f.io/a+deleting`
	const more = `
		w1 <- MODIFIED a/x @4 uid=u body=spec=1+finalizers=f.io/a,orphan+deleting`
	judge(t, "watch/reliable", []judged{
		{name: "with another policy: it waits for more", says: undecided, undecided: "waits for something after its deletion", history: marked + `
			c1 -> DELETE a/x policy=Orphan
			c1 <- ok` + more},
		{name: "just so: it changes nothing", says: good, history: marked + `
			c1 -> DELETE a/x
			c1 <- ok`},
		{name: "just so, and it waits for more", says: bad, history: marked + `
			c1 -> DELETE a/x
			c1 <- ok` + more,
			bad: found("only changes that were made", "MODIFIED a/x @4: nobody here made it", 1, 10)},
		{name: "of a check, whose server adds none", says: bad, history: ofCheck + marked + `
			c1 -> DELETE a/x policy=Orphan
			c1 <- ok` + more,
			bad: found("only changes that were made", "MODIFIED a/x @4: nobody here made it", 1, 10)},
		{name: "nobody watches", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2`},
	})
}

func TestAReplicaWritesTheSame(t *testing.T) {
	const stale = `
		w1 -> WATCH rv=1
		c1 -> CREATE a/x v=1
		c1 <- @2
		c1 -> UPDATE a/x @2 v=2
		c1 <- @3
		c1 -> UPDATE a/x @2 v=3
		c1 <- 409 Conflict
		w1 <- ADDED a/x @2 v=1
		w1 <- MODIFIED a/x @3 v=2
		w1 <- MODIFIED a/x @4 v=3`
	const had = `
		w1 -> WATCH rv=1
		c1 -> CREATE a/x v=1
		c1 <- @2
		c1 -> UPDATE a/x @2 v=2
		c1 <- @3
		c1 -> UPDATE a/x @2 v=2
		c1 <- 409 Conflict
		c1 -> UPDATE a/x @2 v=3
		c1 <- 409 Conflict
		w1 <- ADDED a/x @2 v=1
		w1 <- MODIFIED a/x @3 v=2`
	judge(t, "write/conflict/update", []judged{
		{name: "where others may write, of a trace", says: undecided, undecided: "no write here explains", history: inRealTime + stale},
		{name: "where nobody else does", says: bad, history: stale, bad: found("a refused UPDATE changes nothing", "a/x @4 shows what it wrote", 6, 7, 10)},
		{name: "of a check, and it was there before: a controller has changed what is not shown", says: undecided, undecided: "no write here explains", history: ofCheck + inRealTime + had + `
			w1 <- MODIFIED a/x @4 v=2`},
		{name: "of a check, and it was not there before", says: bad, history: ofCheck + inRealTime + had + `
			w1 <- MODIFIED a/x @4 v=3`,
			bad: found("a refused UPDATE changes nothing", "a/x @4 shows what it wrote", 8, 9, 12)},
		{name: "refused, and not seen", says: good, history: inRealTime + `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x @2 v=2
			c1 <- @3
			c1 -> UPDATE a/x @2 v=3
			c1 <- 409 Conflict`},
		{name: "nobody writes", says: untested, history: `
			l1 -> LIST
			l1 <- @1 []`},
	})
}

func TestDeletedBeforeSomebodyCreated(t *testing.T) {
	const late = inRealTime + `
		c5 -> DELETE a/x
		c2 -> UPDATE a/x @5 v=6
		c5 <- ok
		l1 -> LIST
		c2 <- @6 uid=u2
		w1 -> WATCH rv=6
		c3 -> DELETE a/x @6
		l1 <- @7 [a/x @6 v=6 uid=u2]
		c3 <- ok
		w1 <- DELETED a/x @8 v=6 uid=u2`
	judge(t, "list/most-recent", []judged{
		{name: "the first delete was of what was there before another client created this", says: odd, history: late},
		{name: "recent", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			l1 -> LIST
			l1 <- @2 [a/x @2 v=1]`},
		{name: "not recent", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x @2 v=2
			c1 <- @3
			l1 -> LIST
			l1 <- @2 [a/x @2 v=1]`,
			bad: found("a resourceVersion of at least 3, which a write before it was answered with", "a list @2", 5, 6)},
		{name: "nobody lists", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2`},
	})
}

func TestEndedOnASelector(t *testing.T) {
	const ended = `
		... has comparable-rv grace
		c1 -> CREATE a/x v=1 app=one
		c1 <- @2
		c1 -> DELETE a/x
		c1 <- @4 body=spec=1+deleting app=one
		l1 -> LIST
		l1 <- @3 [a/x @3 uid=u2 body=spec=1+deleting app=one]
		c1 -> CREATE a/x v=2 app=one
		c1 <- @5
		w1 -> WATCH rv=5 labels=app=one
		c1 -> DELETE a/x @5
		c1 <- lost
		w1 <- MODIFIED a/x @6 uid=u5 body=spec=2+deleting app=one
		l1 -> LIST
		w1 <- DELETED a/x @7 uid=u5 body=spec=2+deleting app=one`
	judge(t, "list/snapshot", []judged{
		{name: "the mark of a delete takes nothing out of a selector", says: good, history: ended + `
			l1 <- @7 []`},
		{name: "and it is still there", says: bad, history: ended + `
			l1 <- @7 [a/x @6 uid=u5 body=spec=2+deleting app=one]`,
			bad: found("a/x not in the list: it did not exist at that resourceVersion", "a/x @6", 13, 15)},
		{name: "nobody lists", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2`},
	})
}

func TestSeenBeforeItWasDeleted(t *testing.T) {
	const patched = inRealTime + `
		g1 -> GET a/x
		g1 <- a/x @9 uid=u1 v=0
		w1 -> WATCH rv=9
		w1 <- ok
		w2 -> WATCH rv=9
		w2 <- ok
		c1 -> PATCH a/x v=1
		c2 -> DELETE a/x
		c1 <- @11 uid=u1 v=1
		c2 <- ok
		w1 <- MODIFIED a/x @11 uid=u1 v=1
		w2 <- MODIFIED a/x @11 uid=u1 v=1
		w2 <- DELETED a/x @12 uid=u1 v=1`
	judge(t, "watch/reliable", []judged{
		{name: "the delete was of that object, and comes", says: good, history: patched + `
			w1 <- DELETED a/x @12 uid=u1 v=1
			w1 <- SETTLED`},
		{name: "and it does not come", says: bad, history: patched + `
			w1 <- SETTLED`,
			bad: found("DELETED for the deletion of a/x @12", "no DELETED, though the watch had all the time it needs", 8, 3, 14)},
		{name: "nobody watches", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2`},
	})
}
