package watchcache_test

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade"
	"github.com/lwtest/lwtest/conformance/replay/handmade/model"
	"github.com/lwtest/lwtest/harness/history"
)

// anybodys are traces of correct servers, as somebody else records them: what keeps an object is not in their words,
// or another client added it, or it was there before.
var anybodys = map[string]string{
	"the last finalizer of what was marked before": inRealTime + `
		c1 -> LIST
		c1 <- @7 [a/y @7 uid=u2 body=h1]
		c1 -> PATCH a/y
		c1 <- @7 uid=u2 body=h2
		c1 -> LIST
		c1 <- @8 []`,
	"a create in a namespace that another client has ended": inRealTime + `
		c1 -> CREATE a/x body=h1
		c1 <- @5 uid=u1
		c1 -> LIST
		c1 <- @5 [a/x @5 uid=u1 body=h1]
		c1 -> CREATE a/y body=h1
		c1 <- 404 NotFound
		c1 -> LIST ns=a
		c1 <- 404 NotFound`,
	"what was there before waits for its dependents": onlyWriter + `
		w1 -> WATCH rv=4
		c1 -> UPDATE a/x body=spec=1
		c1 <- @5 uid=u1
		w1 <- MODIFIED a/x @5 uid=u1 body=spec=1
		c1 -> DELETE a/x policy=Foreground
		c1 <- ok
		w1 <- MODIFIED a/x @6 uid=u1 body=spec=1+finalizers=foregroundDeletion+deleting
		c1 -> LIST
		c1 <- @6 [a/x @6 uid=u1 body=spec=1+finalizers=foregroundDeletion+deleting]`,
	"what has nothing but a finalizer waits for its dependents, too": onlyWriter + `
		c1 -> CREATE a/x body=finalizers=f
		c1 <- @5 uid=u1
		w1 -> WATCH rv=5
		c1 -> DELETE a/x policy=Orphan
		c1 <- ok
		w1 <- MODIFIED a/x @6 uid=u1 body=finalizers=f,orphan+deleting
		c1 -> UPDATE a/x body=spec=1+finalizers=f,orphan
		c1 <- @7 uid=u1 body=spec=1+finalizers=f,orphan+deleting
		w1 <- MODIFIED a/x @7 uid=u1 body=spec=1+finalizers=f,orphan+deleting`,
	"the last finalizer, by an update that a list overlaps": inRealTime + `
		c1 -> UPDATE a/x body=h2
		l1 -> LIST
		l1 <- @7 [a/x @7 uid=u1 body=h1]
		c1 <- @7 uid=u1 body=h2
		l1 -> LIST
		l1 <- @8 []`,
	"a patch beside the delete takes the last finalizer": inRealTime + `
		c1 -> CREATE a/x body=h1
		c1 <- @5 uid=u1
		w1 -> WATCH rv=5
		c1 -> DELETE a/x
		c2 -> PATCH a/x
		c1 <- ok
		c2 <- @6 uid=u1 body=h2
		w1 <- MODIFIED a/x @6 uid=u1 body=h1
		w1 <- DELETED a/x @7 uid=u1 body=h1`,
	"a patch that was called before the object was there": inRealTime + `
		c2 -> PATCH a/x
		c1 -> CREATE a/x body=h1
		c1 <- @5 uid=u1
		w1 -> WATCH rv=5
		c1 -> DELETE a/x
		c1 <- ok
		w1 <- MODIFIED a/x @6 uid=u1 body=h1
		c2 <- @6 uid=u1 body=h2
		w1 <- DELETED a/x @7 uid=u1 body=h1`,
	"another client's finalizer, and two deletes": inRealTime + `
		c1 -> CREATE a/x body=spec=2
		c1 <- @1 uid=u1
		w1 -> WATCH rv=1
		w1 <- MODIFIED a/x @2 uid=u1 body=spec=2+finalizers=f
		c1 -> DELETE a/x
		c1 <- ok
		w1 <- MODIFIED a/x @3 uid=u1 body=spec=2+finalizers=f+deleting
		c1 -> DELETE a/x
		c1 <- ok
		c1 -> CREATE a/y body=spec=1
		c1 <- @4 uid=u2
		w1 <- ADDED a/y @4 uid=u2 body=spec=1
		w1 <- DELETED a/x @5 uid=u1 body=spec=2+finalizers=f+deleting`,
	"two deletes, and a refusal that tells that it lives": inRealTime + `
		c1 -> CREATE a/x body=h1
		c1 <- @5 uid=u1
		c1 -> DELETE a/x
		c1 <- ok
		c1 -> DELETE a/x @5
		c1 <- 409 Conflict`,
	"a dry run tells that it lives": inRealTime + `
		c1 -> CREATE a/x body=h1
		c1 <- @5 uid=u1
		c1 -> DELETE a/x
		c1 <- ok
		c1 -> DELETE a/x dry
		c1 <- ok`,
	"a refused create, and a patch that makes the same": inRealTime + `
		... has comparable-rv sole-writer
		c1 -> CREATE a/x body=h1
		c1 <- @5 uid=u1
		c1 -> CREATE a/x body=h2
		c1 <- 409 AlreadyExists
		c1 -> PATCH a/x
		c1 <- @6 uid=u1 body=h2`,
	"a refused create of what was there": inRealTime + `
		... has comparable-rv sole-writer
		c1 -> CREATE a/x body=spec=3
		c1 <- 409 AlreadyExists
		l1 -> LIST
		l1 <- @9 [a/x @4 uid=u1 body=spec=3]`,
	"a pod that is deleted twice, in words": inRealTime + `
		c1 -> CREATE a/x v=1
		c1 <- @5 uid=u1
		c1 -> DELETE a/x
		c1 <- ok
		c1 -> DELETE a/x grace=0
		c1 <- ok`,
	"a deletion in the foreground, and a refusal, in words": inRealTime + `
		... has comparable-rv update-needs-object
		c1 -> CREATE a/x v=1
		c1 <- @5 uid=u1
		c1 -> DELETE a/x policy=Foreground
		c1 <- ok
		c1 -> UPDATE a/x uid=u9 v=2
		c1 <- 409 Conflict`,
	"a pod of which no word tells that it is on a node": inRealTime + `
		... has comparable-rv grace
		c1 -> CREATE a/x v=1
		c1 <- @5 uid=u1
		c1 -> DELETE a/x
		c1 <- ok
		l1 -> LIST
		l1 <- @6 [a/x @6 uid=u1 body=spec=1+deleting]`,
	"defaults in a content that has no words": inRealTime + `
		c1 -> CREATE a/x body=h1
		c1 <- @5 uid=u1 body=h2
		l1 -> LIST
		l1 <- @5 [a/x @5 uid=u1 body=h2]`,
	"a patch that changed nothing, after another client's change": inRealTime + `
		w1 -> WATCH rv=4
		c1 -> CREATE a/x v=1
		c1 <- @5 uid=u1
		w1 <- ADDED a/x @5 uid=u1 v=1
		c1 -> PATCH a/x v=1
		c1 <- @6 uid=u1 body=spec=1+annotation:n=2
		w1 <- MODIFIED a/x @6 uid=u1 body=spec=1+annotation:n=2`,
	"a patch that removes what is not there, after another client's change": inRealTime + `
		w1 -> WATCH rv=4
		c1 -> CREATE a/x v=1
		c1 <- @5 uid=u1
		w1 <- ADDED a/x @5 uid=u1 v=1
		c1 -> PATCH a/x removes=finalizers
		c1 <- @6 uid=u1 v=7
		w1 <- MODIFIED a/x @6 uid=u1 v=7`,
}

