package watchcache

import (
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var versionComparable = harness.Rule{
	Clause: harness.Clause{
		ID:    "version/comparable",
		Level: harness.Must,
		Text: "the resourceVersions of objects, lists and bookmarks of one resource are decimal integers greater than 0 without leading zeros, of any length, " +
			"and compare as such (a dry-run create has none)",
		Sources: []harness.Source{sources.resourceVersions, sources.kep5504, sources.compareVersions},
		Why:     "clients compare them to tell which of two states is the newer one; what cannot be compared is refused or taken the wrong way round",
		Advice:  "Take resourceVersions from one counter for the whole store, and write them in plain decimal, above 0, into each object, list, event and bookmark.",
		Classes: []string{"CREATE outcome=ok", "LIST outcome=items", "LIST outcome=empty", "EVENT type=ADDED", "EVENT type=DELETED"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: butDoubts(judgeComparable),
}

var versionRules = []harness.Rule{versionComparable}

var versionChecks = []harness.Check[Subject]{
	{Info: harness.Info{
		Name:  "version/comparable",
		About: "objects, lists, events and bookmarks, as every sort of request gives them",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{versionComparable},
	}, Drive: drive(driveVersions)},
}

// judgeComparable looks at every answer and event that must have a
// resourceVersion, and whether what is created has a larger one than what a write
// before it was answered with.
func judgeComparable(h *history.History) harness.Judgement {
	var j harness.Judgement
	r := replay.Of(h)
	if r.ByOrder && !slices.Contains(h.Header.Features, string(ComparableRV)) {
		j.Undecided = notComparable
		return j
	}
	look := func(e *history.Event, what string, rv string) {
		j.Tested++
		if !history.Comparable(rv) {
			j.Fail("a decimal integer above 0, without leading zeros, as the resourceVersion of "+what, fmt.Sprintf("%q", rv), causes(e.Call, e.Num)...)
		}
	}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Err() != nil {
			continue
		}
		switch {
		case e.Phase == history.Notice && (isEvent(e) || e.Kind == replay.Bookmark):
			look(e, "a "+e.Kind, e.Obj.RV)
		case e.Phase != history.Return:
		case e.Kind == replay.List:
			look(e, "a list", e.Obj.RV)
			for n := range replay.Objects(e) {
				look(e, "an item", replay.Objects(e)[n].RV)
			}
		case answersObject(e.Kind) && (e.Obj.RV != "" || !replay.IsDryRun(h.Event(e.Call))):
			look(e, "the answer to a "+e.Kind, e.Obj.RV)
			if n := r.Acked(e.Call); e.Kind == replay.Create && !r.ByOrder && e.Obj.N != 0 && e.Obj.N <= n && !replay.IsDryRun(h.Event(e.Call)) {
				j.Fail("a resourceVersion above "+h.RV(n)+", which a write before it was answered with", at(e), e.Call, e.Num)
			}
		}
	}
	return j
}

// answersObject says that a request of this kind is answered with an object.
func answersObject(kind string) bool {
	return kind == replay.Get || kind == replay.Create || kind == replay.Update || kind == replay.Patch
}

// driveVersions makes one of everything.
func driveVersions(d *driver) {
	a := d.namespaces[0]
	l := d.list("l1", a, nothingElse)
	var ws []*watcher
	if l != nil {
		o := from(nothingElse, l.ResourceVersion)
		o.AllowWatchBookmarks = d.t.Has(Bookmarks)
		ws = append(ws, d.follow("w1", a, o), d.follow("w2", a, nothingElse))
	}
	x := d.create("c1", d.object(a, "x", selected))
	d.get("c1", a, "x")
	d.change("c1", x, others)
	d.list("l1", a, nothingElse)
	d.list("l1", "", nothingElse)
	d.remove("c1", a, "x", nil)
	d.list("l1", a, nothingElse)
	d.settle(ws...)
	closeAll(ws)
}
