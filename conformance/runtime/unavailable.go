package runtime

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/grpc/codes"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var errorUnavailable = harness.Rule{
	Clause: harness.Clause{
		ID:    "error/unavailable",
		Level: harness.Must,
		Text:  "A runtime that is up serves its calls. No method answers Unavailable to each of its calls, three times or more, while other methods succeed in between. PullImage may, because a registry can be down.",
		Sources: []harness.Source{source.Symbol(grpcCodes + "Unavailable"), inClient("logs/logs.go#isContainerRunning"), inKubelet("kubelet.go#Kubelet.updateRuntimeUp"),
			api("RuntimeService.StopContainer"), api("RuntimeService.CreateContainer")},
		Why:     "Unavailable means that the runtime is down for a moment, so a kubelet tries again. But Status succeeds, so the node is ready: its pods never start, or stay Terminating for ever.",
		Advice:  "Find what this method cannot reach, such as a shim or a service behind it, and mend that. Keep Unavailable for the time when the runtime itself is down.",
		Classes: []string{"CreateContainer OK", "StopContainer OK"},
	},
	Judge: judgeUnavailable,
}

var errorServed = harness.Rule{
	Clause: harness.Clause{
		ID:    "error/served",
		Level: harness.Must,
		Text: "Valid calls succeed while the runtime is up. No method fails each time that it is called, three times or more, while other methods succeed in between. This is about lists; the status of what is there; statistics, updates and new logs of containers that run; statistics and updates of sandboxes that are ready; running a sandbox, creating a container and starting it for the first time; and removing an image that no container uses. " +
			"RuntimeConfig and the calls about the statistics and resources of sandboxes may be Unimplemented.",
		Sources: []harness.Source{inKubelet("kubelet.go#Kubelet.updateRuntimeUp"), inKubelet("kuberuntime/kuberuntime_manager.go#kubeGenericRuntimeManager.GetPods"), inKubelet("pleg/generic.go#GenericPLEG.updateCache"), inKubelet("kuberuntime/kuberuntime_manager.go#kubeGenericRuntimeManager.SyncPod"),
			api("RuntimeService.ContainerStatus"), api("RuntimeService.RunPodSandbox"), api("RuntimeService.StartContainer"), api("ImageService.RemoveImage")},
		Why:     "A kubelet that is not told what runs starts and ends nothing. One whose sandboxes and containers never start tries for ever, on a node that says it is ready.",
		Advice:  "Look for this error in the runtime's log. The method fails for every valid request: suspect its setup or what it depends on, not one container.",
		Classes: []string{"ListContainers OK", "ContainerStatus OK", "RunPodSandbox OK", "CreateContainer OK", "StartContainer OK"},
	},
	Judge: judgeErrors,
}

// unhindered has the methods that may not fail each time. A function reports whether a call counts: nothing that the history shows is a reason
// for it to fail.
var unhindered = map[string]func(*history.History, *exchange) bool{
	"ListContainerStats": always, "ListContainers": always, "ListImages": always, "ListPodSandbox": always, "ImageFsInfo": always, "ImageStatus": always, "Status": always, "Version": always, "RuntimeConfig": always,
	"ListPodSandboxStats": always, "ListPodSandboxMetrics": always,
	"ContainerStatus": isThere, "PodSandboxStatus": isThere, "ContainerStats": whileRunning, "PodSandboxStats": whileReady,
	"UpdateContainerResources": ofStory(whileRunning, func(_ *history.History, x *exchange) bool {
		return x.Ask.(*runtimeapi.UpdateContainerResourcesRequest).GetLinux().GetMemoryLimitInBytes() == 0 // less than it uses, or more than with swap
	}),
	"UpdatePodSandboxResources": ofStory(whileReady),
	"ReopenContainerLog":        ofStory(whileRunning),
	"RunPodSandbox":             ofStory(first, runnable),
	"CreateContainer": ofStory(first, func(h *history.History, x *exchange) bool {
		s, _ := livesOf(h).byID[x.Ask.(*runtimeapi.CreateContainerRequest).GetPodSandboxId()].(*sandboxLife)
		return s != nil && creatable(h, s, x)
	}),
	"StartContainer": ofStory(first, func(h *history.History, x *exchange) bool {
		c, _ := livesOf(h).byID[x.ID].(*containerLife)
		return c != nil && !c.work.Missing && !begunBefore(c.stops, x.Return)
	}),
	"RemoveImage": ofStory(func(h *history.History, x *exchange) bool {
		return ofRegistry(x.Key) || len(recordOf(h).of("CreateContainer")) == 0
	}),
}

func always(*history.History, *exchange) bool { return true }

func isThere(h *history.History, x *exchange) bool {
	return livesOf(h).there(x.ID, x.Return) && (x.code() != codes.NotFound || livesOf(h).certain(x) != nil)
}

func whileRunning(h *history.History, x *exchange) bool {
	c, _ := livesOf(h).byID[x.ID].(*containerLife)
	return c != nil && c.runs(x)
}

func whileReady(h *history.History, x *exchange) bool {
	s, _ := livesOf(h).byID[x.ID].(*sandboxLife)
	return s != nil && !begunBefore(s.stops, x.Return)
}

