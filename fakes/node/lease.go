package node

import (
	"context"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// renewLease keeps the Node's lease, as k8s.io/component-helpers v0.37.1, apimachinery/lease/controller.go does. It writes none whose
// owner is not the Node of now.
func (a *Agent) renewLease() {
	leases := a.api.CoordinationV1().Leases(v1.NamespaceNodeLease)
	var last *coordinationv1.Lease
	update := func() bool {
		for range 5 {
			l, err := a.newLease(last)
			if err == nil {
				if l, err = leases.Update(a.ctx, l, metav1.UpdateOptions{}); err == nil {
					last = l
					return true
				}
			}
			if apierrors.IsConflict(err) {
				last, _ = a.ensureLease()
			}
			if last == nil || a.ctx.Err() != nil {
				break
			}
		}
		return false
	}
	interval := a.c.NodeLeaseDuration / 4
	for {
		if last == nil || !update() {
			created := false
			if last, created = a.ensureLease(); last != nil && !created {
				update()
			}
		}
		if !a.sleep(a.jitter(interval, 0.04)) {
			return
		}
	}
}

// ensureLease returns the lease, and whether it made it. It tries until it has one, or there is no Node to own it.
func (a *Agent) ensureLease() (*coordinationv1.Lease, bool) {
	leases := a.api.CoordinationV1().Leases(v1.NamespaceNodeLease)
	for wait := 100 * time.Millisecond; ; {
		l, err := leases.Get(a.ctx, a.c.Name, metav1.GetOptions{})
		if err == nil {
			return l, false
		}
		if apierrors.IsNotFound(err) {
			if l, err = a.newLease(nil); err != nil {
				return nil, false
			}
			if l, err = leases.Create(a.ctx, l, metav1.CreateOptions{}); err == nil {
				return l, true
			}
		}
		wait = min(2*wait, 7*time.Second)
		if !a.sleep(wait) {
			return nil, false
		}
	}
}

// newLease returns the lease to write; base is the one that exists.
func (a *Agent) newLease(base *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	owner, err := a.ownNode(a.ctx)
	if err != nil {
		return nil, err
	}
	l := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: a.c.Name, Namespace: v1.NamespaceNodeLease}}
	if base != nil {
		l = base.DeepCopy()
	}
	l.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: a.c.Name, UID: owner.UID}}
	l.Spec.HolderIdentity, l.Spec.LeaseDurationSeconds = new(a.c.Name), new(int32(a.c.NodeLeaseDuration/time.Second))
	l.Spec.RenewTime = new(metav1.NowMicro())
	return l, nil
}

// ownNode returns the Node of now, which owns leases and mirror pods.
func (a *Agent) ownNode(ctx context.Context) (*v1.Node, error) {
	a.mu.Lock()
	n := a.node
	a.mu.Unlock()
	if n != nil {
		return n, nil
	}
	return a.api.CoreV1().Nodes().Get(ctx, a.c.Name, metav1.GetOptions{})
}
