package runtime

import (
	"google.golang.org/grpc/codes"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness/history"
)

// score counts the classes of calls and events that a history has: a method with its code, with the state that it told, or with
// what was special about it.
func score(h *history.History) map[string]int {
	out, l, r := map[string]int{}, livesOf(h), recordOf(h)
	asked := map[string]bool{}
	for _, x := range r.calls {
		add := func(class string) { out[x.Method+" "+class]++ }
		switch code := x.code(); {
		case x.Return == 0:
			continue
		case code == codes.OK:
			add("OK")
		default:
			add(code.String())
			add("failed")
		}
		if absent(l, x) != "" || x.Key == absentImage {
			add("absent")
		}
		if len(r.kills) > 0 && x.Num > r.kills[len(r.kills)-1] {
			add("after a restart")
		}
		again := x.Method + " " + x.Key + " " + x.ID
		if asked[again] {
			add("again")
			add("twice")
		}
		asked[again] = true
		scoreReply(x, l, add)
	}
	for _, e := range r.events {
		out["EVENT "+e.GetContainerEventType().String()]++
	}
	return out
}

func scoreReply(x *exchange, l *lives, add func(string)) {
	switch reply := x.Reply.(type) {
	case *runtimeapi.ContainerStatusResponse:
		add(reply.GetStatus().GetState().String())
	case *runtimeapi.PodSandboxStatusResponse:
		add(reply.GetStatus().GetState().String())
	}
	ask, ok := x.Ask.(*runtimeapi.ExecSyncRequest)
	if c, _ := l.byID[x.ID].(*containerLife); ok && c != nil {
		if state, certain := c.stateDuring(x); certain && state == exited {
			add("ended")
		}
		if ask.GetTimeout() > 0 && x.To-x.From >= graceOfExec(ask) {
			add("timeout")
		}
	}
}
