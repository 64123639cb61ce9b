package runtime

import (
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// The kinds of events that are no calls, for whoever records a history of a runtime by other means than the suite. A kind of call is
// the name of its method.
const (
	KindEvent = evEvent // of GetContainerEvents; its body is the ContainerEventResponse, and its actor watches nothing else
	KindKill  = evKill  // the runtime went down
	KindStart = evStart // it is up again
	// KindFault is a fault that was injected into the call that it belongs to. Rules do not read it.
	KindFault = "FAULT"
)

// EmptyMessage is the id that stands in the answer to a streaming list for a message without items.
const EmptyMessage = emptyMessage

// TraceFeatures are those that every trace of a runtime has: their rules judge only what was asked.
var TraceFeatures = []harness.Feature{Events, PodNetwork, ImagePull, Stats, Logs, Exec}

// Failure is an error as histories have it.
func Failure(err error) *history.Error { return failure(err) }

// driven reports whether the suite made the calls of a history. In any other, such as that of a kubelet, the story is not known: the
// image may be missing, what calls a container answers to may fail for want of something else, and sandboxes may end by themselves.
func driven(h *history.History) bool { return h.Header.Story != nil }
