package node

import (
	"cmp"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// apply compares all pods of a source with those that it had, and hands each difference on once: removed, added, updated, deleted, and
// with another status alone.
func (a *Agent) apply(u sourceUpdate) {
	a.mu.Lock()
	was, first := a.config[u.source], !a.delivered[u.source]
	now := map[types.UID]*v1.Pod{}
	names := map[string]bool{}
	var removed, added, updated, reconciled, invalid []*v1.Pod
	for _, p := range u.pods {
		if names[fullName(p)] {
			invalid = append(invalid, p)
			continue
		}
		names[fullName(p)] = true
		old := was[p.UID]
		if old != nil && p.ResourceVersion != "" && old.ResourceVersion == p.ResourceVersion {
			now[p.UID] = old
			continue
		}
		p = p.DeepCopy()
		seen := time.Now().Format(time.RFC3339Nano)
		if old != nil {
			seen = old.Annotations[noteConfigSeen]
		}
		metav1.SetMetaDataAnnotation(&p.ObjectMeta, noteConfigSource, u.source)
		metav1.SetMetaDataAnnotation(&p.ObjectMeta, noteConfigSeen, seen)
		now[p.UID] = p
		switch {
		case old == nil:
			added = append(added, p)
		case differs(old, p):
			updated = append(updated, p)
		case !equality.Semantic.DeepEqual(old.Status, p.Status):
			reconciled = append(reconciled, p)
		}
	}
	for uid, p := range was {
		if now[uid] == nil {
			removed = append(removed, p)
		}
	}
	slices.SortFunc(removed, func(x, y *v1.Pod) int { return cmp.Compare(x.UID, y.UID) })
	a.config[u.source], a.delivered[u.source] = now, true
	for _, p := range slices.Concat(removed, added, updated, reconciled) {
		a.setMirror(p, now[p.UID] == nil)
	}
	a.mu.Unlock()
	for _, p := range invalid {
		a.events.pod(p, v1.EventTypeWarning, "FailedValidation", "Error validating pod %s from %s due to duplicate pod name %q, ignoring", describe(p), u.source, fullName(p))
	}
	for _, p := range removed {
		a.remove(p)
	}
	slices.SortStableFunc(added, func(x, y *v1.Pod) int { return x.CreationTimestamp.Compare(y.CreationTimestamp.Time) })
	for _, p := range added {
		a.add(p)
	}
	slices.SortStableFunc(updated, func(x, y *v1.Pod) int { // deletions come last
		return cmp.Compare(boolInt(x.DeletionTimestamp != nil), boolInt(y.DeletionTimestamp != nil))
	})
	for _, p := range updated {
		a.change(p)
	}
	for _, p := range reconciled {
		a.reconcile(p)
	}
	if first || len(removed) > 0 {
		a.resizes.retry()
	}
}

// differs reports whether a pod changed in what a sync acts on.
func differs(was, now *v1.Pod) bool {
	return !equality.Semantic.DeepEqual(was.Spec, now.Spec) || !equality.Semantic.DeepEqual(was.Labels, now.Labels) ||
		!equality.Semantic.DeepEqual(was.DeletionTimestamp, now.DeletionTimestamp) || !equality.Semantic.DeepEqual(was.DeletionGracePeriodSeconds, now.DeletionGracePeriodSeconds) ||
		!maps.Equal(was.Annotations, now.Annotations)
}

// setMirror remembers a mirror pod, or forgets it. It is called under the lock.
func (a *Agent) setMirror(p *v1.Pod, gone bool) {
	switch {
	case isStatic(p) || !isMirror(p):
	case !gone:
		a.mirrors[fullName(p)] = p
	case a.mirrors[fullName(p)] != nil && a.mirrors[fullName(p)].UID == p.UID:
		delete(a.mirrors, fullName(p))
	}
}

// configured returns the pods of all sources, without mirror pods.
func (a *Agent) configured() map[types.UID]*v1.Pod {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := map[types.UID]*v1.Pod{}
	for _, pods := range a.config {
		for uid, p := range pods {
			if isStatic(p) || !isMirror(p) {
				all[uid] = p
			}
		}
	}
	return all
}

// pod returns a pod that a source has, with its mirror pod; nil: none.
func (a *Agent) pod(uid types.UID) (pod, mirror *v1.Pod) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, pods := range a.config {
		if p := pods[uid]; p != nil && (isStatic(p) || !isMirror(p)) {
			return p, a.mirrorOf(p)
		}
	}
	return nil, nil
}

