package runtime

import (
	"fmt"
	"regexp"

	"google.golang.org/grpc/codes"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var errorNotFound = harness.Rule{
	Clause: harness.Clause{
		ID:      "error/not-found",
		Level:   harness.Must,
		Text:    "What is asked of a container or a sandbox that is not there fails with NotFound: the status of either, a start, an exec, an update of its resources, its statistics.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_container.go#kubeGenericRuntimeManager.getPodContainerStatuses"), api("RuntimeService.ContainerStatus"), api("RuntimeService.PodSandboxStatus")},
		Why:     "A kubelet tells a container that is gone from a runtime that is ill by this code alone: with another code the pod's status is not updated, and the pod is never cleaned up.",
		Classes: []string{"ContainerStatus NotFound", "PodSandboxStatus NotFound"},
	},
	Judge: judgeNotFound,
}

var idempotentAbsent = harness.Rule{
	Clause: harness.Clause{
		ID:      "idempotence/absent",
		Level:   harness.Must,
		Text:    "To stop or to remove a container or a sandbox that is not there succeeds, and so does the removal of an image that is not there.",
		Sources: []harness.Source{api("RuntimeService.StopPodSandbox"), api("RuntimeService.RemovePodSandbox"), api("RuntimeService.StopContainer"), api("RuntimeService.RemoveContainer"), api("ImageService.RemoveImage")},
		Why:     "A kubelet repeats such calls until they succeed: a pod stays Terminating for ever.",
		Classes: []string{"StopPodSandbox absent", "RemovePodSandbox absent", "StopContainer absent", "RemoveContainer absent"},
	},
	Judge: judgeAbsent,
}

var errorUnimplemented = harness.Rule{
	Clause: harness.Clause{
		ID:      "error/unimplemented",
		Level:   harness.Must,
		Text:    "A call that the runtime does not have fails with Unimplemented.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_container.go#kubeGenericRuntimeManager.updatePodSandboxResources"), inClient("remote_runtime.go#remoteRuntimeService.ListContainers")},
		Why:     "A kubelet goes another way after this code alone. After another it repeats the call for ever, or does not start.",
		Classes: []string{"UpdatePodSandboxResources failed"},
	},
	Judge: judgeUnimplemented,
}

// mustFind are the calls that fail if what they are about is not there.
var mustFind = []string{"ContainerStatus", "PodSandboxStatus", "StartContainer", "ExecSync", "UpdateContainerResources", "UpdatePodSandboxResources", "ContainerStats", "PodSandboxStats"}

// absent returns why what a call is about was certainly not there; "": it may have been.
func absent(l *lives, x *exchange) string {
	switch removal := l.gone(x.ID, x.Num); {
	case x.ID == noID:
		return "nothing has this id"
	case removal != nil:
		return fmt.Sprintf("it was removed by %s", removal.Method)
	}
	return ""
}

func judgeNotFound(h *history.History) (j harness.Judgement) {
	l := livesOf(h)
	for _, x := range recordOf(h).of(mustFind...) {
		why := absent(l, x)
		if why == "" || x.Return == 0 || x.vague() && x.code() != codes.Unknown {
			continue
		}
		if x.code() == codes.Unimplemented {
			continue // error/unimplemented
		}
		if j.Tested++; x.code() != codes.NotFound {
			j.Fail("NotFound: "+why, outcome(x), x.Num, x.Return)
		}
	}
	return j
}

// optional are the calls that a runtime need not have.
var optional = []string{"UpdatePodSandboxResources", "PodSandboxStats", "ListPodSandboxStats", "ListPodSandboxMetrics", "RuntimeConfig", "CheckpointPod", "GetContainerEvents",
	"StreamContainers", "StreamPodSandboxes", "StreamContainerStats", "StreamPodSandboxStats", "StreamPodSandboxMetrics", "StreamImages"}

// unimplemented is how other errors say that there is no such call.
var unimplemented = regexp.MustCompile(`(?i)not implemented|unimplemented|unknown (method|service)|^EOF$`)

func judgeUnimplemented(h *history.History) (j harness.Judgement) {
	for _, x := range recordOf(h).of(optional...) {
		if x.Return == 0 || x.code() == codes.Unavailable || len(livesOf(h).sandboxes) == 0 { // a runtime that can do nothing proves nothing
			continue
		}
		if j.Tested++; x.code() != codes.Unimplemented && x.Err != nil && unimplemented.MatchString(x.Err.Msg) {
			j.Fail("Unimplemented", outcome(x), x.Num, x.Return)
		}
	}
	return j
}

// outcome describes an answer.
func outcome(x *exchange) string {
	if x.Err == nil {
		return x.Method + " succeeded"
	}
	return x.Err.String()
}

// absentMay are the calls that succeed if what they are about is not there.
var absentMay = []string{"StopContainer", "RemoveContainer", "StopPodSandbox", "RemovePodSandbox"}

func judgeAbsent(h *history.History) (j harness.Judgement) {
	l := livesOf(h)
	for _, x := range recordOf(h).of(absentMay...) {
		why := absent(l, x)
		if why == "" || x.Return == 0 || lost(x) {
			continue
		}
		if j.Tested++; x.Err != nil {
			j.Fail("success: "+why, outcome(x), x.Num, x.Return)
		}
	}
	removed := map[string]bool{}
	for _, x := range recordOf(h).of("RemoveImage", "PullImage") {
		ask, _ := x.Ask.(*runtimeapi.RemoveImageRequest)
		name := ask.GetImage().GetImage()
		switch {
		case ask == nil: // a pull may bring back any
			clear(removed)
		case removed[name] && !lost(x):
			if j.Tested++; x.Err != nil {
				j.Fail("success: it was removed before", outcome(x), x.Num, x.Return)
			}
		case x.ok():
			removed[name] = true
		}
	}
	return j
}

// lost reports whether the caller or the connection gave up: the runtime has not answered.
func lost(x *exchange) bool {
	return x.Return == 0 || x.code() == codes.DeadlineExceeded || x.code() == codes.Unavailable || x.code() == codes.Canceled
}
