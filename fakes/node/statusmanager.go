package node

import (
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// statusManager keeps the status of each pod and writes it to the API server: after a change, and each 10 seconds where the server has
// another one. Once a pod that is being deleted is finished, it deletes the object (k8s.io/kubernetes v1.37.1,
// pkg/kubelet/status/status_manager.go).
type statusManager struct {
	a    *Agent
	wake chan struct{}

	mu   sync.Mutex
	pods map[types.UID]*cached
	sent map[types.UID]int // the version that the server has, by the UID there
	last int               // the version given last
}

type cached struct {
	pod      *v1.Pod // as its source had it then
	status   v1.PodStatus
	version  int
	finished bool // nothing of the pod is left on the node
}

func newStatusManager(a *Agent) *statusManager {
	return &statusManager{a: a, wake: make(chan struct{}, 1), pods: map[types.UID]*cached{}, sent: map[types.UID]int{}}
}

// get returns the last status of a pod: the agent's, or that of its source, which for a static pod is the mirror pod.
func (m *statusManager) get(p *v1.Pod) v1.PodStatus {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.pods[p.UID]; c != nil {
		return *c.status.DeepCopy()
	}
	return m.original(p)
}

// known returns the status that the agent has of a pod.
func (m *statusManager) known(uid types.UID) (v1.PodStatus, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.pods[uid]
	if c == nil {
		return v1.PodStatus{}, false
	}
	return c.status, true
}

func (m *statusManager) original(p *v1.Pod) v1.PodStatus {
	m.a.mu.Lock()
	defer m.a.mu.Unlock()
	if mirror := m.a.mirrorOf(p); mirror != nil && isMirrorOf(mirror, p) {
		return *mirror.Status.DeepCopy()
	}
	return *p.Status.DeepCopy()
}

// set keeps a new status.
func (m *statusManager) set(p *v1.Pod, st v1.PodStatus) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.update(p, st, false)
}

func (m *statusManager) update(p *v1.Pod, st v1.PodStatus, finished bool) {
	c, old := m.pods[p.UID], v1.PodStatus{}
	if c != nil {
		old = c.status
	} else {
		old = m.original(p)
	}
	if illegal(p, &old, &st) {
		m.a.log.Error("a container that ended would run again, the status is not kept", "pod", describe(p))
		return
	}
	for i := range st.Conditions {
		setTransition(&st.Conditions[i], old.Conditions)
	}
	if st.StartTime = old.StartTime; st.StartTime == nil {
		st.StartTime = new(metav1.Now())
	}
	st.ObservedGeneration = max(st.ObservedGeneration, old.ObservedGeneration)
	st = normalized(p, st)
	if c != nil && !finished && sameStatus(&c.status, &st) {
		return
	}
	m.last++
	next := &cached{pod: p, status: st, version: m.last, finished: finished}
	if c != nil {
		next.finished = finished || c.finished && !isStatic(p)
	}
	m.pods[p.UID] = next
	m.notify()
}

func (m *statusManager) notify() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// sandboxReady says that the sandbox is there, while the containers are not.
func (m *statusManager) sandboxReady(p *v1.Pod) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.pods[p.UID]
	if c == nil {
		return
	}
	st := *c.status.DeepCopy()
	if i := conditionIndex(st.Conditions, v1.PodReadyToStartContainers); i >= 0 {
		st.Conditions[i] = v1.PodCondition{Type: v1.PodReadyToStartContainers, Status: v1.ConditionTrue, ObservedGeneration: p.Generation}
		m.update(p, st, false)
	}
}

// finish keeps the last status of a pod of which nothing is left. A container whose end nobody saw has failed.
func (m *statusManager) finish(p *v1.Pod) {
	st := m.get(p)
	lost := v1.ContainerState{Terminated: &v1.ContainerStateTerminated{Reason: "ContainerStatusUnknown", Message: "The container could not be located when the pod was terminated", ExitCode: 137}}
	begun := func(x v1.ContainerStatus) bool {
		return x.State.Waiting == nil || x.LastTerminationState.Terminated != nil
	}
	inits := st.InitContainerStatuses
	if len(inits) == 0 || slices.ContainsFunc(st.ContainerStatuses, begun) || inits[len(inits)-1].State.Terminated != nil && inits[len(inits)-1].State.Terminated.ExitCode == 0 {
		for i := range st.ContainerStatuses {
			if st.ContainerStatuses[i].State.Terminated == nil {
				st.ContainerStatuses[i].State = lost
			}
		}
	}
	last := 0
	for i := range inits {
		if begun(inits[i]) {
			last = i
		}
	}
	for i := range inits {
		if i <= last && inits[i].State.Terminated == nil {
			inits[i].State = lost
		}
	}
	if !isStatic(p) && !isTerminal(st.Phase) {
		st.Phase = v1.PodFailed
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.update(p, st, true)
}

// forget drops the status of a pod.
func (m *statusManager) forget(uid types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.pods, uid)
}

// keep drops the statuses of all pods but these.
func (m *statusManager) keep(known map[types.UID]*v1.Pod) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for uid := range m.pods {
		if known[uid] == nil {
			delete(m.pods, uid)
		}
	}
}
