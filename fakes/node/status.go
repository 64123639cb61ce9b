package node

import (
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
