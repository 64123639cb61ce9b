package listerwatcher

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeDropped looks for an event that was never delivered because the client itself ended the watch on which it came, though nothing was wrong
// with that, and reports whether there is one. What comes after a silence may meet a client whose patience is at its end.
func (x *exchange) judgeDropped(j *harness.Judgement) bool {
	r := x.last()
	if !x.endedItself() || x.failed() != nil || x.down != nil || x.timed() || r == nil || !r.opened() || !r.flawless() || r.How != "stopped" {
		return false
	}
	before := r.Answer
	for _, e := range r.Sent {
		came := slices.ContainsFunc(x.events, func(d *history.Event) bool { return identityOf(d) == identityOf(e) })
		if !came && !(e.Kind == bookmark && has(x.h, Retries)) && time.Duration(e.At-before.At) < silent {
			j.FailTested(shown(e), "the end of the stream: the client itself has ended the watch", e.Num, x.ended.Num)
			return true
		}
		before = e
	}
	return false
}

// silent is how long nothing comes on a watch that a client may give up by itself.
const silent = 5 * time.Second

// timed reports whether the caller has set a limit, after which a client ends a watch.
func (x *exchange) timed() bool { return x.args.Options.TimeoutSeconds != nil }

// judgeErrorText compares the message of an error with what the server wrote, if that has characters of several bytes. A client may say more.
var judgeErrorText = perCall(func(x *exchange, j *harness.Judgement) {
	r := x.last()
	if r == nil || r.raw() || x.call.Kind == untilKind {
		return
	}
	sent, got := r.Answer, x.answer
	if r.code() < 400 {
		sent = r.Failed()
	}
	if e := x.deliveredError(); e != nil {
		got = e
	}
	if sent == nil || got == nil || got.Err() == nil || got.Num < sent.Num || got.Err().Code != sent.Err().Code {
		return
	}
	if want, is := sent.Err().Msg, got.Err().Msg; len(want) > utf8.RuneCountInString(want) {
		if j.Tested++; !strings.Contains(is, want) {
			j.Fail(want, is, sent.Num, got.Num)
		}
	}
})

// judgeDead looks for calls whose connection died under them.
var judgeDead = perCall(func(x *exchange, j *harness.Judgement) {
	for i, r := range x.requests {
		var next *history.Event
		if i+1 < len(x.requests) {
			next = x.requests[i+1].Call
		}
		excused := func(until int64) bool { return x.stopped != nil && x.stopped.At <= until }
		rig.Silence{From: r.Dead, Bound: rig.DeadBound, Want: "an error, the end of the stream, or another request", Got: "its connection is dead", Excused: excused}.
			Judge(r.Exchange, x.h, j, next, r.Over, x.ended, x.answerAfter(r))
	}
})

// answerAfter returns the return of a call that had not returned when the connection of a request died; nil: it had, or did not.
func (x *exchange) answerAfter(r *request) *history.Event {
	if x.answer == nil || r.Dead == nil || x.answer.Num < r.Dead.Num {
		return nil
	}
	return x.answer
}
