package watchcache

import (
	"time"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
)

var watchOrdered = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/ordered",
		Level:   harness.Must,
		Text:    "after the initial events, events come in the order of their resourceVersions, never smaller than the one before; changes of one revision share theirs",
		Sources: []harness.Source{sources.etcdOrdered, sources.efficientDetection},
		Why:     "a client resumes from the last resourceVersion it saw: after a step back it repeats changes, and its copy goes back in time",
		Advice:  "Fill one queue per watch in the order of the revisions, and let new events wait behind the older ones that the watch is still catching up on.",
		Classes: []string{"WATCH rv=current outcome=events", "WATCH rv=past outcome=events"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: judgeOrdered,
}

var watchUnique = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/unique",
		Level:   harness.Must,
		Text:    "no change (object and resourceVersion) comes twice on one watch",
		Sources: []harness.Source{sources.etcdUnique, sources.efficientDetection},
		Why:     "whoever counts, bills or alerts on events does it twice",
		Advice:  "Register a watch and read its backlog under one lock, so that live events begin just behind the backlog, and repeat nothing before a bookmark or the end.",
		Classes: []string{"WATCH outcome=events", "EVENT type=MODIFIED"},
	},
	Judge: judgeUnique,
}

var watchReliable = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/reliable",
		Level:   harness.Must,
		Text:    "every matching change after the start of a watch comes, as it was made, and nothing that nobody made: there is no gap",
		Sources: []harness.Source{sources.etcdReliable, sources.efficientDetection, sources.watchSemantics},
		Why:     "a client never asks again for what it does not know of: its copy stays wrong until the next full list, which may be never",
		Advice:  "Send each change whole, one of status or metadata alone too. If a buffer is full, or the cache starts anew, end the watch in place of dropping events.",
		Classes: []string{"WATCH scope=all outcome=events", "WATCH scope=namespace outcome=events", "WATCH selector=label outcome=events",
			"EVENT type=ADDED", "EVENT type=MODIFIED", "EVENT type=DELETED"},
	},
	Judge: onState(judgeReliable),
}

var watchFromList = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/from-list",
		Level:   harness.Must,
		Text:    "a watch from a list's resourceVersion gives every change after that list, deletes included, and nothing at or before it",
		Sources: []harness.Source{sources.watchSemantics, sources.efficientDetection},
		Why:     "list, then watch is how every informer starts: a change that falls between the two is lost to it for ever",
		Advice:  "Start with the first change after the given resourceVersion (greater, not equal), deletions too. Do not start with what comes from now on.",
		Classes: []string{"WATCH rv=past outcome=events"},
	},
	Judge: onState(judgeFromList),
}

var typesRule = harness.Rule{
	Clause: harness.Clause{
		ID:      "watch/types",
		Level:   harness.Must,
		Text:    "ADDED only for what the watcher did not have, MODIFIED for what it had, DELETED for what it no longer has",
		Sources: []harness.Source{sources.watchEvent, sources.testWatch, sources.efficientDetection},
		Why:     "handlers act on the type: a creation that comes as MODIFIED is never set up, a deletion that does not come as one is never cleaned up",
		Advice:  "Compute the type per watch from whether its filter matches the object before and after the change: only after is ADDED, both MODIFIED, only before DELETED.",
		Classes: []string{"EVENT type=ADDED", "EVENT type=MODIFIED", "EVENT type=DELETED", "WATCH selector=label outcome=events"},
	},
	Judge: onState(judgeTypes),
}

// watchScope has a rule for each way to narrow a watch.
func watchScope(aspect string, classes []string, needs ...harness.Feature) harness.Rule {
	return harness.Rule{
		Clause: harness.Clause{
			ID:      "watch/scope",
			Level:   harness.Must,
			Text:    "a watch of a namespace, a name (field selector metadata.name), a label or a field selector gives the matching events, all and only; names that begin alike are different names",
			Sources: []harness.Source{sources.testNamespaceWatch, sources.testWatch, sources.resourceURIs, sources.optLabelSelector, sources.optFieldSelector},
			Why:     "a controller acts on objects that are not its own, may not be allowed to see, or never hears of those that are",
			Advice:  "Use one filter for lists, initial events and changes. Compare names and values exactly, end key prefixes with a slash, and apply each requirement of both selectors.",
			Classes: classes,
		},
		Aspect: aspect,
		Needs:  needs,
		Judge:  onState(judgeScope(aspect)),
	}
}

var (
	scopeNamespace = watchScope(replay.ByNamespace, []string{"WATCH scope=namespace outcome=events"})
	scopeName      = watchScope(replay.ByName, []string{"WATCH selector=name outcome=events"}, FieldWatch)
	scopeLabel     = watchScope(replay.ByLabel, []string{"WATCH selector=label outcome=events"}, LabelWatch)
	scopeField     = watchScope(replay.ByField, []string{"WATCH selector=field outcome=events"}, FieldWatch)
)

var watchRules = []harness.Rule{
	watchOrdered, watchUnique, watchReliable, watchFromList, typesRule, scopeNamespace, scopeName, scopeLabel, scopeField,
}

