package runtime

import (
	"regexp"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// The kinds of events that are no calls, for whoever records a history of a runtime by other means than the suite. A kind of call is
// the name of its method.
const (
	KindEvent = evEvent // of GetContainerEvents; its body is the ContainerEventResponse, and its actor watches nothing else
	KindKill  = evKill  // the runtime went down
	KindStart = evStart // it is up again
	// KindFault is a fault that was injected into the call that it belongs to.
	KindFault = "FAULT"
)

// TraceFeatures are those that every trace of a runtime has: their rules judge only what was asked.
var TraceFeatures = []harness.Feature{Events, PodNetwork, ImagePull, Stats, Logs, Exec}

// Failure is an error as histories have it.
func Failure(err error) *history.Error { return failure(err) }

// driven reports whether the suite made the calls of a history. In any other, such as that of a kubelet, the story is not known: the
// image may be missing, what calls a container answers to may fail for want of something else, and sandboxes may end by themselves.
func driven(h *history.History) bool { return h.Header.Story != nil }

// nameTaken is how other errors than AlreadyExists say that a name is taken.
var nameTaken = regexp.MustCompile(`(?i)reserved|already (exists|in use)|is in use`)

// taken reports whether a call failed because something has the name of what it makes.
func taken(x *exchange) bool {
	return x.Err != nil && (x.code() == codes.AlreadyExists || nameTaken.MatchString(x.Err.Msg))
}

// eventTime is how long an event may take in a history that does not say when nothing moved.
const eventTime = 10 * time.Second

// restAfter returns the first event by which all that was told before another must have come; 0: none.
func restAfter(h *history.History, num int32) int32 {
	if driven(h) {
		return settledAfter(h, num)
	}
	from := h.Event(num).At
	for i := int(num); i < len(h.Events); i++ {
		if h.Events[i].At-from > int64(eventTime) {
			return h.Events[i].Num
		}
	}
	return 0
}

// watchesUntil reports whether a watcher of a history that is not driven watched until an event.
func watchesUntil(h *history.History, actor string, num int32) bool {
	if driven(h) {
		return true
	}
	for _, e := range h.By(actor) {
		if e.Num < num && (e.Kind == history.Ended || e.Kind == history.Stopped) {
			return false
		}
	}
	return true
}

// listedFirst returns the first answer of a list that has each id, in a history that is not driven: whatever was there at its
// beginning has no life, even if a call that is repeated answers its id.
func listedFirst(h *history.History) map[string]int32 {
	out := map[string]int32{}
	if driven(h) {
		return out
	}
	for _, x := range recordOf(h).calls {
		ids, _ := listedIn(x)
		for _, id := range ids {
			if out[id] == 0 || x.Return < out[id] {
				out[id] = x.Return
			}
		}
	}
	return out
}
