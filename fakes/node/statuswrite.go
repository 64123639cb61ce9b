package node

import (
	"encoding/json"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

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
		if all || isStatic(c.pod) || m.sent[uid] < c.version {
			due[uid] = *c
		}
	}
	m.mu.Unlock()
	for uid, c := range due {
		there, _ := m.a.pod(uid)
		if isStatic(c.pod) {
			configured := there != nil
			if there = m.a.mirrorPod(c.pod); there == nil {
				if !configured { // another manifest may have the name now: then the status is forgotten
					m.write(uid, &c)
				}
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
	case !m.isOf(there, c.pod):
		m.forget(uid)
		return
	case m.isOld(uid, c): // the answer took long. A kubelet would write it all the same, also for a static pod that has begun anew meanwhile
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

// isOld reports whether there is a newer status of a pod, which is to be written instead.
func (m *statusManager) isOld(uid types.UID, c *cached) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.pods[uid]
	return now != nil && now.version > c.version
}

// isOf reports whether an object is that of a pod, or the mirror pod that the agent knows of it. One that it does not know yet may be that
// of another manifest of the name.
func (m *statusManager) isOf(there, p *v1.Pod) bool {
	if !isMirror(there) || !isStatic(p) {
		return there.UID == p.UID
	}
	mirror := m.a.mirrorPod(p)
	return mirror != nil && mirror.UID == there.UID
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

// merge keeps the conditions of others, and the phase while containers may run or once the pod has ended.
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
	// An end stays what it is, though the container that it came from may have been removed before an older one.
	if ends && couldRun || isTerminal(there.Status.Phase) && isTerminal(now.Phase) && now.Phase != there.Status.Phase {
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
