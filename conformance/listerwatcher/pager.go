package listerwatcher

import (
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

var pagerWhole = harness.NewRule(harness.Clause{
	ID:      "pager/whole",
	Level:   harness.Must,
	Text:    "a list that the client takes in pages by itself is the whole list, each item once, in order, up to the page without a continue token, whatever the others have; it says the pages' resourceVersion and no continue token, where it says either",
	Sources: []harness.Source{source.Symbol(source.Pager + "ListPager.List"), source.Concept("Retrieving large results sets in chunks", "retrieving-large-results-sets-in-chunks"), source.Symbol(source.MetaTypes + "ListOptions.Limit")},
	Why:     "who takes the first pages for the list deletes all that is on the others",
	Advice:  "Ask for pages until continue is empty, however few items they have, append each once, and return the first page's resourceVersion and no token.",
	Classes: []string{"asks=list got=items", "asks=next got=items"},
}, judgePagerWhole, Lists, Pages)

var pagerContinueAlone = harness.NewRule(harness.Clause{
	ID:      "pager/continue-alone",
	Level:   harness.Must,
	Text:    "the next page is asked for with the token of the one before, and with neither match nor resourceVersion (but \"0\", which servers leave unread there)",
	Sources: []harness.Source{source.Concept("Semantics for get and list", "semantics-for-get-and-list"), source.Symbol(source.Pager + "ListPager.List")},
	Why:     "a server refuses a token beside a resourceVersion: no list that is longer than a page can be taken from there",
	Advice:  "For the next page keep limit and selectors, take continue from the page that you have just read, and clear resourceVersion and its match.",
	Classes: []string{"asks=next got=items"},
}, judgeContinueAlone, Lists, Pages)

var pagerExpired = harness.NewRule(harness.Clause{
	ID:       "pager/expired",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "410 in the midst of the pages leads to a fresh list or to an error; never to a list with a hole, nor to one of two resourceVersions that says one",
	Sources:  []harness.Source{source.Symbol(source.Pager + "ListPager.FullListIfExpired"), source.Symbol(source.Pager + "ListPager.EachListItem")},
	Why:      "a list of two states shows what never was together, and a watch from either resourceVersion does not mend it",
	Advice:   "If a further page gets a 410, throw away the pages before it, and list from the start with the caller's options, or return the error.",
	Classes:  []string{"asks=next got=410", "asks=relist got=items", "asks=relist got=410"},
}, judgePagerExpired, Lists, Pages, rig.Faults)

var pagerRules = []harness.Rule{pagerWhole, pagerContinueAlone, pagerExpired}
