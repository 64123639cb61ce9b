package node

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
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
	next := &cached{pod: p, status: st, version: 1, finished: finished}
	if c != nil {
		next.version, next.finished = c.version+1, finished || c.finished && !isStatic(p)
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

// illegal reports whether a container that ended for good would have another state.
func illegal(p *v1.Pod, old, now *v1.PodStatus) bool {
	if p.Spec.RestartPolicy == v1.RestartPolicyAlways || mayRestartAll(p) {
		return false
	}
	for _, x := range slices.Concat(old.InitContainerStatuses, old.ContainerStatuses) {
		c := container(p, x.Name)
		if x.State.Terminated == nil || c == nil || isSidecar(c) || restarts(p, c, x.State.Terminated.ExitCode) {
			continue
		}
		for _, y := range slices.Concat(now.InitContainerStatuses, now.ContainerStatuses) {
			if y.Name == x.Name && y.State.Terminated == nil {
				return true
			}
		}
	}
	return false
}

// setTransition keeps the time of a condition that has the same status as before.
func setTransition(c *v1.PodCondition, old []v1.PodCondition) {
	if !slices.Contains(ownConditions, c.Type) && c.Type != v1.DisruptionTarget || c.Type == v1.PodResizePending || c.Type == v1.PodResizeInProgress {
		return
	}
	c.LastTransitionTime = metav1.Now()
	if i := conditionIndex(old, c.Type); i >= 0 && old[i].Status == c.Status {
		c.LastTransitionTime = old[i].LastTransitionTime
	}
}

// normalized cuts times to seconds, as the API server does, and long messages.
func normalized(p *v1.Pod, st v1.PodStatus) v1.PodStatus {
	st = *st.DeepCopy()
	seconds := func(t *metav1.Time) { *t = t.Rfc3339Copy() }
	longest := 12 << 10
	if n := len(p.Spec.InitContainers) + len(p.Spec.Containers) + len(p.Spec.EphemeralContainers); n > 0 {
		longest /= n
	}
	if st.StartTime != nil {
		seconds(st.StartTime)
	}
	for i := range st.Conditions {
		seconds(&st.Conditions[i].LastTransitionTime)
		seconds(&st.Conditions[i].LastProbeTime)
	}
	for _, all := range [][]v1.ContainerStatus{st.InitContainerStatuses, st.ContainerStatuses, st.EphemeralContainerStatuses} {
		for i := range all {
			for _, s := range []*v1.ContainerState{&all[i].State, &all[i].LastTerminationState} {
				if s.Running != nil {
					seconds(&s.Running.StartedAt)
				}
				if t := s.Terminated; t != nil {
					seconds(&t.StartedAt)
					seconds(&t.FinishedAt)
					t.Message = t.Message[:min(len(t.Message), longest)]
				}
			}
		}
	}
	return st
}

// sameStatus compares what the kubelet owns of two statuses.
func sameStatus(x, y *v1.PodStatus) bool {
	own := func(s *v1.PodStatus) *v1.PodStatus {
		s = s.DeepCopy()
		s.Conditions = slices.DeleteFunc(s.Conditions, func(c v1.PodCondition) bool {
			return !slices.Contains(ownConditions, c.Type) && c.Type != v1.DisruptionTarget
		})
		slices.SortFunc(s.Conditions, func(c, d v1.PodCondition) int { return strings.Compare(string(c.Type), string(d.Type)) })
		for i := range s.Conditions {
			s.Conditions[i].LastProbeTime = metav1.Time{}
		}
		return s
	}
	return equality.Semantic.DeepEqual(own(x), own(y))
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

func (m *statusManager) run() {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-m.a.ctx.Done():
			return
		case <-m.wake:
			m.batch(false)
		case <-tick.C:
			m.batch(true)
		}
	}
}

// batch writes the statuses that are new; with all, also those that the server has otherwise, and deletes what is finished.
func (m *statusManager) batch(all bool) {
	m.mu.Lock()
	due := map[types.UID]cached{}
	for uid, c := range m.pods {
		due[uid] = *c
	}
	m.mu.Unlock()
	for uid, c := range due {
		there, mirror := m.a.pod(uid)
		if isStatic(c.pod) {
			if there = mirror; mirror == nil {
				continue
			}
		}
		id := uid
		if there != nil {
			id = there.UID
		}
		m.mu.Lock()
		sent := m.sent[id]
		m.mu.Unlock()
		old := sent < c.version
		if all && !old && there != nil {
			theirs := normalized(there, there.Status)
			old = !sameStatus(&theirs, &c.status) || m.deletable(there, &c)
		}
		if old {
			m.write(uid, &c)
		}
	}
}

