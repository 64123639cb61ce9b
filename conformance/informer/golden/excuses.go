package golden

import "github.com/lwtest/lwtest/conformance/golden"

// Excuses are the classes of perturbation that no rule flags, wholly or in
// part, because they are legal: a line says which clause permits them.
var Excuses = []golden.Excuse{
	{How: "swap", Class: "item of *", Clause: "store/snapshot", Why: "a store gives what it has in any order, and so does an index"},
	{How: "synced", Class: "moving SYNCED", Clause: "sync/has-synced", Why: "it is true only when a list is whole and told of, not as soon as it is"},
	{How: "unset|version-down|version-up", Class: "VERSION|moving VERSION", Clause: "store/version", Why: "a store need not tell a version, and an older one claims less (only after a bookmark, or a deletion, it has to move); what a newer one claims was not of its scope, or had come by then"},
	{How: "drop|stale", Class: "overtaken PUSH|item of overtaken PUSH|PUSH of the same", Clause: "store/push", Why: "another push, before or after, has what this one had: changes may be merged"},
	{How: "drop", Class: "item of late STORE", Clause: "converge/equal", Why: "it may be gone from what has something that is gone: in which order objects leave is open"},
	{How: "initial", Class: "ADD|ADD, then DELETE|overtaken ADD", Clause: "sync/initial-flag", Why: "it came while its handler joined: whether it was there then is open"},
	{How: "drop|double|swap", Class: "UPDATE to the same", Clause: "notify/resync", Why: "an update that changes nothing comes of a list, or of a resync, and neither owes it, or owes it once"},
	{How: "drop|stale", Class: "item of moving INDEX|moving GET", Clause: "converge/equal", Why: "a copy may be behind what was written, and no other reading says how far it had come"},
	{How: "drop|stale", Class: "UPDATE, then DELETE|ADD, then DELETE", Clause: "notify/complete", Why: "updates may be merged with what follows"},
	{How: "drop|stale", Class: "last *", Clause: "stop/clean", Why: "it was stopped: the rest of the backlog is dropped, wherever it ends"},
	{How: "held gone", Class: "DELETE|ADD, then DELETE|UPDATE, then DELETE|overtaken *", Clause: "notify/after-store", Why: "the store has that state or a later one, and it had been deleted by then"},
	{How: "refused", Class: "HANDLE", Clause: "notify/late-handler", Why: "a handler that cannot be added is refused (SharedInformer.AddEventHandler): its drive ends there, and has put nothing to the test"},
	{How: "drop|double", Class: "TOLD", Clause: "resume/permanent", Why: "only of what the user alone can mend the hook has to be told, and of a row of failures once at least"},
	{How: "drop", Class: "closing RUN", Clause: "stop/prompt", Why: "nobody waited for that end; and whether a second start returns at once is open"},
	{How: "from *|match exact", Class: "LIST|first LIST|first STREAM|STREAM|refused STREAM", Clause: "converge/no-time-travel", Why: "which state it asks for is its own choice, but after a 410 or a benign end, as long as what it makes of the answer is no older one"},
	{How: "from *", Class: "unsure WATCH", Clause: "resume/version", Why: "of a watch that broke off it may have had any part: it goes on from wherever it came to; and where two have asked whose a request is nobody can tell"},
	{How: "no continue", Class: "LIST", Clause: "pages/complete", Why: "a list may be begun anew before its last page; that the answer is that page all the same is the server's doing"},
	{How: "limit|timeout|no allowWatchBookmarks", Class: "*", Clause: "resume/version", Why: "in how many pieces, for how long and with how many bookmarks is its own choice (ListOptions): a watch has no pages"},
	{How: "match exact", Class: "WATCH|unsure WATCH", Clause: "watch/combinations", Why: "a server that minds refuses it, and what follows that is judged"},
	{How: "no sendInitialEvents", Class: "refused STREAM|STREAM|first STREAM", Clause: "resume/version", Why: "then it is a watch from where the informer is, or nothing came of it; after a 410, and where it fills the store, it is seen"},
}
