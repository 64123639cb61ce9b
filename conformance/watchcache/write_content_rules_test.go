package watchcache_test

import "testing"

// filledIn is an object that the server has given a status.
const filledIn = `
	c1 -> CREATE a/x v=1
	c1 <- @2 body=spec=1+status=new`

// labelGiven is an object that an update has given a label.
const labelGiven = `
	c1 -> CREATE a/x v=1
	c1 <- @2
	c1 -> UPDATE a/x @2 v=2 app=one
	c1 <- @3`

// hasOwner is one with an owner and an annotation.
const hasOwner = `
	c1 -> CREATE a/x body=spec=1+annotation:n=1+owner:u=v1/Owner/o
	c1 <- @2`

func TestWriteResponseLeftOut(t *testing.T) {
	judge(t, "write/response", []judged{
		{name: "what is left out is gone", says: good, history: labelGiven + `
			c1 -> UPDATE a/x @3 v=3
			c1 <- @4`},
		{name: "what admission adds is there from the beginning", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 v=1 team=x
			c1 -> UPDATE a/x @2 v=2 team=x
			c1 <- @3
			c1 -> UPDATE a/x @3 v=3
			c1 <- @4 v=3 team=x`},
		{name: "whether admission would have added it nothing tells", says: good, history: `
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2
			c1 -> UPDATE a/x @2 v=2
			c1 <- @3 v=2 app=one`},
		{name: "a finalizer that an update leaves out is gone", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x @2 body=spec=2+finalizers=f,g
			c1 <- @3
			c1 -> UPDATE a/x @3 body=spec=3+finalizers=g
			c1 <- @4`},
		{name: "a finalizer that admission gives to all", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 body=spec=1+finalizers=f
			c1 -> UPDATE a/x @2 body=spec=2+finalizers=f
			c1 <- @3
			c1 -> UPDATE a/x @3 v=3
			c1 <- @4 body=spec=3+finalizers=f`},
		{name: "a finalizer that an update leaves out is still there", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x @2 body=spec=2+finalizers=f,g
			c1 <- @3
			c1 -> UPDATE a/x @3 body=spec=3+finalizers=g
			c1 <- @4 body=spec=3+finalizers=f,g`,
			bad: found("a/x without finalizer f: it was sent without, and had it from #3", "finalizer f=f again", 3, 5, 6)},
		{name: "what a patch sets to null is gone", says: good, history: labelGiven + `
			c1 -> PATCH a/x removes=label:app
			c1 <- @4 v=2`},
		{name: "what admission gives what has none", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 v=1 team=x
			c1 -> UPDATE a/x @2 v=2 team=x
			c1 <- @3
			c1 -> PATCH a/x removes=label:team
			c1 <- @3 v=2 team=x`},
		{name: "null is ignored", says: bad, history: labelGiven + `
			c1 -> PATCH a/x removes=label:app
			c1 <- @3 v=2 app=one`,
			bad: found("a/x without label:app: it was sent without, and had it from #3", "label:app=one again", 3, 5, 6)},
		{name: "null is an empty value", says: bad, history: labelGiven + `
			c1 -> PATCH a/x removes=label:app
			c1 <- @4 v=2 app=`,
			bad: found("a/x without label:app: it was sent without, and had it from #3", "label:app= again", 3, 5, 6)},
		{name: "with its generation", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 generation=1
			c1 -> UPDATE a/x @2 v=1
			c1 <- @2 generation=1`},
		{name: "of which not everybody tells", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 generation=1
			c1 -> UPDATE a/x @2 v=1
			c1 <- @2`},
		{name: "another generation at the same resourceVersion", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 generation=1
			c1 -> UPDATE a/x @2 v=1
			c1 <- @2 generation=2`,
			bad: found(`a new resourceVersion: @2 was "spec=1"`, `"spec=1" @2 with metadata "generation=2", which was written as "generation=1"`, 1, 3, 4)},
		{name: "of another object, too", says: good, history: labelGiven + `
			c1 -> CREATE a/y v=5 app=one
			c1 <- @4
			c1 -> UPDATE a/y @4 v=6
			c1 <- @5 v=6 app=one`},
		{name: "another value", says: good, history: labelGiven + `
			c1 -> UPDATE a/x @3 v=3
			c1 <- @4 v=3 app=none`},
		{name: "a patch takes nothing away", says: good, history: labelGiven + `
			c1 -> PATCH a/x @3 v=3
			c1 <- @4 v=3 app=one`},
		{name: "status, which may have a subresource of its own", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x @2 body=spec=2+status=up
			c1 <- @3
			c1 -> UPDATE a/x @3 v=3
			c1 <- @4 body=spec=3+status=up`},
		{name: "an annotation that admission makes of the content", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2 body=spec=1+annotation:digest=1
			c1 -> UPDATE a/x @2 body=spec=2+annotation:digest=1
			c1 <- @3 body=spec=2+annotation:digest=2
			c1 -> PATCH a/x @3 body=spec=3+annotation:digest=2
			c1 <- @4 body=spec=3+annotation:digest=3`},
		{name: "no answer", says: untested, history: `
			c1 -> UPDATE a/x v=3`},
		{name: "a label comes back", says: bad, history: labelGiven + `
			c1 -> UPDATE a/x @3 v=3
			c1 <- @4 v=3 app=one`,
			bad: found("a/x without label:app: it was sent without, and had it from #3", "label:app=one again", 3, 5, 6)},
		{name: "an annotation comes back", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x body=spec=2+annotation:n=1
			c1 <- @3
			c1 -> UPDATE a/x v=3
			c1 <- @4 body=spec=3+annotation:n=1`,
			bad: found("a/x without annotation:n: it was sent without, and had it from #3", "annotation:n=1 again", 3, 5, 6)},
		{name: "what a patch added comes back", says: bad, history: `
			c1 -> CREATE a/x app=one
			c1 <- @2
			c1 -> PATCH a/x v=2
			c1 <- @3
			c1 -> UPDATE a/x app=two
			c1 <- @4 v=2 app=two`,
			bad: found("a/x without spec: it was sent without, and had it from #3", "spec=2 again", 3, 5, 6)},
	})
}

func TestWriteResponseLeftAlone(t *testing.T) {
	judge(t, "write/response", []judged{
		{name: "a patch leaves alone what it does not name", says: good, history: hasOwner + `
			c1 -> PATCH a/x v=2
			c1 <- @3 body=spec=2+annotation:n=1+owner:u=v1/Owner/o`},
		{name: "it names it", says: good, history: hasOwner + `
			c1 -> PATCH a/x body=annotation:n=2
			c1 <- @3 body=spec=1+annotation:n=2+owner:u=v1/Owner/o`},
		{name: "a merge patch that names another owner replaces all", says: good, history: hasOwner + `
			c1 -> PATCH a/x body=owner:w=v1/Owner/w
			c1 <- @3 body=spec=1+annotation:n=1+owner:w=v1/Owner/w`},
		{name: "another writes at the same time", says: good, history: hasOwner + `
			c1 -> PATCH a/x v=2
			c2 -> UPDATE a/x v=3
			c1 <- @4
			c2 <- @3`},
		{name: "another client may have", says: good, history: inRealTime + hasOwner + `
			c1 -> PATCH a/x v=2
			c1 <- @3`},
		{name: "nobody has, as a watch shows", says: bad, history: inRealTime + `
			w1 -> WATCH rv=1` + hasOwner + `
			w1 <- ADDED a/x @2 body=spec=1+annotation:n=1+owner:u=v1/Owner/o
			c1 -> PATCH a/x v=2
			c1 <- @3
			w1 <- MODIFIED a/x @3 body=spec=2`,
			bad: found("annotation:n=1 as before: the patch does not name it", "a/x @3 without it", 2, 5, 6)},
		{name: "a label that it does not name is lost", says: bad, history: labelGiven + `
			c1 -> PATCH a/x team=x
			c1 <- @4 v=2 team=x`,
			bad: found("label:app=one as before: the patch does not name it", "a/x @4 without it", 3, 5, 6)},
		{name: "a label that it does not name is what it was before", says: bad, history: labelGiven + `
			c2 -> PATCH a/x app=two
			c2 <- @4 v=2
			c1 -> PATCH a/x team=x
			c1 <- @5 v=2 app=one team=x`,
			bad: found("label:app=two as before: the patch does not name it", "a/x @5 with label:app=one", 5, 7, 8)},
		{name: "a patch that found what an update had made meanwhile", says: odd, history: labelGiven + `
			w1 -> WATCH rv=3
			c1 -> PATCH a/x app=two
			c2 -> UPDATE a/x v=9 app=two
			w1 <- MODIFIED a/x @5 v=9 app=two
			c1 <- @5 v=9 app=two
			c2 <- @5 v=9 app=two`},
		{name: "a label is lost by a patch that names none", says: bad, history: labelGiven + `
			c1 -> PATCH a/x body=annotation:n=1
			c1 <- @4 body=spec=2+annotation:n=1`,
			bad: found("label:app=one as before: the patch does not name it", "a/x @4 without it", 3, 5, 6)},
		{name: "a patch takes all labels away, and says so", says: good, history: labelGiven + `
			c1 -> PATCH a/x body=annotation:n=1 removes=label:app
			c1 <- @4 body=spec=2+annotation:n=1`},
		{name: "no answer", says: untested, history: `
			c1 -> PATCH a/x v=3`},
		{name: "not what the patch was made for", says: bad, history: inRealTime + hasOwner + `
			c1 -> PATCH a/x @2 body=spec=2+annotation:n=2
			c1 <- @3`,
			bad: found("owner:u=v1/Owner/o as before: the patch does not name it", "a/x @3 without it", 1, 3, 4)},
		{name: "an owner is lost", says: bad, history: hasOwner + `
			c1 -> PATCH a/x v=2
			c1 <- @3 body=spec=2+annotation:n=1`,
			bad: found("owner:u=v1/Owner/o as before: the patch does not name it", "a/x @3 without it", 1, 3, 4)},
		{name: "an annotation is lost", says: bad, history: hasOwner + `
			c1 -> PATCH a/x v=2
			c1 <- @3 body=spec=2+owner:u=v1/Owner/o`,
			bad: found("annotation:n=1 as before: the patch does not name it", "a/x @3 without it", 1, 3, 4)},
	})
}

// What a server fills in hides nothing that should not have been stored.
func TestFilledIn(t *testing.T) {
	judge(t, "write/dry-run", []judged{
		{name: "done for good", says: good, history: filledIn + `
			c1 -> UPDATE a/x @2 v=3 dry
			c1 <- @2 body=spec=3+status=new
			c1 -> UPDATE a/x @2 v=3
			c1 <- lost
			l1 -> LIST
			l1 <- @3 [a/x @3 body=spec=3+status=new]`},
		{name: "none", says: untested, history: filledIn},
		{name: "it would change nothing", says: good, history: filledIn + `
			c1 -> UPDATE a/x @2 v=1 dry
			c1 <- @2 body=spec=1+status=new
			l1 -> LIST
			l1 <- @2 [a/x @2 body=spec=1+status=new]`},
		{name: "a create is in a list", says: bad, history: filledIn + `
			c1 -> CREATE a/y v=8 dry
			c1 <- uid=u0
			l1 -> LIST
			l1 <- @3 [a/x @2 body=spec=1+status=new, a/y @3 body=spec=8+status=new]`,
			bad: found("nothing of a dry run", "LIST a/y with what it sent", 3, 6)},
	})
	judge(t, "write/exists", []judged{
		{name: "another has created it", says: odd, history: filledIn + `
			w1 -> WATCH rv=2
			c1 -> CREATE a/y v=8
			c1 <- lost
			c1 -> CREATE a/y v=8
			c1 <- 409 AlreadyExists
			w1 <- ADDED a/y @3 body=spec=8+status=new`},
		{name: "refused", says: good, history: filledIn + `
			c1 -> CREATE a/x v=8
			c1 <- 409 AlreadyExists
			l1 -> LIST
			l1 <- @2 [a/x @2 body=spec=1+status=new]`},
		{name: "none", says: untested, history: `
			c1 -> UPDATE a/x v=1`},
		{name: "refused, and created", says: bad, history: filledIn + `
			w1 -> WATCH rv=2
			c1 -> CREATE a/y v=8
			c1 <- 409 AlreadyExists
			w1 <- ADDED a/y @3 body=spec=8+status=new`,
			bad: found("a refused CREATE creates nothing", "a/y @3 shows what it was to create", 4, 6)},
	})
	judge(t, "write/conflict/update", []judged{
		{name: "refused, and done", says: bad, history: filledIn + `
			w1 -> WATCH rv=2
			c2 -> UPDATE a/x @1 v=9
			c2 <- 409 Conflict
			w1 <- MODIFIED a/x @3 body=spec=9+status=new`,
			bad: found("a refused UPDATE changes nothing", "a/x @3 shows what it wrote", 4, 5, 6)},
		{name: "refused, and done, where others may write, too", says: bad, history: ofCheck + inRealTime + filledIn + `
			w1 -> WATCH rv=2
			c2 -> UPDATE a/x @1 v=9
			c2 <- 409 Conflict
			w1 <- MODIFIED a/x @3 body=spec=9+status=new`,
			bad: found("a refused UPDATE changes nothing", "a/x @3 shows what it wrote", 4, 5, 6)},
		{name: "refused, and another client has given it another status", says: undecided, undecided: "another client", history: inRealTime + filledIn + `
			w1 -> WATCH rv=2
			c2 -> UPDATE a/x @1 v=1
			c2 <- 409 Conflict
			w1 <- MODIFIED a/x @3 body=spec=1+status=old`},
		{name: "refused", says: good, history: filledIn + `
			c2 -> UPDATE a/x @1 v=9
			c2 <- 409 Conflict`},
		{name: "none", says: untested, history: filledIn},
	})
}
