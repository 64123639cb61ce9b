package node

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/lwtest/lwtest/harness"
)

var orderInit = harness.Rule{
	Clause: harness.Clause{
		ID:      "order/init",
		Level:   harness.Must,
		Text:    "Init containers run one after the other. Each one, and every other container of the pod, is created only after the one before has ended with 0, in the same sandbox.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_container.go#kubeGenericRuntimeManager.computeInitContainerActions"), page("Init Containers", "", "concepts/workloads/pods/init-containers.md")},
		Why:     "Containers start without what their init containers prepare.",
		Advice:  "Create the next container only if the runtime says that the init container before it has EXITED with 0 in this sandbox, after a restart of the agent too.",
		Classes: []string{"CreateContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("order/init", judgeOrderInit),
}

func judgeOrderInit(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			pod := p.at(x.made.Num)
			if pod == nil {
				continue
			}
			for _, before := range initsBefore(pod, x.name) {
				judgeInitBefore(x, before, j)
			}
		}
	}
}

// initsBefore returns the init containers that must have ended before a container is created.
func initsBefore(pod *v1.Pod, name string) (all []string) {
	for _, c := range pod.Spec.InitContainers {
		if c.Name == name {
			break
		}
		if !isSidecar(&c) {
			all = append(all, c.Name)
		}
	}
	for _, c := range pod.Spec.EphemeralContainers {
		if c.Name == name {
			return nil
		}
	}
	return all
}

func isSidecar(c *v1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == v1.ContainerRestartPolicyAlways
}

func judgeInitBefore(x *container, before string, j *harness.Judgement) {
	want := fmt.Sprintf("the init container %s has ended with 0 before %s is created", before, x.name)
	at := []int32{x.made.Num}
	for _, y := range x.pod.all {
		if y.name != before || y.made.Num > x.made.Num {
			continue
		}
		at = []int32{y.made.Num, x.made.Num}
		if y.ended > 0 && y.ended < x.made.Num && (y.code == nil || *y.code == 0) {
			if y.code != nil {
				j.Tested++
			}
			return
		}
	}
	j.Tested++
	j.Fail(want, "it has not", at...)
}

var orderSidecar = harness.Rule{
	Clause: harness.Clause{
		ID:      "order/sidecar",
		Level:   harness.Must,
		Text:    "An init container that restarts always, a sidecar, is started, and has passed its startup probe, before the next container of the pod is created. It is restarted by itself when it ends.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_container.go#kubeGenericRuntimeManager.computeInitContainerActions"), page("Sidecar Containers", "", "concepts/workloads/pods/sidecar-containers.md")},
		Why:     "A program starts before the proxy through which it talks.",
		Advice:  "Before you create the next container check that the sidecar runs and that its startup probe, if any, has succeeded. Restart a sidecar without the others.",
		Classes: []string{"CreateContainer"},
	},
	Needs: []harness.Feature{Containers, Sidecars},
	Judge: promise("order/sidecar", judgeSidecar),
}

func judgeSidecar(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			pod := p.at(x.made.Num)
			if pod == nil {
				continue
			}
			for _, c := range pod.Spec.InitContainers {
				if c.Name == x.name {
					break
				}
				if isSidecar(&c) {
					t.judgeSidecarBefore(p, x, &c, j)
				}
			}
		}
	}
}

func (t *trace) judgeSidecarBefore(p *podTrace, x *container, c *v1.Container, j *harness.Judgement) {
	for _, y := range x.pod.all {
		if y.name == c.Name && p.static && y.ranBefore(x.made.Num) && t.killedBetween(y.made.Num, x.made.Num) {
			return // nobody tells the agent how a static pod was before its restart
		}
	}
	j.Tested++
	for _, y := range x.pod.all {
		if y.name == c.Name && y.ranBefore(x.made.Num) && (c.StartupProbe == nil || t.probed(y, "start", x.made.Num)) {
			return
		}
	}
	j.Fail(fmt.Sprintf("the sidecar %s is started before %s is created", c.Name, x.name), "it is not", x.made.Num)
}

