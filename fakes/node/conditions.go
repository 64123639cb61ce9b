package node

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
)

// restartsAll reports whether all containers are to start anew, because one exited with a code that says so.
func restartsAll(p *v1.Pod, s *podStatus, old *v1.PodStatus) bool {
	if i := conditionIndex(old.Conditions, v1.AllContainersRestarting); i >= 0 && old.Conditions[i].Status == v1.ConditionTrue {
		return true
	}
	all := func(code int32, c *v1.Container) bool {
		return ruleFor(c, code) == v1.ContainerRestartRuleActionRestartAllContainers
	}
	for c := range containers(p, false) {
		if cs := s.find(c.Name, false); cs != nil && cs.State == exited && all(cs.ExitCode, c) {
			return true
		}
	}
	return false
}

func conditionIndex(all []v1.PodCondition, kind v1.PodConditionType) int {
	return slices.IndexFunc(all, func(c v1.PodCondition) bool { return c.Type == kind })
}

// ownConditions are the conditions of pods that belong to the kubelet.
var ownConditions = []v1.PodConditionType{
	v1.PodScheduled, v1.PodReady, v1.PodInitialized, v1.ContainersReady, v1.PodResizeInProgress, v1.PodResizePending, v1.PodReadyToStartContainers, v1.AllContainersRestarting,
}

// setConditions sets the conditions of a pod. Those of others stay.
func (a *Agent) setConditions(p *v1.Pod, s *podStatus, st, old *v1.PodStatus, terminal bool) {
	for _, c := range p.Status.Conditions {
		if !slices.Contains(ownConditions, c.Type) {
			st.Conditions = append(st.Conditions, c)
		}
	}
	if !terminal {
		st.Conditions = append(st.Conditions, a.resizes.conditions(p.UID)...)
	}
	if i := conditionIndex(old.Conditions, v1.DisruptionTarget); i >= 0 && conditionIndex(st.Conditions, v1.DisruptionTarget) < 0 {
		st.Conditions = append(st.Conditions, old.Conditions[i])
	}
	all := slices.Concat(st.InitContainerStatuses, st.ContainerStatuses)
	add := func(kind v1.PodConditionType, c v1.PodCondition) {
		c.Type, c.ObservedGeneration = kind, p.Generation
		st.Conditions = append(st.Conditions, c)
	}
	if changed, _, _, why := sandboxChanged(p, s); changed {
		add(v1.PodReadyToStartContainers, v1.PodCondition{Status: v1.ConditionFalse, Reason: "PodSandboxNotReady", Message: why})
	} else {
		add(v1.PodReadyToStartContainers, v1.PodCondition{Status: v1.ConditionTrue})
	}
	add(v1.PodInitialized, initializedCondition(p, st, old))
	add(v1.PodReady, readyCondition(p, st.Conditions, all, st.Phase))
	add(v1.ContainersReady, containersReadyCondition(p, all, st.Phase))
	add(v1.PodScheduled, v1.PodCondition{Status: v1.ConditionTrue})
	if mayRestartAll(p) {
		c := v1.PodCondition{Type: v1.AllContainersRestarting, Status: v1.ConditionFalse}
		left := slices.ContainsFunc(s.containers, func(cs *containerStatus) bool { return container(p, cs.name) != nil })
		switch {
		case st.Phase == v1.PodSucceeded:
			c.Reason = "PodCompleted"
		case st.Phase == v1.PodFailed:
			c.Reason = "PodFailed"
		case restartsAll(p, s, old) && left:
			c.Status, c.Reason, c.Message = v1.ConditionTrue, "RestartAllContainersStarted", "container exited with restart policy rule"
		}
		st.Conditions = append(st.Conditions, c)
	}
}

func initializedCondition(p *v1.Pod, st, old *v1.PodStatus) v1.PodCondition {
	var incomplete []string
	for i := range st.InitContainerStatuses {
		x := &st.InitContainerStatuses[i]
		if sidecar := isSidecar(&p.Spec.InitContainers[i]); sidecar && (x.Started == nil || !*x.Started) || !sidecar && !x.Ready {
			incomplete = append(incomplete, x.Name)
		}
	}
	started := slices.ContainsFunc(st.ContainerStatuses, func(x v1.ContainerStatus) bool { return x.State.Running != nil || x.State.Terminated != nil })
	was := conditionIndex(old.Conditions, v1.PodInitialized)
	switch {
	case st.Phase == v1.PodSucceeded:
		return v1.PodCondition{Status: v1.ConditionTrue, Reason: "PodCompleted"}
	case started, len(incomplete) == 0, was >= 0 && old.Conditions[was].Status == v1.ConditionTrue:
		return v1.PodCondition{Status: v1.ConditionTrue}
	}
	return v1.PodCondition{Status: v1.ConditionFalse, Reason: "ContainersNotInitialized", Message: fmt.Sprintf("containers with incomplete status: %s", incomplete)}
}

func containersReadyCondition(p *v1.Pod, all []v1.ContainerStatus, phase v1.PodPhase) v1.PodCondition {
	var unknown, unready []string
	look := func(c *v1.Container) {
		i := slices.IndexFunc(all, func(x v1.ContainerStatus) bool { return x.Name == c.Name })
		if i < 0 {
			unknown = append(unknown, c.Name)
		} else if !all[i].Ready {
			unready = append(unready, c.Name)
		}
	}
	for i := range p.Spec.InitContainers {
		if c := &p.Spec.InitContainers[i]; isSidecar(c) {
			look(c)
		}
	}
	for i := range p.Spec.Containers {
		look(&p.Spec.Containers[i])
	}
	var why []string
	if len(unknown) > 0 {
		why = append(why, fmt.Sprintf("containers with unknown status: %s", unknown))
	}
	if len(unready) > 0 {
		why = append(why, fmt.Sprintf("containers with unready status: %s", unready))
	}
	switch {
	case phase == v1.PodSucceeded && len(unknown) == 0:
		return v1.PodCondition{Status: v1.ConditionFalse, Reason: "PodCompleted"}
	case phase == v1.PodFailed:
		return v1.PodCondition{Status: v1.ConditionFalse, Reason: "PodFailed"}
	case len(why) > 0:
		return v1.PodCondition{Status: v1.ConditionFalse, Reason: "ContainersNotReady", Message: strings.Join(why, ", ")}
	}
	return v1.PodCondition{Status: v1.ConditionTrue}
}

func readyCondition(p *v1.Pod, conditions []v1.PodCondition, all []v1.ContainerStatus, phase v1.PodPhase) v1.PodCondition {
	c := containersReadyCondition(p, all, phase)
	if c.Status != v1.ConditionTrue {
		return c
	}
	var why []string
	for _, gate := range p.Spec.ReadinessGates {
		if i := conditionIndex(conditions, gate.ConditionType); i < 0 {
			why = append(why, fmt.Sprintf("corresponding condition of pod readiness gate %q does not exist.", string(gate.ConditionType)))
		} else if conditions[i].Status != v1.ConditionTrue {
			why = append(why, fmt.Sprintf("the status of pod readiness gate %q is not \"True\", but %v", string(gate.ConditionType), conditions[i].Status))
		}
	}
	if len(why) > 0 {
		return v1.PodCondition{Status: v1.ConditionFalse, Reason: "ReadinessGatesNotReady", Message: strings.Join(why, ", ")}
	}
	return c
}
