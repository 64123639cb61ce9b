package listerwatcher

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeOptions compares the first request of each call with what its caller set, and of the later ones of a client that
// pages or resumes what is chosen by them.
var judgeOptions = perCall(func(x *exchange, j *harness.Judgement) {
	if x.call.Kind == untilKind {
		x.judgeBegin(j)
		return
	}
	for i, r := range x.requests {
		if i > 0 && (has(x.h, Pages) || has(x.h, Retries)) {
			x.judgeChosen(j, r)
			continue
		}
		want, got := x.args.Options, r.Options
		if has(x.h, Pages) || has(x.h, Retries) {
			ownChoice(&want)
			ownChoice(&got)
		}
		j.Tested++
		if inWords(meant(want)) != inWords(meant(got)) {
			j.Fail("options "+inWords(want), "options "+inWords(got)+hint(i, r, want, got), x.call.Num, r.Call.Num)
		}
	}
})

// judgeIdle looks at the connections of each client that have carried nothing for so many seconds.
func judgeIdle(seconds int) func(*history.History) harness.Judgement {
	return func(h *history.History) (j harness.Judgement) {
		of := map[string][]*rig.Exchange{}
		for _, x := range rig.Exchanges(h) {
			of[x.Asked.Client] = append(of[x.Asked.Client], x)
		}
		for _, client := range slices.Sorted(maps.Keys(of)) {
			rig.JudgeIdle(of[client], seconds, &j)
		}
		return j
	}
}

// hint names the feature of a client whose request i, after the first of its call, differs in what such a client chooses
// itself; empty if none explains it.
func hint(i int, r *request, want, got metav1.ListOptions) string {
	switch {
	case i == 0:
		return ""
	case r.IsWatch() && want.ResourceVersion != got.ResourceVersion:
		return fmt.Sprintf(": a client that resumes a watch by itself declares the feature %q", Retries)
	case !r.IsWatch() && want.Continue != got.Continue:
		return fmt.Sprintf(": a client that takes lists in pages by itself declares the feature %q", Pages)
	}
	return ""
}

// judgeBegin looks where a wait begins. It may list as it likes, also by a watch that begins with what is there; but who
// begins with what comes after a resourceVersion begins where its caller is.
func (x *exchange) judgeBegin(j *harness.Judgement) {
	if len(x.requests) == 0 {
		return
	}
	j.Tested++
	for _, r := range x.requests {
		x.judgeChosen(j, r)
	}
	r := x.requests[0]
	if !r.IsWatch() || r.IsStream() || !r.versioned() {
		return
	}
	if want, got := x.args.Options.ResourceVersion, r.Options.ResourceVersion; want != got {
		j.Fail(fmt.Sprintf("resourceVersion %q", want), fmt.Sprintf("resourceVersion %q", got), x.call.Num, r.Call.Num)
	}
}

// judgeChosen compares what a request chooses by fields with what its caller set; by its labels the call is known.
func (x *exchange) judgeChosen(j *harness.Judgement, r *request) {
	want, got := x.args.Options.FieldSelector, r.Options.FieldSelector
	if want != "" || got != "" {
		j.Tested++
	}
	if meantFields(want) != meantFields(got) {
		j.Fail(fmt.Sprintf("fieldSelector %q", want), fmt.Sprintf("fieldSelector %q", got), x.call.Num, r.Call.Num)
	}
}

// ownChoice leaves out what is a paging or resuming client's own to choose.
func ownChoice(o *metav1.ListOptions) {
	o.Limit, o.ResourceVersionMatch, o.AllowWatchBookmarks, o.SendInitialEvents, o.TimeoutSeconds = 0, "", false, nil, nil
}

// inWords are options as JSON has them, but for what says that it is a watch.
func inWords(o metav1.ListOptions) string {
	o.Watch, o.TypeMeta = false, metav1.TypeMeta{}
	b, err := json.Marshal(o)
	if err != nil {
		return err.Error() // it is plain data
	}
	return string(b)
}

func has(h *history.History, f harness.Feature) bool {
	return slices.Contains(h.Header.Features, string(f))
}

// judgeVerb looks at what was asked for, and by whom. A call that asked nothing is none of this rule's.
func judgeVerb(h *history.History) harness.Judgement {
	var j harness.Judgement
	judgeCredentials(h, &j)
	for _, x := range exchanges(h) {
		for _, r := range x.requests {
			j.Tested++
			kind := x.call.Kind
			if kind == untilKind {
				kind = r.Call.Kind // it may list, and watch
			}
			if r.Call.Kind != kind {
				j.Fail("a "+kind, "a "+r.Call.Kind+" "+r.Asked.URI, x.call.Num, r.Call.Num)
			}
			if u, err := url.Parse(r.Asked.URI); err == nil && r.Asked.URI != "" && rig.AsksWatch(u) != (kind == rig.Watch) {
				j.Fail(fmt.Sprintf("watch=%t", kind == rig.Watch), r.Asked.URI, x.call.Num, r.Call.Num)
			}
			if r.Asked.Resource != x.args.Resource || r.Asked.Namespace != x.args.Namespace {
				j.Fail(x.args.Resource+" of "+x.args.Namespace, r.Asked.Resource+" of "+r.Asked.Namespace, x.call.Num, r.Call.Num)
			}
			if want := mediaOf(h); r.Asked.URI != "" && !accepts(r.Asked.Accept, want) && !(unasked(h) && anything(r.Asked.Accept)) {
				j.Fail("Accept "+want, "Accept "+r.Asked.Accept, x.call.Num, r.Call.Num)
			}
		}
	}
	return j
}

