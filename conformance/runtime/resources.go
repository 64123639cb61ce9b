package runtime

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

var resourcesUpdate = harness.Rule{
	Clause: harness.Clause{
		ID:      "resources/update",
		Level:   harness.Must,
		Text:    "The status of a container has the CPU shares, the CPU quota and period and the memory limit that are in force: those that it was created with, as changed by each UpdateContainerResources that has succeeded. A limit of 0 stays as it is, and a call that fails changes nothing.",
		Sources: []harness.Source{api("RuntimeService.UpdateContainerResources"), api("ContainerResources"), inKubelet("kuberuntime/kuberuntime_container_linux.go#toKubeContainerResources")},
		Why:     "A resize of a pod never ends, or is undone (kubernetes#126388).",
		Advice:  "Change only values that are not 0 in UpdateContainerResources, before the start too. Save them once the cgroup has taken them, and fill the status from these.",
		Classes: []string{"UpdateContainerResources OK"},
	},
	Needs: []harness.Feature{Update},
	Judge: judgeUpdate,
}

// sharesStep is how coarse cgroup v2 makes CPU shares: it has weights from 1 to 10,000 for shares from 2 to 262,144.
const sharesStep = 27

func sayUpdate(s story.Step, a Resources) string {
	var all []string
	for _, x := range []struct {
		name  string
		value int64
	}{{"shares", a.Shares}, {"quota", a.Quota}, {"period", a.Period}, {"memory", a.Memory}} {
		if x.value != 0 {
			all = append(all, fmt.Sprintf("%s %d", x.name, x.value))
		}
	}
	return "give " + s.Obj + " " + strings.Join(all, ", ")
}

func stepUpdate(w *world, s story.Step, a Resources) error {
	id := w.containerOf(s.Obj).id
	limits := &runtimeapi.LinuxContainerResources{CpuShares: a.Shares, CpuQuota: a.Quota, CpuPeriod: a.Period, MemoryLimitInBytes: a.Memory}
	_, _ = call(w, s, "UpdateContainerResources", s.Obj, id, w.rt.UpdateContainerResources, &runtimeapi.UpdateContainerResourcesRequest{ContainerId: id, Linux: limits})
	return nil
}

func stepUpdatePod(w *world, s story.Step) error {
	id := w.podOf(s.Obj).id
	q := &runtimeapi.UpdatePodSandboxResourcesRequest{PodSandboxId: id, Resources: &runtimeapi.LinuxContainerResources{CpuShares: 128}}
	_, _ = call(w, s, "UpdatePodSandboxResources", s.Obj, id, w.rt.UpdatePodSandboxResources, q)
	return nil
}

// limits returns the values that the rule is about, in a fixed order.
func limits(x *runtimeapi.LinuxContainerResources) []int64 {
	return []int64{x.GetCpuShares(), x.GetCpuQuota(), x.GetCpuPeriod(), x.GetMemoryLimitInBytes()}
}

var limitNames = []string{"CPU shares", "CPU quota", "CPU period", "memory limit"}

func judgeUpdate(h *history.History) (j harness.Judgement) {
	r := recordOf(h)
	sights(h, func(c *containerLife, s sight) {
		updates := slices.DeleteFunc(r.of("UpdateContainerResources"), func(x *exchange) bool { return x.ID != c.id || x.Num > s.Return })
		if len(updates) == 0 || s.status.GetState() == exited {
			return
		}
		want := limits(c.config.GetLinux().GetResources())
		for i, x := range updates {
			if x.Return == 0 || x.Return > s.Num || x.vague() && x.code() != codes.Unknown || i > 0 && updates[i-1].Return > x.Num {
				return // nobody knows
			}
			ask, _ := x.Ask.(*runtimeapi.UpdateContainerResourcesRequest)
			for k, v := range limits(ask.GetLinux()) {
				if x.ok() && v != 0 {
					want[k] = v
				}
			}
		}
		got := limits(s.status.GetResources().GetLinux())
		for k, name := range limitNames {
			if want[k] == 0 {
				continue
			}
			if j.Tested++; got[k] != want[k] && (k != 0 || max(got[k], want[k])-min(got[k], want[k]) > sharesStep || got[k] == 0) {
				j.Fail(fmt.Sprint(name, " ", want[k]), fmt.Sprint(got[k]), updates[len(updates)-1].Return, s.Return)
			}
		}
	})
	return j
}
