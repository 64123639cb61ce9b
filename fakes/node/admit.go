package node

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
)

// admit returns why a pod may not run on this node; "": it may. What it may use is allocated to it then.
func (a *Agent) admit(p *v1.Pod) (reason, message string) {
	allocated := a.resizes.allocated(p)
	if reason, message = a.fits(allocated, a.cachedNode()); reason == "" {
		a.resizes.allocate(allocated)
	}
	return reason, message
}

// reject reports that a pod has failed before it ran.
func (a *Agent) reject(p *v1.Pod, reason, message string) {
	a.events.pod(p, v1.EventTypeWarning, reason, "%s", message)
	a.status.set(p, v1.PodStatus{Phase: v1.PodFailed, Reason: reason, Message: "Pod was rejected: " + message, QOSClass: qosOf(p), ObservedGeneration: p.Generation})
}

// isRejected reports whether a pod was refused: it has failed without a worker.
func (a *Agent) isRejected(uid types.UID) bool {
	st, ok := a.status.known(uid)
	a.mu.Lock()
	defer a.mu.Unlock()
	return ok && isTerminal(st.Phase) && a.workers[uid] == nil
}

// active returns the pods, as allocated, that use resources of the node, without one.
func (a *Agent) active(but types.UID) (all []*v1.Pod) {
	for uid, p := range a.configured() {
		st, ok := a.status.known(uid)
		a.mu.Lock()
		w := a.workers[uid]
		gone := w != nil && w.terminated || w == nil
		terminating := w != nil && w.terminating
		a.mu.Unlock()
		ended := isTerminal(p.Status.Phase) || ok && isTerminal(st.Phase)
		if uid == but || gone || ended && !terminating {
			continue
		}
		all = append(all, a.resizes.allocated(p))
	}
	return all
}

func (a *Agent) fits(p *v1.Pod, node *v1.Node) (reason, message string) {
	a.mu.Lock()
	disk := a.pressure.disk
	a.mu.Unlock()
	switch {
	case disk && !isCritical(p) && a.pleg.get(p.UID).ended(): // what an agent before this one ran goes on
		return "Evicted", "The node had condition: [DiskPressure]. "
	case p.Spec.OS != nil && string(p.Spec.OS.Name) != runtime.GOOS:
		return "PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS"
	case !matchesNode(p, node):
		return "NodeAffinity", "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"
	}
	for _, t := range node.Spec.Taints {
		if t.Effect == v1.TaintEffectNoExecute && !isStatic(p) && !slices.ContainsFunc(p.Spec.Tolerations, func(x v1.Toleration) bool { return tolerationFits(&x, &t) }) {
			return "TaintToleration", fmt.Sprintf("Predicate TaintToleration failed: node(s) had untolerated taint(s) {%s: %s}", t.Key, t.Value)
		}
	}
	others := a.active(p.UID)
	if reason, message = overflow(p, node, others); reason != "" {
		return reason, message
	}
	for _, other := range others {
		for c := range containers(other, false) {
			for d := range containers(p, false) {
				for _, x := range c.Ports {
					for _, y := range d.Ports {
						if x.HostPort != 0 && x.HostPort == y.HostPort && x.Protocol == y.Protocol && (x.HostIP == y.HostIP || x.HostIP == "" || y.HostIP == "") {
							return "NodePorts", "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports"
						}
					}
				}
			}
		}
	}
	if need := neededFeature(p); need != "" && !slices.Contains(declaredFeatures, need) {
		return "PodFeatureUnsupported", fmt.Sprintf("Pod requires node features that are not available: %s", need)
	}
	return "", ""
}

func tolerationFits(t *v1.Toleration, taint *v1.Taint) bool {
	return (t.Effect == "" || t.Effect == taint.Effect) && (t.Key == "" || t.Key == taint.Key) && (t.Operator == v1.TolerationOpExists || t.Value == taint.Value)
}