// judgeCredentials looks for requests that the server took for nobody's, before it looked at what they were.
func judgeCredentials(h *history.History, j *harness.Judgement) {
	for _, r := range rig.Exchanges(h) {
		if r.Unauthenticated() {
			j.FailTested("the credentials that the client was given", "none, or others: 401 to "+r.Asked.URI, r.Call.Num, r.Answer.Num)
		}
	}
}

const (
	jsonType     = "application/json"
	protobufType = "application/vnd.kubernetes.protobuf"
)

// mediaOf is the content type that a client was given.
func mediaOf(h *history.History) string {
	if has(h, Protobuf) {
		return protobufType
	}
	return jsonType
}

// accepts says that a header has a media type, whatever its parameters.
func accepts(header, media string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, _, _ := strings.Cut(part, ";")
		if strings.TrimSpace(name) == media {
			return true
		}
	}
	return false
}

// unasked says that a client declares to ask for nothing by name: JSON is what a server gives then.
func unasked(h *history.History) bool { return !has(h, JSON) && !has(h, Protobuf) }

func anything(header string) bool { return header == "" || accepts(header, "*/*") }

// judgeIsolated looks whether a caller's options are as they were, and whether what
// one call asked was asked with options of its own: a request of no call has lost them.
func judgeIsolated(h *history.History) harness.Judgement {
	var j harness.Judgement
	judgeBeside(h, &j)
	for _, x := range exchanges(h) {
		if !x.returned() {
			continue
		}
		if x.body.After != nil {
			j.Fail("the caller's options as they were: "+inWords(x.args.Options), inWords(*x.body.After), x.call.Num, x.answer.Num)
		}
		if len(x.requests) == 0 && x.mayAskLater() {
			continue
		}
		j.Tested++
		if len(x.requests) == 0 && x.failed() == nil {
			j.Fail("a request with the options of this call", "none of those that the server was sent has them", x.call.Num, x.answer.Num)
		}
	}
	return j
}

// mayAskLater says that a call which has ended without a request says nothing: a watch may ask when the call has returned, which the network
// may prevent, and a client that resumes by itself may refuse then to begin anywhere; and a wait may be called off before.
func (x *exchange) mayAskLater() bool {
	anywhere := x.args.Options.ResourceVersion == "" || x.args.Options.ResourceVersion == "0"
	return x.call.Kind == untilKind && x.failed() != nil || x.call.Kind == rig.Watch && (x.cutShort() || x.askedInVain()) ||
		has(x.h, Retries) && anywhere && x.endedItself()
}

// askedInVain reports whether what a watch asked for before it failed may have been lost: connections were refused, or the client may have
// used one that had died.
func (x *exchange) askedInVain() bool {
	by := cmp.Or(x.deliveredError(), x.ended)
	if by == nil {
		return false
	}
	return cutOff(x.h, x.call.Num, by.Num) || slices.ContainsFunc(x.h.Events[:by.Num], func(e history.Event) bool {
		return e.Kind == rig.Died && e.Phase == history.Call && x.call.At <= e.At+int64(rig.DeadBound)
	})
}

// judgeRetryAfter looks at requests of one call that follow a refusal which says when to come back.
var judgeRetryAfter = perCall(func(x *exchange, j *harness.Judgement) {
	for i, r := range x.requests {
		wait := r.retryAfter()
		if wait == 0 || i+1 == len(x.requests) {
			continue
		}
		next := x.requests[i+1]
		j.Tested++
		from := r.Answer
		if e := r.Failed(); e != nil {
			from = e
		}
		if waited := time.Duration(next.Call.At - from.At); waited < wait {
			j.Fail(fmt.Sprintf("a request %s after the answer, or later", wait), fmt.Sprintf("one after %s", waited), from.Num, next.Call.Num)
		}
	}
})

// retryAfter is what the answer to a request said, or the ERROR that its watch ended with; 0: nothing.
func (r *request) retryAfter() time.Duration {
	if r.Answer == nil {
		return 0
	}
	if e := r.Failed(); e != nil && busy(e.Err()) {
		return time.Duration(sentError(e).retryAfter) * time.Second
	}
	if r.Refused() == nil {
		return 0
	}
	for _, f := range r.Faults {
		if _, s, ok := strings.Cut(f.Does, " retry-after "); ok {
			n, _ := strconv.Atoi(s)
			return time.Duration(n) * time.Second
		}
	}
	return time.Duration(history.BodyOf[rig.StatusBody](r.Answer).RetryAfter) * time.Second
}
