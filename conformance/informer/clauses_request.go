package informer

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var requestCredentials = harness.NewRule(harness.Clause{
	ID:      "request/credentials",
	Level:   harness.Must,
	Text:    "Every request carries the credentials that the informer was given: the server answers none with 401, unless it is told to.",
	Sources: []harness.Source{{Name: `Kubernetes authentication, "Putting a bearer token in a request"`, URL: source.Authentication + "putting-a-bearer-token-in-a-request"}},
	Why:     "The copy stays empty, or as it was, which looks like a cluster in which nothing happens.",
	Advice:  "Pass the token to the client and set it in the transport, so that lists, watches, further pages and retries all carry it.",
	Classes: []string{"asks=list got=items", "asks=watch got=clean-event"},
}, judgeCredentials)

var requestAllowed = harness.NewRule(harness.Clause{
	ID:    "request/allowed",
	Level: harness.Must,
	Text: "The informer lists and watches the resource that it was given, at the path where the server has it, as a user who may read it: the server " +
		"does not refuse each of its requests with 403 or 404, unless a fault makes it.",
	Sources: []harness.Source{source.Symbol(source.MetaTypes + "StatusReasonForbidden"), source.Symbol(source.MetaTypes + "StatusReasonNotFound")},
	Why:     "The copy stays empty, which looks like a cluster in which there is nothing.",
	Advice:  "Check the path of your requests: /api/v1 or /apis/GROUP/VERSION, the namespace, the plural name. Then check that your user may list and watch there.",
	Classes: []string{"asks=list got=items"},
}, judgeAllowed)

var requestRules = []harness.Rule{requestCredentials, requestAllowed}

func judgeCredentials(h *history.History) (j harness.Judgement) {
	for _, x := range rig.Exchanges(h) {
		switch {
		case x.Unauthenticated():
			j.FailTested("the credentials that the informer was given", "none, or others: 401 to "+x.Asked.URI, x.Call.Num, x.Answer.Num)
		case (x.IsList() || x.IsWatch()) && x.Answer != nil:
			j.Tested++
		}
	}
	return j
}

// judgeAllowed counts the refusals of one path, of an informer that was never answered. One that was may have asked for other things
// beside, which need not exist; so may one that was refused a few times. For streaming lists alone there is sync/watchlist-refused.
var judgeAllowed = perInformer(func(v *observed, j *harness.Judgement) {
	if slices.ContainsFunc(v.exchanges, func(x *rig.Exchange) bool { return x.Answer != nil && x.Refused() == nil }) {
		j.Tested++
		return
	}
	refused := map[string][]int32{}
	for _, x := range rig.Exchanges(v.w.h) {
		err := x.Refused()
		if x.Asked.Client != v.actor || err == nil || x.IsStream() || len(x.Faults) > 0 || err.Code != http.StatusForbidden && err.Code != http.StatusNotFound {
			continue
		}
		path, _, _ := strings.Cut(cmp.Or(x.Asked.URI, x.Call.Kind+" of "+x.Asked.Resource+" in namespace "+x.Asked.Namespace), "?")
		if refused[path] = append(refused[path], x.Answer.Num); len(refused[path]) == occasions {
			j.FailTested("an answer to some request", fmt.Sprintf("%d times %d to %s, and no answer to anything", occasions, err.Code, path), refused[path]...)
		}
	}
})
