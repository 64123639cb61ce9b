package runtime

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"google.golang.org/grpc/codes"
)

var errorNotFound = harness.Rule{
	Clause: harness.Clause{
		ID:      "error/not-found",
		Level:   harness.Must,
		Text:    "A call about a container or a sandbox that is not there fails with NotFound: its status, a start, an exec, an update of its resources, its statistics. The status of one that is there does not.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_container.go#kubeGenericRuntimeManager.getPodContainerStatuses"), api("RuntimeService.ContainerStatus"), api("RuntimeService.PodSandboxStatus")},
		Why:     "A kubelet tells a container that is gone from a runtime that is ill by this code alone: with another code the pod's status is not updated, and the pod is never cleaned up.",
		Advice:  "Look up the id first, and return the gRPC code NotFound only if it is missing. A plain error becomes Unknown: map the errors of your store to codes.",
		Classes: []string{"ContainerStatus NotFound", "PodSandboxStatus NotFound"},
	},
	Judge: judgeNotFound,
}

var idempotentAbsent = harness.Rule{
	Clause: harness.Clause{
		ID:      "idempotence/absent",
		Level:   harness.Must,
		Text:    "To stop or to remove a container or a sandbox that is not there succeeds, and so do the stop of a container that has ended and the removal of an image that is not there.",
		Sources: []harness.Source{api("RuntimeService.StopPodSandbox"), api("RuntimeService.RemovePodSandbox"), api("RuntimeService.StopContainer"), api("RuntimeService.RemoveContainer"), api("ImageService.RemoveImage")},
		Why:     "A kubelet repeats such calls until they succeed: a pod stays Terminating for ever.",
		Advice:  "Return success from the calls that stop or remove when the lookup finds nothing, or something that has ended. Do not pass its NotFound on.",
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
		Advice:  "Return the gRPC code Unimplemented from calls that you do not have: embed the generated server stub, and keep the code in each proxy in between.",
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

// certain returns the call that made what a status was asked of, if that was certainly there. A failed start may leave nothing.
func (l *lives) certain(x *exchange) *exchange {
	if !l.there(x.ID, x.Return) {
		return nil
	}
	switch about := l.byID[x.ID].(type) {
	case *sandboxLife:
		if x.Method == "PodSandboxStatus" {
			return about.made
		}
	case *containerLife:
		if x.Method == "ContainerStatus" && !slices.ContainsFunc(about.starts, func(y *exchange) bool { return y.Num < x.Return && !y.ok() }) {
			return about.made
		}
	}
	return nil
}

func judgeNotFound(h *history.History) (j harness.Judgement) {
	l := livesOf(h)
	for _, x := range recordOf(h).of(mustFind...) {
		if made := l.certain(x); made != nil && x.code() == codes.NotFound {
			j.Tested++
			j.Fail("an answer other than NotFound: it is there", outcome(x), made.Return, x.Return)
		}
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
		if c, _ := l.byID[x.ID].(*containerLife); c != nil && x.Method == "StopContainer" && l.there(x.ID, x.Return) && c.endedBefore(x.Num) {
			why = "it had ended"
		}
		if why == "" || lost(x) {
			continue
		}
		if j.Tested++; x.Err != nil {
			j.Fail("success: "+why, outcome(x), x.Num, x.Return)
		}
	}
	images := imagesOf(recordOf(h))
	for _, x := range images.removals {
		if images.removed(x.Key, x) != nil && !lost(x) {
			if j.Tested++; x.Err != nil {
				j.Fail("success: it was removed before", outcome(x), x.Num, x.Return)
			}
		}
	}
	return j
}

// lost reports whether the caller or the connection gave up: the runtime has not answered.
func lost(x *exchange) bool {
	return x.Return == 0 || x.code() == codes.DeadlineExceeded || x.code() == codes.Unavailable || x.code() == codes.Canceled
}
