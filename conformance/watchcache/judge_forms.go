package watchcache

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

var formClasses = []string{"FORM verb=GET", "FORM verb=LIST", "FORM verb=WATCH"}

const formHurts = "kubectl shows another state than the controllers act on; a metadata informer, or a client that reads protobuf, resumes from a wrong resourceVersion"

var (
	formServed = harness.Rule{
		Clause: harness.Clause{
			ID:    "form/served",
			Level: harness.Must,
			Text: "an answer has the form that its Accept header asks for, on get, list and watch, bookmarks included: its media type, its kind and its version; " +
				"a row of a Table has a cell for each column, and its object is a PartialObjectMetadata, or the object itself where includeObject=Object asks for that",
			Sources: []harness.Source{sources.negotiation, sources.receivingTables, sources.tableCells, sources.tableObject, sources.tableColumnFormat},
			Why:     "a client cannot decode what it did not ask for: kubectl shows no columns, and an informer gets no objects",
			Advice:  "Choose the form from the Accept header once, and encode objects, lists, events and bookmarks by it. Give each row of a Table one cell per column.",
			Classes: formClasses,
		},
		Judge: judgeFormServed,
	}
	formSame = harness.Rule{
		Clause: harness.Clause{
			ID:    "form/same",
			Level: harness.Must,
			Text: "all forms show one state: an object at a resourceVersion has the same metadata in a Table, as PartialObjectMetadata, in protobuf and in CBOR as in JSON, " +
				"and the same content where the form has content",
			Sources: []harness.Source{sources.negotiation, sources.receivingTables, sources.tableObject, sources.partialMetadata},
			Why:     formHurts,
			Advice:  "Make every form from the same stored object as the last step of an answer, and copy its metadata whole. Do not read, cache or default per form.",
			Classes: formClasses,
		},
		Judge: judgeFormSame,
	}
	formList = harness.Rule{
		Clause: harness.Clause{
			ID:      "form/list",
			Level:   harness.Should,
			Text:    "a list says the same of itself in all forms: a page at a resourceVersion has a continue token and a remainingItemCount if it has them in JSON",
			Sources: []harness.Source{sources.receivingTables, sources.listContinue, sources.listRemaining},
			Why:     "kubectl, or a metadata informer, takes the first page for the whole list",
			Advice:  "Copy resourceVersion, continue and remainingItemCount into the metadata of the list in the code that makes Tables and partial lists too.",
			Classes: []string{"FORM verb=LIST"},
		},
		Judge: judgeFormList,
	}
	servedSame = harness.Rule{
		Clause: harness.Clause{
			ID:    "version/served",
			Level: harness.Must,
			Text: "all served versions of a resource show one state: an object has the same uid, resourceVersion, metadata and content by each of them, " +
				"whichever it was written by, on get, list and watch",
			Sources: []harness.Source{sources.groupsAndVersions, sources.servedVersion, sources.objUID},
			Why:     "a controller that was compiled against one version misses what a client of the other writes, or fights over it",
			Advice:  "Store one version and convert objects on the way out, with uid and resourceVersion as stored. Feed the watches of all versions from one stream of events.",
			Classes: []string{"SERVED verb=GET", "SERVED verb=LIST", "SERVED verb=WATCH"},
		},
		Needs: []harness.Feature{ServedVersions},
		Judge: judgeServed,
	}
)

// formRules judge histories as they are: every other rule judges replay.Whole of them.
var formRules = []harness.Rule{formServed, formSame, formList, servedSame}

// onWhole are rules that judge every form.
func onWhole(rules []harness.Rule) []harness.Rule {
	out := slices.Clone(rules)
	for i := range out {
		judge := out[i].Judge
		out[i].Judge = func(h *history.History) harness.Judgement { return judge(replay.Whole(h)) }
	}
	return out
}

// judgeFormServed looks at every answer and event of a request for a form.
func judgeFormServed(h *history.History) (j harness.Judgement) {
	for i := range h.Events {
		e := &h.Events[i]
		form := ""
		if e.Phase != history.Call && e.Call != 0 {
			form = replay.FormOf(h, e)
		}
		switch {
		case form == "":
		case e.Err() != nil && e.Err().Reason == replay.WrongForm:
			j.Tested++
			j.Fail("an answer as "+form, e.Err().Msg, causes(e.Call, e.Num)...)
		case e.Err() == nil && (e.Phase == history.Notice && (isEvent(e) || e.Kind == replay.Bookmark) || e.Phase == history.Return && e.Kind != replay.Watch):
			j.Tested++
		}
	}
	return j
}

// sight is an object at a resourceVersion; of one that is deleted, or left a selector, the state before.
type sight struct {
	k, n  int32
	ended bool
}

