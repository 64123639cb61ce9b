package listerwatcher

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeListFaithful compares each list with what the server answered to the last request for it. Lists that a
// client takes in several pages are another rule's. Only one that has something in it puts the client to the test.
var judgeListFaithful = perCall(func(x *exchange, j *harness.Judgement) {
	r := x.last()
	if x.call.Kind != rig.List || !x.returned() || r == nil || !r.listed() || has(x.h, Pages) && (len(x.pages()) > 1 || r.more() != "") {
		return
	}
	at := []int32{x.call.Num, r.Answer.Num, x.answer.Num}
	if x.failed() != nil {
		if r.How != "stopped" && x.down == nil && x.stopped == nil && x.args.Options.TimeoutSeconds == nil && !has(x.h, Pages) { // else it had no time for more
			j.FailTested("the list that was sent", x.failed().String(), at...)
		}
		return
	}
	if len(r.Answer.X.Items) > 0 {
		j.Tested++
	}
	if !has(x.h, ItemsOnly) {
		x.judgeListMeta(j, r, at)
	}
	if want, got, ok := sameItems(x.h, r.Answer.X.Items, history.Items(x.answer)); !ok {
		j.Fail(want, got, at...)
	}
})

// judgeListMeta compares what a list says beside its items.
func (x *exchange) judgeListMeta(j *harness.Judgement, r *request, at []int32) {
	sent, got := r.Answer, x.answer
	if sent.Obj.RV != got.Obj.RV {
		j.Fail("resourceVersion "+sent.Obj.RV, "resourceVersion "+got.Obj.RV, at...)
	}
	if want := history.BodyOf[rig.ListBody](sent); want.Continue != x.body.Continue || !equalCounts(want.Remaining, x.body.Remaining) {
		j.Fail("continue "+want.Continue+", remaining "+count(want.Remaining), "continue "+x.body.Continue+", remaining "+count(x.body.Remaining), at...)
	}
}

// listed says that the server sent a list, whole, to the client.
func (r *request) listed() bool {
	return r.Answer != nil && r.Refused() == nil && r.Answer.X != nil && !r.Lost() && !r.raw()
}

func equalCounts(a, b *int64) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

func count(n *int64) string {
	if n == nil {
		return "none"
	}
	return fmt.Sprint(*n)
}

// sameItems compares what was sent with what came, and says where they differ first.
func sameItems(h *history.History, sent, got []history.Ref) (want, is string, ok bool) {
	for i := range sent {
		if i >= len(got) {
			return fmt.Sprintf("%d items", len(sent)), fmt.Sprintf("%d: without %s", len(got), sent[i].Key), false
		}
		if want, is, ok := sameObject(h, &sent[i], &got[i]); !ok {
			return want, is, false
		}
	}
	if len(got) > len(sent) {
		return fmt.Sprintf("%d items", len(sent)), fmt.Sprintf("%d: with %s", len(got), got[len(sent)].Key), false
	}
	return "", "", true
}

// sameObject compares all that the client's type has.
func sameObject(h *history.History, sent, got *history.Ref) (want, is string, ok bool) {
	a, b := sent.Body, got.Body
	if has(h, MetadataOnly) {
		a, b = metadataOf(h, a), metadataOf(h, b)
	}
	if sent.Key == got.Key && sent.UID == got.UID && sent.RV == got.RV && a == b {
		return "", "", true
	}
	return sent.Key + " @" + sent.RV + " " + a, got.Key + " @" + got.RV + " " + b, false
}

// metadataOf is that part of a rig.Content.
func metadataOf(h *history.History, content string) string {
	v := history.Content[struct{ Metadata json.RawMessage }](h, content)
	if v == nil {
		return content
	}
	return string(v.Metadata)
}

// judgeListWhole looks at lists of which the client got no whole answer, or none that can be read.
var judgeListWhole = perCall(func(x *exchange, j *harness.Judgement) {
	r := x.last()
	if x.call.Kind != rig.List || !x.returned() || r == nil || !r.Lost() && !(r.raw() && (r.Refused() == nil || r.Refused().Code == 200)) {
		return
	}
	j.Tested++
	if x.failed() == nil {
		j.Fail("an error: the answer did not come whole", fmt.Sprintf("a list of %d items", len(history.Items(x.answer))), r.Call.Num, x.answer.Num)
	}
})

