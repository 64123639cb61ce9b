package node

import (
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// syncMirror makes the mirror pod of a static pod, and replaces one that is being deleted or has another hash. There is none before there is
// a Node.
func (a *Agent) syncMirror(p, mirror *v1.Pod) {
	if !isStatic(p) || a.api == nil {
		return
	}
	deleted := false
	if mirror != nil && (mirror.DeletionTimestamp != nil || !isMirrorOf(mirror, p)) {
		deleted = a.deleteMirror(mirror, &mirror.UID)
	}
	if mirror != nil && !deleted {
		return
	}
	a.mu.Lock()
	node := a.node
	a.mu.Unlock()
	if node == nil || node.DeletionTimestamp != nil {
		return
	}
	m := p.DeepCopy()
	metav1.SetMetaDataAnnotation(&m.ObjectMeta, noteConfigMirror, m.Annotations[noteConfigHash])
	m.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: a.c.Name, UID: node.UID, Controller: new(true)}}
	if _, err := a.api.CoreV1().Pods(m.Namespace).Create(a.ctx, m, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		a.log.Error("cannot create a mirror pod", "pod", describe(p), "err", err)
	}
}

// deleteMirror deletes a mirror pod at once, and reports whether it did. uid is nil for whichever has the name.
func (a *Agent) deleteMirror(mirror *v1.Pod, uid *types.UID) bool {
	o := metav1.DeleteOptions{GracePeriodSeconds: new(int64(0)), Preconditions: &metav1.Preconditions{UID: uid}}
	err := a.api.CoreV1().Pods(mirror.Namespace).Delete(a.ctx, mirror.Name, o)
	return err == nil
}

// registerStatic makes the mirror pods once the Node is there, also those of static pods that have ended.
func (a *Agent) registerStatic() {
	for uid, p := range a.configured() {
		if isStatic(p) {
			_, mirror := a.pod(uid)
			a.syncMirror(p, mirror)
		}
	}
}