// seen is how a sight was first seen.
type seen struct {
	ref  history.Ref
	way  string
	num  int32
	call int32
}

// sights visits all objects that reads and watches show, with the way in which they were asked for; empty: it is left out.
func sights(h *history.History, way func(replay.Args) string, visit func(sight, seen)) {
	of := map[int32]string{}
	for _, q := range replay.Asked(h) {
		of[q.Call] = way(q.Args)
	}
	for i := range h.Events {
		e := &h.Events[i]
		w, read := of[e.Call]
		if !read || w == "" || e.Phase == history.Call || e.Err() != nil || e.Kind == replay.Bookmark {
			continue
		}
		for _, o := range replay.Objects(e) {
			if o.K != 0 && o.N != 0 {
				visit(sight{o.K, o.N, e.Kind == replay.Deleted}, seen{o, w, e.Num, e.Call})
			}
		}
	}
}

// judgeWays compares what is seen in one way with what is seen in another.
func judgeWays(h *history.History, way func(replay.Args) string, different func(was, is *seen) string) (j harness.Judgement) {
	first := map[sight][]seen{} // one of each way
	sights(h, way, func(at sight, s seen) {
		all := first[at]
		if slices.ContainsFunc(all, func(o seen) bool { return o.way == s.way }) {
			return
		}
		for i := range all {
			j.Tested++
			if diff := different(&all[i], &s); diff != "" {
				j.Fail(fmt.Sprintf("%s @%s as %s shows it", s.ref.Key, s.ref.RV, all[i].way), "as "+s.way+" "+diff, causes(all[i].num, s.call, s.num)...)
				break
			}
		}
		first[at] = append(all, s)
	})
	return j
}

func representation(a replay.Args) string { return cmp.Or(a.Form, "json") }

func judgeFormSame(h *history.History) harness.Judgement {
	labels, _ := replay.Of(h).Shows()
	return judgeWays(h, representation, func(was, is *seen) string {
		x, y := was.ref, is.ref
		if replay.OnlyMetadata(was.way) || replay.OnlyMetadata(is.way) {
			x.Body, y.Body = replay.MetadataOf(x.Body), replay.MetadataOf(y.Body)
		}
		return differsIn(&x, &y, labels)
	})
}

func judgeServed(h *history.History) harness.Judgement {
	labels, _ := replay.Of(h).Shows()
	by := func(a replay.Args) string {
		if replay.OnlyMetadata(a.Form) {
			return "" // judgeFormSame looks at these
		}
		return cmp.Or(a.Served, "the first version")
	}
	return judgeWays(h, by, func(was, is *seen) string {
		return differsIn(&was.ref, &is.ref, labels)
	})
}

// differsIn says in what two sights of one object differ; empty: in nothing.
func differsIn(x, y *history.Ref, labels bool) string {
	switch {
	case x.UID != y.UID:
		return fmt.Sprintf("with the uid %q instead of %q", y.UID, x.UID)
	case x.Body != y.Body:
		return fmt.Sprintf("with %q instead of %q", y.Body, x.Body)
	case labels && x.Labels != y.Labels:
		return fmt.Sprintf("with the labels %s instead of %s", y.Labels, x.Labels)
	case !sameMeta(x, y):
		return fmt.Sprintf("with the metadata %s instead of %s", y.Meta, x.Meta)
	}
	return ""
}

// judgeFormList compares first pages that were asked for alike, but for the form, and have one resourceVersion.
func judgeFormList(h *history.History) (j harness.Judgement) {
	type page struct {
		scope, asked, match, rv string
		limit                   int64
	}
	type listed struct {
		form string
		l    *replay.ListCall
	}
	first := map[page]listed{}
	r := replay.Of(h)
	for i := range r.Lists {
		l := &r.Lists[i]
		o := &l.Args.Options
		at := page{l.Scope.String(), o.ResourceVersion, string(o.ResourceVersionMatch), l.RV, o.Limit}
		if o.Continue != "" || at.limit == 0 || at.asked == "0" { // of any state a cache gives the whole, and a storage a page
			continue
		}
		is, was := listed{representation(l.Args), l}, first[at]
		if was.l == nil {
			first[at] = is
			continue
		}
		if was.form == is.form {
			continue
		}
		j.Tested++
		if a, b := says(was.l), says(l); a != b {
			j.Fail(a+", as the list says as "+was.form, b+" as "+is.form, causes(was.l.Return, l.Call, l.Return)...)
		}
	}
	return j
}