// judgeListErrors compares errors with what the server sent for them, on lists and on watches that it refused. Of
// a watch that resumes by itself they are events, and those that it keeps to itself are another rule's. Of one that is opened when its
// call has returned, the refusal is an event, too.
var judgeListErrors = perCall(func(x *exchange, j *harness.Judgement) {
	r := x.last()
	if !x.returned() || r == nil || r.code() < 400 || x.call.Kind == untilKind ||
		x.down != nil || cutOff(x.h, r.Call.Num, x.answer.Num) || x.stopped != nil && x.stopped.Num < x.answer.Num || x.timedOut() {
		return // it may have asked again when connections were refused, or been called off
	}
	got, at := errorOf(x), x.answer
	switch {
	case x.call.Kind == rig.Watch && has(x.h, Retries):
		if at = x.deliveredError(); at == nil || at.Num < r.Answer.Num || x.mayGiveUp() {
			return
		}
		got = sentError(at)
	case x.call.Kind != rig.Watch || x.failed() != nil:
	case x.deliveredError() != nil:
		at = x.deliveredError()
		got = sentError(at)
	case x.cutShort() || !x.over(r.Answer):
		return // the error may still have been on its way
	}
	j.Tested++
	if want := refusalOf(r); !got.keeps(want) {
		j.Fail(want.String(), got.String(), r.Answer.Num, at.Num)
	}
})

// timedOut reports whether a call took as long as its caller allowed: clients end it then.
func (x *exchange) timedOut() bool {
	limit := x.args.Options.TimeoutSeconds
	return limit != nil && *limit > 0 && time.Duration(x.answer.At-x.call.At) >= time.Duration(*limit)*time.Second
}

// mayGiveUp says that a client which resumes by itself was refused for now so often that it may end, and say so in words
// of its own.
func (x *exchange) mayGiveUp() bool {
	if len(x.requests) < patience {
		return false
	}
	return !slices.ContainsFunc(x.requests[len(x.requests)-patience:], func(r *request) bool { return !busy(r.Refused()) && !r.Lost() })
}

// told is what an error says.
type told struct {
	code       int
	reason     string
	causes     []metav1.StatusCause
	retryAfter int32
	status     bool // it is a Status
}

// refusalOf is what the server sent: a Status, or what stands before it did in the name of one.
func refusalOf(r *request) told {
	e := r.Refused()
	t := told{code: e.Code, reason: e.Reason, status: !r.raw()}
	var s metav1.Status
	if r.raw() && json.Unmarshal([]byte(e.Msg), &s) == nil && s.Kind == "Status" {
		t.status, t.reason = true, string(s.Reason)
		if s.Details != nil {
			t.causes, t.retryAfter = s.Details.Causes, s.Details.RetryAfterSeconds
		}
		return t
	}
	b := history.BodyOf[rig.StatusBody](r.Answer)
	t.causes, t.retryAfter = b.Causes, b.RetryAfter
	return t
}

// errorOf is what the client's caller was told.
func errorOf(x *exchange) told {
	e := x.failed()
	if e == nil {
		return told{}
	}
	t := told{code: e.Code, reason: e.Reason, status: true}
	if b := x.body.StatusBody; b != nil {
		t.causes, t.retryAfter = b.Causes, b.RetryAfter
	}
	return t
}

// keeps says that an error has all that was sent; of what was no Status the code alone.
func (t told) keeps(sent told) bool {
	if t.code != sent.code {
		return false
	}
	return !sent.status || t.reason == sent.reason && t.retryAfter == sent.retryAfter && slices.Equal(t.causes, sent.causes)
}

func (t told) String() string {
	if t.code == 0 && t.reason == "" {
		return "no error, or one without a code"
	}
	s := strings.TrimSpace(fmt.Sprintf("%d %s", t.code, t.reason))
	if t.retryAfter != 0 {
		s += fmt.Sprintf(", retry after %d s", t.retryAfter)
	}
	for _, c := range t.causes {
		s += fmt.Sprintf(", cause %s", c.Type)
		if c.Field != "" {
			s += " of " + c.Field
		}
	}
	return s
}