// ranBefore reports whether a container certainly ran before an event: its start succeeded, or the runtime told that it runs.
func (x *container) ranBefore(num int32) bool {
	return x.runs() && x.started.Return < num || x.running > 0 && x.running < num
}

var orderFailure = harness.Rule{
	Clause: harness.Clause{
		ID:      "order/init-failure",
		Level:   harness.Must,
		Text:    "An init container that fails is tried again, with a back-off, if the pod restarts. If it never does, the pod is Failed, and its other containers never run.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_manager.go#kubeGenericRuntimeManager.computePodActions"), page("Init Containers", "", "concepts/workloads/pods/init-containers.md")},
		Why:     "A pod hangs, or runs without its preparation.",
		Advice:  "Take any exit code other than 0 for a failure: create the init container again after its back-off or, with restartPolicy Never, set Failed and start no other.",
		Classes: []string{"CreateContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("order/init-failure", nil),
}

var orderTermination = harness.Rule{
	Clause: harness.Clause{
		ID:      "order/termination",
		Level:   harness.Must,
		Text:    "When a pod ends, its sidecars are stopped after its containers have ended, the last one first. Its other init containers may still run.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_termination_order.go#newTerminationOrdering"), page("Sidecar Containers", "", "concepts/workloads/pods/sidecar-containers.md")},
		Why:     "A program loses its proxy while it finishes its work.",
		Advice:  "Stop the ordinary containers first and wait until they have ended, then the sidecars one by one from the last, each with what is left of the grace.",
		Classes: []string{"StopContainer"},
	},
	Needs: []harness.Feature{Containers, Sidecars},
	Judge: judged(judgeTerminationOrder),
}

func judgeTerminationOrder(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			for _, c := range x.stops {
				pod := p.at(c.Num)
				if pod == nil || pod.DeletionTimestamp == nil || x.ended > 0 && x.ended < c.Num || p.static && t.killedBetween(x.made.Num, c.Num) { // the agent may not know its spec
					continue
				}
				t.judgeStopAfter(p, pod, x, c, j)
			}
		}
	}
}

// judgeStopAfter judges a stop of a sidecar: the containers and the sidecars after it have ended, unless the grace of the pod is over.
func (t *trace) judgeStopAfter(p *podTrace, pod *v1.Pod, x *container, c *call, j *harness.Judgement) {
	rank := rankOf(pod, x.name)
	if rank < 0 {
		return
	}
	began, grace := p.ending(x.pod, c.Num), graceOf(pod)
	if own := pod.Spec.TerminationGracePeriodSeconds; own != nil && (p.static || t.ownGrace(p, x, c.Num)) {
		if grace = min(grace, time.Duration(*own)*time.Second); p.static { // that of its mirror pod is nothing to it
			grace = time.Duration(*own) * time.Second
		}
	}
	for _, y := range x.pod.all {
		if y == x || !y.runs() || isInit(pod, y.name) && rankOf(pod, y.name) < rank {
			continue
		}
		if j.Tested++; (y.ended == 0 || y.ended > c.Num) && len(y.stops) > 0 && c.From-began < grace-time.Second {
			j.Fail(fmt.Sprintf("%s has ended before the sidecar %s is stopped", y.name, x.name), "it has not", y.started.Num, c.Num)
		}
	}
}

// ending returns when a pod began to end: when it was deleted, or a container of it was stopped before that.
func (p *podTrace) ending(s *sandbox, num int32) time.Duration {
	first, _ := p.deleting(num)
	for _, x := range s.all {
		if len(x.stops) > 0 {
			first = min(first, x.stops[0].From)
		}
	}
	return first
}

// rankOf returns the place of a sidecar among the init containers; -1: it is none.
func rankOf(pod *v1.Pod, name string) int {
	for i := range pod.Spec.InitContainers {
		if c := &pod.Spec.InitContainers[i]; c.Name == name && isSidecar(c) {
			return i
		}
	}
	return -1
}