// deletable reports whether nothing of a pod is left, and the server knows how it ended.
func (m *statusManager) deletable(there *v1.Pod, c *cached) bool {
	return there.DeletionTimestamp != nil && !isMirror(there) && isTerminal(there.Status.Phase) && c.finished
}

// write brings the status of one pod to the server.
func (m *statusManager) write(uid types.UID, c *cached) {
	pods := m.a.api.CoreV1().Pods(c.pod.Namespace)
	there, err := pods.Get(m.a.ctx, c.pod.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return
	case err != nil:
		m.a.log.Error("cannot read a pod", "pod", describe(c.pod), "err", err)
		return
	case isMirror(there) != isStatic(c.pod), !isMirror(there) && there.UID != uid:
		m.forget(uid)
		return
	}
	now := merge(there, c.status, m.a.couldRun(uid))
	if patch := statusPatch(there, now); patch != nil {
		was := there.UID
		if there, err = pods.Patch(m.a.ctx, c.pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status"); err != nil {
			m.a.log.Error("cannot write the status of a pod", "pod", describe(c.pod), "uid", was, "err", err)
			return
		}
	}
	m.mu.Lock()
	m.sent[there.UID] = c.version
	m.mu.Unlock()
	if m.deletable(there, c) {
		err := pods.Delete(m.a.ctx, c.pod.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0)), Preconditions: metav1.NewUIDPreconditions(string(there.UID))})
		if err == nil {
			m.forget(uid)
		}
	}
}

// statusPatch returns what makes the server's status the one of now; nil: it is.
func statusPatch(there *v1.Pod, now v1.PodStatus) []byte {
	before, _ := json.Marshal(v1.Pod{Status: there.Status})
	after, _ := json.Marshal(v1.Pod{ObjectMeta: metav1.ObjectMeta{UID: there.UID}, Status: now})
	patch, err := strategicpatch.CreateTwoWayMergePatch(before, after, v1.Pod{})
	if err != nil || string(patch) == `{"metadata":{"uid":"`+string(there.UID)+`"}}` {
		return nil
	}
	return patch
}

// merge keeps the conditions of others, and the phase while containers may run.
func merge(there *v1.Pod, now v1.PodStatus, couldRun bool) v1.PodStatus {
	ends := !isTerminal(there.Status.Phase) && isTerminal(now.Phase)
	var conditions []v1.PodCondition
	for _, c := range there.Status.Conditions {
		if !slices.Contains(ownConditions, c.Type) {
			conditions = append(conditions, c)
		}
	}
	for _, c := range now.Conditions {
		switch {
		case slices.Contains(ownConditions, c.Type):
			conditions = append(conditions, c)
		case c.Type == v1.DisruptionTarget && ends && !couldRun:
			if setTransition(&c, there.Status.Conditions); c.LastTransitionTime.IsZero() {
				c.LastTransitionTime = metav1.Now()
			}
			if i := conditionIndex(conditions, c.Type); i >= 0 {
				conditions[i] = c
			} else {
				conditions = append(conditions, c)
			}
		}
	}
	now.Conditions = conditions
	now.ResourceClaimStatuses, now.ExtendedResourceClaimStatus = there.Status.ResourceClaimStatuses, there.Status.ExtendedResourceClaimStatus
	if ends && couldRun {
		now.Phase, now.Reason, now.Message = there.Status.Phase, there.Status.Reason, there.Status.Message
	}
	if isTerminal(now.Phase) {
		for _, kind := range []v1.PodConditionType{v1.PodReady, v1.ContainersReady} {
			if i := conditionIndex(now.Conditions, kind); i >= 0 && now.Conditions[i].Status == v1.ConditionTrue {
				c := &now.Conditions[i]
				c.Status, c.Reason, c.Message, c.LastTransitionTime = v1.ConditionFalse, "PodFailed", "", metav1.Now().Rfc3339Copy()
				if now.Phase == v1.PodSucceeded {
					c.Reason = "PodCompleted"
				}
			}
		}
	}
	return now
}
