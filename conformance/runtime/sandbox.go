package runtime

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var sandboxUnique = harness.Rule{
	Clause: harness.Clause{
		ID:      "sandbox/unique",
		Level:   harness.Must,
		Text:    "While a sandbox is there, no other one has its name, namespace, UID and attempt: to run it again fails, or gives its id. After its removal it can be run again.",
		Sources: []harness.Source{api("PodSandboxMetadata"), inKubelet("kuberuntime/kuberuntime_sandbox.go#kubeGenericRuntimeManager.createPodSandbox")},
		Why:     "Two sandboxes of one pod have two addresses, and a kubelet kills the pod.",
		Advice:  "Reserve name, namespace, UID and attempt in one atomic step before RunPodSandbox makes anything, and free them if it fails or when the sandbox is removed.",
		Classes: []string{"RunPodSandbox again"},
	},
	Judge: judgeSandboxUnique,
}

var sandboxStatus = harness.Rule{
	Clause: harness.Clause{
		ID:      "sandbox/status",
		Level:   harness.Must,
		Text:    "The status of a sandbox that was run is READY until somebody stops it, and has its id, its metadata with the attempt, its labels, its annotations, the namespaces that were asked for, and a time of creation that does not change.",
		Sources: []harness.Source{inClient("utils.go#verifySandboxStatus"), inKubelet("kuberuntime/util/util.go#PodSandboxChanged"), api("PodSandboxStatus")},
		Why:     "A kubelet that finds other namespaces or no READY sandbox makes a new one, at every sync.",
		Advice:  "Save the config and the creation time of a sandbox and fill PodSandboxStatus from them. Set READY before RunPodSandbox returns, and keep it until a stop.",
		Classes: []string{"PodSandboxStatus SANDBOX_READY"},
	},
	Judge: judgeSandboxStatus,
}

var sandboxAddress = harness.Rule{
	Clause: harness.Clause{
		ID:      "sandbox/address",
		Level:   harness.Must,
		Text:    "A sandbox that is READY and has a network of its own has an address, which no other one that is READY has.",
		Sources: []harness.Source{inKubelet("kuberuntime/util/util.go#PodSandboxChanged"), api("PodSandboxNetworkStatus")},
		Why:     "A kubelet makes a new sandbox for a pod without an address, at every sync. Two pods with one address get each other's packets.",
		Advice:  "Let RunPodSandbox wait for the network plugin and put its address into the status. Give the address to another sandbox only after this one was stopped.",
		Classes: []string{"PodSandboxStatus SANDBOX_READY"},
	},
	Needs: []harness.Feature{PodNetwork},
	Judge: judgeSandboxAddress,
}

var sandboxStop = harness.Rule{
	Clause: harness.Clause{
		ID:      "sandbox/stop",
		Level:   harness.Must,
		Text:    "A sandbox can be stopped, also twice. Once it was stopped, it is NOTREADY, none of its containers runs, and no container can be created or started in it.",
		Sources: []harness.Source{api("RuntimeService.StopPodSandbox"), inKubelet("kuberuntime/kuberuntime_manager.go#kubeGenericRuntimeManager.SyncPod")},
		Why:     "Containers run on after the pod is deleted, and hold volumes and ports.",
		Advice:  "Kill all containers, then save NOTREADY, then let StopPodSandbox return, at a repeated stop too. Refuse CreateContainer and StartContainer from then on.",
		Classes: []string{"PodSandboxStatus SANDBOX_NOTREADY", "StopPodSandbox OK"},
	},
	Judge: judgeSandboxStop,
}

var sandboxHandler = harness.Rule{
	Clause: harness.Clause{
		ID:      "sandbox/handler",
		Level:   harness.Must,
		Text:    "A sandbox with a runtime handler that there is not cannot be run.",
		Sources: []harness.Source{api("RunPodSandboxRequest"), inKubelet("kuberuntime/kuberuntime_sandbox.go#kubeGenericRuntimeManager.createPodSandbox")},
		Why:     "A pod that asks for stronger isolation runs without it.",
		Advice:  "Look up the handler before RunPodSandbox makes anything, and return an error if it is unknown. Only an empty name stands for the default handler.",
		Classes: []string{"RunPodSandbox failed"},
	},
	Judge: refusesSandbox(func(q *runtimeapi.RunPodSandboxRequest) string {
		if q.GetRuntimeHandler() != noHandler {
			return ""
		}
		return "no handler has the name " + noHandler
	}),
}

var sandboxUsers = harness.Rule{
	Clause: harness.Clause{
		ID:      "sandbox/users",
		Level:   harness.Must,
		Text:    "A sandbox cannot be run in a user namespace that has not exactly one mapping of uids and one of gids.",
		Sources: []harness.Source{api("UserNamespace")},
		Why:     "Containers run as users of the host.",
		Advice:  "Check the mappings of a user namespace (mode POD) before RunPodSandbox makes anything: return an error unless there is one of uids and one of gids.",
		Classes: []string{"RunPodSandbox failed"},
	},
	Needs: []harness.Feature{UserNamespaces},
	Judge: refusesSandbox(func(q *runtimeapi.RunPodSandboxRequest) string {
		if n := len(q.GetConfig().GetLinux().GetSecurityContext().GetNamespaceOptions().GetUsernsOptions().GetUids()); n > 1 {
			return fmt.Sprintf("the user namespace has %d mappings of uids", n)
		}
		return ""
	}),
}

