package watchcache_test

import "testing"

// marked is an object that waits for two finalizers after its deletion.
const marked = `
	c1 -> CREATE a/x body=spec=1+finalizers=f,g
	c1 <- @2
	w1 -> WATCH rv=2
	c1 -> DELETE a/x
	c1 <- ok
	w1 <- MODIFIED a/x @3 body=spec=1+finalizers=f,g+deleting
`

// going is one that waits for one more.
const going = marked + `
	c1 -> UPDATE a/x @3 body=spec=1+finalizers=g
	c1 <- @4 body=spec=1+finalizers=g+deleting
	w1 <- MODIFIED a/x @4 body=spec=1+finalizers=g+deleting
`

func TestWriteFinalizers(t *testing.T) {
	const (
		stays = "a/x to stay: it has finalizers"
		none  = "no new finalizer: a/x is being deleted"
	)
	judge(t, "write/finalizers", []judged{
		{name: "marked, changed, and gone with the last", says: good, history: going + `
			c1 -> GET a/x
			c1 <- a/x @4 body=spec=1+finalizers=g+deleting
			c1 -> PATCH a/x body=spec=1
			c1 <- @4 body=spec=1+deleting
			w1 <- DELETED a/x @5 body=spec=1+finalizers=g+deleting
			c1 -> GET a/x
			c1 <- 404 NotFound`},
		{name: "a second delete changes nothing", says: good, history: marked + `
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> GET a/x
			c1 <- a/x @3 body=spec=1+finalizers=f,g+deleting`},
		{name: "an addition is refused, or not made", says: good, history: going + `
			c1 -> UPDATE a/x @4 body=spec=1+finalizers=g,h
			c1 <- 422 Invalid
			c1 -> PATCH a/x body=spec=1+finalizers=g,h
			c1 <- @4 body=spec=1+finalizers=g+deleting`},
		{name: "only a get has shown the mark", says: good, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> GET a/x
			c1 <- a/x @3 body=spec=1+finalizers=f+deleting`},
		{name: "no finalizers", says: untested, history: deleted},
		{name: "refused for something else", says: untested, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- 429 TooManyRequests retry=1`},
		{name: "taken away before", says: untested, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			c1 -> UPDATE a/x body=spec=1
			c1 <- @3
			c1 -> DELETE a/x
			c1 <- ok`},
		{name: "a lost write may have taken the last", says: odd, history: going + `
			c1 -> UPDATE a/x @4 body=spec=1
			c1 <- lost
			w1 <- DELETED a/x @5 body=spec=1+finalizers=g+deleting
			c1 -> GET a/x
			c1 <- 404 NotFound`},
		{name: "an older object's deletion comes late", says: odd, history: `
			w1 -> WATCH rv=1
			c1 -> CREATE a/x v=0
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @4
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- ADDED a/x @2 v=0
			w1 <- DELETED a/x @3 v=0
			w1 <- ADDED a/x @4 body=spec=1+finalizers=f
			w1 <- MODIFIED a/x @5 body=spec=1+finalizers=f+deleting`},
		{name: "of a selector it leaves as DELETED", says: odd, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f app=one
			c1 <- @2
			w1 -> WATCH rv=2 labels=app=one
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- MODIFIED a/x @3 body=spec=1+finalizers=f+deleting app=one
			c1 -> UPDATE a/x body=spec=1+finalizers=f app=two
			c1 <- @4 body=spec=1+finalizers=f+deleting app=two
			w1 <- DELETED a/x @4 body=spec=1+finalizers=f+deleting app=one`},
		{name: "gone at once", says: bad, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			w1 -> WATCH rv=2
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- DELETED a/x @3 body=spec=1+finalizers=f`,
			bad: found(stays, "DELETED a/x @3", 4, 3, 6)},
		{name: "cannot be got any more", says: bad, history: marked + `
			c1 -> GET a/x
			c1 <- 404 NotFound`,
			bad: found(stays, "404 NotFound", 4, 7, 8)},
		{name: "not marked", says: bad, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> GET a/x
			c1 <- a/x @2 body=spec=1+finalizers=f`,
			bad: found("a/x with a deletionTimestamp", "a/x @2 without", 3, 5, 6)},
		{name: "no MODIFIED, and nobody has seen the mark", says: bad, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			w1 -> WATCH rv=2
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- SETTLED`,
			bad: found("MODIFIED for the mark of a/x, which was deleted, and stays", "no MODIFIED, though the watch had all the time it needs", 4, 3, 6)},
		{name: "no MODIFIED, and a list has the mark", says: bad, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			w1 -> WATCH rv=2
			c1 -> DELETE a/x
			c1 <- ok
			l1 -> LIST
			l1 <- @3 [a/x @3 body=spec=1+finalizers=f+deleting]
			w1 <- SETTLED`,
			bad: found("MODIFIED for a/x @3", "no MODIFIED, though the watch had all the time it needs", 4, 3, 8)},
		{name: "no DELETED", says: bad, history: going + `
			c1 -> PATCH a/x body=spec=1
			c1 <- @4 body=spec=1+deleting
			w1 <- SETTLED`,
			bad: found("DELETED for the deletion of a/x", "no DELETED, though the watch had all the time it needs", 10, 3, 12)},
		{name: "it stays after the last", says: bad, history: going + `
			c1 -> PATCH a/x body=spec=1
			c1 <- @4 body=spec=1+deleting
			c1 -> GET a/x
			c1 <- a/x @4 body=spec=1+finalizers=g+deleting`,
			bad: found("no a/x: its last finalizer was taken, and it was deleted", "a/x @4", 4, 11, 12, 13)},
		{name: "one is added", says: bad, history: marked + `
			c1 -> UPDATE a/x @3 body=spec=1+finalizers=f,g,h
			c1 <- @4 body=spec=1+finalizers=f,g,h+deleting`,
			bad: found(none, "the UPDATE was accepted", 4, 7, 8)},
		{name: "one is added again", says: bad, history: going + `
			c1 -> PATCH a/x body=spec=1+finalizers=f,g
			c1 <- @5 body=spec=1+finalizers=f,g+deleting`,
			bad: found(none, "the PATCH was accepted", 4, 10, 11)},
		{name: "it was taken at the same time", says: undecided, undecided: "has had finalizers", history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			c1 -> UPDATE a/x v=2
			c2 -> DELETE a/x
			c1 <- @4
			c2 <- ok
			l1 -> LIST
			l1 <- @5 [a/x @5 v=7]`},
		{name: "no resourceVersions", says: undecided, undecided: "no resourceVersion tells", history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- ok
			c1 -> DELETE a/x
			c1 <- ok`},
	})
}

