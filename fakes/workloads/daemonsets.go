package workloads

import (
	"cmp"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var daemonSetKind = appsv1.SchemeGroupVersion.WithKind("DaemonSet")

const daemonSetController = "daemonset-controller"

// daemonSet is one sync of a DaemonSet.
type daemonSet struct {
	*manager
	*appsv1.DaemonSet // a copy
	hash              string
	pods              map[string][]*corev1.Pod // by node, oldest first
}

// everyDaemonSet links a node with all DaemonSets.
func everyDaemonSet(m *manager, _ metav1.Object) (all []types.NamespacedName) {
	for _, d := range everywhere[*appsv1.DaemonSet](m, daemonSets) {
		all = append(all, types.NamespacedName{Namespace: d.Namespace, Name: d.Name})
	}
	return all
}

func (m *manager) syncDaemonSet(namespace, name string) error {
	stored, ok := get[*appsv1.DaemonSet](m, daemonSets, namespace, name)
	if !ok || stored.DeletionTimestamp != nil {
		return nil
	}
	d := &daemonSet{manager: m, DaemonSet: stored.DeepCopy()}
	h, err := m.history(stored, daemonSetKind, selectorOf(stored), &stored.Spec.Template, stored.Status.CollisionCount)
	if err == nil {
		d.hash = h.update.Labels[appsv1.ControllerRevisionHashLabelKey]
		err = d.sync()
		d.setStatus()
		err = cmp.Or(err, m.truncate(h, d.Spec.RevisionHistoryLimit, func(r *appsv1.ControllerRevision) bool {
			return slices.ContainsFunc(indexed[*corev1.Pod](m, pods, string(d.UID)), func(p *corev1.Pod) bool {
				return p.Labels[appsv1.ControllerRevisionHashLabelKey] == r.Labels[appsv1.ControllerRevisionHashLabelKey]
			})
		}))
	}
	d.Status.CollisionCount = h.collisions
	return cmp.Or(err, writeStatus(m, daemonSets, d.DaemonSet, stored.Status, d.Status))
}

// nodeOf is where a pod is, or will be: its affinity says so.
func nodeOf(p *corev1.Pod) string {
	if p.Spec.NodeName != "" || p.Spec.Affinity == nil || p.Spec.Affinity.NodeAffinity == nil || p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return p.Spec.NodeName
	}
	for _, t := range p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		if len(t.MatchFields) > 0 && len(t.MatchFields[0].Values) > 0 {
			return t.MatchFields[0].Values[0]
		}
	}
	return ""
}

// reread finds the pods of each node.
func (d *daemonSet) reread(all []*corev1.Pod) {
	d.pods = map[string][]*corev1.Pod{}
	slices.SortStableFunc(all, func(a, b *corev1.Pod) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	for _, p := range all {
		d.pods[nodeOf(p)] = append(d.pods[nodeOf(p)], p)
	}
}

// tolerations are those of every pod of a DaemonSet.
func (d *daemonSet) tolerations() []corev1.Toleration {
	all := slices.Clone(d.Spec.Template.Spec.Tolerations)
	add := func(effect corev1.TaintEffect, keys ...string) {
		for _, key := range keys {
			if !slices.ContainsFunc(all, func(t corev1.Toleration) bool {
				return t.Key == key && t.Effect == effect && t.Operator == corev1.TolerationOpExists
			}) {
				all = append(all, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: effect})
			}
		}
	}
	add(corev1.TaintEffectNoExecute, corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable)
	add(corev1.TaintEffectNoSchedule, corev1.TaintNodeDiskPressure, corev1.TaintNodeMemoryPressure, corev1.TaintNodePIDPressure, corev1.TaintNodeUnschedulable)
	if d.Spec.Template.Spec.HostNetwork {
		add(corev1.TaintEffectNoSchedule, corev1.TaintNodeNetworkUnavailable)
	}
	return all
}

// fits reports whether a node gets a pod, and whether it keeps one.
func (d *daemonSet) fits(n *corev1.Node) (run, stay bool) {
	if name := d.Spec.Template.Spec.NodeName; name != "" && name != n.Name || !selects(&d.Spec.Template.Spec, n) {
		return false, false
	}
	stay = untolerated(d.tolerations(), n, corev1.TaintEffectNoExecute) == nil
	return stay && untolerated(d.tolerations(), n, corev1.TaintEffectNoSchedule) == nil, stay
}

func (d *daemonSet) sync() error {
	all, err := claim[*corev1.Pod](d.manager, pods, d.DaemonSet, daemonSetKind, selectorOf(d.DaemonSet))
	if err != nil {
		return err
	}
	d.reread(all)
	var make []string
	var end []*corev1.Pod
	for _, n := range everywhere[*corev1.Node](d.manager, nodes) {
		run, stay := d.fits(n)
		has := d.pods[n.Name]
		alive := only(has, active)
		switch surge, _ := d.limits(); {
		case run && (len(has) == 0 || surge > 0 && len(alive) == 0):
			make = append(make, n.Name)
		case !stay:
			end = append(end, alive...)
		default:
			end = append(end, only(has, func(p *corev1.Pod) bool { return ended(p) && p.DeletionTimestamp == nil })...)
			if len(alive) > 1 && surge == 0 {
				end = append(end, alive[1:]...)
			}
		}
	}
	err = d.apply(make, end)
	if err == nil && d.Spec.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType {
		err = d.roll()
	}
	d.reread(indexed[*corev1.Pod](d.manager, pods, string(d.UID)))
	return err
}