// noHandler is a runtime handler that there is not.
const noHandler = "lwtest-no-such"

// refusesSandbox returns the judge of a rule that a sandbox cannot be run, if wrong says why.
func refusesSandbox(wrong func(*runtimeapi.RunPodSandboxRequest) string) func(*history.History) harness.Judgement {
	return func(h *history.History) (j harness.Judgement) {
		for _, x := range recordOf(h).of("RunPodSandbox") {
			ask, _ := x.Ask.(*runtimeapi.RunPodSandboxRequest)
			why := wrong(ask)
			if why == "" || lost(x) || x.code() == codes.Unimplemented {
				continue
			}
			if made := livesOf(h).byID[madeBy(x)]; made != nil {
				if s, _ := made.(*sandboxLife); s == nil || s.made != x {
					continue // one of the name was there before
				}
			}
			if j.Tested++; x.Err == nil {
				j.Fail("an error: "+why, "the sandbox "+short(madeBy(x)), x.Num, x.Return)
			}
		}
		return j
	}
}

func judgeSandboxUnique(h *history.History) (j harness.Judgement) {
	l := livesOf(h)
	for _, x := range recordOf(h).of("RunPodSandbox") {
		ask, _ := x.Ask.(*runtimeapi.RunPodSandboxRequest)
		if x.ok() && madeBy(x) == "" {
			j.Tested++
			j.Fail("the id of a sandbox", "none", x.Num, x.Return)
		}
		if s, _ := l.byID[madeBy(x)].(*sandboxLife); s != nil && !sameName(s.made, x) && l.there(s.id, x.Return) {
			j.Tested++
			j.Fail("an id of its own", short(s.id)+", which the sandbox "+s.made.Key+" has", s.made.Return, x.Return)
		}
		for _, s := range l.sandboxes {
			if s.made == x || !sameName(s.made, x) {
				continue
			}
			switch {
			case x.Return == 0:
			case s.made.Return > x.Num:
				if l.twoAtOnce(s.made, x) {
					j.Tested++
					j.Fail("an error, or the id "+short(s.id)+" of the other call", "another id: "+short(madeBy(x)), s.made.Num, s.made.Return, x.Return)
				}
			case l.there(s.id, x.Return):
				if j.Tested++; x.ok() && madeBy(x) != s.id {
					j.Fail("an error, or the id "+short(s.id)+" of the one that is there", "another id: "+short(madeBy(x)), s.made.Return, x.Return)
				}
			case l.gone(s.id, x.Num) != nil && !lost(x) && onlyOne(h, s, x) && proto.Equal(s.config, ask.GetConfig()) && ask.GetRuntimeHandler() == "":
				if j.Tested++; x.Err != nil && (s.driven || taken(x)) {
					j.Fail("a sandbox: the one of the name was removed", outcome(x), l.gone(s.id, x.Num).Return, x.Return)
				}
			}
		}
	}
	return j
}

// onlyOne reports whether no other sandbox with the metadata of one may be there at a call.
func onlyOne(h *history.History, s *sandboxLife, x *exchange) bool {
	if contested(h, x) {
		return false
	}
	l := livesOf(h)
	for _, other := range l.sandboxes {
		if other != s && proto.Equal(other.config.GetMetadata(), s.config.GetMetadata()) && other.made.Num < x.Return && other.made != x && l.gone(other.id, x.Num) == nil {
			return false
		}
	}
	return !slices.ContainsFunc(recordOf(h).of(x.Method), func(y *exchange) bool { // nobody knows whether one without a life was removed
		_, unknown := l.byID[madeBy(y)].(unclear)
		return unknown && y.Num < x.Return && sameName(x, y)
	})
}

// madeBy returns the id that a call answered which makes a sandbox or a container.
func madeBy(x *exchange) string {
	switch reply := x.Reply.(type) {
	case *runtimeapi.RunPodSandboxResponse:
		return reply.GetPodSandboxId()
	case *runtimeapi.CreateContainerResponse:
		return reply.GetContainerId()
	}
	return ""
}

// short is the beginning of an id, for people.
func short(id string) string { return id[:min(12, len(id))] }

