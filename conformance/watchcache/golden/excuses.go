package golden

// Excuses are the classes of perturbation that no rule flags, wholly or in
// part, because they are legal: a line says which clause permits them.
var Excuses = []Excuse{
	{How: "drop", Class: "BOOKMARK", Clause: "bookmark/idle", Why: "no bookmark may be relied on (ListOptions.AllowWatchBookmarks)"},
	{How: "double", Class: "BOOKMARK", Clause: "bookmark/monotonic", Why: "a bookmark may repeat"},
	{How: "swap", Class: "initial ADDED", Clause: "watchlist/initial", Why: "initial events come in any order"},
	{How: "swap", Class: "item of list", Clause: "list/snapshot", Why: "a list taken whole is a set: only pages have an order"},
	{How: "drop", Class: "last *", Clause: "watch/timeout", Why: "a watch may end at any time, and this one showed no later event"},
	{How: "version-up", Class: "list", Clause: "list/snapshot", Why: "nothing in its scope changed in between: it is the state there, too"},
	{How: "version-up", Class: "page", Clause: "list/snapshot", Why: "nothing in its scope changed in between: it is the state there, too"},
	{How: "version-up", Class: "BOOKMARK", Clause: "bookmark/complete", Why: "nothing in its scope changed in between: it covers as much"},
	{How: "type", Class: "DELETED", Clause: "watch/reliable", Why: "another client may have changed it at that revision: not a pass, but undecided"},
	{How: "version-up", Class: "item of *", Clause: "list/snapshot", Why: "another client may have changed it at that revision: not a pass, but undecided"},
	{How: "accepted", Class: "DELETE refusal", Clause: "write/finalizers", Why: "what lives on after its deletion may wait for a finalizer: not a pass, but undecided"},
}
