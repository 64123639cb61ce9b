package golden

// Fakes is, for each recording, the fake that is held against it.
var Fakes = map[string]string{
	"v1.37.1":         "",
	"v1.37.1-nocache": "resource/configmaps-uncached",
	"v1.37.1-events":  "resource/events",
	"v1.37.1-things":  "resource/things",
	"v1.37.1-shards":  "",
	"v1.37.1-leases":  "resource/leases",

	"v1.37.1-deployments": "resource/deployments",
	"v1.37.1-pods":        "resource/pods",
}

// Partial are recordings of some checks only: those whose names begin so.
var Partial = map[string][]string{
	"v1.37.1-shards":      {"shard/"},
	"v1.37.1-leases":      {"write/missing/create"},
	"v1.37.1-deployments": {"write/status", "write/conflict/status"},
	"v1.37.1-pods":        {"write/"},
}

// Deviations are the rules of level SHOULD that a real server breaks.
var Deviations = map[string][]string{
	"v1.37.1-nocache": {"write/finalizers-raced", "watch/expired-edge"}, // kubernetes#77988; without a cache the watch before the compaction is an error 500
	"v1.37.1-events":  {"write/finalizers-raced", "watch/expired-edge"},
	"v1.37.1-things":  {"write/finalizers-raced"},
}

// ByTime are the checks whose rules look at times, which a golden does not have.
var ByTime = map[string]bool{"watch/timeout": true, "bookmark/idle": true}

// Timed are the checks whose histories hang on what happens when, by the
// reason: in virtual time they differ from those of a real server, and are
// judged, not compared.
var Timed = map[string]string{
	"watch/atomic":              "watches end by their timeouts, between writes",
	"watch/compacted-edge":      "a real server takes seconds to see that something was compacted, the fake none",
	"list/future/next":          "how soon others' writes reach the resourceVersion asked for is theirs; the fake has no others",
	"watch/future":              "how soon others' writes reach the resourceVersion asked for is theirs; the fake has no others",
	"watch/expired":             "the window of a real server is moved by hundreds of writes",
	"watch/expired/ancient":     "half the newest resourceVersion is from before the check on a real server, and of the check on the fake",
	"list/continue-expired":     "a real server takes seconds to see that something was compacted, the fake none",
	"cache/restart":             "a watch breaks when a real server is killed, and when the fake says so",
	"watch/timeout":             "watches end by their timeouts, between writes",
	"watch/slow":                "the contract does not say how much a connection buffers",
	"watch/slow/forms":          "the contract does not say how much a connection buffers",
	"watch/slow/start":          "the contract does not say how much a connection buffers",
	"bookmark/complete/slow":    "watches end by their timeouts, between writes",
	"list/snapshot/large":       "four writers create at once, and on a real server half as many objects",
	"watch/selectors":           "what settles a watch that no sentinel matches is written in real time only",
	"write/dry-run/more":        "the server makes up a name, and nothing else shows it",
	"shard/absent":              "a watch that is stopped may or may not get the last event of another",
	"watch/stop":                "events on their way when a watch is stopped may or may not arrive",
	"bookmark/asked":            "watches end by their timeouts, between writes",
	"bookmark/monotonic":        "watches end by their timeouts, between writes",
	"bookmark/idle":             "bookmarks come when the server likes",
	"bookmark/complete/minutes": "bookmarks come when the server likes",
	"watchlist/once":            "watches end by their timeouts, between writes",
	"list/forms":                "in virtual time there are more forms, and others",
	"watch/forms":               "in virtual time there are more forms, and others",
}

// Large are the checks whose recordings take long to judge, about 30 ms each time:
// there are tens of thousands of ways to perturb one, and what they would show
// shorter ones show. They are perturbed in one recording, the reference, once in
// each way and class, or where all are asked for a sample of them.
var Large = []string{"list/snapshot/large", "list/snapshot/content", "list/forms", "watch/forms", "watch/reliable/busy", "watch/slow/forms", "watch/slow/start",
	"bookmark/complete/slow", "write/visible/many"}

// Unknown are the checks whose recordings are judged, and not perturbed, by the reason: of their objects one rule alone
// says anything, which looks at nothing but two events in a row.
var Unknown = map[string]string{
	"write/finalizers/contended": "whether an object had its finalizer when it was deleted, nobody knows but who came first",
}