// mirrorOf returns the mirror pod of a static pod. It is called under the lock.
func (a *Agent) mirrorOf(p *v1.Pod) *v1.Pod {
	if !isStatic(p) {
		return nil
	}
	return a.mirrors[fullName(p)]
}

// mirrorPod returns the mirror pod that a static pod has, also one whose manifest is gone and not replaced; nil: none.
func (a *Agent) mirrorPod(p *v1.Pod) *v1.Pod {
	known, mirror := a.pod(p.UID)
	if known != nil {
		return mirror
	}
	a.mu.Lock()
	mirror = a.mirrorOf(p)
	a.mu.Unlock()
	if mirror == nil || !isMirrorOf(mirror, p) || a.staticOf(mirror) != nil {
		return nil
	}
	return mirror
}

// staticOf returns the static pod of a mirror pod; nil: none.
func (a *Agent) staticOf(mirror *v1.Pod) *v1.Pod {
	for _, p := range a.configured() {
		if isStatic(p) && fullName(p) == fullName(mirror) {
			return p
		}
	}
	return nil
}

// allDelivered reports whether each source has told its pods once.
func (a *Agent) allDelivered() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for source := range a.config {
		if !a.delivered[source] {
			return false
		}
	}
	return true
}

// requestSync syncs a pod soon.
func (a *Agent) requestSync(uid types.UID) {
	if p, mirror := a.pod(uid); p != nil {
		a.update(update{pod: p, mirror: mirror})
	}
}

// ofMirror syncs the static pod of a mirror pod, and reports whether p is a mirror pod.
func (a *Agent) ofMirror(p *v1.Pod) bool {
	if isStatic(p) || !isMirror(p) {
		return false
	}
	if s := a.staticOf(p); s != nil {
		a.requestSync(s.UID)
	}
	return true
}

// remove ends a pod that its source has no more. Before all sources have told their pods, housekeeping does it later.
func (a *Agent) remove(p *v1.Pod) {
	if !a.ofMirror(p) && a.allDelivered() {
		a.update(update{pod: p, kill: true})
	}
}

// add admits a pod and starts it.
func (a *Agent) add(p *v1.Pod) {
	if a.ofMirror(p) {
		return
	}
	if !a.isTerminating(p.UID) && !isTerminal(p.Status.Phase) {
		if reason, message := a.admit(p); reason != "" {
			a.reject(p, reason, message)
			return
		}
	}
	a.mu.Lock()
	mirror := a.mirrorOf(p)
	a.mu.Unlock()
	a.update(update{pod: p, mirror: mirror, create: true})
}

// change syncs a pod whose spec, labels or annotations changed, or which is being deleted.
func (a *Agent) change(p *v1.Pod) {
	if a.ofMirror(p) || a.isRejected(p.UID) && p.DeletionTimestamp == nil && !isTerminal(p.Status.Phase) {
		return
	}
	a.resizes.want(p)
	a.requestSync(p.UID)
}

// reconcile takes a change of the status alone: the status is compared at the next occasion, and no sync follows, unless readiness gates
// changed or the pod ended.
func (a *Agent) reconcile(p *v1.Pod) {
	if !isStatic(p) && isMirror(p) {
		return
	}
	if isTerminal(p.Status.Phase) {
		a.resizes.retry()
	}
	if a.isRejected(p.UID) {
		return
	}
	if len(p.Spec.ReadinessGates) > 0 {
		want := readyCondition(p, p.Status.Conditions, slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses), p.Status.Phase)
		if i := conditionIndex(p.Status.Conditions, v1.PodReady); i >= 0 && (p.Status.Conditions[i].Status != want.Status || p.Status.Conditions[i].Message != want.Message) {
			a.requestSync(p.UID)
		}
	}
	if p.Status.Reason == "Evicted" {
		a.collectContainersOf(p.UID, "", true)
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
