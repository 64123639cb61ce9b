package listerwatcher

import (
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// pages are the answers that a list was made of: from the last request that begins it anew.
func (x *exchange) pages() []*request {
	var out []*request
	for _, r := range x.requests {
		if !r.listed() {
			continue
		}
		if r.Options.Continue == x.args.Options.Continue {
			out = nil
		}
		out = append(out, r)
	}
	return out
}

// more is the token of the page that follows; "": it was the last.
func (r *request) more() string { return history.BodyOf[rig.ListBody](r.Answer).Continue }

// further says that a request is for a page that its caller knows nothing of.
func (r *request) further(x *exchange) bool {
	return r.Options.Continue != "" && r.Options.Continue != x.args.Options.Continue
}

// expired is the request for a further page that was refused with 410; nil: none was.
func (x *exchange) expired() *request {
	i := slices.IndexFunc(x.requests, func(r *request) bool { return r.further(x) && r.code() == 410 })
	if i < 0 {
		return nil
	}
	return x.requests[i]
}

// judgePagerWhole compares each list that was taken in pages with these.
var judgePagerWhole = perCall(func(x *exchange, j *harness.Judgement) {
	pages := x.pages()
	if !x.paged() || x.expired() != nil || len(pages) == 1 && pages[0].more() == "" {
		return
	}
	if x.judgePages(j, pages) {
		j.Tested++
	}
})

// paged says that the call is a list that came to something.
func (x *exchange) paged() bool {
	return x.call.Kind == rig.List && x.returned() && x.failed() == nil && len(x.pages()) > 0
}

// judgePages compares a list with its pages, and says whether there was anything in them.
func (x *exchange) judgePages(j *harness.Judgement, pages []*request) bool {
	last, sent := pages[len(pages)-1], []history.Ref(nil)
	for _, r := range pages {
		sent = append(sent, history.Items(r.Answer)...)
	}
	if last.more() != "" {
		j.Fail("a further request: the last page has a continue token", fmt.Sprintf("a list of %d items", len(history.Items(x.answer))), last.Answer.Num, x.answer.Num)
	} else if want, got, ok := sameItems(x.h, sent, history.Items(x.answer)); !ok {
		j.Fail(want, got, x.call.Num, last.Answer.Num, x.answer.Num)
	}
	if has(x.h, ItemsOnly) {
		return len(sent) > 0
	}
	if x.body.Continue != "" {
		j.Fail("no continue token", "continue "+x.body.Continue, last.Answer.Num, x.answer.Num)
	}
	if n := x.body.Remaining; n != nil && *n != 0 {
		j.Fail("no remaining count, or 0: it is the whole list", "remaining "+count(n), last.Answer.Num, x.answer.Num)
	}
	if want, got := pages[0].Answer.Obj.RV, x.answer.Obj.RV; want != got && !(mixed(pages) && got == "") {
		j.Fail("resourceVersion "+want, "resourceVersion "+got, pages[0].Answer.Num, x.answer.Num)
	}
	return len(sent) > 0
}

// mixed says that pages are of several resourceVersions. A list of such says so by having none.
func mixed(pages []*request) bool {
	return slices.ContainsFunc(pages, func(r *request) bool { return r.Answer.Obj.RV != pages[0].Answer.Obj.RV })
}

// judgeContinueAlone looks at requests for further pages. After an error a client may ask for whatever it likes.
var judgeContinueAlone = perCall(func(x *exchange, j *harness.Judgement) {
	if x.call.Kind != rig.List {
		return
	}
	token, free := "", true
	for _, r := range x.requests {
		further := r.further(x)
		if further || !free && token != "" {
			j.Tested++
		}
		if o := r.Options; further && (o.ResourceVersion != "" && o.ResourceVersion != "0" || o.ResourceVersionMatch != "") {
			j.Fail("the token alone", fmt.Sprintf("the token with resourceVersion %q, match %q", o.ResourceVersion, o.ResourceVersionMatch), r.Call.Num)
		}
		if !free && token != "" && r.Options.Continue != token {
			j.Fail("the token of the page before", "another, or none", r.Call.Num)
		}
		if free = !r.listed(); !free {
			token = r.more()
		}
	}
})

// judgePagerExpired looks at lists of which a further page was refused with 410.
var judgePagerExpired = perCall(func(x *exchange, j *harness.Judgement) {
	gone := x.expired()
	if x.call.Kind != rig.List || gone == nil || !x.returned() {
		return
	}
	if x.failed() != nil {
		j.Tested++
		return
	}
	pages := x.pages()
	if len(pages) == 0 {
		return
	}
	if x.judgePages(j, pages) {
		j.Tested++
	}
	for _, r := range x.requests {
		if o := r.Options; r.Call.Num > gone.Call.Num && o.Continue == "" && o.ResourceVersion == "0" && x.args.Options.ResourceVersion != "0" {
			j.Fail("an error, or a fresh list", "one of any state: resourceVersion 0, which the caller did not ask for", gone.Answer.Num, r.Call.Num)
		}
	}
	for _, r := range pages[1:] {
		if was, is := pages[0].Answer.Obj.RV, r.Answer.Obj.RV; was != is && (x.answer.Obj.RV != "" || has(x.h, ItemsOnly)) {
			j.Fail("an error, or a list of one resourceVersion", fmt.Sprintf("one with pages of %s and of %s", was, is), gone.Answer.Num, r.Answer.Num, x.answer.Num)
		}
	}
})
