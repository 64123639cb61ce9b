package informer

import (
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

var pagesComplete = harness.NewRule(harness.Clause{
	ID:       "pages/complete",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "A paged list replaces the store only when all pages have come. If a page expires or fails, no object that exists is deleted.",
	Sources:  []harness.Source{source.Symbol(source.Pager + "ListPager.List"), source.Symbol(reflector + "Reflector.list")},
	Why:      "A list that ends after its first page empties the store, and every controller deletes what belongs to the missing objects.",
	Advice:   "Collect pages until continue is empty, however few items they have, and only then replace the store. If a page fails or has another version, list anew.",
	Classes:  []string{"asks=page got=items", "asks=page got=410", "asks=page got=500", "asks=page got=504", "asks=page got=429"},
}, judgePages)

var pagesRules = []harness.Rule{pagesComplete}
