package watchcache_test

import "testing"

// staying is an object with a finalizer under a watch, and a watch that has shown it.
const staying = `
	w1 -> WATCH ns=a rv=1
	c1 -> CREATE a/x body=spec=1+finalizers=f
	c1 <- @4
	w1 <- ADDED a/x @4 body=spec=1+finalizers=f
	c1 -> DELETE a/x`

func TestWriteDeleteAnswer(t *testing.T) {
	const marked = `
	w1 <- MODIFIED a/x @5 body=spec=1+finalizers=f+deleting`
	const want = "a/x at the resourceVersion that the delete gave it"
	judge(t, "write/delete-answer", []judged{
		{name: "a Status", says: untested, history: staying + `
			c1 <- ok` + marked},
		{name: "nothing shows it", says: untested, history: staying + `
			c1 <- ok answer=@5`},
		{name: "the mark", says: good, history: staying + `
			c1 <- ok answer=@5` + marked},
		{name: "the mark, deleted again", says: good, history: staying + `
			c1 <- ok answer=@5` + marked + `
			c1 -> DELETE a/x
			c1 <- ok answer=@5`},
		{name: "the end", says: good, history: staying + `
			c1 <- ok answer=@6` + marked + `
			w1 <- DELETED a/x @6 body=spec=1+finalizers=f+deleting`},
		{name: "the end, where nobody can compare", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @k4
			w1 -> WATCH ns=a rv=k4
			c1 -> DELETE a/x
			c1 <- ok answer=@b9
			w1 <- DELETED a/x @b9 v=1`},
		{name: "the state before", says: bad, history: staying + `
			c1 <- ok answer=@4` + marked, bad: found(want, "x @4, at which it was not being deleted", 3, 5, 6)},
		{name: "the state before, where nobody can compare", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @k4
			c1 -> DELETE a/x
			c1 <- ok answer=@k4`, bad: found(want, "x @k4, at which it was not being deleted", 2, 3, 4)},
		{name: "the state before the end", says: bad, history: staying + `
			c1 <- ok answer=@4
			w1 <- DELETED a/x @5 body=spec=1+finalizers=f+deleting`, bad: found(want, "x @4, at which it was not being deleted", 3, 5, 6)},
		{name: "another object", says: bad, history: staying + `
			c1 <- ok answer=y@5` + marked, bad: found("the object x", "y @5", 5, 6)},
		{name: "a dry run", says: odd, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f
			c1 <- @4
			c1 -> DELETE a/x dry
			c1 <- ok answer=@4`},
		{name: "it leaves the selector of a watch at that moment", says: odd, history: `
			c1 -> CREATE a/x body=spec=1+finalizers=f app=one
			c1 <- @4
			w1 -> WATCH ns=a rv=4 labels=app=one
			c2 -> DELETE a/x
			w1 <- DELETED a/x @5 body=spec=1+finalizers=f app=one
			c2 <- ok answer=@5`},
	})
}
