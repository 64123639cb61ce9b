package watchcache

import (
	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
)

var listPages = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/pages",
		Level:   harness.Must,
		Text:    "the pages of a list are disjoint, together complete, in key order, and all at the first page's resourceVersion; only the absence of continue means the end",
		Sources: []harness.Source{sources.chunks, sources.optLimit, sources.kep365, sources.listContinue},
		Why:     "what falls between two pages is missing from the client's copy, and what is missing it takes for deleted",
		Advice:  "Put revision and last key into the token itself, so that it outlives a restart, and read the next page at that revision, from behind that key, in key order.",
		Classes: []string{"LIST paging=limit rv=unset outcome=items", "LIST paging=continue outcome=items"},
	},
	Needs: []harness.Feature{Pages, ComparableRV},
	Judge: onState(judgePages(func(l *listed) bool { return !narrowed(l) })),
}

var listPageSize = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/page-size",
		Level:   harness.Must,
		Text:    "a page has at most limit items, unless the server ignores limit and gives all (then without continue); it may have fewer, even none",
		Sources: []harness.Source{sources.optLimit, sources.kep365},
		Why:     "a client sizes its memory by the limit it asked for",
		Advice:  "Stop at the limit of this very request, on later pages too, and set continue if there is more. If you do not page, return all and no continue token.",
		Classes: []string{"LIST paging=limit outcome=items"},
	},
	Judge: judgePageSize,
}

var listPagesWithSelector = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/pages-with-selector",
		Level:   harness.Must,
		Text:    "with a selector, pages together have every matching item and no other",
		Sources: []harness.Source{sources.optLimit, sources.chunks, sources.optLabelSelector},
		Why:     "a limit that counts what the selector drops loses what comes after it (kubernetes#110652)",
		Advice:  "Count only items that match against the limit, go on from the last key that you looked at, and apply the same selector to every page.",
		Classes: []string{"LIST paging=continue selector=label outcome=items", "LIST paging=continue selector=field outcome=items"},
	},
	Needs: []harness.Feature{Pages, ComparableRV},
	Judge: onState(judgePages(narrowed)),
}

var listRemaining = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/remaining",
		Level:   harness.Should,
		Text:    "remainingItemCount, where it is given, is right",
		Sources: []harness.Source{sources.listRemaining, sources.chunks},
		Why:     "whoever shows progress, or plans by it, shows nonsense",
		Advice:  "Count the items behind the last one of this page, at the page's revision, on every page. If that costs too much leave remainingItemCount out.",
		Classes: []string{"LIST paging=limit rv=unset selector=none scope=namespace outcome=items"},
	},
	Needs: []harness.Feature{Pages, ComparableRV},
	Judge: onState(judgeRemaining),
}

var listRemainingAbsent = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/remaining-absent",
		Level:   harness.Must,
		Text:    "there is no remainingItemCount with a selector, nor on the last page",
		Sources: []harness.Source{sources.listRemaining, sources.chunks},
		Why:     "a count of objects that the client did not ask for tells it of what it may not see, and of a last page it makes one that is not",
		Advice:  "Leave remainingItemCount out (nil, not 0) if the list has a label or field selector, or if the page has no continue token.",
		Classes: []string{"LIST paging=limit selector=label outcome=items", "LIST paging=continue outcome=items"},
	},
	Judge: judgeRemainingAbsent,
}

var listContinueExpired = harness.Rule{
	Clause: harness.Clause{
		ID:    "list/continue-expired",
		Level: harness.Must,
		Text: "an expired continue token fails with 410 and, in the Status' metadata.continue, offers one that goes on from the same key at a newer resourceVersion; " +
			"the pages after that keep the newer one",
		Sources: []harness.Source{sources.optContinue, sources.listContinue, sources.kep365Expired},
		Why:     "without it a list that takes longer than the history is kept can never be finished",
		Advice:  "Answer 410 Expired with a new token in metadata.continue: the same key, with the present revision, which all later pages then keep.",
		Classes: []string{"LIST paging=continue outcome=410"},
	},
	Needs: []harness.Feature{Pages, ComparableRV, Compaction},
	Judge: judgeContinueExpired,
}

var listPageRules = []harness.Rule{listPages, listPageSize, listPagesWithSelector, listRemaining, listRemainingAbsent, listContinueExpired}

var listPageChecks = []harness.Check[Subject]{
	{Info: harness.Info{
		Name:  "list/pages",
		About: "whole lists in pages of every size, while things change between the pages",
		Needs: []harness.Feature{Pages, ComparableRV},
		Rules: []harness.Rule{listPages, listPageSize, listRemaining, listAnswered},
	}, Drive: drive(drivePages)},
	{Info: harness.Info{
		Name:  "list/pages-with-selector",
		About: "pages of what a label or a field selects, of many that it does not",
		Needs: []harness.Feature{Pages, ComparableRV}, Either: []harness.Feature{LabelWatch, FieldWatch},
		Rules: []harness.Rule{listPagesWithSelector, listRemainingAbsent},
	}, Drive: drive(drivePagesWithSelector)},
	{Info: harness.Info{
		Name:  "list/page-size",
		About: "limits above, at and below the number of items, also of servers that ignore them",
		Rules: []harness.Rule{listPageSize},
	}, Drive: drive(drivePageSize)},
	{Info: harness.Info{
		Name:      "list/continue-expired",
		About:     "pages that are asked for after the history before them is gone",
		Needs:     []harness.Feature{Pages, ComparableRV, Compaction},
		Rules:     []harness.Rule{listContinueExpired},
		Isolation: harness.Disturbs,
		Span:      compactionSpan,
	}, Drive: drive(driveContinueExpired)},
}

// narrowed says that a list has a selector that does not just name an object.
func narrowed(l *listed) bool {
	return l.Scope.Restricted(replay.ByLabel) || l.Scope.Restricted(replay.ByField) || l.Scope.Restricted(replay.ByShard)
}
