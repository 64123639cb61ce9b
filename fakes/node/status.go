package node

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

const restartingAll = "RestartingAllContainers"

// newStatus returns the status of a pod from what the runtime says and what was reported before (k8s.io/kubernetes v1.37.1,
// pkg/kubelet/kubelet_pods.go, generateAPIPodStatus). terminal is true once no container of the pod starts any more.
func (a *Agent) newStatus(p *v1.Pod, s *podStatus, terminal bool) v1.PodStatus {
	old := a.status.get(p)
	st := v1.PodStatus{QOSClass: qosOf(p), ObservedGeneration: p.Generation}
	for _, ip := range s.ips {
		st.PodIPs = append(st.PodIPs, v1.PodIP{IP: ip})
	}
	if restart := restartsAll(p, s, &old); true {
		st.InitContainerStatuses = a.containerStatuses(p, s, p.Spec.InitContainers, old.InitContainerStatuses, restart, true)
		st.ContainerStatuses = a.containerStatuses(p, s, p.Spec.Containers, old.ContainerStatuses, restart, false)
	}
	var ephemerals []v1.Container
	for i := range p.Spec.EphemeralContainers {
		ephemerals = append(ephemerals, v1.Container(p.Spec.EphemeralContainers[i].EphemeralContainerCommon))
	}
	st.EphemeralContainerStatuses = a.containerStatuses(p, s, ephemerals, old.EphemeralContainerStatuses, false, false)
	st.AllocatedResources = requests(p)
	st.Resources = &v1.ResourceRequirements{Requests: sum(p, requestsOf), Limits: limitsOfPod(p)}
	st.Phase = phaseOf(p, &st, terminal, anyStarted(p, s))
	if isTerminal(old.Phase) && !isTerminal(st.Phase) {
		st.Phase = old.Phase
	}
	if st.Phase == old.Phase {
		st.Reason, st.Message = old.Reason, old.Message
	}
	if a.pastDeadline(p) && !isTerminal(p.Status.Phase) {
		st.Phase, st.Reason, st.Message = v1.PodFailed, "DeadlineExceeded", "Pod was active on the node longer than the specified deadline"
	}
	if isTerminal(p.Status.Phase) { // what the API server knows as the end is the end
		st.Phase = p.Status.Phase
	}
	a.probes.setReady(p, &st, &old)
	a.setConditions(p, s, &st, &old, terminal)
	st.HostIP, st.HostIPs = a.c.Address, []v1.HostIP{{IP: a.c.Address}}
	if p.Spec.HostNetwork && len(st.PodIPs) == 0 {
		st.PodIPs = []v1.PodIP{{IP: a.c.Address}}
	}
	if len(st.PodIPs) > 0 {
		st.PodIP = st.PodIPs[0].IP
	}
	return st
}

// containerStatuses returns the statuses of containers of one kind.
func (a *Agent) containerStatuses(p *v1.Pod, s *podStatus, specs []v1.Container, before []v1.ContainerStatus, restart, init bool) (all []v1.ContainerStatus) {
	for i := range specs {
		c := &specs[i]
		var old *v1.ContainerStatus
		if j := slices.IndexFunc(before, func(x v1.ContainerStatus) bool { return x.Name == c.Name }); j >= 0 {
			old = &before[j]
		}
		x := waitingStatus(p, c, old)
		var runs []*containerStatus
		for _, cs := range s.containers {
			if cs.name == c.Name && len(runs) < 2 {
				runs = append(runs, cs)
			}
		}
		if len(runs) == 0 && old != nil {
			x = vanished(p, x, old, restart)
		}
		for n, cs := range runs {
			one := a.statusOf(p, c, cs, old)
			if n == 0 {
				x = one
			} else {
				x.LastTerminationState = one.State
			}
		}
		x.VolumeMounts = mountStatuses(c)
		all = append(all, a.whyWaiting(p, c, s, x, init))
	}
	if !init {
		slices.SortStableFunc(all, func(x, y v1.ContainerStatus) int { return strings.Compare(x.Name, y.Name) })
	}
	return all
}

