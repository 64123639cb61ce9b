package listerwatcher

import (
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

var requestOptions = harness.NewRule(harness.Clause{
	ID:    "request/options",
	Level: harness.Must,
	Text: "what the caller sets (resourceVersion, match, limit, continue, selectors, bookmarks, sendInitialEvents, timeoutSeconds) reaches the server with that value, on list and on watch; " +
		"what it leaves unset is not sent; a client that pages or resumes by itself chooses limit, match, bookmarks, sendInitialEvents and timeoutSeconds, and all but the selectors of its later requests",
	Sources: []harness.Source{source.Symbol(source.MetaTypes + "ListOptions"), source.Symbol(source.REST + "request.go#Request.VersionedParams")},
	Why:     "a selector that gets lost shows a controller what is not its own; a resourceVersion that does, and it misses what came between",
	Advice:  "Put each option that the caller set into the query, escaped and unchanged, and none that is unset. Keep selectors for later pages and resumed watches.",
	Classes: []string{"LIST sets=resourceVersion", "LIST sets=resourceVersion-0", "LIST sets=resourceVersionMatch-Exact", "LIST sets=resourceVersionMatch-NotOlderThan", "LIST sets=labelSelector", "LIST sets=fieldSelector", "LIST sets=limit", "LIST sets=continue", "LIST sets=timeoutSeconds", "LIST sets=timeoutSeconds-0", "LIST sets=allowWatchBookmarks", "LIST sets=nothing", "WATCH sets=resourceVersion", "WATCH sets=resourceVersion-0", "WATCH sets=resourceVersionMatch-NotOlderThan", "WATCH sets=labelSelector", "WATCH sets=fieldSelector", "WATCH sets=timeoutSeconds", "WATCH sets=timeoutSeconds-0", "WATCH sets=limit", "WATCH sets=allowWatchBookmarks", "WATCH sets=sendInitialEvents-true", "WATCH sets=sendInitialEvents-false", "WATCH sets=nothing"},
}, judgeOptions)

var requestVerb = harness.NewRule(harness.Clause{
	ID:      "request/verb",
	Level:   harness.Must,
	Text:    "a watch asks with a watch that the server takes for true, a list without one; both ask for the resource and namespace that the client was given, and for its content type, with the credentials that it was given",
	Sources: []harness.Source{source.Concept("API verbs", "api-verbs"), source.Concept("Resource URIs", "resource-uris"), {Name: `Kubernetes authentication, "Putting a bearer token in a request"`, URL: source.Authentication + "putting-a-bearer-token-in-a-request"}},
	Why:     "a watch that is answered as a list ends at once, and is begun again for ever; one without credentials is refused, for ever",
	Advice:  "Send watch=true for watches alone, build the path from the given resource and namespace, and set Accept and the token on every request.",
	Classes: []string{"asks=list got=items", "asks=page got=items", "asks=watch got=open", "asks=stream got=open", "asks=wait-watch got=open"},
}, judgeVerb)

var requestIsolated = harness.NewRule(harness.Clause{
	ID:       "request/isolated",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "the caller's options are not changed; of two calls at once each asks with its own, and goes on when the other ends",
	Sources:  []harness.Source{source.Symbol(source.Cache + "listwatch.go#ListerWithContext")},
	Why:      "options are shared by whoever resumes: one call's resourceVersion or selector in another's request loses events without a trace",
	Advice:   "Copy the caller's options at the start of each call and change the copy alone. Cancel each call by itself, so that a Stop ends no other watch.",
	Classes:  []string{"LIST at-once", "WATCH at-once"},
}, judgeIsolated)

var requestRetryAfter = harness.NewRule(harness.Clause{
	ID:      "request/retry-after",
	Level:   harness.Should,
	Text:    "a client that asks again by itself after a 429 or 5xx waits at least the answer's Retry-After, or that of the ERROR which ended its watch",
	Sources: []harness.Source{source.Symbol(source.MetaTypes + "StatusReasonTooManyRequests"), source.Symbol(source.MetaTypes + "StatusReasonTimeout"), source.Symbol(source.REST + "with_retry.go#WithRetry")},
	Why:     "a server that sheds load is asked again at once, and does not come back",
	Advice:  "Read the Retry-After header, and retryAfterSeconds of a Status or ERROR event, and pause at least that long before you ask again.",
	Classes: []string{"retry-after=Status", "retry-after=header", "retry-after=ERROR"},
}, judgeRetryAfter, rig.Faults)

var requestConnections = harness.NewRule(harness.Clause{
	ID:      "request/connections",
	Level:   harness.Must,
	Text:    "when an answer is over, refusals too, its connection is used again, or closed: fewer than eight have carried nothing for five seconds when the client opens another",
	Sources: []harness.Source{source.Persistence, source.Symbol(source.REST + "with_retry.go#readAndCloseResponseBody")},
	Why:     "each request leaves a connection behind, until the process has no file descriptors left",
	Advice:  "Use one HTTP client for all calls, not a new one for each, and read every answer to its end or close it, errors too.",
	Classes: []string{"asks=list got=items", "asks=list got=403", "asks=watch got=403"},
}, judgeIdle(rig.AbandonedAfter), rig.Faults)

var requestReuse = harness.NewRule(harness.Clause{
	ID:      "request/reuse",
	Level:   harness.Should,
	Text:    "a connection carries one request after the other: fewer than eight have carried nothing for a second when the client opens another",
	Sources: []harness.Source{source.Persistence, source.Symbol("k8s.io/client-go@v0.37.2/transport/cache.go#tlsTransportCache")},
	Why:     "each request costs a handshake, and the server holds a connection for each",
	Advice:  "Use one HTTP client with keep-alive for all calls, and read every answer to its end, errors too: only then can its connection be used again.",
	Classes: []string{"asks=list got=items", "asks=list got=403", "asks=watch got=403"},
}, judgeIdle(1), rig.Faults)

var requestRules = []harness.Rule{requestOptions, requestVerb, requestIsolated, requestRetryAfter, requestConnections, requestReuse}