// overflow returns which resource of a node a pod takes too much of, beside others.
func overflow(p *v1.Pod, node *v1.Node, others []*v1.Pod) (reason, message string) {
	used := v1.ResourceList{v1.ResourcePods: *resource.NewQuantity(int64(len(others)), resource.DecimalSI)}
	for _, o := range others {
		for k, q := range requests(o) {
			was := used[k]
			was.Add(q)
			used[k] = was
		}
	}
	want := requests(p)
	want[v1.ResourcePods] = *resource.NewQuantity(1, resource.DecimalSI)
	for _, k := range []v1.ResourceName{v1.ResourcePods, v1.ResourceCPU, v1.ResourceMemory, v1.ResourceEphemeralStorage} {
		need, have, taken := want[k], node.Status.Allocatable[k], used[k]
		total := taken.DeepCopy()
		if total.Add(need); need.IsZero() || total.Cmp(have) <= 0 {
			continue
		}
		value := func(q resource.Quantity) int64 {
			if k == v1.ResourceCPU {
				return q.MilliValue()
			}
			return q.Value()
		}
		name := map[v1.ResourceName]string{v1.ResourcePods: "OutOfpods", v1.ResourceCPU: "OutOfcpu", v1.ResourceMemory: "OutOfmemory", v1.ResourceEphemeralStorage: "OutOfephemeral-storage"}[k]
		return name, fmt.Sprintf("Node didn't have enough resource: %s, requested: %d, used: %d, capacity: %d", k, value(need), value(taken), value(have))
	}
	return "", ""
}

// matchesNode reports whether a node has the labels that a pod asks for.
func matchesNode(p *v1.Pod, node *v1.Node) bool {
	if !labels.SelectorFromSet(p.Spec.NodeSelector).Matches(labels.Set(node.Labels)) {
		return false
	}
	if p.Spec.Affinity == nil || p.Spec.Affinity.NodeAffinity == nil || p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return true
	}
	return slices.ContainsFunc(p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms, func(t v1.NodeSelectorTerm) bool {
		return len(t.MatchExpressions)+len(t.MatchFields) > 0 && matchesAll(t.MatchExpressions, labels.Set(node.Labels)) && matchesAll(t.MatchFields, labels.Set{"metadata.name": node.Name})
	})
}

func matchesAll(all []v1.NodeSelectorRequirement, set labels.Set) bool {
	operators := map[v1.NodeSelectorOperator]selection.Operator{v1.NodeSelectorOpIn: selection.In, v1.NodeSelectorOpNotIn: selection.NotIn, v1.NodeSelectorOpExists: selection.Exists,
		v1.NodeSelectorOpDoesNotExist: selection.DoesNotExist, v1.NodeSelectorOpGt: selection.GreaterThan, v1.NodeSelectorOpLt: selection.LessThan}
	for _, e := range all {
		r, err := labels.NewRequirement(e.Key, operators[e.Operator], e.Values)
		if err != nil || !r.Matches(set) {
			return false
		}
	}
	return true
}

// neededFeature is a feature that a node must declare to run a pod; "": none.
func neededFeature(p *v1.Pod) string {
	switch {
	case mayRestartAll(p):
		return "RestartAllContainersOnContainerExits"
	case p.Spec.HostNetwork && p.Spec.HostUsers != nil && !*p.Spec.HostUsers:
		return "UserNamespacesHostNetworkSupport"
	}
	return ""
}

// pastDeadline reports whether a pod has been active for longer than it may.
func (a *Agent) pastDeadline(p *v1.Pod) bool {
	d := p.Spec.ActiveDeadlineSeconds
	if d == nil {
		return false
	}
	st, ok := a.status.known(p.UID)
	if !ok {
		st = p.Status
	}
	return st.StartTime != nil && (!isTerminal(st.Phase) || st.Reason == "DeadlineExceeded") && time.Since(st.StartTime.Time) >= time.Duration(*d)*time.Second
}