func TestOfAnybodyIsNeverBad(t *testing.T) {
	for _, all := range []map[string]string{anybodys, alones} {
		for name, text := range all {
			t.Run(name, func(t *testing.T) { neverBad(t, handmade.History(t, text), name) })
		}
	}
}

// TestHiddenIsNeverBad: nor is what a correct server does where whoever records it has only a hash of what objects
// hold, with the times of deletion or without.
func TestHiddenIsNeverBad(t *testing.T) {
	eachModel(t, func(t *testing.T, o model.Options) {
		if o.Seed%8 != 0 { // each is judged twice over
			return
		}
		for _, times := range []bool{false, true} {
			var sets history.Interner
			events := model.Events(o)
			for i := range events {
				hide(&events[i], &sets, times)
			}
			for _, header := range servers(o)[1:] {
				h, err := history.New(header, events)
				require.NoError(t, err)
				neverBad(t, h, fmt.Sprintf("seed %d, times %t", o.Seed, times))
			}
		}
	})
}

// hide makes a hash of every content; what is being deleted may have a time that says so.
func hide(e *history.Event, sets *history.Interner, times bool) {
	if e.X != nil && len(e.X.Items) > 0 {
		x := *e.X
		x.Items = append([]history.Ref{}, x.Items...)
		for i := range x.Items {
			hideObject(&x.Items[i], sets, times)
		}
		e.X = &x
	}
	if e.Phase == history.Call && e.Kind == replay.Patch {
		e.Obj.Body = "" // what it makes is not what it sends
		return
	}
	hideObject(&e.Obj, sets, times && e.Phase != history.Call)
}

