package golden

// Excuses are the classes of perturbation that no rule flags, wholly or in
// part. The first ones are legal: a line says which clause permits them. The
// others wait for a clause that has no rule yet.
var Excuses = []Excuse{
	{How: "drop", Class: "BOOKMARK", Clause: "bookmark/idle", Why: "no bookmark may be relied on (ListOptions.AllowWatchBookmarks)"},
	{How: "double", Class: "BOOKMARK", Clause: "bookmark/monotonic", Why: "a bookmark may repeat"},
	{How: "swap", Class: "initial ADDED", Clause: "watchlist/initial", Why: "initial events come in any order"},
	{How: "swap", Class: "item of list", Clause: "list/snapshot", Why: "a list taken whole is a set: only pages have an order"},
	{How: "drop", Class: "last *", Clause: "watch/timeout", Why: "a watch may end at any time, and this one showed no later event"},
	{How: "version-up", Class: "list", Clause: "list/snapshot", Why: "nothing in its scope changed in between: it is the state there, too"},
	{How: "version-up", Class: "page", Clause: "list/snapshot", Why: "nothing in its scope changed in between: it is the state there, too"},

	{How: "drop", Class: "END-MARK", Clause: "watchlist/initial", Waits: true},
	{How: "double", Class: "END-MARK", Clause: "watchlist/once", Waits: true},
	{How: "type", Class: "initial ADDED", Clause: "watchlist/only-added", Waits: true},
	{How: "swap", Class: "BOOKMARK", Clause: "bookmark/monotonic", Waits: true},
	{How: "version-down", Class: "BOOKMARK", Clause: "bookmark/monotonic", Waits: true},
	{How: "version-*", Class: "DELETED", Clause: "watch/delete-version", Waits: true},
	{How: "name-*", Class: "last *", Clause: "watch/same-for-all", Waits: true},
	{How: "version-*", Class: "last *", Clause: "watch/same-for-all", Waits: true},
	{How: "version-down", Class: "list", Clause: "list/most-recent", Waits: true},
	{How: "version-down", Class: "page", Clause: "list/most-recent", Waits: true},
	{How: "swap", Class: "item of page", Clause: "list/pages", Waits: true},
	{How: "*", Class: "GET answer", Clause: "get/most-recent", Waits: true},
	{How: "accepted", Class: "GET refusal", Clause: "get/most-recent", Waits: true},
	{How: "name-*", Class: "CREATE answer", Clause: "write/response", Waits: true},
	{How: "name-*", Class: "UPDATE answer", Clause: "write/response", Waits: true},
	{How: "name-*", Class: "PATCH answer", Clause: "write/response", Waits: true},
	{How: "version-*", Class: "CREATE answer", Clause: "write/response", Waits: true},
	{How: "version-*", Class: "UPDATE answer", Clause: "write/response", Waits: true},
	{How: "version-*", Class: "PATCH answer", Clause: "write/response", Waits: true},
	{How: "refused", Class: "CREATE answer", Clause: "write/exists", Waits: true},
	{How: "refused", Class: "UPDATE answer", Clause: "write/no-false-conflict", Waits: true},
	{How: "refused", Class: "PATCH answer", Clause: "write/no-false-conflict", Waits: true},
	{How: "refused", Class: "DELETE answer", Clause: "write/no-false-conflict", Waits: true},
	{How: "accepted", Class: "UPDATE refusal", Clause: "write/response", Waits: true},
}
