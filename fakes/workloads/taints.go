package workloads

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
)

// podsOn links a node with its pods.
func podsOn(m *manager, o metav1.Object) (all []types.NamespacedName) {
	for _, at := range m.cache.places("on/" + o.GetName()) {
		all = append(all, at.NamespacedName)
	}
	return all
}

// evict deletes a pod that does not tolerate a NoExecute taint of its node, or whose tolerationSeconds are over.
func (m *manager) evict(namespace, name string) error {
	key := types.NamespacedName{Namespace: namespace, Name: name}
	p, ok := get[*corev1.Pod](m, pods, namespace, name)
	if !ok || p.Spec.NodeName == "" || p.DeletionTimestamp != nil {
		delete(m.tainted, key)
		return nil
	}
	n, ok := get[*corev1.Node](m, nodes, "", p.Spec.NodeName)
	stays, limited := tolerated(p, n, ok)
	if !limited {
		delete(m.tainted, key)
		return nil
	}
	since, ok := m.tainted[key]
	if !ok {
		since = time.Now()
		m.tainted[key] = since
	}
	if left := time.Until(since.Add(stays)); left > 0 {
		m.after(pods, p, left)
		return nil
	}
	m.event("taint-eviction-controller", podKind, p, corev1.EventTypeNormal, "TaintManagerEviction", "Marking for deletion Pod %s/%s", namespace, name)
	return m.remove(pods, p, "")
}

// tolerated returns how long a pod may stay on a node that has NoExecute taints; limited is false if it may stay for ever.
func tolerated(p *corev1.Pod, n *corev1.Node, there bool) (stays time.Duration, limited bool) {
	if !there {
		return 0, false
	}
	for i := range n.Spec.Taints {
		t := &n.Spec.Taints[i]
		if t.Effect != corev1.TaintEffectNoExecute {
			continue
		}
		if !tolerates(p.Spec.Tolerations, t) {
			return 0, true
		}
		for _, by := range p.Spec.Tolerations {
			if by.TolerationSeconds == nil || !by.ToleratesTaint(klog.Background(), t, false) {
				continue
			}
			if s := time.Duration(*by.TolerationSeconds) * time.Second; !limited || s < stays {
				stays, limited = max(s, 0), true
			}
		}
	}
	return stays, limited
}
