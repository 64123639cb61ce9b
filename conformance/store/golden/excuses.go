package golden

import "github.com/lwtest/lwtest/conformance/golden"

// Excuses are the classes of perturbation that no rule flags, wholly or in
// part, because they are legal: a line says which clause permits them.
var Excuses = []golden.Excuse{
	{How: "*", Class: "open *|item of open *", Clause: "queue/close", Why: "whether what comes after Close is queued is open, and so is how much of a list in which an object has no key"},
	{How: "swap", Class: "item of BY-INDEX|item of INDEX*|item of LIST*|item of PUSH|item of beside *", Clause: "basic/list", Why: "a list of a map comes in any order"},
	{How: "swap", Class: "item of POP-BATCH tombstone", Clause: "queue/replace", Why: "the tombstones of one list come in any order"},
	{How: "type Replaced to Sync", Class: "item of POP*", Clause: "queue/replace", Why: "the items of a list are queued as Replaced, or as Sync"},
	{How: "unset", Class: "VERSION|beside VERSION", Clause: "version/told", Why: "no store has to tell a resourceVersion"},
	{How: "drop|gone", Class: "item of beside *|beside GET|beside GET-BY-KEY", Clause: "concurrent/linearizable", Why: "another may be about to take it away, and come first; and of what was pushed meanwhile nothing tells when"},
	{How: "initial", Class: "early POP *", Clause: "queue/initial-flag", Why: "whether what comes before the first list counts as of it is open: no reflector resyncs or marks before it has listed"},
	{How: "come|refused", Class: "INDEX-VALUES|beside INDEX-VALUES", Clause: "index/query", Why: "of an index that there is not it has no way to say so"},
	{How: "refused", Class: "RESYNC", Clause: "queue/resync", Why: "a map has nothing to resync, and no clause says what it answers"},
}
