package watchcache_test

// alone begins a trace of a server to which nobody else writes.
const alone = inRealTime + "... has comparable-rv label-selectors field-selectors bookmarks sole-writer\n"

// alones are traces of correct servers to which nobody else writes: answers are lost, and there are objects from before.
var alones = map[string]string{
	"a refused update of what was there already, and the mark of a delete, in hashes": alone + `
		w1 -> WATCH
		c1 -> CREATE a/x body=h1
		c1 <- @2 uid=u1 body=h1
		w1 <- ADDED a/x @2 uid=u1 body=h1
		c1 -> UPDATE a/x @2 uid=u1 body=h2
		c1 <- @9 uid=u1 body=h2
		w1 <- MODIFIED a/x @9 uid=u1 body=h2
		c2 -> UPDATE a/x @2 uid=u1 body=h2
		c2 <- 409 Conflict
		c3 -> DELETE a/x uid=u1
		c3 <- ok
		w1 <- MODIFIED a/x @10 uid=u1 body=h2`,
	"a delete, a watch from after it, and a create without an answer": alone + `
		c2 -> DELETE a/y @100
		c2 <- ok
		w0 -> WATCH ns=a rv=102
		c1 -> CREATE a/y v=1
		w0 <- ADDED a/y @105 uid=u3 v=1
		w0 <- SETTLED
		c2 -> PATCH a/y removes=finalizers
		c2 <- @105 uid=u3 v=1`,
	"a refused create, and a patch that made the same before": alone + `
		c1 -> CREATE a/y body=spec=7+finalizers=f/1
		c1 <- @8 uid=u3 body=spec=7+finalizers=f/1
		c2 -> CREATE a/y v=3
		c3 -> PATCH a/y removes=finalizers
		c3 <- @12 uid=u3 v=7
		c1 -> CREATE a/y v=7
		c1 <- 409 AlreadyExists
		c3 -> DELETE a/y
		w0 -> WATCH ns=a rv=12
		w0 <- DELETED a/y @14 uid=u3 v=7
		c3 <- ok`,
	"a create under way when a patch takes the last finalizer of the one before, in hashes": alone + `
		c1 -> CREATE a/x body=h1
		c1 <- @117 uid=u4 body=h1
		c0 -> DELETE a/x
		c0 <- ok
		c3 -> CREATE a/x body=h9
		c2 -> PATCH a/x
		c2 <- @120 uid=u4 body=h2
		c3 <- @128 uid=u5 body=h9
		w0 -> WATCH ns=a rv=117
		w0 <- MODIFIED a/x @120 uid=u4 body=h1
		w0 <- DELETED a/x @127 uid=u4 body=h2
		w0 <- ADDED a/x @128 uid=u5 body=h9`,
	"an old state from before, after a create without an answer": alone + `
		c0 -> LIST ns=a rv=0
		c2 -> GET a/y
		c2 <- 404 NotFound
		c3 -> CREATE a/y v=6 app=2
		c2 -> CREATE a/y body=spec=5+finalizers=f/1
		c0 <- @101 [a/y @101 uid=u2 app=1 v=5]
		c2 <- 409 AlreadyExists
		c2 -> DELETE a/y @101
		w1 -> LIST ns=a
		w1 <- @121 [a/y @115 uid=u4 app=2 v=6]`,
	"a refused create, and a patch without an answer, in hashes": alone + `
		c2 -> CREATE a/x body=h1 app=1
		c3 -> DELETE a/x
		c3 <- ok
		c1 -> CREATE a/x body=h2 app=2
		c2 <- 409 AlreadyExists
		c1 <- @8 uid=u3 body=h2 app=2
		c3 -> PATCH a/x
		l1 -> LIST rv=0
		l1 <- @23 [a/x @23 uid=u3 body=h1 app=2]`,
	"an update without an answer, of a state that was shown before": alone + `
		c3 -> PATCH a/x removes=finalizers
		l1 -> LIST ns=a rv=4 match=Exact
		c3 <- @1 uid=u1 v=9
		l1 <- @4 [a/x @1 uid=u1 v=9, a/y @4 uid=u2 app=2 body=spec=9+finalizers=f/1+deleting]
		c0 -> DELETE a/x uid=u4
		c0 <- ok
		c0 -> UPDATE a/y @4 uid=u2 body=spec=9+finalizers=f/1+deleting
		w0 -> LIST ns=a
		w0 <- @11 [a/y @4 uid=u2 app=2 body=spec=9+finalizers=f/1+deleting]`,
	"an update of one object, and a create of the next with that content, both without an answer": alone + `
		c1 -> CREATE a/y v=5
		c1 <- @2 uid=u2 v=5
		c0 -> UPDATE a/y @2 uid=u2 v=7
		w0 -> WATCH ns=a rv=2
		c3 -> DELETE a/y uid=u2
		w0 <- DELETED a/y @10 uid=u2 v=5
		c3 -> CREATE a/y v=7 app=2
		w0 <- ADDED a/y @11 uid=u3 v=7 app=2`,
	"deletes under way beside a create that nothing showed before": alone + `
		l1 -> LIST ns=a
		l1 <- @1004 [a/y @1002 uid=u2 v=9]
		c0 -> DELETE a/y @1002 uid=u2
		c0 <- ok
		c0 -> DELETE a/y
		c1 -> CREATE a/y v=5
		c0 <- ok
		c3 -> CREATE a/y v=1
		c1 <- @1009 uid=u4 v=5
		c1 -> DELETE a/y
		c1 <- ok
		c3 <- @1011 uid=u5 v=1
		c0 -> DELETE a/y
		c0 <- 404 NotFound`,
	"a create and an update of the same, both without an answer": alone + `
		c1 -> CREATE a/x v=5 app=2
		c1 <- @1006 uid=u3 v=5 app=2
		w0 -> WATCH ns=a rv=1006
		c0 -> DELETE a/x uid=u1
		c0 -> CREATE a/x v=2
		c1 -> UPDATE a/x @1006 uid=u3 v=2
		w0 <- MODIFIED a/x @1013 uid=u3 v=2`,
	"a state from before, and an update that would make it again": alone + `
		w1 -> WATCH ns=a rv=0 labels=app=1 bookmarks
		c3 -> DELETE a/x
		w1 <- ADDED a/x @1001 uid=u1 v=9 app=1
		w1 <- END-MARK @1001
		w1 <- DELETED a/x @1002 uid=u1 v=9 app=1
		c1 -> CREATE a/x v=7
		c1 <- @1007 uid=u2 v=7
		c1 -> UPDATE a/x uid=u1 v=9 app=1
		l1 -> LIST ns=a rv=1001 match=Exact
		l1 <- @1001 [a/x @1001 uid=u1 v=9 app=1]`,
	"a delete under way beside the create of what it marks, and another, in hashes": alone + `
		c2 -> DELETE a/x
		c1 -> CREATE a/x body=h1
		c1 <- @5 uid=u1 body=h1
		c2 <- ok
		c3 -> DELETE a/x
		c3 <- ok
		l1 -> LIST
		l1 <- @6 [a/x @6 uid=u1 body=h1]`,
	"the last finalizer of what was deleted before the trace, in hashes": alone + `
		l1 -> LIST
		l1 <- @7 [a/y @7 uid=u2 body=h1]
		c1 -> PATCH a/y
		c1 <- @7 uid=u2 body=h2
		l1 -> LIST
		l1 <- @8 []`,
	"deleted with a grace period, and once more": alone + `
		c1 -> CREATE a/x v=1
		c1 <- @5 uid=u1 v=1
		c1 -> DELETE a/x grace=7
		c1 <- ok
		c1 -> DELETE a/x grace=0
		c1 <- ok`,
}