// waitingStatus is the status of a container of which the runtime knows nothing.
func waitingStatus(p *v1.Pod, c *v1.Container, old *v1.ContainerStatus) v1.ContainerStatus {
	reason := "ContainerCreating"
	if len(p.Spec.InitContainers) > 0 {
		reason = "PodInitializing"
	}
	x := v1.ContainerStatus{Name: c.Name, Image: c.Image, State: v1.ContainerState{Waiting: &v1.ContainerStateWaiting{Reason: reason}}}
	switch {
	case old == nil:
	case old.State.Terminated != nil:
		x = *old.DeepCopy()
	default:
		x.RestartCount, x.LastTerminationState = old.RestartCount, old.LastTerminationState
	}
	return x
}

// vanished is the status of a container that the runtime had and has not any more.
func vanished(p *v1.Pod, x v1.ContainerStatus, old *v1.ContainerStatus, restart bool) v1.ContainerStatus {
	const removed = "The container is removed because RestartAllContainers in place"
	switch {
	case restart && old.State.Waiting == nil:
		x.State = v1.ContainerState{Waiting: &v1.ContainerStateWaiting{Reason: restartingAll, Message: removed}}
		x.LastTerminationState.Terminated = &v1.ContainerStateTerminated{Reason: restartingAll, Message: removed, ExitCode: 137}
		x.RestartCount = old.RestartCount + 1
	case old.State.Running != nil && x.LastTerminationState.Terminated == nil:
		x.LastTerminationState.Terminated = &v1.ContainerStateTerminated{Reason: "ContainerStatusUnknown", ExitCode: 137,
			Message: "The container could not be located when the pod was deleted.  The container used to be Running"}
		if p.DeletionTimestamp == nil {
			x.RestartCount++
		}
	}
	return x
}

// statusOf turns the runtime's status of a container into that of the API.
func (a *Agent) statusOf(p *v1.Pod, c *v1.Container, cs *containerStatus, old *v1.ContainerStatus) v1.ContainerStatus {
	id := a.runtime.GetRuntimeName() + "://" + cs.Id
	x := v1.ContainerStatus{Name: c.Name, RestartCount: cs.restarts, Image: cs.Image.GetImage(), ImageID: cs.ImageRef, ContainerID: id}
	began, ended := metav1.NewTime(time.Unix(0, cs.StartedAt)), metav1.NewTime(time.Unix(0, cs.FinishedAt))
	if old != nil {
		x.RestartCount = max(x.RestartCount, old.RestartCount)
		if old.ContainerID != id && old.State.Terminated != nil {
			x.LastTerminationState.Terminated = old.State.Terminated
		} else {
			x.LastTerminationState.Terminated = old.LastTerminationState.Terminated
		}
	}
	switch {
	case cs.State == running:
		x.State.Running = &v1.ContainerStateRunning{StartedAt: began}
		if old != nil && old.State.Terminated != nil && old.ContainerID != id && old.RestartCount >= cs.restarts {
			x.RestartCount = old.RestartCount + 1
		}
		if old != nil && old.ContainerID == id {
			x.Started = old.Started
		}
	case cs.State == exited:
		x.State.Terminated = &v1.ContainerStateTerminated{ExitCode: cs.ExitCode, Reason: cs.Reason, Message: cs.message, StartedAt: began, FinishedAt: ended, ContainerID: id}
	case cs.State == unknown && old != nil && old.State.Running != nil:
		x.State.Terminated = &v1.ContainerStateTerminated{Reason: "ContainerStatusUnknown", Message: "The container could not be located when the pod was terminated", ExitCode: 137}
		x.RestartCount = old.RestartCount + 1
	default:
		x.State.Waiting = &v1.ContainerStateWaiting{}
	}
	x.AllocatedResources = c.Resources.Requests
	x.Resources = a.resizes.statusResources(p, c, cs)
	if u := cs.User.GetLinux(); u != nil {
		x.User = &v1.ContainerUser{Linux: &v1.LinuxContainerUser{UID: u.Uid, GID: u.Gid, SupplementalGroups: u.SupplementalGroups}}
	}
	return x
}

func mountStatuses(c *v1.Container) (all []v1.VolumeMountStatus) {
	for _, m := range c.VolumeMounts {
		x := v1.VolumeMountStatus{Name: m.Name, MountPath: m.MountPath, ReadOnly: m.ReadOnly}
		if m.ReadOnly {
			mode := v1.RecursiveReadOnlyDisabled
			if m.RecursiveReadOnly != nil && *m.RecursiveReadOnly != v1.RecursiveReadOnlyDisabled {
				mode = v1.RecursiveReadOnlyEnabled
			}
			x.RecursiveReadOnly = &mode
		}
		all = append(all, x)
	}
	return all
}

