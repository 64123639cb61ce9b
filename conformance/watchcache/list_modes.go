package watchcache

import (
	"time"

	"github.com/lwtest/lwtest/harness"
)

var listScope = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/scope",
		Level:   harness.Must,
		Text:    "a list of a namespace, a name or a selector has nothing from outside it; names that begin alike are different names",
		Sources: []harness.Source{sources.resourceURIs, sources.optLabelSelector, sources.optFieldSelector, sources.getAndList},
		Why:     "a controller acts on objects that are not its own, or that it may not even see",
		Advice:  "Compare names, namespaces and values exactly, end key prefixes with a slash, and apply every requirement of both selectors, after a continue token too.",
		Classes: []string{"LIST scope=namespace outcome=items", "LIST selector=label outcome=items", "LIST selector=name outcome=items", "LIST selector=field outcome=items",
			"LIST scope=absent outcome=empty"},
	},
	Judge: judgeListScope,
}

var listMostRecent = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/most-recent",
		Level:   harness.Must,
		Text:    "with resourceVersion unset, the list (its first page, too) reflects every write acknowledged before it began",
		Sources: []harness.Source{sources.getAndList, sources.kep2340},
		Why:     "a client that writes, and lists to see what there is, does not find its own write: it writes it a second time",
		Advice:  "Read from the storage, or wait until the cache has reached the storage's present revision, for the first page too, and return the revision that was read.",
		Classes: []string{"LIST rv=unset paging=none outcome=items", "LIST rv=unset paging=limit outcome=items"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: butDoubts(judgeMostRecent),
}

var listAny = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/any",
		Level:   harness.Must,
		Text:    "with resourceVersion \"0\" a list may be stale, but is a snapshot all the same, and is never refused as \"Too large resource version\"",
		Sources: []harness.Source{sources.getAndList},
		Why:     "most informers start with such a list: what it mixes from two states stays mixed until they list again; and one that is refused does not start",
		Advice:  "Copy the items of the cache and its resourceVersion under one lock, serve no list from a cache that is still being filled, and do not wait for the present revision of the storage.",
		Classes: []string{"LIST rv=zero outcome=items"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: judgeAny,
}

var listNotOlderThan = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/not-older-than",
		Level:   harness.Must,
		Text:    "with a resourceVersion N and either NotOlderThan or neither match nor limit, the list's resourceVersion is not below N",
		Sources: []harness.Source{sources.getAndList, sources.kep2523},
		Why:     "this is how a client that has seen N makes sure not to go back in time, whichever server answers",
		Advice:  "Wait until the cache has reached the resourceVersion asked for, with selectors, limits and all namespaces too, and return the revision that was read.",
		Classes: []string{"LIST rv=current match=NotOlderThan outcome=items", "LIST rv=current match=unset paging=none outcome=items", "LIST rv=past match=NotOlderThan outcome=items"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: butDoubts(judgeNotOlderThan),
}

var listExact = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/exact",
		Level:   harness.Must,
		Text:    "with a resourceVersion N and Exact, the list is the state at N and says N, or it fails: with 410 if N is gone, with 504 if this server has not seen N",
		Sources: []harness.Source{sources.getAndList, sources.kep4988},
		Why:     "whoever compares two states, or audits one, is given another than the one he asked for",
		Advice:  "Read the storage at that very revision, with selectors and limits too, and return that revision. If it is not kept any more answer 410, if it is to come 504.",
		Classes: []string{"LIST rv=past match=Exact outcome=items", "LIST rv=current match=Exact outcome=items"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: onState(judgeExactly(exactly)),
}

var listExactLegacy = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/exact-legacy",
		Level:   harness.Must,
		Text:    "with a resourceVersion N and a limit, but no match, it is as with Exact",
		Sources: []harness.Source{sources.getAndList, sources.kep2523},
		Why:     "clients older than resourceVersionMatch page through the state at N in this way",
		Advice:  "Treat a limit with a resourceVersion above 0 and no match as Exact: read that revision or answer 410. A page of the present is wrong here.",
		Classes: []string{"LIST rv=past match=unset paging=limit outcome=items"},
	},
	Needs: []harness.Feature{ComparableRV, Pages}, // who knows no limit takes it for a list without one
	Judge: onState(judgeExactly(exactlyLegacy)),
}

var listEmptyVersion = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/empty-version",
		Level:   harness.Must,
		Text:    "an empty list says a resourceVersion too, and one that misses nothing: a watch from it gives every later creation",
		Sources: []harness.Source{sources.efficientDetection, sources.versionInMetadata},
		Why:     "an informer that starts before there is anything watches from that resourceVersion; from none, it would be told what it has already or miss the first object",
		Advice:  `Set the resourceVersion of a list from the revision at which it was read, not from its newest item, so that an empty list has one too, and never "0".`,
		Classes: []string{"LIST outcome=empty"},
	},
	Judge: onState(judgeEmptyVersion),
}

var listModeRules = []harness.Rule{listScope, listMostRecent, listAny, listNotOlderThan, listExact, listExactLegacy, listEmptyVersion}

var listModeChecks = []harness.Check[Subject]{
	{Info: harness.Info{
		Name:  "list/scope",
		About: "lists of a namespace, a name, a label and a field, with others like them beside",
		Rules: []harness.Rule{listScope, listAnswered},
	}, Drive: drive(driveListScope)},
	{Info: harness.Info{
		Name:  "list/most-recent",
		About: "each sort of write, and a list at once after it",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{listMostRecent},
	}, Drive: drive(driveMostRecent)},
	{Info: harness.Info{
		Name:  "list/modes",
		About: "lists at known resourceVersions, in every way to ask for them, while things change; in the end some with a timeoutSeconds",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{listAny, listNotOlderThan, listExact, listExactLegacy, listAnswered},
		Span:  20 * time.Second,
	}, Drive: drive(driveModes)},
	{Info: harness.Info{
		Name: "list/forms",
		About: "lists of every form, or a sample by seed: of one namespace and of all, by each pair of selectors, of the present and of the past in each mode, " +
			"whole and in pages that grow, with a timeoutSeconds and without",
		Rules: []harness.Rule{listSnapshot, listScope, listAnswered},
		Span:  20 * time.Second,
	}, Drive: drive(driveListForms)},
	{Info: harness.Info{
		Name:  "list/empty-version",
		About: "empty lists of every scope, and watches from them",
		Rules: []harness.Rule{listEmptyVersion},
	}, Drive: drive(driveEmpty)},
}
