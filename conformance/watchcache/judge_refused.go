package watchcache

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeRefused: each request that asks for such a thing is refused as it
// should be. Where only some refusals are judged, unless says which; one that
// comes of something else (too many requests, a server that is not there) says nothing.
func judgeRefused(asks func(*replay.Request) bool, want string, right func(*replay.Request) bool, unless ...func(*replay.Request) bool) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		var j harness.Judgement
		for _, r := range replay.Asked(h) {
			if r.Return == 0 || !asks(&r) {
				continue
			}
			if e := firstOf(h, &r); r.Kind == replay.Watch && r.Err == nil && e != nil && e.Kind == replay.Errored {
				r.Err, r.Refusal = e.Err(), replay.RefusalOf(e) // it was refused in its stream
			}
			if r.Err != nil && (!r.Refused() || replay.Retriable(r.Err, r.Refusal)) {
				continue
			}
			if slices.ContainsFunc(unless, func(f func(*replay.Request) bool) bool { return !f(&r) }) {
				continue
			}
			j.Tested++
			if !right(&r) {
				j.Fail(want, answer(h, &r), r.Call, r.Return)
			}
		}
		return j
	}
}

// answer says what a request was answered with.
func answer(h *history.History, r *replay.Request) string {
	if r.Err != nil {
		return r.Err.String() + told(r.Refusal)
	}
	switch r.Kind {
	case replay.List:
		return fmt.Sprintf("a list @%s of %d items", r.Obj.RV, len(replay.Objects(h.Event(r.Return))))
	case replay.Get:
		return "the object @" + r.Obj.RV
	}
	return "a watch"
}

// told is what a refusal says beside its code.
func told(r replay.Refusal) string {
	var p []string
	for _, c := range r.Causes {
		p = append(p, strings.TrimSuffix(c.Reason+" "+c.Field, " "))
	}
	if len(p) == 0 {
		return ", without a cause"
	}
	return ", with the causes " + strings.Join(p, ", ")
}

// isForbidden: no server could know what is meant.
func isForbidden(r *replay.Request) bool {
	o := &r.Args.Options
	switch {
	case r.Kind != replay.List || o.ResourceVersionMatch == "" || o.Continue != "" || o.SendInitialEvents != nil:
		return false
	case o.ResourceVersion == "":
		return true
	case o.ResourceVersionMatch == metav1.ResourceVersionMatchExact:
		return o.ResourceVersion == "0"
	}
	return o.ResourceVersionMatch != metav1.ResourceVersionMatchNotOlderThan
}

func continuesAt(r *replay.Request) bool {
	o := &r.Args.Options
	return r.Kind == replay.List && o.Continue != "" && o.ResourceVersion != "" && o.ResourceVersion != "0" && o.ResourceVersionMatch == ""
}

func continuesMatching(r *replay.Request) bool {
	o := &r.Args.Options
	return r.Kind == replay.List && o.Continue != "" && o.ResourceVersionMatch != ""
}

// madeUp: a token beside nothing else that could be refused.
func madeUp(r *replay.Request) bool {
	o := &r.Args.Options
	return r.Kind == replay.List && strings.HasPrefix(o.Continue, replay.MadeUp) && o.ResourceVersion == "" && o.ResourceVersionMatch == ""
}

func clientError(r *replay.Request) bool {
	return r.Refused() && r.Err.Code >= 400 && r.Err.Code < 500
}

// wrongRequest says that it was refused for what it asks, not for who asks.
func wrongRequest(r *replay.Request) bool {
	return clientError(r) && !slices.Contains(elsewhere, r.Err.Code)
}

func matchInvalid(r *replay.Request) bool {
	return r.Err.Code == 422 && r.Err.Reason == string(metav1.StatusReasonInvalid) &&
		slices.ContainsFunc(r.Causes, func(c replay.Cause) bool { return c.Field == "resourceVersionMatch" })
}

func badToken(r *replay.Request) bool {
	return r.Refused() && (r.Err.Code == 400 || r.Err.Code == 410)
}

// judgeBadVersion: whatever the refusal looks like (kube-apiserver answers a
// get or a watch with a bare 500), it must be one. A watch may be refused in its stream.
func judgeBadVersion(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, r := range replay.Asked(h) {
		rv := r.Args.Options.ResourceVersion
		if digits(rv) || r.Args.Options.Continue != "" || r.Return == 0 {
			continue
		}
		want := fmt.Sprintf("an error: %q is no resourceVersion", rv)
		switch {
		case r.Err != nil && (!r.Refused() || replay.Retriable(r.Err, r.Refusal)):
		case r.Refused():
			j.Tested++
		case r.Kind != replay.Watch:
			j.Tested++
			j.Fail(want, answer(h, &r), r.Call, r.Return)
		default:
			first := firstOf(h, &r)
			if first == nil {
				continue // nobody knows what it would have brought
			}
			j.Tested++
			if first.Kind != replay.Errored {
				j.Fail(want, "a watch, with "+first.Kind+" "+at(first), r.Call, first.Num)
			}
		}
	}
	return j
}

// digits says that a resourceVersion is none, or one that can be read, be it
// that leading zeros make it none that can be compared.
func digits(rv string) bool { return strings.Trim(rv, "0123456789") == "" }

// firstOf is the first that a watch brought, or that shows it to be open; nil for none.
func firstOf(h *history.History, r *replay.Request) *history.Event {
	events := h.By(r.Actor)
	for i := range events {
		if e := &events[i]; e.Call == r.Call && e.Phase == history.Notice && e.Kind != history.Stopped && e.Kind != history.Ended {
			return e
		}
	}
	return nil
}