// three are objects of which two are selected, under a watch.
const three = `
	c1 -> CREATE a/x v=1 app=one
	c1 <- @2
	c1 -> CREATE a/y v=2 app=one
	c1 <- @3
	c1 -> CREATE a/z v=3 app=two
	c1 <- @4
	w1 -> WATCH rv=4
	c1 -> DELETECOLLECTION ns=a labels=app=one
	c1 <- ok
`

func TestWriteCollection(t *testing.T) {
	judge(t, "write/collection", []judged{
		{name: "what is selected is gone, and the rest is not", says: good, history: three + `
			w1 <- DELETED a/x @5 v=1 app=one
			w1 <- DELETED a/y @6 v=2 app=one
			w1 <- SETTLED
			c1 -> GET a/x
			c1 <- 404 NotFound
			c1 -> GET a/z
			c1 <- a/z @4 v=3 app=two`},
		{name: "in one revision", says: good, history: three + `
			w1 <- DELETED a/x @5 v=1 app=one
			w1 <- DELETED a/y @5 v=2 app=one`},
		{name: "made again", says: good, history: three + `
			c1 -> CREATE a/x v=7 app=one
			c1 <- @7
			l1 -> LIST
			l1 <- @7 [a/x @7 v=7 app=one, a/z @4 v=3 app=two]`},
		{name: "with finalizers it is marked", says: good, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @2
			w1 -> WATCH rv=2
			c1 -> DELETECOLLECTION ns=a
			c1 <- ok
			w1 <- MODIFIED a/x @3 body=spec=1+finalizers=f+deleting
			c1 -> GET a/x
			c1 <- a/x @3 body=spec=1+finalizers=f+deleting
			c1 -> DELETECOLLECTION ns=a
			c1 <- ok
			c1 -> UPDATE a/x @3 body=spec=1
			c1 <- @3 body=spec=1+deleting
			w1 <- DELETED a/x @4 body=spec=1+finalizers=f+deleting`},
		{name: "created meanwhile", says: undecided, undecided: "may have deleted a/z or not", history: `
			c2 -> CREATE a/z v=3
			c3 -> DELETECOLLECTION ns=a
			c2 <- @4
			c3 <- ok
			l1 -> LIST
			l1 <- @4 [a/z @4 v=3]`},
		{name: "not answered", says: undecided, undecided: "was not answered", history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETECOLLECTION ns=a
			c1 <- lost
			l1 -> LIST
			l1 <- @4 []`},
		{name: "refused, or of nothing", says: untested, history: `
			c1 -> DELETECOLLECTION ns=a
			c1 <- 405 MethodNotAllowed
			c1 -> DELETECOLLECTION ns=a
			c1 <- ok`},
		{name: "one survives", says: bad, history: three + `
			l1 -> LIST
			l1 <- @6 [a/y @3 v=2 app=one, a/z @4 v=3 app=two]`,
			bad: found("no a/y: it was selected", "a/y @3 {app=one}", 8, 10, 11)},
		{name: "one can be got", says: bad, history: three + `
			c1 -> GET a/x
			c1 <- a/x @2 v=1 app=one`,
			bad: found("no a/x: it was selected", "a/x @2", 8, 10, 11)},
		{name: "one of them is not told", says: bad, history: three + `
			w1 <- DELETED a/x @5 v=1 app=one
			w1 <- SETTLED`,
			bad: found("DELETED for the deletion of a/y", "no DELETED, though the watch had all the time it needs", 8, 7, 11)},
		{name: "one too much", says: bad, history: three + `
			w1 <- DELETED a/x @5 v=1 app=one
			w1 <- DELETED a/y @6 v=2 app=one
			w1 <- DELETED a/z @7 v=3 app=two`,
			bad: found("a/z to stay: it was not selected", "DELETED a/z @7", 8, 12)},
		{name: "one of another namespace", says: bad, history: `
			c1 -> CREATE ab/x v=1
			c1 <- @2
			c1 -> DELETECOLLECTION ns=a
			c1 <- ok
			c1 -> GET ab/x
			c1 <- 404 NotFound`,
			bad: found("ab/x to stay: it was not selected", "404", 3, 6)},
		{name: "deleted by somebody later", says: odd, history: three + `
			c1 -> DELETE a/z
			c1 <- ok
			w1 <- DELETED a/x @5 v=1 app=one
			w1 <- DELETED a/y @6 v=2 app=one
			w1 <- DELETED a/z @7 v=3 app=two`},
	})
}

