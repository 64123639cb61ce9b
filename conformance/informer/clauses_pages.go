package informer

import (
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

var pagesComplete = harness.Rule{
	Clause: harness.Clause{
		ID:       "pages/complete",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "a paged list is taken whole before it replaces anything; one that expires or fails in the middle deletes nothing that is alive",
		Sources:  []harness.Source{source.Symbol(source.Pager + "ListPager.List"), source.Symbol(reflector + "Reflector.list")},
		Why:      "a list that ends after its first page empties the store, and every controller deletes what belongs to what it does not find",
		Classes:  []string{"asks=page got=items", "asks=page got=410", "asks=page got=500", "asks=page got=504", "asks=page got=429"},
	},
	Judge: judgePages,
}

var pagesRules = []harness.Rule{pagesComplete}