var watchChecks = []harness.Check[Subject]{
	{Info: harness.Info{
		Name:  "watch/ordered",
		About: "watches of different scope while four writers write at once",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{watchOrdered, watchUnique, watchReliable},
		Span:  20 * time.Second,
	}, Drive: drive(driveBusyWatches)},
	{Info: harness.Info{
		Name:  "watch/ordered/settled",
		About: "watches that do not say where their initial events end, and of what comes after they settled nothing but ADDED",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{watchOrdered, typesRule},
	}, Drive: drive(driveOnlyCreates)},
	{Info: harness.Info{
		Name:  "watch/unique",
		About: "one object changes again and again while it is watched, and its watch ends and is opened anew",
		Rules: []harness.Rule{watchUnique},
	}, Drive: drive(driveUnique)},
	{Info: harness.Info{
		Name:  "watch/reliable",
		About: "every sort of change after the start of a watch, to watches of every scope",
		Rules: []harness.Rule{watchReliable},
	}, Drive: drive(driveChanges)},
	{Info: harness.Info{
		Name:  "watch/reliable/long",
		About: "two hundred changes, one after the other, to one watch",
		Rules: []harness.Rule{watchReliable},
		Span:  20 * time.Second,
	}, Drive: drive(driveLong)},
	{Info: harness.Info{
		Name:  "watch/reliable/busy",
		About: "watches of every form that begin while others write: from a list of a while ago and from one just taken, unset, \"0\", streaming and not",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{watchReliable, watchFromList, watchUnique, watchUnset, watchZero, watchlistInitial},
		Grace: 4 * time.Minute, // no watch comes to its timeout before
		Span:  30 * time.Second,
	}, Drive: drive(driveAmid)},
	{Info: harness.Info{
		Name:      "watch/reliable/quiet",
		About:     "changes after a minute, six and sixteen in which a watch brings nothing, with bookmarks and without",
		Rules:     []harness.Rule{watchReliable},
		Span:      24 * time.Minute,
		Isolation: harness.Quiet,
	}, Drive: drive(driveQuiet)},
	{Info: harness.Info{
		Name:  "watch/reliable/content",
		About: "annotations, owners, status and a large content, added, changed and taken away, in gets, lists and watches of every form",
		Rules: []harness.Rule{watchReliable, listSnapshot},
	}, Drive: drive(driveContent)},
	{Info: harness.Info{
		Name:  "watch/reliable/parts",
		About: "labels, annotations, owners, status, finalizers and data, one of them changed at a time, of objects with labels and without any",
		Rules: []harness.Rule{watchReliable, listSnapshot},
	}, Drive: drive(driveParts)},
	{Info: harness.Info{
		Name:  "watch/from-list",
		About: "creations, updates and deletes between a list and the watch from it",
		Rules: []harness.Rule{watchFromList, watchAnswered},
	}, Drive: drive(driveFromList)},
	{Info: harness.Info{
		Name:  "watch/types",
		About: "objects are created, changed, deleted and created again, and move in and out of a selector",
		Rules: []harness.Rule{typesRule},
	}, Drive: drive(driveChanges)},
	{Info: harness.Info{
		Name:  "watch/scope/namespace",
		About: "a watch of one namespace while a namespace that begins alike changes, too",
		Rules: []harness.Rule{scopeNamespace, watchAnswered},
	}, Drive: drive(driveScope(nothingElse, nothingMore))},
	{Info: harness.Info{
		Name:  "watch/scope/name",
		About: "a watch of one name while names that begin alike change, too",
		Needs: []harness.Feature{FieldWatch},
		Rules: []harness.Rule{scopeName, watchAnswered},
	}, Drive: drive(driveScope(byName, named))},
	{Info: harness.Info{
		Name:  "watch/scope/label",
		About: "watches by label, and by label and name, while objects enter the selector, leave it, and stay outside",
		Needs: []harness.Feature{LabelWatch},
		Rules: []harness.Rule{scopeLabel, watchAnswered},
	}, Drive: drive(driveScope(byLabel, labelled))},
	{Info: harness.Info{
		Name:  "watch/scope/field",
		About: "a watch of all names but one, and one by the field metadata.namespace",
		Needs: []harness.Feature{FieldWatch},
		Rules: []harness.Rule{scopeField, watchAnswered},
	}, Drive: drive(driveScope(byField, placed))},
	{Info: harness.Info{
		Name:  "watch/scope/shapes",
		About: "objects without labels, with long and dotted names, large and empty, in five namespaces that begin and end alike, by every sort of label selector",
		Rules: []harness.Rule{scopeNamespace, listScope, watchReliable, listSnapshot},
	}, Drive: driveIn(manyNamespaces, driveShapes)},
	{Info: harness.Info{
		Name: "watch/forms",
		About: "watches of every form, or a sample by seed, open at once: of one namespace and of all, by each pair of selectors, from a list, unset, \"0\", streaming and not, " +
			"with bookmarks and without",
		Rules: []harness.Rule{watchReliable, listSnapshot},
	}, Drive: drive(driveWatchForms)},
}
