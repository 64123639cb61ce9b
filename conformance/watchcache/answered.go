package watchcache

import (
	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// answeredRule is the rule that no request of a sort is refused as a wrong one if nothing is wrong with it.
func answeredRule(id, text, why, advice string, judge func(*history.History) harness.Judgement, classes ...string) harness.Rule {
	return harness.Rule{
		Clause: harness.Clause{
			ID:      id,
			Level:   harness.Must,
			Text:    text,
			Sources: []harness.Source{sources.statusCodes, sources.getAndList, sources.watchSemantics, sources.verbs},
			Why:     why,
			Advice:  advice,
			Classes: classes,
		},
		Judge: judge,
	}
}

var getAnswered = answeredRule("get/answered",
	"a get with nothing wrong is not refused as a wrong request (400, 405, 410, 422 and the like); 410 only of a resourceVersion that may be gone",
	"a client takes such an error for its own mistake: it does not ask again",
	`Find the check that refuses this get. A resourceVersion that is unset, "0" or past is legal, and the newest state satisfies each of them.`,
	judgeAnswered(replay.Get), "GET rv=unset outcome=ok", "GET rv=zero outcome=ok", "GET rv=past outcome=ok")

var listAnswered = answeredRule("list/answered",
	"a list with nothing wrong, of a namespace that is there, is not refused as a wrong request (400, 404, 405, 410, 422 and the like); "+
		"410 only of a resourceVersion or a continue token that may be gone",
	"an informer that cannot list in the way it asks for never starts, and says that its client is to blame",
	"Find the check that refuses this list. Accept every legal mix of resourceVersion, match, limit, continue, selectors and timeoutSeconds; 410 is for what is gone.",
	judgeAnswered(replay.List), "LIST rv=unset outcome=items", "LIST rv=zero outcome=items", "LIST match=NotOlderThan outcome=items", "LIST match=Exact outcome=items",
	"LIST paging=limit outcome=items", "LIST paging=continue outcome=items", "LIST selector=label outcome=items", "LIST selector=field outcome=items",
	"LIST selector=name outcome=items", "LIST scope=all outcome=items")

var watchAnswered = answeredRule("watch/answered",
	"a watch with nothing wrong, of a namespace that is there, is not refused as a wrong request, neither by a status nor by an ERROR as its first event (400, 404, 405, 422 and the like); "+
		"410 says that what it begins at is gone",
	"an informer lists, and its watch is refused each time: it lists again for ever, and sees nothing between",
	`Find the check that refuses this watch. Legal are resourceVersion unset, "0" or past, selectors, all namespaces, and sendInitialEvents with its match.`,
	judgeAnswered(replay.Watch), "WATCH rv=unset outcome=events", "WATCH rv=zero outcome=events", "WATCH rv=past outcome=events", "WATCH initial=true outcome=events",
	"WATCH initial=false outcome=events", "WATCH selector=label outcome=events", "WATCH selector=field outcome=events", "WATCH scope=all outcome=events")

var writeAnswered = harness.Rule{
	Clause: harness.Clause{
		ID:    "write/answered",
		Level: harness.Must,
		Text: "a write with nothing wrong is not refused as a wrong request (400, 405, 410, 422 and the like; a create in a namespace that is there, or the deletion of a collection in it, also 404): " +
			"a create of what is not there, an update, patch or delete of what is, with preconditions that hold",
		Sources: []harness.Source{sources.statusCodes, sources.verbs, sources.singleResource},
		Why:     "a controller takes such an error for its own mistake: it gives up, and the work is not done",
		Advice:  "Find the check that refuses this write. Legal are dryRun, preconditions that hold, propagationPolicy, a grace of 0, generateName, and fields that are left out.",
		Classes: []string{"CREATE outcome=ok", "UPDATE rv=right outcome=ok", "PATCH outcome=ok", "DELETE outcome=ok"},
	},
	Judge: onState(judgeWriteAnswered),
}
