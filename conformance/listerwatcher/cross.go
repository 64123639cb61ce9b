package listerwatcher

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// cross is what random stories of clients combine: a call with its options, how and how often its requests fail, the objects, what
// becomes of them, and the moment.
var cross = story.Cross{
	Dimensions: []story.Dimension{
		{Name: "call", Values: []story.Value{
			{Name: "watch", Needs: listed, With: calling("watch", Options{ResourceVersion: "l0"})},
			{Name: "watch from now", With: calling("watch", Options{ResourceVersion: "now", AllowWatchBookmarks: true})},
			{Name: "watch from nothing", With: calling("watch", Options{})},
			{Name: "streaming list", With: calling("watch", Options{ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, SendInitialEvents: new(true), AllowWatchBookmarks: true})},
			{Name: "watch by label", With: calling("watch", Options{ResourceVersion: "now", LabelSelector: "app=one"})},
			{Name: "watch by field", With: calling("watch", Options{ResourceVersion: "now", FieldSelector: "metadata.name!=o2"})},
			{Name: "watch for a while", With: calling("watch", Options{ResourceVersion: "now", TimeoutSeconds: new(int64(33))})},
			{Name: "watch without reading", With: calling("watch", Options{ResourceVersion: "now", Unread: true})},
			{Name: "wait", With: waiting("o6", Wait{})},
			{Name: "wait from a version", Needs: listed, With: waiting("o6", Wait{ResourceVersion: "l0"})},
			{Name: "wait by label", With: waiting("o6", Wait{LabelSelector: "app=one"})},
			{Name: "wait for a change", With: waiting("o0", Wait{Type: "MODIFIED"})},
			{Name: "wait for an end", With: waiting("o2", Wait{Type: "DELETED"})},
			{Name: "wait unless one is there", With: waiting("o1", Wait{Unless: "o0"})},
			{Name: "list", With: calling("list", Options{})},
			{Name: "list in pages", With: calling("list", Options{Limit: 2})},
			{Name: "list at any version", With: calling("list", Options{ResourceVersion: "0"})},
			{Name: "list not older than", With: calling("list", Options{ResourceVersion: "l0", ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})},
			{Name: "list exactly", With: calling("list", Options{ResourceVersion: "l0", ResourceVersionMatch: metav1.ResourceVersionMatchExact})},
			{Name: "list by label", With: calling("list", Options{LabelSelector: "app in (one,two)"})},
			{Name: "list by field", With: calling("list", Options{FieldSelector: "metadata.name=o1"})},
		}},
		{Name: "failure", Values: rig.CrossFailures(), Seen: rig.ShowsFault, OnlySeen: true},
		{Name: "times", Values: rig.CrossTimes(), Seen: rig.ShowsFault, OnlySeen: true},
		{Name: "objects", Values: rig.CrossObjects()},
		{Name: "change", Values: rig.CrossChanges()},
		{Name: "moment", Values: []story.Value{
			{Name: "from the start", With: steps{theFault, theCall, theChange}},
			{Name: "at rest", With: steps{theCall, {Op: "settle"}, theFault, {Op: "cut", With: rig.Cut{Break: true}}, theChange, theCall}},
			{Name: "in a burst", With: steps{theFault, {Op: "churn", N: 20}, theCall, theChange, {Op: "churn", N: 20}}},
			{Name: "while it is called off", With: steps{theFault, theCall, theChange, {Op: "pause"}, {Op: "cancel", Actor: "w1"}, {Op: "cancel", Actor: "c1"}}},
			{Name: "after the server forgot", With: steps{{Op: "churn", N: 5}, {Op: "forget"}, theFault, theCall, theChange}},
			{Name: "beside another", With: steps{{Op: "watch", Actor: "w2", With: Options{ResourceVersion: "now"}}, theFault, theCall, theChange, {Op: "stop", Actor: "w2"}}},
		}},
	},
	Never: slices.Concat(rig.NeverEvents("call=list*"), rig.Nevers, []story.Never{
		{A: "call=list", B: farVersion, Why: unversioned},
		{A: "call=list in pages", B: farVersion, Why: unversioned},
		{A: "call=list at any version", B: farVersion, Why: unversioned},
		{A: "call=list by *", B: farVersion, Why: unversioned},
		{A: "call=list*", B: "moment=while it is called off", Why: "a list that nothing holds up is over before anybody can call it off"},
	}),
	Story: crossed,
}

// A version that is too large is one that was asked for.
const farVersion, unversioned = "failure=504 for a version that is too large", "it asks for no version"

// listed is what a call needs that begins at the version of a list.
var listed = []harness.Feature{Lists}

// waiting returns a wait for what becomes of an object.
func waiting(obj string, a Wait) story.Step {
	return story.Step{Op: "until", Actor: "w1", Obj: obj, With: a}
}

// calling returns a call. A watch is read beside the next steps; a list that goes on for pages does so, too.
func calling(word string, o Options) story.Step {
	if word == "watch" {
		return story.Step{Op: word, Actor: "w1", With: o}
	}
	return story.Step{Op: word, Actor: "c1", As: "l1", With: o, N: 20, Async: true}
}

// The steps of a moment that stand for those of the row.
var theFault, theCall, theChange = story.Step{Op: "the fault"}, story.Step{Op: "the call"}, story.Step{Op: "the change"}

func crossed(r story.Row) (all []story.Part) {
	call, f := story.With[story.Step](r, "call"), story.With[rig.Fault](r, "failure")
	f.Verbs, f.Times = []string{"watch"}, story.With[int](r, "times")
	if call.Op == "list" {
		f.Verbs = []string{"list"}
	}
	all = []story.Part{
		story.Shows("objects", story.With[steps](r, "objects")...),
		story.Scene(listAs("l0", Options{})...),
	}
	for _, s := range story.With[steps](r, "moment") {
		switch s.Op {
		case theFault.Op:
			all = append(all, story.Part{Of: []string{"failure", "times"}, Steps: fault("f0", f)})
		case theCall.Op:
			all = append(all, story.Shows("call", call))
		case theChange.Op:
			all = append(all, story.Shows("change", story.With[steps](r, "change")...))
		default:
			all = append(all, story.Shows("moment", s))
		}
	}
	more := seq(del("o2"), put("o6"), by("read", "w1"), rig.Ends(), op("settle"), by("cancel", "w1"), by("cancel", "c1"), op("join"), op("settle"))
	return append(all, story.Scene(seq(put("o5"), advance(40*time.Second))...), story.Shows("objects", story.With[steps](r, "objects")...), story.Scene(more...))
}
