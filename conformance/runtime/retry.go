package runtime

import (
	"fmt"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var containerRetry = harness.Rule{
	Clause: harness.Clause{
		ID:      "container/retry",
		Level:   harness.Must,
		Text:    "After a CreateContainer whose deadline has passed, one of the next ones of the same name and attempt succeeds, or the container is listed. There is never more than one of them, also if the first call was answered before its deadline.",
		Sources: []harness.Source{api("RuntimeService.CreateContainer"), inKubelet("kuberuntime/kuberuntime_container.go#kubeGenericRuntimeManager.startContainer")},
		Why:     "The name stays taken by a container that nobody can see, and the pod waits for ever (containerd#4604, cri-o#9097).",
		Advice:  "Finish or undo a CreateContainer whose caller has given up: give its id to the next call of that name, or clean up in a context of its own and free the name.",
		Classes: []string{"CreateContainer DeadlineExceeded", "CreateContainer again"},
	},
	Judge: judgeRetry,
}

// retryTime is how long after the first call the last one must be made before the rule says something.
const retryTime = 4 * time.Second

func judgeRetry(h *history.History) (j harness.Judgement) {
	r, l := recordOf(h), livesOf(h)
	for _, x := range r.of("CreateContainer") {
		ask, _ := x.Ask.(*runtimeapi.CreateContainerRequest)
		pod, _ := l.byID[ask.GetPodSandboxId()].(*sandboxLife)
		if pod == nil || x.code() != codes.DeadlineExceeded && !x.ok() {
			continue
		}
		var again []*exchange
		for _, y := range r.of("CreateContainer") {
			if y.Num > x.Return && y.Return > 0 && sameName(x, y) && !isMissing(y) && !hasty(y) {
				again = append(again, y)
			}
		}
		if len(again) < 3 {
			continue
		}
		last := again[len(again)-1]
		if last.From-x.To < retryTime || begunBefore(pod.stops, last.Return) || r.killed(x.Num, last.Return) {
			continue
		}
		there, listed := 0, false
		for _, list := range r.of("ListContainers") {
			f := filterOf(list)
			if n := namedIn(list, pod.id, ask.GetConfig().GetMetadata()); list.Num > x.Return {
				there = max(there, n)
				listed = listed || list.ok() && list.Num > last.Return && f.GetState() == nil && f.GetId() == "" && begins(pod.id, f.GetPodSandboxId()) && !begunBefore(pod.stops, list.Return)
			}
		}
		succeeded := x.ok() || slices.ContainsFunc(again, (*exchange).ok) // a fast runtime answers before a deadline passes
		if there == 0 && (!succeeded && !listed || x.ok()) {
			continue // nobody knows
		}
		switch j.Tested++; {
		case there > 1:
			j.Fail("one container of the name and attempt", fmt.Sprint(there), x.Num, last.Return)
		case there == 0 && !succeeded && (driven(h) || taken(last)):
			j.Fail(fmt.Sprintf("a container, after %d more calls", len(again)), outcome(last), x.Num, last.Return)
		}
	}
	return j
}

// hasty reports whether the caller of a create gave up before a runtime can have made a container.
func hasty(x *exchange) bool {
	return x.code() == codes.DeadlineExceeded && x.To-x.From < time.Second
}

// isMissing reports whether a call is to create a container whose binary is missing, which may fail.
func isMissing(x *exchange) bool {
	ask, _ := x.Ask.(*runtimeapi.CreateContainerRequest)
	return slices.Equal(ask.GetConfig().GetCommand(), Work{Missing: true}.command())
}

// namedIn counts the containers of a sandbox that a list has by their metadata.
func namedIn(list *exchange, pod string, m *runtimeapi.ContainerMetadata) (n int) {
	for _, c := range itemsOf(list) {
		if c.GetPodSandboxId() == pod && proto.Equal(c.GetMetadata(), m) {
			n++
		}
	}
	return n
}
