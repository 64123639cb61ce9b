package golden

import "github.com/lwtest/lwtest/conformance/golden"

// Excuses are the classes of perturbation that no rule flags, wholly or in
// part, because they are legal: a line says which clause permits them.
var Excuses = []golden.Excuse{
	{How: "*", Class: "left *", Clause: "watch/stop", Why: "the watch was let go of: what was under way may still come, in order, or not; and how it says so is its own"},
	{How: "causes|code|reason", Class: "own ERROR|own refusal|UNTIL refusal", Clause: "watch/frame-error", Why: "what it makes of a frame, or of a list, that it cannot read it says as it likes, and so does a wait that ends"},
	{How: "causes|reason", Class: "page refusal", Clause: "list/errors", Why: "there was no Status: but for the code, what the client makes of it is its own"},
	{How: "drop", Class: "cut *", Clause: "watch/end", Why: "the connection broke: what was under way is lost, and is sent again where the client goes on from before it"},
	{How: "drop", Class: "resumed ENDED|resumed ERROR", Clause: "resume/permanent", Why: "of what it may not have it is told by an ERROR, or by the end"},
	{How: "refused", Class: "resumed WATCH", Clause: "resume/version", Why: "it returns before it has asked for anything: an error then is about the options, and nothing follows it"},
	{How: "refused", Class: "resumed UNTIL", Clause: "until/returns", Why: "of trouble that it cannot mend a wait returns with an error"},
	{How: "refused", Class: "own WATCH", Clause: "watch/frame", Why: "what was answered is no watch: that an error says as well as an ERROR"},
	{How: "no labelSelector", Class: "asked *", Clause: "request/isolated", Why: "by this selector a request is known to be of a call: one that has lost it is of none, and the call is judged by what is left"},
	{How: "no *|other *", Class: "asked again *", Clause: "request/options", Why: "only the first request of a call is held to all of the caller's options; where it goes on after a break is resume/version's, and any that it may have come to is right; and how it takes its pages is its own"},
	{How: "content data|content binaryData|content immutable|content unknown", Class: "metadata *|item of metadata *", Clause: "list/faithful", Why: "a client of metadata has nothing else of an object"},
	{How: "refused", Class: "LIST|metadata LIST", Clause: "list/faithful", Why: "it was asked with timeoutSeconds, which a client may hold itself to"},
}