func judgeSandboxStatus(h *history.History) (j harness.Judgement) {
	r, l := recordOf(h), livesOf(h)
	created := map[string]int64{}
	for _, x := range r.of("PodSandboxStatus") {
		s, _ := l.byID[x.ID].(*sandboxLife)
		reply, ok := x.Reply.(*runtimeapi.PodSandboxStatusResponse)
		if s == nil || !ok {
			continue
		}
		got := reply.GetStatus()
		j.Tested++
		wrong := func(what string, want, got any) {
			j.Fail(fmt.Sprint(what, " ", want), fmt.Sprint(got), s.made.Num, x.Return)
		}
		if s.driven && !begunBefore(s.stops, x.Return) && got.GetState() != runtimeapi.PodSandboxState_SANDBOX_READY {
			wrong("the state", runtimeapi.PodSandboxState_SANDBOX_READY, got.GetState())
		}
		if got.GetId() != s.id {
			wrong("the id", s.id, got.GetId())
		}
		if !proto.Equal(got.GetMetadata(), s.config.GetMetadata()) {
			wrong("the metadata", s.config.GetMetadata(), got.GetMetadata())
		}
		if !selects(s.config.GetLabels(), got.GetLabels()) { // CRI-O adds those that a kubelet gives
			wrong("the labels", s.config.GetLabels(), got.GetLabels())
		}
		if !maps.Equal(got.GetAnnotations(), s.config.GetAnnotations()) {
			wrong("the annotations", s.config.GetAnnotations(), got.GetAnnotations())
		}
		want, is := s.config.GetLinux().GetSecurityContext().GetNamespaceOptions(), got.GetLinux().GetNamespaces().GetOptions()
		if want.GetNetwork() != is.GetNetwork() || want.GetPid() != is.GetPid() || want.GetIpc() != is.GetIpc() {
			wrong("the namespaces", want, is)
		}
		before := created[s.id]
		if created[s.id] = got.GetCreatedAt(); got.GetCreatedAt() <= 0 || before != 0 && before != got.GetCreatedAt() {
			wrong("a time of creation that stays", before, got.GetCreatedAt())
		}
	}
	return j
}

func judgeSandboxAddress(h *history.History) (j harness.Judgement) {
	l := livesOf(h)
	type holder struct {
		*sandboxLife
		seen int32
	}
	holders := map[string]holder{}
	for _, x := range recordOf(h).of("PodSandboxStatus") {
		s, _ := l.byID[x.ID].(*sandboxLife)
		reply, ok := x.Reply.(*runtimeapi.PodSandboxStatusResponse)
		if s == nil || !ok || reply.GetStatus().GetState() != runtimeapi.PodSandboxState_SANDBOX_READY || begunBefore(s.stops, x.Return) ||
			s.config.GetLinux().GetSecurityContext().GetNamespaceOptions().GetNetwork() == runtimeapi.NamespaceMode_NODE {
			continue
		}
		ip := reply.GetStatus().GetNetwork().GetIp()
		other, taken := holders[ip]
		j.Tested++
		switch {
		case ip == "":
			j.Fail("an address", "none", s.made.Return, x.Return)
		case taken && other.id != s.id && !begunBefore(other.stops, x.Return):
			j.Fail("an address of its own", ip+", which the sandbox "+other.made.Key+" has", other.seen, x.Return)
		}
		holders[ip] = holder{s, x.Return}
	}
	return j
}

func judgeSandboxStop(h *history.History) (j harness.Judgement) {
	r, l := recordOf(h), livesOf(h)
	for _, x := range r.of("StopPodSandbox") {
		if lost(x) || !l.there(x.ID, x.Return) || x.Err != nil && contended(h, x) {
			continue
		}
		if j.Tested++; x.Err != nil {
			j.Fail("success", outcome(x), x.Num, x.Return)
		}
	}
	for _, x := range r.calls {
		switch reply := x.Reply.(type) {
		case *runtimeapi.PodSandboxStatusResponse:
			if s, _ := l.byID[x.ID].(*sandboxLife); s != nil {
				if stop := doneBefore(s.stops, x.Num); stop != nil {
					if j.Tested++; reply.GetStatus().GetState() != runtimeapi.PodSandboxState_SANDBOX_NOTREADY {
						j.Fail("the state SANDBOX_NOTREADY after it was stopped", reply.GetStatus().GetState().String(), stop.Return, x.Return)
					}
				}
			}
		case *runtimeapi.ContainerStatusResponse:
			c, _ := l.byID[x.ID].(*containerLife)
			if c == nil || c.pod == nil || c.made.Return > x.Num {
				continue
			}
			if stop := doneBefore(c.pod.stops, x.Num); stop != nil && c.made.Return < stop.Num {
				if j.Tested++; reply.GetStatus().GetState() == runtimeapi.ContainerState_CONTAINER_RUNNING {
					j.Fail("no container that runs, after its sandbox was stopped", reply.GetStatus().GetState().String(), stop.Return, x.Return)
				}
			}
		case *runtimeapi.CreateContainerResponse:
			ask, _ := x.Ask.(*runtimeapi.CreateContainerRequest)
			s, _ := l.byID[ask.GetPodSandboxId()].(*sandboxLife)
			if c, _ := l.byID[reply.GetContainerId()].(*containerLife); s != nil && c != nil && c.made == x && len(madeBefore(h, x)) == 0 {
				if stop := doneBefore(s.stops, x.Num); stop != nil {
					j.Tested++
					j.Fail("an error: the sandbox was stopped", "the container was created", stop.Return, x.Return)
				}
			}
		}
	}
	return j
}

// slack is how much later than it should something may be in real time, on a machine that is not busy.
const slack = 3 * time.Second
