package watchcache

import (
	"time"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
)

var listFuture = harness.Rule{
	Clause: harness.Clause{
		ID:    "list/future",
		Level: harness.Must,
		Text: "a list with a resourceVersion not yet seen waits until it is, or fails with a retriable error (504, or one that says when to try again); " +
			"it never answers with older data",
		Sources: []harness.Source{sources.unavailable, sources.getAndList},
		Why:     "a client that asks for what another server has told it of is given a state from before: it goes back in time",
		Advice:  "Compare the resourceVersion with the present one first, for every match and selector. If it is larger wait a few seconds, then answer 504 with retryAfterSeconds.",
		Classes: []string{"LIST rv=future match=unset", "LIST rv=future match=NotOlderThan", "LIST rv=future match=Exact", "LIST rv=future paging=limit"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: judgeFuture(replay.List),
}

var listFutureCause = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/future-cause",
		Level:   harness.Should,
		Text:    "that error has the cause ResourceVersionTooLarge and the message \"Too large resource version\"",
		Sources: []harness.Source{sources.unavailable, sources.causeTooLarge},
		Why:     "a reflector knows by this cause that it must ask for the most recent state; without it, it asks for the same resourceVersion for ever",
		Advice:  `Add a cause with the reason ResourceVersionTooLarge and the message "Too large resource version" to the details of the Status of this 504.`,
		Classes: []string{"LIST rv=future outcome=504"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: judgeFutureCause,
}

var listCombinations = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/combinations",
		Level:   harness.Must,
		Text:    "a list with a match but no resourceVersion, with Exact and \"0\", or with an unknown match, is refused with 4xx",
		Sources: []harness.Source{sources.getAndList, sources.kep2523},
		Why:     "a client that asks for something else than it means is told nothing, and works with a list that is not what it thinks",
		Advice:  "Validate the list options before you read anything, as ValidateListOptions of apimachinery does, and do not ignore a match that you cannot serve.",
		Classes: []string{"LIST rv=unset match=Exact", "LIST rv=unset match=NotOlderThan", "LIST rv=zero match=Exact", "LIST match=Nonsense"},
	},
	Judge: judgeRefused(isForbidden, "refused with 4xx", clientError),
}

var listCombinationsCause = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/combinations-cause",
		Level:   harness.Should,
		Text:    "it is refused as 422 Invalid, with a cause that names the field resourceVersionMatch",
		Sources: []harness.Source{sources.validateListOptions, sources.statusKind},
		Why:     "whoever reads the error cannot tell which parameter to change",
		Advice:  "Return 422 with the reason Invalid and a cause whose field is resourceVersionMatch: errors.NewInvalid builds it from a field.Error.",
		Classes: []string{"LIST match=Exact outcome=422"},
	},
	Judge: judgeRefused(isForbidden, "422 Invalid with a cause for resourceVersionMatch", matchInvalid, wrongRequest),
}

var listContinueAlone = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/continue-alone",
		Level:   harness.Must,
		Text:    "a list with a continue token and a resourceVersion other than unset and \"0\" is refused with 4xx",
		Sources: []harness.Source{sources.getAndList, sources.kep365},
		Why:     "the token says at which resourceVersion to go on: a page at another one does not belong to the pages before it",
		Advice:  `Refuse a continue token beside a resourceVersion other than "0" with 400 when you read the options. Do not serve one of the two and drop the other.`,
		Classes: []string{"LIST paging=continue rv=past", "LIST paging=continue rv=unreadable"},
	},
	Judge: judgeRefused(continuesAt, "refused with 4xx", clientError),
}

var listContinueMatch = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/continue-match",
		Level:   harness.Should,
		Text:    "a list with a continue token and a match is refused with 4xx",
		Sources: []harness.Source{sources.validateListOptions},
		Why:     "the token says which state is meant, and no match can ask for another",
		Advice:  "Refuse resourceVersionMatch beside a continue token when you validate the options, as ValidateListOptions does. Do not ignore it.",
		Classes: []string{"LIST paging=continue match=NotOlderThan", "LIST paging=continue match=Exact"},
	},
	Judge: judgeRefused(continuesMatching, "refused with 4xx", clientError),
}

var listBadToken = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/bad-token",
		Level:   harness.Should,
		Text:    "a continue token that the server did not make is refused with 400 or 410; it never ends the list or starts it anew silently",
		Sources: []harness.Source{sources.optContinue, sources.listContinue},
		Why:     "a list that ends early looks whole: everything that was not in it is taken for deleted",
		Advice:  "Check that a token decodes whole, with its revision and its key, and answer 400 if not. Neither begin anew nor return an empty last page.",
		Classes: []string{"LIST paging=made-up"},
	},
	Judge: judgeRefused(madeUp, "400 or 410", badToken),
}

var listBadVersion = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/bad-version",
		Level:   harness.Should,
		Text:    "a resourceVersion that cannot be read is refused, on get, list and watch; it is never taken for unset",
		Sources: []harness.Source{sources.resourceVersions, sources.compareVersions},
		Why:     "a client that lost its place is given another one without being told",
		Advice:  "Parse the resourceVersion as digits only, without a sign, in one function for get, list and watch, and refuse what does not parse in place of taking it for unset.",
		Classes: []string{"LIST rv=unreadable paging=none", "WATCH rv=unreadable", "GET rv=unreadable"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: judgeBadVersion,
}

var listRefusedRules = []harness.Rule{
	listFuture, listFutureCause, listCombinations, listCombinationsCause, listContinueAlone, listContinueMatch, listBadToken, listBadVersion,
}

var listRefusedChecks = []harness.Check[Subject]{
	{Info: harness.Info{
		Name:  "list/future",
		About: "lists at resourceVersions that are not there yet, in every form",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{listFuture, listFutureCause},
		Span:  30 * time.Second,
	}, Drive: drive(driveListFuture)},
	{Info: harness.Info{
		Name:  "list/future/next",
		About: "lists, gets, watches and streaming lists at the resourceVersion right after the last, which is not there yet",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{listFuture},
		Span:  20 * time.Second,
	}, Drive: drive(driveNext)},
	{Info: harness.Info{
		Name:  "list/combinations",
		About: "lists that ask for what cannot be",
		Rules: []harness.Rule{listCombinations, listCombinationsCause},
	}, Drive: drive(driveCombinations)},
	{Info: harness.Info{
		Name:  "list/continue-alone",
		About: "pages that are asked for with a resourceVersion or a match beside the token",
		Needs: []harness.Feature{Pages},
		Rules: []harness.Rule{listContinueAlone, listContinueMatch, listAnswered},
	}, Drive: drive(driveContinueWith)},
	{Info: harness.Info{
		Name:  "list/bad-token",
		About: "continue tokens that are made up, cut, or changed",
		Rules: []harness.Rule{listBadToken},
	}, Drive: drive(driveBadToken)},
	{Info: harness.Info{
		Name:  "list/bad-version",
		About: "resourceVersions that are no numbers, on get, list and watch",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{listBadVersion},
	}, Drive: drive(driveBadVersion)},
}
