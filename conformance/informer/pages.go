package informer

import (
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
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

var pagesChecks = []harness.Check[Rig]{
	{Info: harness.Info{
		Name:  "pages/complete",
		About: "a first list, and later ones, in small pages that take their time",
		Needs: []harness.Feature{PageSize, rig.Cuts, rig.Faults},
		Rules: []harness.Rule{pagesComplete, convergeEqual, convergeTime},
		Span:  5 * time.Minute,
	}, Drive: drive(drivePages, paged)},
	{Info: harness.Info{
		Name:  "pages/complete/expired",
		About: "the second page, or the third, of the first list and of later ones expires, with a token to go on by or without, and objects change before the next attempt",
		Needs: []harness.Feature{PageSize, rig.Cuts, rig.Faults},
		Rules: []harness.Rule{pagesComplete, convergeEqual, convergeTime},
		Span:  time.Hour,
	}, Drive: drive(driveExpiredPages, paged)},
	{Info: harness.Info{
		Name:  "pages/complete/failing",
		About: "it is refused, breaks off, cannot be read, and objects change before the next attempt",
		Needs: []harness.Feature{PageSize, rig.Cuts, rig.Faults},
		Rules: []harness.Rule{pagesComplete, convergeEqual, convergeTime},
		Span:  time.Hour,
	}, Drive: drive(drivePagesMeet(failingPages), paged)},
	{Info: harness.Info{
		Name:  "pages/complete/empty",
		About: "it has no items, and a continue token",
		Needs: []harness.Feature{PageSize, rig.Cuts, rig.Faults},
		Rules: []harness.Rule{pagesComplete, convergeEqual, convergeTime},
		Span:  time.Hour,
	}, Drive: drive(drivePagesMeet(emptyPages), paged)},
	{Info: harness.Info{
		Name:  "pages/complete/many",
		About: "more objects than a page of five hundred has, listed anew while pages take their time, fail and expire",
		Needs: []harness.Feature{rig.Cuts, rig.Faults},
		Rules: []harness.Rule{convergeEqual, convergeTime},
		Span:  3 * time.Minute,
	}, Drive: drive(driveManyPages)},
	{Info: harness.Info{
		Name:  "pages/complete/short",
		About: "pages of three objects, however many are asked for, take their time, fail and expire",
		Needs: []harness.Feature{rig.Cuts, rig.Faults},
		Rules: []harness.Rule{convergeEqual, convergeTime},
		Span:  3 * time.Minute,
	}, Drive: drive(driveShortPages)},
}
