package workloads

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
)

var podKind = corev1.SchemeGroupVersion.WithKind("Pod")

// pending links a node with the pods that have none.
func pending(m *manager, _ metav1.Object) (all []types.NamespacedName) {
	for _, at := range m.cache.places("on/") {
		all = append(all, at.NamespacedName)
	}
	return all
}

// untaint removes the taint not-ready from a node that is ready. The server gives it to each new node.
func (m *manager) untaint(_, name string) error {
	n, ok := get[*corev1.Node](m, nodes, "", name)
	notReady := func(t corev1.Taint) bool {
		return t.Key == corev1.TaintNodeNotReady && t.Effect == corev1.TaintEffectNoSchedule
	}
	if !ok || !slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	}) ||
		!slices.ContainsFunc(n.Spec.Taints, notReady) {
		return nil
	}
	n = n.DeepCopy()
	n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, notReady)
	_, err := update(m, nodes, n, "")
	return err
}

// schedule binds a pod without a node to the one that fits and has the fewest pods, or says why none fits.
func (m *manager) schedule(namespace, name string) error {
	p, ok := get[*corev1.Pod](m, pods, namespace, name)
	if !ok || p.Spec.NodeName != "" || p.DeletionTimestamp != nil || ended(p) || p.Spec.SchedulerName != corev1.DefaultSchedulerName || len(p.Spec.SchedulingGates) > 0 {
		return nil
	}
	var best *corev1.Node
	all, fewest, why := everywhere[*corev1.Node](m, nodes), 0, map[string]int{}
	for _, n := range all {
		if reason := m.unfit(p, n); reason != "" {
			why[reason]++
		} else if has := m.cache.count("on/" + n.Name); best == nil || has < fewest {
			best, fewest = n, has
		}
	}
	if best == nil {
		var reasons []string
		for reason, n := range why {
			reasons = append(reasons, fmt.Sprintf("%d %s", n, reason))
		}
		slices.Sort(reasons)
		return m.unschedulable(p, strings.TrimSuffix(fmt.Sprintf("0/%d nodes are available: %s", len(all), strings.Join(reasons, ", ")), ": ")+".")
	}
	b := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: p.UID}, Target: corev1.ObjectReference{Kind: "Node", Name: best.Name}}
	if _, err := m.api.Create(m.ctx, request(pods, p, "binding"), b, metav1.CreateOptions{}); err != nil {
		return ignoreMissing(err)
	}
	bound, err := m.api.Get(m.ctx, request(pods, p, ""), metav1.GetOptions{})
	if _, err = answered[*corev1.Pod](m, pods, bound, err); err == nil {
		m.event(corev1.DefaultSchedulerName, podKind, p, corev1.EventTypeNormal, "Scheduled", "Successfully assigned %s/%s to %s", namespace, name, best.Name)
	}
	return ignoreMissing(err)
}

func (m *manager) unschedulable(p *corev1.Pod, message string) error {
	now := p.DeepCopy()
	c := condition(now, corev1.PodScheduled)
	if c == nil {
		now.Status.Conditions = append(now.Status.Conditions, corev1.PodCondition{Type: corev1.PodScheduled, LastTransitionTime: metav1.Now()})
		c = condition(now, corev1.PodScheduled)
	}
	if c.Status == corev1.ConditionFalse && c.Message == message {
		return nil
	}
	c.Status, c.Reason, c.Message = corev1.ConditionFalse, corev1.PodReasonUnschedulable, message
	m.event(corev1.DefaultSchedulerName, podKind, p, corev1.EventTypeWarning, "FailedScheduling", "%s", message)
	_, err := update(m, pods, now, "status")
	return ignoreMissing(err)
}

// unfit says why a pod may not be on a node; "": it may.
func (m *manager) unfit(p *corev1.Pod, n *corev1.Node) string {
	switch taint := untolerated(p.Spec.Tolerations, n, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute); {
	case n.Spec.Unschedulable && !tolerates(p.Spec.Tolerations, &corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}):
		return "node(s) were unschedulable"
	case !selects(&p.Spec, n):
		return "node(s) didn't match Pod's node affinity/selector"
	case taint != nil:
		return "node(s) had untolerated taint(s)"
	}
	return m.tooLarge(p, n)
}

func tolerates(all []corev1.Toleration, taint *corev1.Taint) bool {
	return slices.ContainsFunc(all, func(t corev1.Toleration) bool { return t.ToleratesTaint(klog.Background(), taint, false) })
}

// untolerated returns the first of a node's taints with one of these effects that is not tolerated; nil: there is none.
func untolerated(all []corev1.Toleration, n *corev1.Node, effects ...corev1.TaintEffect) *corev1.Taint {
	for i := range n.Spec.Taints {
		if t := &n.Spec.Taints[i]; slices.Contains(effects, t.Effect) && !tolerates(all, t) {
			return t
		}
	}
	return nil
}

// selects reports whether a pod's nodeSelector and required node affinity allow a node.
func selects(spec *corev1.PodSpec, n *corev1.Node) bool {
	if !labels.SelectorFromSet(spec.NodeSelector).Matches(labels.Set(n.Labels)) {
		return false
	}
	if spec.Affinity == nil || spec.Affinity.NodeAffinity == nil || spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return true
	}
	fields := labels.Set{metav1.ObjectNameField: n.Name}
	return slices.ContainsFunc(spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms, func(t corev1.NodeSelectorTerm) bool {
		return len(t.MatchExpressions)+len(t.MatchFields) > 0 && matches(t.MatchExpressions, n.Labels) && matches(t.MatchFields, fields)
	})
}

func matches(all []corev1.NodeSelectorRequirement, set labels.Set) bool {
	operators := map[corev1.NodeSelectorOperator]selection.Operator{corev1.NodeSelectorOpIn: selection.In, corev1.NodeSelectorOpNotIn: selection.NotIn,
		corev1.NodeSelectorOpExists: selection.Exists, corev1.NodeSelectorOpDoesNotExist: selection.DoesNotExist, corev1.NodeSelectorOpGt: selection.GreaterThan, corev1.NodeSelectorOpLt: selection.LessThan}
	return !slices.ContainsFunc(all, func(r corev1.NodeSelectorRequirement) bool {
		req, err := labels.NewRequirement(r.Key, operators[r.Operator], r.Values)
		return err != nil || !req.Matches(set)
	})
}

// tooLarge compares requests with what a node has left, if it says what it has.
func (m *manager) tooLarge(p *corev1.Pod, n *corev1.Node) string {
	for _, what := range []corev1.ResourceName{corev1.ResourcePods, corev1.ResourceCPU, corev1.ResourceMemory} {
		has, ok := n.Status.Allocatable[what]
		wants := requests(p, what)
		if !ok || wants == 0 {
			continue
		}
		for _, other := range indexed[*corev1.Pod](m, pods, "on/"+n.Name) {
			if !ended(other) {
				wants += requests(other, what)
			}
		}
		if wants > has.MilliValue() && what == corev1.ResourcePods {
			return "Too many pods"
		} else if wants > has.MilliValue() {
			return "Insufficient " + string(what)
		}
	}
	return ""
}

// requests returns how much of a resource a pod requests, in thousandths of its unit.
func requests(p *corev1.Pod, what corev1.ResourceName) (n int64) {
	if what == corev1.ResourcePods {
		return 1000
	}
	for _, c := range p.Spec.Containers {
		n += c.Resources.Requests.Name(what, "").MilliValue()
	}
	first := int64(0)
	for _, c := range p.Spec.InitContainers {
		first = max(first, c.Resources.Requests.Name(what, "").MilliValue())
	}
	return max(n, first)
}
