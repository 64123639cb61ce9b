package informer

import (
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var requestCredentials = harness.Rule{
	Clause: harness.Clause{
		ID:      "request/credentials",
		Level:   harness.Must,
		Text:    "Every request carries the credentials that the informer was given: the server answers none with 401, unless it is told to.",
		Sources: []harness.Source{{Name: `Kubernetes authentication, "Putting a bearer token in a request"`, URL: source.Authentication + "putting-a-bearer-token-in-a-request"}},
		Why:     "The copy stays empty, or as it was, which looks like a cluster in which nothing happens.",
		Causes:  []string{"*"},
		Classes: []string{"asks=list got=items", "asks=watch got=clean-event"},
	},
	Judge: judgeCredentials,
}

var requestRules = []harness.Rule{requestCredentials}

func judgeCredentials(h *history.History) (j harness.Judgement) {
	for _, x := range rig.Exchanges(h) {
		switch {
		case x.Unauthenticated():
			j.Tested++
			j.Fail("the credentials that the informer was given", "none, or others: 401 to "+x.Asked.URI, x.Call.Num, x.Answer.Num)
		case (x.IsList() || x.IsWatch()) && x.Answer != nil:
			j.Tested++
		}
	}
	return j
}
