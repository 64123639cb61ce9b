package watchcache

import (
	"time"

	"github.com/lwtest/lwtest/harness"
)

var listSnapshot = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/snapshot",
		Level:   harness.Must,
		Text:    "the items of a list are exactly the state at its metadata.resourceVersion: nothing newer, nothing missing, whatever way it was asked for",
		Sources: []harness.Source{sources.versionInMetadata, sources.getAndList},
		Why:     "an informer watches on from that resourceVersion: what the list missed it never hears of, and what the list had too early it hears of twice",
		Advice:  "Read items and resourceVersion at one revision (one transaction or lock), return each object whole, and check filters and indexes for items that they drop.",
		Classes: []string{
			"LIST rv=unset outcome=items", "LIST rv=zero outcome=items", "LIST match=NotOlderThan outcome=items", "LIST match=Exact outcome=items",
			"LIST paging=limit outcome=items", "LIST paging=continue outcome=items", "LIST selector=label outcome=items", "LIST scope=all outcome=items",
			"LIST scope=namespace outcome=items",
		},
	},
	Judge: onState(judgeListSnapshot),
}

var listMonotonic = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/monotonic",
		Level:   harness.Must,
		Text:    "two most-recent lists, one after the other, never go back in resourceVersion",
		Sources: []harness.Source{sources.getAndList, sources.kep2340},
		Why:     "a client that lists again believes the newer answer: it undoes what it had seen, and acts on it a second time",
		Advice:  "Answer from the storage, or let the cache of each replica catch up with it first, and return the revision of the store, not that of the newest item.",
		Classes: []string{"LIST rv=unset outcome=items"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: judgeListMonotonic,
}

var listRules = []harness.Rule{listSnapshot, listMonotonic, listAnswered}

var listChecks = []harness.Check[Subject]{
	{Info: harness.Info{
		Name:  "list/snapshot",
		About: "lists of every kind between writes that follow each other",
		Rules: []harness.Rule{listSnapshot, listAnswered},
	}, Drive: drive(driveListSnapshot)},
	{Info: harness.Info{
		Name:  "list/snapshot/busy",
		About: "lists and pages while four writers write at once",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{listSnapshot},
		Span:  20 * time.Second,
	}, Drive: drive(driveListBusy)},
	{Info: harness.Info{
		Name:  "list/monotonic",
		About: "most-recent lists, of a namespace and of all, one after the other between writes",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{listMonotonic},
	}, Drive: drive(driveListMonotonic)},
}