// whyWaiting says why a container that is to start has not.
func (a *Agent) whyWaiting(p *v1.Pod, c *v1.Container, s *podStatus, x v1.ContainerStatus, init bool) v1.ContainerStatus {
	cs := s.find(c.Name, false)
	if init {
		if cs != nil && cs.State == exited && cs.ExitCode == 0 {
			return x
		}
		if cs == nil && !isSidecar(c) && anyCreated(p, s) && x.State.Waiting != nil {
			x.State = v1.ContainerState{Terminated: &v1.ContainerStateTerminated{Reason: "Completed",
				Message: "Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally"}}
			return x
		}
	}
	a.mu.Lock()
	f, ok := a.reasons[p.UID][c.Name]
	a.mu.Unlock()
	if !ok || !shouldStart(p, c, s) {
		return x
	}
	if x.State.Terminated != nil {
		x.LastTerminationState = x.State
	}
	x.State = v1.ContainerState{Waiting: &v1.ContainerStateWaiting{Reason: f.reason, Message: f.message}}
	return x
}

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

// phaseOf returns the phase of a pod from the statuses of its containers (getPhase).
func phaseOf(p *v1.Pod, st *v1.PodStatus, terminal, initialized bool) v1.PodPhase {
	var pendingInit, pendingSidecars, running, waiting, stopped, over, succeeded int
	lastCode := func(x *v1.ContainerStatus) (code int32, ok, mayRestart bool) {
		t := x.State.Terminated
		if t == nil {
			t = x.LastTerminationState.Terminated
		}
		if t == nil {
			return 0, false, true
		}
		return t.ExitCode, true, t.Reason == restartingAll || restarts(p, container(p, x.Name), t.ExitCode)
	}
	for i := range st.InitContainerStatuses {
		x, c := &st.InitContainerStatuses[i], &p.Spec.InitContainers[i]
		code, ended, again := lastCode(x)
		switch {
		case isSidecar(c) && x.State.Running != nil:
			running++
			if x.Started == nil || !*x.Started {
				pendingSidecars++
			}
		case isSidecar(c) && !ended:
			pendingSidecars++
			waiting++
		case isSidecar(c):
		case x.State.Running != nil, !ended:
			pendingInit++
		case code != 0 && !again:
			return v1.PodFailed
		case code != 0:
			pendingInit++
		}
	}
	for i := range st.ContainerStatuses {
		x := &st.ContainerStatuses[i]
		code, ended, again := lastCode(x)
		switch {
		case x.State.Running != nil:
			running++
		case !ended:
			waiting++
		default:
			stopped++
			if !again {
				over++
			}
			if x.State.Terminated != nil && code == 0 {
				succeeded++
			}
		}
	}
	done := v1.PodFailed
	if stopped == succeeded {
		done = v1.PodSucceeded
	}
	switch {
	case pendingInit > 0, pendingSidecars > 0 && !initialized, waiting > 0:
		return v1.PodPending
	case running > 0:
		return v1.PodRunning
	case stopped == 0:
		return v1.PodPending
	case terminal && !isStatic(p):
		return done
	case stopped != over:
		return v1.PodRunning
	}
	return done
}

func conditionIndex(all []v1.PodCondition, kind v1.PodConditionType) int {
	return slices.IndexFunc(all, func(c v1.PodCondition) bool { return c.Type == kind })
}

// ownConditions are the conditions of pods that belong to the kubelet.
var ownConditions = []v1.PodConditionType{v1.PodScheduled, v1.PodReady, v1.PodInitialized, v1.ContainersReady, v1.PodResizeInProgress, v1.PodResizePending,
	v1.PodReadyToStartContainers, v1.AllContainersRestarting}

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

// terminationMessage is what a container left in its file, or at the end of its log.
func terminationMessage(s *runtimeapi.ContainerStatus) string {
	fallback := s.Annotations[noteMessagePolicy] == string(v1.TerminationMessageFallbackToLogsOnError) && s.ExitCode != 0 && s.Reason != "ContainerCannotRun"
	for _, m := range s.Mounts {
		if m.ContainerPath != s.Annotations[noteMessagePath] || m.HostPath == "" {
			continue
		}
		if b, err := readTail(m.HostPath, 4096, 0); err == nil && (len(b) > 0 || !fallback) {
			return string(b)
		}
		break
	}
	if !fallback {
		return ""
	}
	b, _ := readTail(s.LogPath, 2048, 80)
	return string(b)
}
