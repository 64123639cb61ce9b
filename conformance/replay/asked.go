package replay

import (
	"github.com/lwtest/lwtest/harness/history"
)

// Request is one LIST, WATCH or GET as it was asked, and its answer.
type Request struct {
	Kind   string
	Call   int32
	Return int32 // 0: no answer in this history
	Actor  string
	Args   Args
	Err    *history.Error // it was refused, or nobody knows
	Refusal
	Obj *history.Ref // a list's resourceVersion, or the object that a get gave; nil without an answer
}

// MadeUp begins the text that a history keeps of a continue token that no
// answer had given: a client made it up.
const MadeUp = "made-up:"

// Answered says that the request was served.
func (r *Request) Answered() bool { return r.Return != 0 && r.Err == nil }

// Refused says that the server itself answered with an error.
func (r *Request) Refused() bool { return r.Err != nil && r.Err.Code != 0 }

// requests is what Asked derives.
type requests []Request

// Asked are all lists, watches and gets of h in order of their calls, also
// those that were refused; calls whose arguments cannot be read are left out.
func Asked(h *history.History) []Request {
	return history.Derive(h, func(h *history.History) requests {
		var out requests
		at := map[int32]int{} // by number of the call
		ill := false          // the storage has gone wrong: an error 5xx may be its own since then, and says nothing of the server
		for i := range h.Events {
			e := &h.Events[i]
			if e.Kind == StorageFault {
				ill = true
			}
			if e.Phase == history.Notice || e.Kind != List && e.Kind != Watch && e.Kind != Get {
				continue
			}
			if e.Phase == history.Call {
				if a, err := arguments(e); err == nil {
					at[e.Num] = len(out)
					out = append(out, Request{Kind: e.Kind, Call: e.Num, Actor: e.Actor, Args: a})
				}
				continue
			}
			if err := e.Err(); ill && err != nil && err.Code >= 500 && !Retriable(err, RefusalOf(e)) {
				continue
			}
			if j, ok := at[e.Call]; ok {
				r := &out[j]
				r.Return, r.Err, r.Refusal, r.Obj = e.Num, e.Err(), RefusalOf(e), &e.Obj
			}
		}
		return out
	})
}

// IsDryRun says whether the call of a write stores nothing.
func IsDryRun(call *history.Event) bool { return call.X != nil && dryRun(call.X.Args) }

// ListBodyOf is what the answer to a list has beside items and resourceVersion.
func ListBodyOf(e *history.Event) ListBody {
	if e.X == nil || e.X.Err != nil {
		return ListBody{}
	}
	return parseListBody(e.X.Body)
}
