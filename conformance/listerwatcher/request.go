package listerwatcher

import (
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

var requestOptions = harness.Rule{
	Clause: harness.Clause{
		ID:    "request/options",
		Level: harness.Must,
		Text: "what the caller sets (resourceVersion, match, limit, continue, selectors, bookmarks, sendInitialEvents, timeoutSeconds) reaches the server with that value, on list and on watch; " +
			"what it leaves unset is not sent; a client that pages or resumes by itself chooses limit, match, bookmarks, sendInitialEvents and timeoutSeconds, and all but the selectors of its later requests",
		Sources: []harness.Source{source.Symbol(source.MetaTypes + "ListOptions"), source.Symbol(source.REST + "request.go#Request.VersionedParams")},
		Why:     "a selector that gets lost shows a controller what is not its own; a resourceVersion that does, and it misses what came between",
		Classes: []string{"LIST sets=resourceVersion", "LIST sets=resourceVersion-0", "LIST sets=resourceVersionMatch-Exact", "LIST sets=resourceVersionMatch-NotOlderThan", "LIST sets=labelSelector", "LIST sets=fieldSelector", "LIST sets=limit", "LIST sets=continue", "LIST sets=timeoutSeconds", "LIST sets=timeoutSeconds-0", "LIST sets=allowWatchBookmarks", "LIST sets=nothing", "WATCH sets=resourceVersion", "WATCH sets=resourceVersion-0", "WATCH sets=resourceVersionMatch-NotOlderThan", "WATCH sets=labelSelector", "WATCH sets=fieldSelector", "WATCH sets=timeoutSeconds", "WATCH sets=timeoutSeconds-0", "WATCH sets=limit", "WATCH sets=allowWatchBookmarks", "WATCH sets=sendInitialEvents-true", "WATCH sets=sendInitialEvents-false", "WATCH sets=nothing"},
	},
	Judge: judgeOptions,
}

var requestVerb = harness.Rule{
	Clause: harness.Clause{
		ID:      "request/verb",
		Level:   harness.Must,
		Text:    "a watch asks with a watch that the server takes for true, a list without one; both ask for the resource and namespace that the client was given, and for its content type, with the credentials that it was given",
		Sources: []harness.Source{source.Concept("API verbs", "api-verbs"), source.Concept("Resource URIs", "resource-uris"), {Name: `Kubernetes authentication, "Putting a bearer token in a request"`, URL: source.Authentication + "putting-a-bearer-token-in-a-request"}},
		Why:     "a watch that is answered as a list ends at once, and is begun again for ever; one without credentials is refused, for ever",
		Classes: []string{"asks=list got=items", "asks=page got=items", "asks=watch got=open", "asks=stream got=open", "asks=wait-watch got=open"},
	},
	Judge: judgeVerb,
}

var requestIsolated = harness.Rule{
	Clause: harness.Clause{
		ID:       "request/isolated",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "the caller's options are not changed; of two calls at once each asks with its own, and goes on when the other ends",
		Sources:  []harness.Source{source.Symbol(source.Cache + "listwatch.go#ListerWithContext")},
		Why:      "options are shared by whoever resumes: one call's resourceVersion or selector in another's request loses events without a trace",
		Classes:  []string{"LIST at-once", "WATCH at-once"},
	},
	Judge: judgeIsolated,
}

var requestRetryAfter = harness.Rule{
	Clause: harness.Clause{
		ID:      "request/retry-after",
		Level:   harness.Should,
		Text:    "a client that asks again by itself after a 429 or 5xx waits at least the answer's Retry-After, or that of the ERROR which ended its watch",
		Sources: []harness.Source{source.Symbol(source.MetaTypes + "StatusReasonTooManyRequests"), source.Symbol(source.MetaTypes + "StatusReasonTimeout"), source.Symbol(source.REST + "with_retry.go#WithRetry")},
		Why:     "a server that sheds load is asked again at once, and does not come back",
		Classes: []string{"retry-after=Status", "retry-after=header", "retry-after=ERROR"},
	},
	Needs: []harness.Feature{rig.Faults},
	Judge: judgeRetryAfter,
}

var requestRules = []harness.Rule{requestOptions, requestVerb, requestIsolated, requestRetryAfter}

var requestChecks = []harness.Check[Rig]{
	{Info: harness.Info{
		Name:  "request/options/list",
		About: "lists with each option that a caller may set, one at a time and together",
		Needs: []harness.Feature{Lists},
		Rules: []harness.Rule{requestOptions, requestVerb, requestIsolated, listFaithful},
	}, Drive: drive(driveListOptions)},
	{Info: harness.Info{
		Name:  "request/options/watch",
		About: "watches with each option that a caller may set, one at a time and together",
		Needs: []harness.Feature{Watches},
		Rules: []harness.Rule{requestOptions, requestVerb, requestIsolated},
	}, Drive: drive(driveWatchOptions)},
	{Info: harness.Info{
		Name:  "request/options/list/large",
		About: "lists at resourceVersions that 16 and 32 bits do not have, and a floating-point number not exactly",
		Needs: []harness.Feature{Lists, rig.Revisions},
		Rules: []harness.Rule{requestOptions, listFaithful},
	}, Drive: drive(driveListLarge)},
	{Info: harness.Info{
		Name:  "request/options/watch/large",
		About: "watches from such",
		Needs: []harness.Feature{Watches, rig.Revisions},
		Rules: []harness.Rule{requestOptions, watchFaithful},
	}, Drive: drive(driveWatchLarge)},
	{Info: harness.Info{
		Name:   "request/verb",
		About:  "a client is opened for another namespace: two have objects of one name",
		Either: []harness.Feature{Lists, Watches, Waits},
		Rules:  []harness.Rule{requestVerb},
	}, Drive: drive(driveNamespaces, abroad)},
	{Info: harness.Info{
		Name:   "request/verb/all-namespaces",
		About:  "a client is opened for all namespaces: two have objects of one name",
		Needs:  []harness.Feature{AllNamespaces},
		Either: []harness.Feature{Lists, Watches, Waits},
		Rules:  []harness.Rule{requestVerb},
	}, Drive: drive(driveNamespaces, everywhere)},
	{Info: harness.Info{
		Name:  "request/isolated/list",
		About: "eight lists at a time, each with options of its own",
		Needs: []harness.Feature{Lists},
		Rules: []harness.Rule{requestIsolated, requestOptions, listFaithful},
	}, Drive: drive(driveListsAtOnce)},
	{Info: harness.Info{
		Name:  "request/isolated/watch",
		About: "eight watches at a time, each with options of its own",
		Needs: []harness.Feature{Watches},
		Rules: []harness.Rule{requestIsolated, requestOptions, watchFaithful},
	}, Drive: drive(driveWatchesAtOnce)},
	{Info: harness.Info{
		Name:  "request/isolated/ends",
		About: "of three watches at a time the first, and then the last, is let go of, by its Stop and by its context",
		Needs: []harness.Feature{Watches},
		Rules: []harness.Rule{requestIsolated, watchFaithful},
	}, Drive: drive(driveEndsAtOnce)},
	{Info: harness.Info{
		Name:   "request/retry-after",
		About:  "lists and watches are answered 429 and 503 with Retry-After, in the Status and as a header alone, once and then twice",
		Needs:  []harness.Feature{AsksAgain, rig.Faults},
		Either: []harness.Feature{Lists, Watches},
		Rules:  []harness.Rule{requestRetryAfter},
		Span:   4 * 60 * 1e9, // clients that ask again by themselves wait as long as they are told
	}, Drive: drive(driveRetryAfter)},
	{Info: harness.Info{
		Name:  "request/retry-after/long",
		About: "fourteen watches in a row are answered 429 with Retry-After",
		Needs: resuming,
		Rules: []harness.Rule{requestRetryAfter},
		Span:  30 * 1e9,
		Spans: map[harness.Feature]time.Duration{AsksAgain: time.Minute}, // fourteen times three seconds
	}, Drive: drive(driveRefusedLong)},
}
