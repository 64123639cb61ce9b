package watchcache

import (
	"time"

	"github.com/lwtest/lwtest/harness"
)

// wideChecks ask for more than others do: for more objects, by more
// requirements, with more options at once. Their rules are those of what is asked.
var wideChecks = []harness.Check[Subject]{
	{Info: harness.Info{
		Name:  "list/snapshot/large",
		About: "lists, pages and initial events of more objects than any usual page or buffer has",
		Rules: []harness.Rule{listSnapshot},
		Span:  30 * time.Second,
	}, Drive: drive(driveLarge)},
	{Info: harness.Info{
		Name:  "list/snapshot/content",
		About: "objects with everything in them, in lists of every form, and in the past of watches of every scope",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{listSnapshot, watchReliable},
		Span:  30 * time.Second,
	}, Drive: drive(driveContentForms)},
	{Info: harness.Info{
		Name:  "list/selectors",
		About: "lists by selectors of several values and requirements, whole, in pages, and of the past",
		Rules: []harness.Rule{listSnapshot, listScope, listAnswered},
		Span:  30 * time.Second,
	}, Drive: drive(driveWideLists)},
	{Info: harness.Info{
		Name:  "watch/selectors",
		About: "watches by selectors of several values and requirements, while objects enter each of them and leave it",
		Needs: []harness.Feature{LabelWatch, FieldWatch},
		Rules: []harness.Rule{scopeLabel, scopeField, watchReliable},
		Span:  30 * time.Second,
	}, Drive: drive(driveWideWatches)},
	{Info: harness.Info{
		Name:  "watch/options",
		About: "watches with each pair of the options of informers, all open at once, while every sort of change is made",
		Needs: []harness.Feature{LabelWatch, FieldWatch},
		Rules: []harness.Rule{watchReliable, scopeNamespace, scopeName, scopeLabel, scopeField, watchAnswered},
		Grace: 4 * time.Minute, // no watch comes to its timeout before
		Span:  30 * time.Second,
	}, Drive: drive(driveOptions)},
}
