package golden

// Excuses are the classes of perturbation that no rule flags, wholly or in
// part, because they are legal: a line says which clause permits them. What only
// another client could have done needs no line: it is flagged where there is none.
var Excuses = []Excuse{
	{How: "drop", Class: "BOOKMARK", Clause: "bookmark/idle", Why: "no bookmark may be relied on (ListOptions.AllowWatchBookmarks)"},
	{How: "double", Class: "BOOKMARK", Clause: "bookmark/monotonic", Why: "a bookmark may repeat"},
	{How: "version-*", Class: "BOOKMARK", Clause: "bookmark/complete", Why: "nothing in its scope changed in between: it covers as much; and it may cover less than it could"},
	{How: "drop", Class: "END-MARK", Clause: "watchlist/initial", Why: "only who asks for initial events is owed it, and only a watch that was settled had the time for it"},
	{How: "swap", Class: "initial ADDED|unmarked ADDED", Clause: "watchlist/initial", Why: "initial events come in any order, and ADDED may be initial"},
	{How: "swap", Class: "DELETED", Clause: "watch/atomic", Why: "deletions of one revision come in any order"},
	{How: "swap", Class: "item of *", Clause: "list/pages", Why: "a list taken whole is a set, and so is one page: only pages one after the other have an order"},
	{How: "drop|name-known", Class: "item of page", Clause: "list/page-size", Why: "a page may be short, and nobody went on from it: what it lacks may be on the next"},
	{How: "version-*", Class: "list|page|END-MARK", Clause: "list/snapshot", Why: "nothing in its scope changed in between: it is the state there, too"},
	{How: "drop|name-*|version-*", Class: "last *", Clause: "watch/timeout", Why: "a watch may end at any time: nobody is owed the last event of one that was not settled, and of what comes in its place nothing is known"},
	{How: "drop|name-*|version-*", Class: "unmarked *", Clause: "watch/unset", Why: "where such a watch begins, and that its state has come whole, nothing tells: it may have begun after that change, or ended before"},
	{How: "version-*", Class: "DELETED|MODIFIED", Clause: "watch/delete-version", Why: "no answer tells the revision of a deletion, nor of what deletecollection does: a watch is believed where it contradicts none"},
	{How: "uid|uid-less", Class: "DELETED|MODIFIED|unmarked DELETED", Clause: "watch/delete-version", Why: "what was there before is not known for certain: not a pass, but undecided"},
	{How: "version-*|content|labels|uid|creationTimestamp|deletionTimestamp|generation", Class: "ending *", Clause: "write/response", Why: "it took the last finalizer: what it answers no reader is ever shown"},
	{How: "uid|uid-less|name-*|refused|content|creationTimestamp|generation", Class: "dry *", Clause: "write/dry-run", Why: "nothing was made: no reader is shown its uid, when it was made, the name that the server makes, or what admission adds; and a name that the server makes may be taken"},
	{How: "content|labels|generation", Class: "tried *|dry PATCH answer", Clause: "write/dry-run", Why: "nothing was stored: no reader is shown what else the server would have made of the object"},
	{How: "refused|uid|creationTimestamp|generation", Class: "CREATE answer", Clause: "write/exists", Why: "nobody was shown the object afterwards, or the server made its name, or another write sent the same content: who created it, when, and with which uid, nothing tells"},
	{How: "refused", Class: "UPDATE answer|PATCH answer|DELETE*|ending *", Clause: "write/no-false-conflict", Why: "it had no precondition, so nothing says that it must be taken; and it changes nothing, or nobody was shown what it did"},
	{How: "refused", Class: "GET answer", Clause: "get/most-recent", Why: "a delete of it was under way: which came first nothing tells"},
	{How: "accepted|type", Class: "DELETE refusal|DELETED|unmarked DELETED", Clause: "write/finalizers", Why: "what lives on after its deletion may wait for a finalizer, and what this run never wrote may have been there before it: not a pass, but undecided"},
}

// Newer are checks that are newer than the recordings, which therefore hold none of them. Record them with the next
// release, and take their names out. Those of "replaced" and "changing" have thousands of reads, two megabytes for each server: they are not
// recorded.
var Newer = []string{"write/contended", "version/comparable/replaced", "list/pages-with-selector/changing", "watch/compacted-edge/delete"}