// ofStory joins conditions of calls that the suite makes. What somebody else asks for, a runtime may have reasons to refuse.
func ofStory(all ...func(*history.History, *exchange) bool) func(*history.History, *exchange) bool {
	return func(h *history.History, x *exchange) bool {
		return driven(h) && !slices.ContainsFunc(all, func(may func(*history.History, *exchange) bool) bool { return !may(h, x) })
	}
}

// first reports whether a call is the first to make or to start something. A later one counts, too, if it fails with the same message: then
// those before it have left nothing that is in its way.
func first(h *history.History, x *exchange) bool {
	return !slices.ContainsFunc(recordOf(h).of(x.Method), func(y *exchange) bool {
		same := x.ID != "" && y.ID == x.ID || sameName(x, y)
		return same && y != x && y.Num < x.Return && (y.Err == nil || y.Return > x.Num || lost(y) || x.Err == nil || x.Err.Msg != y.Err.Msg)
	})
}

// runnable reports whether a sandbox is one that each runtime can run, on a runtime that has not said that it is not ready.
func runnable(h *history.History, x *exchange) bool {
	ask := x.Ask.(*runtimeapi.RunPodSandboxRequest)
	unready := slices.ContainsFunc(recordOf(h).of("Status"), func(y *exchange) bool {
		reply, _ := y.Reply.(*runtimeapi.StatusResponse)
		return slices.ContainsFunc(reply.GetStatus().GetConditions(), func(c *runtimeapi.RuntimeCondition) bool { return !c.GetStatus() })
	})
	return !unready && ask.GetRuntimeHandler() == "" && ask.GetConfig().GetLinux().GetSecurityContext().GetNamespaceOptions().GetUsernsOptions() == nil
}

func judgeErrors(h *history.History) harness.Judgement {
	r := recordOf(h)
	return judgeServed(h, slices.Sorted(maps.Keys(unhindered)), func(method string) []*exchange {
		return slices.DeleteFunc(r.answeredUp(method), func(x *exchange) bool { return x.Ask == nil || lost(x) || !unhindered[method](h, x) })
	}, func(x *exchange) bool {
		return !x.ok() && (x.code() != codes.Unimplemented || !slices.Contains(optional, x.Method))
	})
}

func judgeUnavailable(h *history.History) harness.Judgement {
	r := recordOf(h)
	methods := slices.DeleteFunc(slices.Sorted(maps.Keys(r.byMethod)), func(method string) bool { return method == "PullImage" })
	return judgeServed(h, methods, r.answeredUp, func(x *exchange) bool { return x.code() == codes.Unavailable })
}

// oftenEnough is how many calls of a method must fail before a rule says something.
const oftenEnough = 3

// judgeServed judges that not each call of a method fails.
func judgeServed(h *history.History, methods []string, callsOf func(method string) []*exchange, fails func(*exchange) bool) (j harness.Judgement) {
	r, useful := recordOf(h), len(livesOf(h).sandboxes) > 0 // a runtime that can do nothing proves nothing
	for _, method := range methods {
		calls := callsOf(method)
		served := slices.ContainsFunc(calls, func(x *exchange) bool { return !fails(x) })
		switch {
		case len(calls) < oftenEnough || calls[0].Ask == nil:
		case served && useful:
			j.Tested++
		case served:
		default:
			refused := r.whileOthersSucceed(calls)
			if len(refused) < oftenEnough || !driven(h) && sameID(refused) { // what one container does in a trace is not known
				continue
			}
			j.Tested++
			var at []int32
			for _, x := range refused[:oftenEnough] {
				at = append(at, x.Return)
			}
			j.Fail("another answer: the runtime is up, and other calls succeed in between", fmt.Sprintf("each of %d calls of %s: %s", len(calls), method, outcome(calls[0])), at...)
		}
	}
	return j
}

// answeredUp returns the calls of a method that were answered before the runtime was killed or started for the first time, without
// those that a fault was injected into.
func (r *record) answeredUp(method string) (all []*exchange) {
	for _, x := range r.of(method) {
		if x.Return > 0 && !x.Faulted && (len(r.kills) == 0 || x.Return < r.kills[0]) {
			all = append(all, x)
		}
	}
	return all
}

// whileOthersSucceed returns those of the calls of one method between which calls of other methods succeeded.
func (r *record) whileOthersSucceed(calls []*exchange) (all []*exchange) {
	for _, x := range calls {
		if len(all) == 0 || r.succeededBetween(all[len(all)-1], x) {
			all = append(all, x)
		}
	}
	return all
}

// succeededBetween reports whether a call of another method began and succeeded between two calls of one method.
func (r *record) succeededBetween(x, y *exchange) bool {
	return slices.ContainsFunc(r.calls, func(z *exchange) bool {
		return z.Method != x.Method && z.ok() && z.Ask != nil && z.Num > x.Return && z.Return < y.Num
	})
}

// sameID reports whether all calls name one sandbox or one container.
func sameID(calls []*exchange) bool {
	return calls[0].ID != "" && !slices.ContainsFunc(calls, func(x *exchange) bool { return x.ID != calls[0].ID })
}
