package runtime

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/grpc/codes"

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
		Classes: []string{"CreateContainer OK", "StopContainer OK"},
	},
	Judge: judgeUnavailable,
}

var errorReads = harness.Rule{
	Clause: harness.Clause{
		ID:      "error/reads",
		Level:   harness.Must,
		Text:    "Calls that only read succeed while the runtime is up. No method that lists, or that tells the status or the statistics of what is there, fails in each of its calls, three times or more, while other methods succeed in between. RuntimeConfig may be Unimplemented, and statistics of a container that does not run may fail.",
		Sources: []harness.Source{inKubelet("kubelet.go#Kubelet.updateRuntimeUp"), inKubelet("kuberuntime/kuberuntime_manager.go#kubeGenericRuntimeManager.GetPods"), inKubelet("pleg/generic.go#GenericPLEG.updateCache"), api("RuntimeService.ContainerStatus")},
		Why:     "A kubelet that is not told what runs starts and ends nothing, and its node is not ready.",
		Classes: []string{"ListContainers OK", "ContainerStatus OK"},
	},
	Judge: judgeReads,
}

// reads are the methods that change nothing and that each runtime has.
var reads = []string{"ContainerStats", "ContainerStatus", "ImageFsInfo", "ImageStatus", "ListContainerStats", "ListContainers", "ListImages", "ListPodSandbox", "PodSandboxStatus", "RuntimeConfig", "Status", "Version"}

func judgeReads(h *history.History) harness.Judgement {
	r, l := recordOf(h), livesOf(h)
	return judgeServed(h, reads, func(method string) (all []*exchange) {
		for _, x := range r.answeredUp(method) {
			c, _ := l.byID[x.ID].(*containerLife)
			if x.unanswered() || x.code() == codes.Unavailable || x.ID != "" && !l.there(x.ID, x.Return) || method == "ContainerStats" && !c.runs(x) {
				continue
			}
			all = append(all, x)
		}
		return all
	}, func(x *exchange) bool {
		return !x.ok() && x.code() != codes.NotFound && (x.Method != "RuntimeConfig" || x.code() != codes.Unimplemented)
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