// says is what a list says of itself.
func says(l *replay.ListCall) string {
	text := "no continue token"
	if l.Body.Continue != "" {
		text = "a continue token"
	}
	if l.Body.Remaining != nil {
		return fmt.Sprintf("%s and remainingItemCount %d", text, *l.Body.Remaining)
	}
	return text + " and no remainingItemCount"
}

// formCheck is the check of a form.
func formCheck(form string) story.Check {
	in := Way{Form: form}
	return story.Check{
		Name:  "form/" + form,
		About: "Objects are created, changed and deleted, and read as JSON and as " + form + " on get, list, in pages and on watch.",
		Needs: []harness.Feature{harness.Feature(form), ComparableRV},
		Rules: []harness.Rule{formServed, formSame},
		Steps: story.Concat(
			[]story.Step{
				{Op: "create", Obj: "x"},
				{Op: "create", Obj: "xy", With: Create{Full: true}},
				{Op: "create", Obj: "y", With: Create{Labels: "two"}},
				{Op: "list", As: firstMoment},
				{Op: "list", With: List{At: firstMoment, Match: "Exact", Way: in}},
				{Op: "watch", Actor: "w1", With: Watch{At: firstMoment, Follow: true}},
				{Op: "watch", Actor: "w2", With: Watch{At: firstMoment, Follow: true, Bookmarks: true, Way: in}},
				{Op: "watch", Actor: "w3", With: Watch{Scope: Scope{Label: "app=one"}, At: firstMoment, Way: in}},
			},
			story.When(WatchList, story.Step{Op: "watch", Actor: "w4", With: Watch{Stream: true, Bookmarks: true, Way: in}}),
			[]story.Step{
				{Op: "update", Obj: "x", With: Change{Version: newestCopy}},
				{Op: "update", Obj: "x", With: Change{Version: newestCopy, Part: "note", Labels: "two"}},
				{Op: "delete", Obj: "y"},
				{Op: "create", Obj: "y"},
				{Op: "get", Obj: "x"},
				{Op: "get", Obj: "x", Actor: "g2", With: Get{Way: in}},
				{Op: "get", Obj: "n", Actor: "g2", With: Get{Way: in}},
				{Op: "list", As: "v1", With: List{Limit: 1}},
				{Op: "next", As: "v1", N: 1, With: Next{Way: in}},
				{Op: "list", Actor: "l2", As: "v2", With: List{Limit: 1, Way: in}},
				{Op: "next", Actor: "l2", As: "v2"},
				{Op: "settle"},
			},
		),
	}
}

var versionsCheck = story.Check{
	Name:  "version/served",
	About: "Objects of a resource with two versions are written by each, and read by each, as a client of the other version does.",
	Needs: []harness.Feature{ServedVersions, ComparableRV, Patch},
	Rules: []harness.Rule{servedSame},
	Steps: story.Concat(
		[]story.Step{
			{Op: "two-versions"},
			{Op: "create", Obj: "x"},
			{Op: "create", Obj: "y", With: Create{Labels: "two", Served: byOther}},
			{Op: "list", As: firstMoment},
			{Op: "list", Actor: "l2", With: List{At: firstMoment, Match: "Exact", Way: readByOther}},
			{Op: "watch", Actor: "w1", With: Watch{At: firstMoment, Follow: true, Bookmarks: true}},
			{Op: "watch", Actor: "w2", With: Watch{At: firstMoment, Follow: true, Bookmarks: true, Way: readByOther}},
		},
		story.When(WatchList, story.Step{Op: "watch", Actor: "w3", With: Watch{Stream: true, Bookmarks: true, Way: readByOther}}),
		[]story.Step{
			{Op: "update", Obj: "x", With: Change{Version: newestCopy, Served: byOther}},
			{Op: "update", Obj: "y", With: Change{Version: newestCopy}},
			{Op: "patch", Obj: "x", With: Change{Part: "note", Served: byOther}},
			{Op: "update", Obj: "x", With: Change{Version: oldCopy}},
			{Op: "get", Obj: "x"},
			{Op: "get", Obj: "x", Actor: "g2", With: Get{Way: readByOther}},
			{Op: "delete", Obj: "y", With: Delete{Served: byOther}},
			{Op: "create", Obj: "y"},
			{Op: "list", As: "v1", With: List{Limit: 1}},
			{Op: "next", As: "v1", With: Next{Way: readByOther}},
			{Op: "settle"},
		},
	),
}

// byOther and readByOther ask by the other version.
var (
	byOther     = Served{Other: true}
	readByOther = Way{Served: byOther}
)

// formChecks are the checks of all forms.
func formChecks() (all []story.Check) {
	for _, f := range representations {
		all = append(all, formCheck(f))
	}
	return all
}