// limits are maxSurge and maxUnavailable, of the nodes that get a pod.
func (d *daemonSet) limits() (surge, unavailable int) {
	r := d.Spec.UpdateStrategy.RollingUpdate
	if r == nil {
		return 0, 0
	}
	want := int32(0)
	for _, n := range everywhere[*corev1.Node](d.manager, nodes) {
		if run, _ := d.fits(n); run {
			want++
		}
	}
	s, u := fenceposts(r.MaxSurge, r.MaxUnavailable, max(want, 1))
	return int(s), int(u)
}

func (d *daemonSet) apply(make []string, end []*corev1.Pod) error {
	return cmp.Or(
		each(end, func(p *corev1.Pod) error { return d.removePod(daemonSetController, daemonSetKind, d.DaemonSet, p) }),
		each(make, func(node string) error {
			return d.createPod(daemonSetController, daemonSetKind, d.DaemonSet, d.podOn(node))
		}),
	)
}

// podOn makes a pod that only fits a node.
func (d *daemonSet) podOn(node string) *corev1.Pod {
	p := podOf(&d.Spec.Template, d.DaemonSet, daemonSetKind)
	p.Labels[appsv1.ControllerRevisionHashLabelKey] = d.hash
	if n := d.Annotations[appsv1.DeprecatedTemplateGeneration]; n != "" {
		p.Labels["pod-template-generation"] = n
	} else {
		p.Labels["pod-template-generation"] = strconv.FormatInt(d.Generation, 10)
	}
	p.Spec.Tolerations = d.tolerations()
	if p.Spec.Affinity == nil {
		p.Spec.Affinity = &corev1.Affinity{}
	}
	if p.Spec.Affinity.NodeAffinity == nil {
		p.Spec.Affinity.NodeAffinity = &corev1.NodeAffinity{}
	}
	p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchFields: []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}}}}
	return p
}

// roll replaces pods of another revision: without surge it deletes old ones first, with surge it makes new ones first.
func (d *daemonSet) roll() error {
	d.reread(indexed[*corev1.Pod](d.manager, pods, string(d.UID)))
	surge, unavailable := d.limits()
	var make, candidates []string
	var end, maybe []*corev1.Pod
	for _, n := range everywhere[*corev1.Node](d.manager, nodes) {
		if run, _ := d.fits(n); !run {
			continue
		}
		var old, now *corev1.Pod
		for _, p := range d.pods[n.Name] {
			switch {
			case !active(p):
			case p.Labels[appsv1.ControllerRevisionHashLabelKey] == d.hash:
				now = p
			default:
				old = p
			}
		}
		switch ok := d.available(now); {
		case old == nil && !ok:
			unavailable--
		case old == nil:
		case now != nil && ok:
			end = append(end, old)
		case now != nil:
			surge--
		case !d.available(old) && surge > 0:
			make = append(make, n.Name)
		case !d.available(old):
			end = append(end, old)
			unavailable--
		default:
			candidates, maybe = append(candidates, n.Name), append(maybe, old)
		}
	}
	if s, _ := d.limits(); s > 0 {
		make = append(make, candidates[:min(max(surge, 0), len(candidates))]...)
	} else {
		end = append(end, maybe[:min(max(unavailable, 0), len(maybe))]...)
	}
	return d.apply(make, end)
}

func (d *daemonSet) available(p *corev1.Pod) bool {
	if p == nil {
		return false
	}
	ok, left := available(p, d.Spec.MinReadySeconds)
	if !ok && left > 0 {
		d.after(daemonSets, d.DaemonSet, left)
	}
	return ok
}

func (d *daemonSet) setStatus() {
	s := appsv1.DaemonSetStatus{ObservedGeneration: d.Generation, CollisionCount: d.Status.CollisionCount, Conditions: d.Status.Conditions}
	for _, n := range everywhere[*corev1.Node](d.manager, nodes) {
		has := only(d.pods[n.Name], func(p *corev1.Pod) bool { return p.DeletionTimestamp == nil })
		run, _ := d.fits(n)
		if run {
			s.DesiredNumberScheduled++
		}
		if len(has) == 0 {
			continue
		}
		if !run {
			s.NumberMisscheduled++
			continue
		}
		s.CurrentNumberScheduled++
		if ready(has[0]) {
			s.NumberReady++
		}
		if d.available(has[0]) {
			s.NumberAvailable++
		}
		if has[0].Labels[appsv1.ControllerRevisionHashLabelKey] == d.hash {
			s.UpdatedNumberScheduled++
		}
	}
	s.NumberUnavailable = s.DesiredNumberScheduled - s.NumberAvailable
	d.Status = s
}
