package watchcache

import (
	"slices"
	"time"

	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

// cross is what random stories of servers combine: a write, what it names of the object, how calls fail, the object, a list or a get, a
// watch, which objects they are about, and the moment.
var cross = story.Cross{
	Dimensions: []story.Dimension{
		{Name: "write", Values: []story.Value{
			{Name: "update", With: updateOf("update", Change{})},
			{Name: "update of the status", With: updateOf("update", Change{Part: "status"})},
			{Name: "update that changes nothing", With: updateOf("update", Change{Part: "same"})},
			{Name: "update that removes the finalizer", With: updateOf("update", Change{Part: "no-finalizer"})},
			{Name: "update of labels", With: updateOf("update", Change{Labels: "two"})},
			{Name: "merge patch", With: updateOf("patch", Change{Type: "merge", Part: "note"})},
			{Name: "JSON patch", With: updateOf("patch", Change{Type: "json", Part: "note"})},
			{Name: "strategic merge patch", With: updateOf("patch", Change{Type: "strategic", Part: "owners"})},
			{Name: "apply", With: updateOf("patch", Change{Type: "apply", Manager: "m1"})},
			{Name: "apply by force", With: updateOf("patch", Change{Type: "apply", Manager: "m2", Force: true})},
			{Name: "dry run", With: updateOf("update", Change{DryRun: true})},
			{Name: "delete", With: deletionOf(Delete{Answer: true})},
			{Name: "delete at once", With: deletionOf(Delete{Grace: new(int64(0))})},
			{Name: "delete in the background", With: deletionOf(Delete{Policy: "Background"})},
			{Name: "dry run of a delete", With: deletionOf(Delete{DryRun: true})},
			{Name: "delete of a collection", With: func(version, uid string) story.Step {
				return story.Step{Op: "delete-collection", Actor: "c1", With: Collection{Scope{Label: "app=one"}, Delete{Version: version, UID: uid}}}
			}},
			{Name: "create again", With: func(string, string) story.Step {
				return story.Step{Op: "create", Actor: "c1", Obj: "x", With: Create{}}
			}},
			{Name: "many at once", With: func(string, string) story.Step {
				return story.Step{Op: "contend", Obj: "x", N: 4, With: Contend{By: "merge"}}
			}},
		}},
		{Name: "precondition", Values: []story.Value{
			{Name: "none", With: [2]string{}},
			{Name: "newest version", With: [2]string{newestCopy, ""}}, {Name: "old version", With: [2]string{oldCopy, ""}}, {Name: "version that never was", With: [2]string{neverVersion, ""}},
			{Name: "newest uid", With: [2]string{"", newestCopy}}, {Name: "uid that never was", With: [2]string{"", neverVersion}},
		}},
		{Name: "failure", Values: []story.Value{
			{Name: "none", With: failing{}},
			{Name: "given up", Met: givenUp, With: failing{
				write: func(s story.Step) []story.Step { return []story.Step{giveUp("c1"), s} },
				read:  []story.Step{giveUp("r1")}}},
			{Name: "made again", With: failing{write: func(s story.Step) []story.Step { return []story.Step{s, s} }}},
			{Name: "given up and made again", Met: givenUp, With: failing{write: func(s story.Step) []story.Step { return []story.Step{giveUp("c1"), s, s} }}},
			{Name: "by two at once", With: failing{write: func(s story.Step) []story.Step {
				other := s
				other.Actor = "c2"
				return story.Concat(story.Async(s, other), story.Join())
			}}},
			{Name: "a restart while it runs", With: failing{write: func(s story.Step) []story.Step {
				return story.Concat(story.Async(s), []story.Step{{Op: "restart"}}, story.Join())
			}}},
			{Name: "the watch is read late", With: failing{
				write: func(s story.Step) []story.Step { return []story.Step{{Op: "pause", Actor: storyWatches[0]}, s} },
				read:  []story.Step{{Op: "resume", Actor: storyWatches[0]}}}},
			{Name: "the watch is ended", With: failing{
				write: func(s story.Step) []story.Step {
					return []story.Step{{Op: "stop", Actor: storyWatches[0], As: "v2"}, s}
				},
				read: []story.Step{{Op: "watch", Actor: storyWatches[1], With: Watch{At: "v2", Scope: Scope{Namespace: "all"}}}}}},
		}},
		{Name: "object", Values: []story.Value{
			{Name: "plain", With: Create{}}, {Name: "with a finalizer", With: Create{Finalizer: true}}, {Name: "on a node", With: Create{Node: true}}, {Name: "with everything", With: Create{Full: true}},
			{Name: "of another app", With: Create{Labels: "two"}}, {Name: "without labels", With: Create{Labels: "none"}},
			{Name: "with text", With: Create{Notes: map[string]string{"lwtest/odd": "ünïcödé 日本語 🙂"}}},
		}},
		{Name: "read", Values: []story.Value{
			{Name: "list", With: read(List{})}, {Name: "list at any version", With: read(List{At: anyVersion})}, {Name: "list at an old version", With: read(List{At: "v1", Match: "Exact"})},
			{Name: "list not older than", With: read(List{At: "v1", Match: "NotOlderThan"})}, {Name: "list in pages", With: paged(List{Limit: 1})},
			{Name: "list in pages at any version", With: paged(List{Limit: 2, At: anyVersion})}, {Name: "list at the first version", With: read(List{At: firstMoment, Match: "Exact"})},
			{Name: "list of the future", With: read(List{At: futureVersion})},
		}},
		{Name: "watch", Values: []story.Value{
			{Name: "from a list", With: Watch{At: firstMoment}}, {Name: "from now", With: Watch{}}, {Name: "from any version", With: Watch{At: anyVersion}}, {Name: "streaming list", With: Watch{Stream: true, Bookmarks: true}},
			{Name: "with bookmarks", With: Watch{At: firstMoment, Bookmarks: true}}, {Name: "without initial events", With: Watch{At: firstMoment, NoInitial: true}},
			{Name: "opened again", With: Watch{At: firstMoment, Follow: true}}, {Name: "that is not read", With: Watch{At: firstMoment, Unread: true}},
			{Name: "for a while", With: Watch{At: firstMoment, Timeout: 5}},
		}},
		{Name: "scope", Values: []story.Value{
			{Name: "namespace", With: Scope{}}, {Name: "all namespaces", With: Scope{Namespace: "all"}}, {Name: "another namespace", With: Scope{Namespace: "other"}}, {Name: "label", With: Scope{Label: "app=one"}},
			{Name: "label that is not", With: Scope{Label: "app!=one"}}, {Name: "name", With: Scope{Field: "metadata.name=x"}}, {Name: "both", With: Scope{Label: "app=one", Field: "metadata.name!=y"}},
		}},
		{Name: "form", Values: formValues()},
		{Name: "moment", Values: []story.Value{
			{Name: "at rest", With: moments{}},
			{Name: "in a burst", With: moments{before: []story.Step{{Op: "churn", Obj: "y", N: 30}}, after: []story.Step{{Op: "churn", Obj: "y", N: 30}}}},
			{Name: "while the cache lags", With: moments{before: []story.Step{{Op: "lag", For: story.Duration(8 * time.Second)}}, after: []story.Step{{Op: "catch-up"}}}},
			{Name: "after a compaction", With: moments{before: []story.Step{{Op: "churn", Obj: "y", N: 3}, {Op: "compact"}}}},
			{Name: "after events were dropped", With: moments{before: []story.Step{{Op: "churn", Obj: "y", N: 3}, {Op: "forget-events"}}}},
			{Name: "after a restart", With: moments{before: []story.Step{{Op: "restart"}}}},
			{Name: "while it starts", With: moments{before: []story.Step{{Op: "start-up", For: story.Duration(5 * time.Second)}}}},
			{Name: "while it is deleted", With: moments{before: []story.Step{{Op: "delete", Actor: "c1", Obj: "x", With: Delete{}}}}},
			{Name: "after its deletion", With: moments{before: []story.Step{{Op: "delete", Actor: "c1", Obj: "x", With: Delete{Grace: new(int64(0))}}, {Op: "create", Actor: "c1", Obj: "x", With: Create{}}}}},
		}},
	},
	Story: crossed,
}

// moments is what happens before the write of a story, and after it.
type moments struct{ before, after []story.Step }

// failing says how the write of a story fails, and what comes before its read.
type failing struct {
	write func(story.Step) []story.Step // nil: the write alone
	read  []story.Step
}

// giveUp makes an actor give up its next request while it is under way.
func giveUp(actor string) story.Step {
	return story.Step{Op: "give-up", Actor: actor, For: story.Duration(time.Millisecond)}
}

// givenUp reports whether a call got no answer.
func givenUp(h *history.History, nums []int32) bool {
	for i := range h.Events {
		if e := &h.Events[i]; e.Phase == history.Return && slices.Contains(nums, e.Call) && e.Err() != nil && !e.Err().Definite {
			return true
		}
	}
	return false
}

// formValues are the representations in which a watch asks for objects.
func formValues() []story.Value {
	all := []story.Value{{Name: "JSON", With: ""}}
	for _, name := range representations {
		all = append(all, story.Value{Name: name, With: name})
	}
	return all
}

func updateOf(word string, c Change) func(version, uid string) story.Step {
	return func(version, uid string) story.Step {
		c.Version, c.UID = version, uid
		return story.Step{Op: word, Actor: "c1", Obj: "x", With: c}
	}
}

func deletionOf(x Delete) func(version, uid string) story.Step {
	return func(version, uid string) story.Step {
		x.Version, x.UID = version, uid
		return story.Step{Op: "delete", Actor: "c1", Obj: "x", With: x}
	}
}

func read(l List) func(Scope) []story.Step {
	return func(s Scope) []story.Step {
		l.Scope = s
		return []story.Step{{Op: "list", Actor: "r1", With: l, For: story.Duration(patience)}}
	}
}

// paged lists, and takes two more pages after another write.
func paged(l List) func(Scope) []story.Step {
	return func(s Scope) []story.Step {
		l.Scope = s
		return []story.Step{{Op: "list", Actor: "r1", As: inPages, With: l}, {Op: "update", Actor: "c1", Obj: "y", With: Change{}}, {Op: "next", Actor: "r1", As: inPages}, {Op: "next", Actor: "r1", As: inPages}}
	}
}

func crossed(r story.Row) []story.Part {
	m, scope, w, pre := story.With[moments](r, "moment"), story.With[Scope](r, "scope"), story.With[Watch](r, "watch"), story.With[[2]string](r, "precondition")
	w.Scope, w.Form = scope, story.With[string](r, "form")
	watch := []story.Step{{Op: "watch", Actor: storyWatches[0], With: w}}
	write, failure := story.With[func(version, uid string) story.Step](r, "write")(pre[0], pre[1]), story.With[failing](r, "failure")
	writes := []story.Step{write}
	if failure.write != nil {
		writes = failure.write(write)
	}
	reads := story.With[func(Scope) []story.Step](r, "read")(scope)
	all := Scope{Namespace: "all"}
	end := []story.Step{{Op: "resume", Actor: storyWatches[0]}, {Op: "update", Actor: "c1", Obj: "y", With: Change{}}, {Op: "settle"}, {Op: "list", With: List{Scope: all}}, {Op: "get", Obj: "x"}, {Op: "list", With: List{Scope: scope}}}
	return []story.Part{
		story.Scene(story.Step{Op: "create", Obj: "y"}, story.Step{Op: "create", Obj: "other/x"}, story.Step{Op: "list", As: firstMoment, With: List{Scope: all}}),
		story.Shows("object", story.Step{Op: "create", Actor: "c1", Obj: "x", With: story.With[Create](r, "object")}),
		story.Scene(story.Step{Op: "update", Actor: "c1", Obj: "x", With: Change{Part: "spec", Version: newestCopy}}, story.Step{Op: "list", As: "v1", With: List{Scope: all}}),
		{Of: []string{"watch", "scope", "form"}, Steps: watch},
		story.Shows("moment", m.before...),
		{Of: []string{"write", "precondition", "failure"}, Steps: writes},
		story.Shows("failure", failure.read...),
		{Of: []string{"read", "scope"}, Steps: reads},
		story.Shows("moment", m.after...),
		story.Scene(end...),
	}
}