func hideObject(o *history.Ref, sets *history.Interner, times bool) {
	deleting := replay.IsDeleting(o.Body)
	if o.Body != "" {
		h := fnv.New32a()
		words := slices.DeleteFunc(strings.Fields(o.Body), func(w string) bool { return w == replay.Deleting || strings.HasPrefix(w, "grace=") })
		fmt.Fprint(h, words) // what the server alone decides is no content
		o.Body = fmt.Sprintf("%08x", h.Sum32())
	}
	if times && o.RV != "" && o.Body != "" {
		meta := map[string]string{replay.Created: "2026-01-01T00:00:00Z"}
		if deleting {
			meta[replay.Deletion] = "2026-01-01T01:00:00Z"
		}
		o.Meta = sets.Set(meta)
	}
}

// What is not in doubt is found all the same.
func TestBesideDoubts(t *testing.T) {
	const doubted = inRealTime + `
		c1 -> CREATE a/x body=h1
		c1 <- @5 uid=u1
		c1 -> DELETE a/x
		c1 <- ok
		c1 -> DELETE a/x
		c1 <- ok`
	for name, c := range map[string]struct{ rule, history string }{
		"a DELETED that is lost, of another object": {"watch/reliable", doubted + `
			c1 -> CREATE a/y body=h1
			c1 <- @8 uid=u2
			w1 -> WATCH rv=8
			c1 -> DELETE a/y
			c1 <- ok
			c1 -> CREATE a/z body=h1
			c1 <- @10 uid=u3
			w1 <- ADDED a/z @10 uid=u3 body=h1`},
		"an event that comes twice, of the same object": {"watch/unique", doubted + `
			w1 -> WATCH rv=4
			w1 <- ADDED a/x @5 uid=u1 body=h1
			w1 <- ADDED a/x @5 uid=u1 body=h1
			w1 <- ADDED a/y @6 uid=u2 body=h1
			w1 <- ADDED a/y @6 uid=u2 body=h1`},
		"a last state that never was: a list proves it": {"watch/delete-version", inRealTime + `
			c1 -> CREATE a/x body=spec=4
			c1 <- @5 uid=u1
			w1 -> LIST
			w1 <- @6 [a/x @5 uid=u1 body=spec=4]
			w1 -> WATCH rv=6
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- DELETED a/x @7 uid=u1 body=spec=9`},
	} {
		t.Run(name, func(t *testing.T) {
			assert.NotEmpty(t, ruleAt(t, c.rule).Judge(handmade.History(t, c.history)).Bad)
		})
	}
}

// What a check has recorded tells in its words what is in doubt elsewhere: nothing is set aside.
func TestNothingAsideOfChecks(t *testing.T) {
	h := handmade.History(t, anybodys["another client's finalizer, and two deletes"])
	require.NotNil(t, replay.Aside(h))
	head := h.Header
	head.Check = "watch/reliable"
	of, err := history.New(head, append([]history.Event{}, h.Events...))
	require.NoError(t, err)
	require.Nil(t, replay.Aside(of))
}

// What is in doubt is only what nothing settles: a word that tells of nodes does, and that nobody else writes.
var settledByWords = []judged{
	{name: "pods are on nodes in this trace, and this one is not", says: bad, history: inRealTime + `
		... has comparable-rv grace
		c1 -> CREATE a/p body=spec=1+node=n
		c1 <- @4 uid=u0
		c1 -> CREATE a/x v=1
		c1 <- @5 uid=u1
		c1 -> DELETE a/x
		c1 <- ok
		w1 -> WATCH rv=5
		w1 <- DELETED a/x @6 uid=u1 v=1
		l1 -> LIST
		l1 <- @7 [a/p @4 uid=u0 body=spec=1+node=n, a/x @5 uid=u1 v=1]`,
		bad: found("a/x not in the list: it did not exist at that resourceVersion", "a/x @5", 9, 10)},
	{name: "nobody else writes", says: bad, history: `
		... has comparable-rv grace sole-writer
		c1 -> CREATE a/x v=1
		c1 <- @5 uid=u1
		c1 -> DELETE a/x
		c1 <- ok
		w1 -> WATCH rv=5
		w1 <- DELETED a/x @6 uid=u1 v=1
		l1 -> LIST
		l1 <- @7 [a/x @5 uid=u1 v=1]`,
		bad: found("a/x not in the list: it did not exist at that resourceVersion", "a/x @5", 7, 8)},
	{name: "without an order, and nothing was deleted", says: bad, history: `
		... has label-selectors
		c1 -> CREATE a/x body=h1
		c1 <- ok
		l1 -> LIST ns=a
		l1 <- ok []`,
		bad: found("a/x (h1) in the list", "it is missing", 1, 3, 4)},
}

// onlyWriter begins a trace of a server to which nobody else writes.
const onlyWriter = inRealTime + "... has comparable-rv finalizers deletecollection sole-writer\n"
