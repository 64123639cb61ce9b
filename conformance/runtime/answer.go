package runtime

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var stopInTime = harness.Rule{
	Clause: harness.Clause{
		ID:      "stop/in-time",
		Level:   harness.Must,
		Text:    "A stop ends, whatever the container does: StopContainer answers within its grace and two minutes, StopPodSandbox within two minutes.",
		Sources: []harness.Source{inClient("remote_runtime.go#remoteRuntimeService.StopContainer"), inClient("remote_runtime.go#remoteRuntimeService.StopPodSandbox"), requestTimeout, api("RuntimeService.StopContainer")},
		Why:     "A kubelet gives up then, and tries again for ever: the pod stays Terminating, and its node cannot be drained.",
		Advice:  "Bound each wait in StopContainer and StopPodSandbox, those for locks too: send SIGKILL when the grace is over, and answer once the process has ended.",
		Classes: []string{"StopContainer OK", "StopPodSandbox OK"},
	},
	Judge: func(h *history.History) harness.Judgement {
		return judgeInTime(h, recordOf(h).of("StopContainer", "StopPodSandbox"))
	},
}

var answerInTime = harness.Rule{
	Clause: harness.Clause{
		ID:      "error/no-answer",
		Level:   harness.Must,
		Text:    "A runtime that is up answers each call, whatever other calls wait for: within two minutes, RunPodSandbox within four, ExecSync within its timeout and two minutes. PullImage, a checkpoint and an ExecSync without a timeout may take longer, and so may a call for a name that another call still holds, which was given up or was sent at the same time.",
		Sources: []harness.Source{inClient("remote_runtime.go#remoteRuntimeService.RunPodSandbox"), inClient("remote_runtime.go#remoteRuntimeService.ContainerStatus"), inClient("remote_runtime.go#remoteRuntimeService.ExecSync"), inClient("remote_image.go#remoteImageService.PullImage"), requestTimeout},
		Why:     "A kubelet gives up then: pods do not start or end, and if lists hang, the node is NotReady.",
		Advice:  "Find the lock, channel or child process that the call waits for. Hold no lock while you wait for a process or a disk, and bound each such wait.",
		Classes: []string{"CreateContainer OK", "ContainerStatus OK"},
	},
	Judge: func(h *history.History) harness.Judgement {
		var all []*exchange
		for _, x := range recordOf(h).calls {
			if x.Method != "StopContainer" && x.Method != "StopPodSandbox" && x.Ask != nil {
				all = append(all, x)
			}
		}
		return judgeInTime(h, all)
	},
}

// requestTime is how long a kubelet waits for most answers: its runtimeRequestTimeout, if nobody has configured another.
const requestTime = 2 * time.Minute

// answerTime returns how long a kubelet waits for the answer of a call, 0: for ever; and how much of that is what the call asks for.
func answerTime(method string, ask proto.Message) (limit, own time.Duration) {
	switch q := ask.(type) {
	case *runtimeapi.StopContainerRequest:
		own = time.Duration(q.GetTimeout()) * time.Second
	case *runtimeapi.ExecSyncRequest:
		if own = graceOfExec(q); own == 0 {
			return 0, 0
		}
	case *runtimeapi.RunPodSandboxRequest:
		return 2 * requestTime, 0
	}
	switch method {
	case "PullImage", "CheckpointPod", "GetContainerEvents":
		return 0, 0
	}
	return requestTime + own, own
}

// longer tells a user which run waits for an answer for as long as a kubelet does.
const longer = "; `lwtest run runtime/error/no-answer --span 3m` on this target waits that long"

// gaveUp is how the errors of calls begin that the suite has given up, in the place of what its client says of that.
const gaveUp = "the caller gave up after"

// unanswered reports whether the caller of a call gave up before the runtime answered.
func (x *exchange) unanswered() bool {
	return x.Return == 0 || x.Err != nil && strings.HasPrefix(x.Err.Msg, gaveUp) || x.code() == codes.Canceled
}

// lateness describes an answer that came too late, or not at all.
func lateness(x *exchange) string {
	took := (x.To - x.From).Round(time.Millisecond)
	if x.unanswered() {
		return fmt.Sprintf("none within %s", took)
	}
	return fmt.Sprintf("an answer after %s", took)
}

// held reports whether another call of the same name may be in the way of x. It may if it was sent before x, and is under way or was given
// up; or if it was sent so soon after x that the runtime may have read it first.
func (r *record) held(x *exchange) bool {
	return slices.ContainsFunc(r.of(x.Method), func(y *exchange) bool {
		if y.Num < x.Num {
			return (y.Return > x.Num || lost(y)) && sameName(x, y)
		}
		return y != x && y.From-x.From < overtaking && sameName(x, y)
	})
}

// overtaking is how much later a call may be sent, and still be read before another.
const overtaking = time.Second

func judgeInTime(h *history.History, all []*exchange) (j harness.Judgement) {
	r, useful := recordOf(h), len(livesOf(h).sandboxes) > 0 // a runtime that can do nothing proves nothing
	for _, x := range all {
		limit, _ := answerTime(x.Method, x.Ask)
		took := x.To - x.From
		if limit == 0 || x.Return == 0 || x.Faulted || r.killed(x.Num, x.Return) || r.down(x.Num) || r.held(x) || x.code() == codes.Unavailable {
			continue
		}
		switch {
		case took >= limit && useful:
			j.Tested++
			j.Fail(fmt.Sprintf("an answer of %s within %s", x.Method, limit), lateness(x), x.Num, x.Return)
		case !x.unanswered() && useful:
			j.Tested++
		case took >= patience:
			j.Undecided = fmt.Sprintf("%s was not answered within %s, and nobody waited for %s%s", x.Method, took.Round(time.Millisecond), limit, longer)
		}
	}
	return j
}
