package runtime

import (
	"fmt"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var statusConditions = harness.Rule{
	Clause: harness.Clause{
		ID:      "status/conditions",
		Level:   harness.Must,
		Text:    "The status of the runtime has the conditions RuntimeReady and NetworkReady, each once, and runtime handlers whose names differ.",
		Sources: []harness.Source{api("RuntimeStatus"), inKubelet("kubelet.go#Kubelet.updateRuntimeUp")},
		Why:     "A kubelet without one of the conditions makes the node NotReady.",
		Advice:  "In Status always send both RuntimeReady and NetworkReady, with the status false while the network is not set up, and list the default handler only once.",
		Classes: []string{"Status OK"},
	},
	Judge: judgeConditions,
}

var versionAnswer = harness.Rule{
	Clause: harness.Clause{
		ID:      "status/version",
		Level:   harness.Must,
		Text:    "Version names the runtime, and v1 as the version of its API.",
		Sources: []harness.Source{api("VersionResponse"), inKubelet("kuberuntime/kuberuntime_manager.go#NewKubeGenericRuntimeManager")},
		Why:     "A kubelet does not start.",
		Advice:  `Fill in runtime_name and "v1" as runtime_api_version in Version: this is the version of the CRI, not that of the runtime.`,
		Classes: []string{"Version OK"},
	},
	Judge: judgeVersion,
}

var configDriver = harness.Rule{
	Clause: harness.Clause{
		ID:      "config/cgroup-driver",
		Level:   harness.Must,
		Text:    "RuntimeConfig says which cgroup driver the runtime uses: systemd or cgroupfs.",
		Sources: []harness.Source{api("LinuxRuntimeConfiguration"), source.Symbol("k8s.io/kubernetes@v1.37.1/cmd/kubelet/app/server.go#getCgroupDriverFromCRI")},
		Why:     "A kubelet with another driver than its runtime puts pods into cgroups that the other does not know.",
		Advice:  "Fill in the field linux of the RuntimeConfig response with the cgroup driver that the runtime's own configuration has.",
		Classes: []string{"RuntimeConfig OK"},
	},
	Needs: []harness.Feature{Config},
	Judge: judgeDriver,
}

func judgeConditions(h *history.History) (j harness.Judgement) {
	for _, x := range recordOf(h).of("Status") {
		reply, ok := x.Reply.(*runtimeapi.StatusResponse)
		if !ok {
			continue
		}
		j.Tested++
		count := map[string]int{}
		for _, c := range reply.GetStatus().GetConditions() {
			count[c.GetType()]++
		}
		for _, kind := range []string{runtimeapi.RuntimeReady, runtimeapi.NetworkReady} {
			if count[kind] != 1 {
				j.Fail("the condition "+kind+" once", fmt.Sprintf("%d times", count[kind]), x.Num, x.Return)
			}
		}
		names := map[string]bool{}
		for _, handler := range reply.GetRuntimeHandlers() {
			if names[handler.GetName()] {
				j.Fail("runtime handlers whose names differ", fmt.Sprintf("%q twice", handler.GetName()), x.Num, x.Return)
			}
			names[handler.GetName()] = true
		}
	}
	return j
}

func judgeVersion(h *history.History) (j harness.Judgement) {
	for _, x := range recordOf(h).of("Version") {
		if reply, ok := x.Reply.(*runtimeapi.VersionResponse); ok {
			if j.Tested++; reply.GetRuntimeName() == "" || reply.GetRuntimeApiVersion() != "v1" {
				j.Fail("a name, and the API version v1", fmt.Sprintf("%q, %q", reply.GetRuntimeName(), reply.GetRuntimeApiVersion()), x.Num, x.Return)
			}
		}
	}
	return j
}

func judgeDriver(h *history.History) (j harness.Judgement) {
	for _, x := range recordOf(h).of("RuntimeConfig") {
		reply, _ := x.Reply.(*runtimeapi.RuntimeConfigResponse)
		_, known := runtimeapi.CgroupDriver_name[int32(reply.GetLinux().GetCgroupDriver())]
		if lost(x) {
			continue
		}
		if j.Tested++; reply.GetLinux() == nil || !known {
			j.Fail("systemd or cgroupfs", outcome(x), x.Num, x.Return)
		}
	}
	return j
}