// graceOf returns how long a pod that is deleted may take.
func graceOf(pod *v1.Pod) time.Duration {
	if g := pod.DeletionGracePeriodSeconds; g != nil {
		return time.Duration(*g) * time.Second
	}
	return 0
}

var orderSandbox = harness.Rule{
	Clause: harness.Clause{
		ID:      "order/sandbox",
		Level:   harness.Must,
		Text:    "A pod has one sandbox that is ready at most, and this has an address. When it is gone, has lost its address, or there are two, a pod that goes on gets another one with a larger attempt, in which its init containers run first. Containers are created in the newest sandbox only.",
		Sources: []harness.Source{inKubelet("kuberuntime/util/util.go#PodSandboxChanged"), inKubelet("kuberuntime/kuberuntime_manager.go#kubeGenericRuntimeManager.SyncPod")},
		Why:     "A pod has two addresses, or none.",
		Advice:  "Keep a sandbox only if it alone is READY and has an address. Else stop all, run one with the largest attempt plus 1, and begin with the init containers.",
		Classes: []string{"RunPodSandbox"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("order/sandbox", judgeSandbox),
}

func judgeSandbox(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		t.judgeTwins(p, j)
		for i, s := range p.sandboxes {
			j.Tested++
			late := func(x *container) bool { // clearly: a creation of the same moment may have been decided before the answer was read
				return s.bareAt > 0 && x.made.From > time.Duration(t.h.Event(s.bareAt).At)+time.Second
			}
			if k := slices.IndexFunc(s.all, late); k >= 0 && !p.stopping(s.bareAt) {
				j.Fail("a container is created in a sandbox that has an address", "it has lost that", s.bareAt, s.all[k].made.Num)
			}
			if s.twin || t.did(s.made.Num, "RESTART") > 0 { // the runtime may have forgotten those before
				continue
			}
			for _, was := range p.sandboxes[:i] {
				if p.static && was.removed != nil && was.removed.Num < s.made.Num { // it ended and came back: nothing is left of it
					continue
				}
				switch now, before := s.config.GetMetadata().GetAttempt(), was.config.GetMetadata().GetAttempt(); {
				case now <= before:
					j.Fail(fmt.Sprintf("the attempt of the sandbox is larger than %d", before), fmt.Sprint(now), was.made.Num, s.made.Num)
				case was.twin && p.stopping(was.made.Num): // what stopped the pod could not know of it yet
				case was.notAt == 0 || was.notAt > s.made.Num:
					j.Fail("the sandbox of before is not ready any more", "nobody has stopped it", was.made.Num, s.made.Num)
				}
				for _, x := range was.all {
					if x.made.Num > s.made.Return {
						j.Fail("a container is created in the newest sandbox", "in one of before", s.made.Num, x.made.Num)
					}
				}
			}
		}
	}
}

// judgeTwins judges a sandbox that the story ran beside that of a pod: one of them ends.
func (t *trace) judgeTwins(p *podTrace, j *harness.Judgement) {
	for i, s := range p.sandboxes {
		late := t.after(s.made.To + actsWithin)
		if !s.twin || i == 0 || late == nil || !t.works(s.made.Num, late.Num) || t.begins(p, s.made.Num, late.Num) || p.stopping(late.Num) {
			continue
		}
		if pod := p.at(late.Num); pod == nil || terminal(pod.Status.Phase) || p.gone(late.Num) {
			continue
		}
		ready := func(s *sandbox) bool { return s.notAt == 0 || s.notAt > late.Num }
		if j.Tested++; ready(s) && ready(p.sandboxes[i-1]) {
			j.Fail("one sandbox is stopped when a pod has two that are ready", fmt.Sprintf("both are ready %s later", time.Duration(late.At)-s.made.To), s.made.Num, late.Num)
		}
	}
}

// stopping reports whether a container of a pod was being stopped at an event: the sync that did so goes on with what it knew before.
func (p *podTrace) stopping(num int32) bool {
	return slices.ContainsFunc(p.containers(), func(x *container) bool {
		return slices.ContainsFunc(x.stops, func(c *call) bool { return c.Num < num && (c.Return == 0 || c.Return > num) })
	})
}
