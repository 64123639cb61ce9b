package node

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
)

var resizeApplied = harness.Rule{
	Clause: harness.Clause{
		ID:      "resize/applied",
		Level:   harness.Must,
		Text:    "New resources of a container reach the runtime, without a restart if its resize policy does not want one, and then the status. While that is under way, the pod has the condition PodResizeInProgress. A runtime that cannot update the sandbox does not stand in the way.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_manager.go#kubeGenericRuntimeManager.doPodResizeAction"), page("Resize CPU and Memory Resources assigned to Containers", "", "tasks/configure-pod-container/resize-container-resources.md")},
		Why:     "A program keeps too little memory, and the status says otherwise.",
		Advice:  "Compare resources in the spec and in the running container in each sync, and call UpdateContainerResources. Ignore Unimplemented from UpdatePodSandboxResources.",
		Classes: []string{"UpdateContainerResources"},
	},
	Needs: []harness.Feature{Containers, Resize},
	Judge: promise("resize/applied", judgeResize),
}

func judgeResize(t *trace, j *harness.Judgement) {
	for _, c := range t.calls {
		ask, ok := c.Ask.(*runtimeapi.UpdateContainerResourcesRequest)
		x, _ := t.byID[c.ID].(*container)
		if !ok || x == nil {
			continue
		}
		p := t.byUID[x.pod.config.GetMetadata().GetUid()]
		if p == nil {
			continue
		}
		j.Tested++
		wanted := func(resource func(*v1.Container, *runtimeapi.LinuxContainerResources) bool) bool { // one resource may change after the other
			return slices.ContainsFunc(p.states, func(s state[*v1.Pod]) bool {
				own := containerOf(s.Obj, x.name)
				return s.Num < c.Num && own != nil && resource(own, ask.GetLinux())
			})
		}
		if !wanted(wantsMemory) || !wanted(wantsCPU) {
			j.Fail("a container gets resources that its spec had", fmt.Sprint(ask.GetLinux()), c.Num)
		}
	}
	for _, p := range t.pods {
		for i, s := range p.states {
			if i > 0 && s.Obj.Status.ObservedGeneration == s.Obj.Generation && p.states[i-1].Obj.Status.ObservedGeneration < s.Obj.Generation {
				t.judgeUpdated(p, p.states[i:], j)
			}
		}
	}
}

// judgeUpdated judges that the runtime gets the resources that a spec wants, from the state on in which the agent says that it knows that.
func (t *trace) judgeUpdated(p *podTrace, from []state[*v1.Pod], j *harness.Judgement) {
	s := from[0]
	late, most := t.after(s.At+actsWithin), t.cpusAt(s.Num)
	if late == nil || p.static || most == 0 || asksFor(s.Obj, most) || !t.works(s.Num, late.Num) || slices.ContainsFunc(from, func(later state[*v1.Pod]) bool {
		return later.Num < late.Num && (later.Obj.Generation != s.Obj.Generation || later.Deleted || later.Obj.DeletionTimestamp != nil || terminal(later.Obj.Status.Phase) || condition(later.Obj, v1.PodResizePending) != nil)
	}) {
		return
	}
	for _, x := range p.containers() {
		c := containerOf(s.Obj, x.name)
		if c == nil || len(c.Resources.Limits) == 0 || !x.runs() || x.started.Return > s.Since || x.ended > 0 && x.ended < late.Num {
			continue
		}
		if told := t.resourcesOf(x, s.Num); wantsMemory(c, told) && wantsCPU(c, told) {
			continue
		}
		now := t.resourcesOf(x, late.Num)
		if j.Tested++; !wantsMemory(c, now) || !wantsCPU(c, now) {
			j.Fail(fmt.Sprintf("%s gets the resources of its spec within %s", x.name, actsWithin), fmt.Sprint(now), s.Num, late.Num)
		}
	}
}

// resourcesOf returns the resources of a container before an event: those of its creation, or the last that the runtime was asked to give it.
func (t *trace) resourcesOf(x *container, num int32) *runtimeapi.LinuxContainerResources {
	last := x.config.GetLinux().GetResources()
	for _, c := range t.calls {
		if ask, ok := c.Ask.(*runtimeapi.UpdateContainerResourcesRequest); ok && c.ID == x.id && c.Num < num {
			last = ask.GetLinux()
		}
	}
	return last
}

// wantsMemory reports whether a limit of memory is that of a spec, or is not set.
func wantsMemory(c *v1.Container, r *runtimeapi.LinuxContainerResources) bool {
	return r.GetMemoryLimitInBytes() == 0 || r.GetMemoryLimitInBytes() == c.Resources.Limits.Memory().Value()
}

// wantsCPU reports whether a limit of CPU is that of a spec, or is not set.
func wantsCPU(c *v1.Container, r *runtimeapi.LinuxContainerResources) bool {
	return r.GetCpuQuota() <= 0 || r.GetCpuPeriod() == 0 || r.GetCpuQuota()*1000/r.GetCpuPeriod() == c.Resources.Limits.Cpu().MilliValue()
}

