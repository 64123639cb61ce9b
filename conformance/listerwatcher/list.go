package listerwatcher

import (
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

var listFaithful = harness.NewRule(harness.Clause{
	ID:      "list/faithful",
	Level:   harness.Must,
	Text:    "the items of a list come in the order sent, with every field that the client's type has; resourceVersion, continue token and remaining count come as sent",
	Sources: []harness.Source{source.Symbol(source.MetaTypes + "ListMeta"), source.Concept("Retrieving large results sets in chunks", "retrieving-large-results-sets-in-chunks")},
	Why:     "whoever replaces a store by a list that is not what the server sent deletes what is alive, and watches from a resourceVersion that misses events",
	Advice:  "Read the body to its end, decode each item into a new object, and pass on order, resourceVersion, continue and remainingItemCount unchanged.",
	Classes: []string{"asks=list got=items", "asks=list got=nothing", "asks=page got=items", "LIST gives=items", "LIST gives=nothing", "LIST gives=continue", "LIST gives=remaining"},
}, judgeListFaithful, Lists)

var listWhole = harness.NewRule(harness.Clause{
	ID:       "list/whole",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "a body that is cut, cannot be read, or is a Status that says Failure, gives an error, never a shorter list",
	Sources:  []harness.Source{source.Symbol(source.REST + "request.go#Request.transformResponse"), source.Symbol(source.REST + "request.go#Result.Into")},
	Why:      "a list that ends in the middle deletes the rest from whatever is kept in step with it",
	Advice:   "Return an error if the body ends early, does not parse, or has the kind Status in place of a list; check that on every page.",
	Classes:  []string{"asks=list got=cut", "asks=list got=unreadable", "asks=page got=unreadable"},
}, judgeListWhole, Lists, rig.Faults)

var listErrors = harness.NewRule(harness.Clause{
	ID:    "list/errors",
	Level: harness.Must,
	Text: "a Status error keeps code, reason, causes and retryAfterSeconds, on list and on opening a watch: 401, 403, 404, 410, 422, 429, 500, 504 and its cause can be told apart; " +
		"an answer that is no Status keeps its code; a watch that is opened when its call has returned has the error as its first event, an ERROR",
	Sources: []harness.Source{source.Convention("Response Status Kind", "response-status-kind"), source.Symbol(source.Errors + "StatusError"), source.Symbol(source.Errors + "NewGenericServerResponse")},
	Why:     "who cannot tell 410 from 500 lists again for ever, or never; who cannot tell 429 from 403 gives up",
	Advice:  "From code 400 on, return an error (or ERROR event) with code, reason, details.causes and retryAfterSeconds of the Status; without a Status, with the code.",
	Classes: []string{"asks=list got=400", "asks=list got=401", "asks=list got=403", "asks=list got=404", "asks=list got=410", "asks=list got=422", "asks=list got=429", "asks=list got=500", "asks=list got=503", "asks=list got=504", "asks=list got=too-large", "asks=list got=proxy", "asks=watch got=400", "asks=watch got=401", "asks=watch got=403", "asks=watch got=404", "asks=watch got=410", "asks=watch got=422", "asks=watch got=429", "asks=watch got=500", "asks=watch got=503", "asks=watch got=504", "asks=watch got=too-large", "asks=watch got=proxy"},
}, judgeListErrors, rig.Faults)

var listErrorText = harness.NewRule(harness.Clause{
	ID:      "list/error-text",
	Level:   harness.Should,
	Text:    "the message of a Status, that of an ERROR event too, comes as the server wrote it, in whatever language and frames",
	Sources: []harness.Source{source.Convention("Response Status Kind", "response-status-kind"), source.Symbol(source.Errors + "StatusError")},
	Why:     "the message is all that tells a person what is wrong: in half of it, or without its letters, nobody finds that",
	Advice:  "Decode error bodies and ERROR events as UTF-8 when all their bytes are there, not chunk by chunk, and pass on the whole message of the Status.",
	Classes: []string{"asks=list got=403", "asks=watch got=403", "asks=watch got=ERROR-410"},
}, judgeErrorText, rig.Faults)

var listRules = []harness.Rule{listFaithful, listWhole, listErrors, listErrorText}
