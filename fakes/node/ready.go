package node

import (
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
)

// setReady sets which containers have started and are ready.
func (m *prober) setReady(p *v1.Pod, st, old *v1.PodStatus) {
	for _, all := range [][]v1.ContainerStatus{st.InitContainerStatuses, st.ContainerStatuses} {
		for n := range all {
			x := &all[n]
			c := container(p, x.Name)
			x.Started = new(m.hasStarted(p, x))
			if initIndex(p, c) >= 0 && !isSidecar(c) {
				x.Ready = x.Ready || x.State.Terminated != nil && x.State.Terminated.ExitCode == 0
				continue
			}
			x.Ready = *x.Started && x.State.Running != nil && m.isReady(p, c, x, containerStatusOf(old, x.Name))
		}
	}
}

func (m *prober) hasStarted(p *v1.Pod, x *v1.ContainerStatus) bool {
	if x.State.Running == nil {
		return false
	}
	if r := m.result(startup, runtimeID(x.ContainerID)); r != none {
		return r == succeeded
	}
	if container(p, x.Name).StartupProbe == nil || x.Started != nil {
		return container(p, x.Name).StartupProbe == nil || *x.Started
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return isStatic(p) && m.workers[probeKey{p.UID, x.Name, startup}] == nil && m.isOld(x) // nobody has said yet how it was before the agent started
}

// isReady reports whether a container that has started is ready. One that ran before the agent started is what it was until it has been probed.
func (m *prober) isReady(p *v1.Pod, c *v1.Container, x, was *v1.ContainerStatus) bool {
	if c.ReadinessProbe == nil {
		return true
	}
	r := m.result(readiness, runtimeID(x.ContainerID))
	if r == succeeded {
		return true
	}
	m.mu.Lock()
	w := m.workers[probeKey{p.UID, c.Name, readiness}]
	m.mu.Unlock()
	if w != nil {
		select {
		case w.now <- struct{}{}:
		default:
		}
	}
	return r == none && m.isOld(x) && was != nil && was.ContainerID == x.ContainerID && was.Ready
}

func containerStatusOf(st *v1.PodStatus, name string) *v1.ContainerStatus {
	for _, all := range [][]v1.ContainerStatus{st.ContainerStatuses, st.InitContainerStatuses} {
		for i := range all {
			if all[i].Name == name {
				return &all[i]
			}
		}
	}
	return nil
}

// isOld reports whether a container ran before the agent started.
func (m *prober) isOld(x *v1.ContainerStatus) bool {
	return x.State.Running != nil && x.State.Running.StartedAt.Time.Before(m.a.began.Truncate(time.Second))
}

// runtimeID is the runtime's id of a container.
func runtimeID(id string) string {
	_, id, _ = strings.Cut(id, "://")
	return id
}