var resizePending = harness.Rule{
	Clause: harness.Clause{
		ID:      "resize/pending",
		Level:   harness.Must,
		Text:    "A resize that the node cannot give is not applied, not even by a restart of the container or of the agent. The pod has the condition PodResizePending, with the reason Infeasible or Deferred, until it is withdrawn.",
		Sources: []harness.Source{inKubelet("allocation/allocation_manager.go#manager.handlePodResourcesResize"), page("Resize CPU and Memory Resources assigned to Containers", "", "tasks/configure-pod-container/resize-container-resources.md")},
		Why:     "A node promises more than it has.",
		Advice:  "Check a resize against what the node can give before you use it. Save what was granted on disk, use that at restarts, and say why the rest is pending.",
		Classes: []string{"PATCH pods/status"},
	},
	Needs: []harness.Feature{Containers, Resize},
	Judge: promise("resize/pending", judgePending),
}

func judgePending(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for i, s := range p.states {
			if at := t.untoldFrom(p, i); at > 0 {
				j.Tested++
				j.Fail("the pod has the condition PodResizePending", fmt.Sprintf("it has none within %s", actsWithin), s.Num, at)
				break
			}
			c := condition(s.Obj, "PodResizePending")
			if c == nil || c.Status != v1.ConditionTrue {
				continue
			}
			j.Tested++
			if c.Reason != "Infeasible" && c.Reason != "Deferred" {
				j.Fail("the reason is Infeasible or Deferred", fmt.Sprintf("%q", c.Reason), s.Num)
			}
		}
		for _, x := range p.containers() {
			r := x.config.GetLinux().GetResources()
			if most := t.cpusAt(x.made.Num); most > 0 && r.GetCpuPeriod() > 0 && r.GetCpuQuota()/r.GetCpuPeriod() > most {
				j.Fail("a resize that is infeasible is not applied", fmt.Sprintf("%s has %d CPUs", x.name, r.GetCpuQuota()/r.GetCpuPeriod()), x.made.Num)
			}
		}
	}
}

// untoldFrom returns the event by which the agent should have said that the resize that a state asks for waits; 0: it need not, or did.
func (t *trace) untoldFrom(p *podTrace, i int) int32 {
	s, all := p.states[i], p.containers()
	late, most := t.after(s.At+actsWithin), t.cpusAt(s.Num)
	if late == nil || p.static || most == 0 || len(all) == 0 || all[0].made.Num > s.Num || s.Obj.Status.ObservedGeneration != s.Obj.Generation || !asksFor(s.Obj, most) || !t.works(s.Num, late.Num) {
		return 0
	}
	for _, later := range p.states[i:] {
		if later.Num < late.Num && (condition(later.Obj, "PodResizePending") != nil || p.gone(later.Num+1) || later.Obj.Generation != s.Obj.Generation || terminal(later.Obj.Status.Phase)) {
			return 0
		}
	}
	return late.Num
}

// asksFor reports whether a container of a pod requests more CPUs than a node has.
func asksFor(pod *v1.Pod, most int64) bool {
	return slices.ContainsFunc(pod.Spec.Containers, func(c v1.Container) bool { return c.Resources.Requests.Cpu().Value() > most })
}

// cpusAt returns how many CPUs the Node can give, before an event; 0: it is not known.
func (t *trace) cpusAt(num int32) (n int64) {
	for _, s := range t.nodes {
		if s.Num < num {
			n = s.Obj.Status.Allocatable.Cpu().Value()
		}
	}
	return n
}

var cgroupParent = harness.Rule{
	Clause: harness.Clause{
		ID:      "cgroup/parent",
		Level:   harness.Must,
		Text:    "The sandbox of a pod has a cgroup parent of its own, below that of its QoS class.",
		Sources: []harness.Source{inKubelet("cm/pod_container_manager_linux.go#podContainerManagerImpl.GetPodContainerName"), inKubelet("kuberuntime/kuberuntime_sandbox.go#kubeGenericRuntimeManager.generatePodSandboxLinuxConfig")},
		Why:     "A pod without requests takes the CPU of one that has them.",
		Advice:  "Create a cgroup for each pod below the one of its QoS class, computed from requests and limits, and pass its name as cgroup_parent in RunPodSandbox.",
		Classes: []string{"RunPodSandbox"},
	},
	Needs: []harness.Feature{Containers, Cgroups},
	Judge: judged(judgeCgroup),
}

func judgeCgroup(t *trace, j *harness.Judgement) {
	parents := map[string]string{}
	for _, p := range t.pods {
		for _, s := range p.sandboxes {
			pod := p.at(s.made.Num)
			if pod == nil {
				continue
			}
			j.Tested++
			got := s.config.GetLinux().GetCgroupParent()
			want := map[v1.PodQOSClass]string{v1.PodQOSBestEffort: "besteffort", v1.PodQOSBurstable: "burstable"}[qos(pod)]
			switch below := containsAny(got, "besteffort", "burstable"); {
			case got == "":
				j.Fail("the sandbox has a cgroup parent", "it has none", s.made.Num)
			case below != want:
				j.Fail(fmt.Sprintf("a %s pod is below %q", qos(pod), want), got, s.made.Num)
			case parents[got] != "" && parents[got] != p.uid:
				j.Fail("no other pod has the cgroup parent "+got, "one has", s.made.Num)
			}
			parents[got] = p.uid
		}
	}
}
