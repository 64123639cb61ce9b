package node

import (
	v1 "k8s.io/api/core/v1"
)

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