func TestWriteFinalizersRaced(t *testing.T) {
	const want = "MODIFIED for the mark of a deletion of a/x, which has finalizers"
	judge(t, "write/finalizers-raced", []judged{
		{name: "marked, and gone with the last", says: good, history: going + `
			w1 <- DELETED a/x @5 body=spec=1+finalizers=g+deleting`},
		{name: "gone with a finalizer, of which the writes tell nothing", says: bad, history: `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 body=spec=1
			c1 -> DELETE a/x
			w1 <- MODIFIED a/x @3 body=spec=1+finalizers=f
			w1 <- DELETED a/x @4 body=spec=1+finalizers=f
			c1 <- ok`,
			bad: found(want, "DELETED a/x @4", 1, 4, 5)},
		{name: "gone with a finalizer that it began with", says: bad, history: `
			w1 -> WATCH
			w1 <- ADDED a/x @2 body=spec=1+finalizers=f
			w1 <- DELETED a/x @3 body=spec=1+finalizers=f`,
			bad: found(want, "DELETED a/x @3", 1, 2, 3)},
		{name: "gone with a finalizer on the watch that goes on", says: bad, history: `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 body=spec=1+finalizers=f
			w1 <- ENDED
			w1 -> WATCH rv=2
			w1 <- DELETED a/x @3 body=spec=1+finalizers=f`,
			bad: found(want, "DELETED a/x @3", 4, 2, 5)},
		{name: "a watch from later on may have missed the mark", says: untested, history: `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 body=spec=1+finalizers=f
			w1 <- ENDED
			w1 -> WATCH rv=3
			w1 <- DELETED a/x @4 body=spec=1+finalizers=f`},
		{name: "the finalizer was taken before", says: untested, history: `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 body=spec=1+finalizers=f
			w1 <- MODIFIED a/x @3 body=spec=1
			w1 <- DELETED a/x @4 body=spec=1`},
		{name: "another object of that name had it", says: untested, history: `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 uid=u1 body=spec=1+finalizers=f
			w1 <- DELETED a/x @3 uid=u2 body=spec=1`},
		{name: "it leaves a selector", says: untested, history: `
			w1 -> WATCH rv=1 labels=app=one
			w1 <- ADDED a/x @2 app=one body=spec=1+finalizers=f
			w1 <- DELETED a/x @3 app=one body=spec=1+finalizers=f`},
		{name: "what other watches showed", says: untested, history: `
			w1 -> WATCH rv=1
			w1 <- ADDED a/x @2 body=spec=1+finalizers=f
			w2 -> WATCH rv=2
			w2 <- DELETED a/x @4 body=spec=1`},
	})
}
