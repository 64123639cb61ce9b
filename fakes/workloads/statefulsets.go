package workloads

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var statefulSetKind = appsv1.SchemeGroupVersion.WithKind("StatefulSet")

const statefulSetController = "statefulset-controller"

// statefulSet is one sync of a StatefulSet.
type statefulSet struct {
	*manager
	*appsv1.StatefulSet // a copy
	history             *history
	current, update     *appsv1.ControllerRevision
}

func (m *manager) syncStatefulSet(namespace, name string) error {
	stored, ok := get[*appsv1.StatefulSet](m, statefulSets, namespace, name)
	if !ok {
		return nil
	}
	s := &statefulSet{manager: m, StatefulSet: stored.DeepCopy()}
	err := s.sync()
	return cmp.Or(err, writeStatus(m, statefulSets, s.StatefulSet, stored.Status, s.Status))
}

func (s *statefulSet) sync() (err error) {
	selector := selectorOf(s.StatefulSet)
	has, err := claim[*corev1.Pod](s.manager, pods, s.StatefulSet, statefulSetKind, selector)
	if err != nil {
		return err
	}
	s.history, err = s.manager.history(s.StatefulSet, statefulSetKind, selector, &s.Spec.Template, s.Status.CollisionCount)
	if s.Status.CollisionCount = cmp.Or(s.history.collisions, new(int32)); err != nil {
		return err
	}
	if s.update = s.history.update; s.update == nil { // it is being deleted
		return nil
	}
	s.current = s.update
	for _, r := range s.history.all {
		if r.Name == s.Status.CurrentRevision {
			s.current = r
		}
	}
	if s.DeletionTimestamp == nil {
		err = s.work(has)
	}
	s.setStatus()
	return cmp.Or(err, s.truncate(s.history, s.Spec.RevisionHistoryLimit, func(r *appsv1.ControllerRevision) bool {
		return r == s.current || slices.ContainsFunc(has, func(p *corev1.Pod) bool { return p.Labels[appsv1.ControllerRevisionHashLabelKey] == r.Name })
	}))
}

func (s *statefulSet) start() int {
	if s.Spec.Ordinals == nil {
		return 0
	}
	return int(s.Spec.Ordinals.Start)
}

func (s *statefulSet) inRange(n int) bool {
	return n >= s.start() && n < s.start()+int(*s.Spec.Replicas)
}

// ordinal returns the number of a StatefulSet's pod, or -1 if its name is not one that the set gives.
func ordinal(set *appsv1.StatefulSet, p *corev1.Pod) int {
	text, ok := strings.CutPrefix(p.Name, set.Name+"-")
	n, err := strconv.Atoi(text)
	if !ok || err != nil || n < 0 {
		return -1
	}
	return n
}

// steady reports whether a pod runs and has been ready for long enough.
func (s *statefulSet) steady(p *corev1.Pod) bool {
	if p == nil || p.DeletionTimestamp != nil || p.Status.Phase != corev1.PodRunning {
		return false
	}
	ok, left := available(p, s.Spec.MinReadySeconds)
	if !ok && left > 0 {
		s.after(statefulSets, s.StatefulSet, left)
	}
	return ok
}

// work makes the pods that are missing, in order, then deletes those beyond the end, from the last, then those of another revision. A set
// with ordered pods waits for each.
func (s *statefulSet) work(has []*corev1.Pod) error {
	ordered := s.Spec.PodManagementPolicy != appsv1.ParallelPodManagement
	replicas := make([]*corev1.Pod, *s.Spec.Replicas)
	var condemned []*corev1.Pod
	for _, p := range has {
		if n := ordinal(s.StatefulSet, p); s.inRange(n) {
			replicas[n-s.start()] = p
		} else if n >= 0 {
			condemned = append(condemned, p)
		}
	}
	for i, p := range replicas {
		wait, err := s.fill(i+s.start(), p)
		if err != nil || ordered && (wait || !s.steady(p)) {
			return err
		}
	}
	slices.SortFunc(condemned, func(a, b *corev1.Pod) int { return ordinal(s.StatefulSet, b) - ordinal(s.StatefulSet, a) })
	unsteady := slices.IndexFunc(condemned, func(p *corev1.Pod) bool { return !s.steady(p) })
	for i, p := range condemned {
		if err := s.keepClaims(p); err != nil {
			return err
		}
		if p.DeletionTimestamp == nil && (!ordered || unsteady < 0 || i == unsteady) {
			if err := s.removePod(p); err != nil {
				return err
			}
		}
		if ordered {
			return nil
		}
	}
	if s.Spec.UpdateStrategy.Type == appsv1.OnDeleteStatefulSetStrategyType {
		return nil
	}
	return s.roll(replicas)
}

// fill makes a pod that is missing, or removes one that has ended. wait: nothing of those after it may happen yet.
func (s *statefulSet) fill(n int, p *corev1.Pod) (wait bool, err error) {
	switch {
	case p == nil:
		return true, s.createPod(n)
	case ended(p) && p.DeletionTimestamp == nil:
		return true, s.removePod(p)
	case p.Status.Phase == corev1.PodPending:
		if err := s.createClaims(p); err != nil {
			return true, err
		}
	}
	return false, s.keepClaims(p)
}

// roll deletes pods of another revision, from the last one on, so many that maxUnavailable are not available.
func (s *statefulSet) roll(replicas []*corev1.Pod) error {
	partition, most := 0, 1
	if r := s.Spec.UpdateStrategy.RollingUpdate; r != nil {
		if r.Partition != nil {
			partition = int(*r.Partition)
		}
		most, _ = intstr.GetScaledValueFromIntOrPercent(intstr.ValueOrDefault(r.MaxUnavailable, intstr.FromInt32(1)), len(replicas), false)
	}
	most = max(most, 1)
	old := func(p *corev1.Pod) bool {
		return p != nil && p.DeletionTimestamp == nil && p.Labels[appsv1.ControllerRevisionHashLabelKey] != s.update.Name
	}
	parallel := s.Spec.PodManagementPolicy == appsv1.ParallelPodManagement
	for _, p := range replicas {
		if !s.steady(p) && (!parallel || !old(p)) {
			most--
		}
	}
	for i := len(replicas) - 1; i >= partition; i-- {
		if p := replicas[i]; old(p) && (most > 0 || parallel && !s.steady(p)) {
			if err := s.removePod(p); err != nil {
				return err
			}
			most--
		}
	}
	return nil
}

func (s *statefulSet) say(what, verb, subject, object string) {
	s.event(statefulSetController, statefulSetKind, s.StatefulSet, corev1.EventTypeNormal, "Successful"+verb, "%s %s%s in StatefulSet %s %s", verb, subject, object, s.Name, what)
}

func (s *statefulSet) removePod(p *corev1.Pod) error {
	err := s.remove(pods, p, "")
	if err == nil {
		s.say("successful", "Delete", "Pod ", p.Name)
	}
	return err
}

// createPod makes a pod of the present revision, or of the one before it below the partition.
func (s *statefulSet) createPod(n int) error {
	template, revision := &s.Spec.Template, s.update.Name
	before := s.start() + int(s.Status.CurrentReplicas)
	if r := s.Spec.UpdateStrategy.RollingUpdate; r != nil && r.Partition != nil {
		before = s.start() + int(*r.Partition)
	}
	if s.Spec.UpdateStrategy.Type == appsv1.RollingUpdateStatefulSetStrategyType && n < before {
		if t := templateOf(s.current); t != nil {
			template, revision = t, s.current.Name
		}
	}
	p := podOf(template, s.StatefulSet, statefulSetKind)
	p.GenerateName, p.Name = "", fmt.Sprintf("%s-%d", s.Name, n)
	p.Labels[appsv1.ControllerRevisionHashLabelKey], p.Labels[appsv1.StatefulSetPodNameLabel], p.Labels[appsv1.PodIndexLabel] = revision, p.Name, strconv.Itoa(n)
	p.Spec.Hostname, p.Spec.Subdomain = p.Name, s.Spec.ServiceName
	for _, c := range s.Spec.VolumeClaimTemplates {
		p.Spec.Volumes = append(slices.DeleteFunc(p.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == c.Name }), corev1.Volume{Name: c.Name, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claimName(&c, p)}}})
	}
	if err := s.createClaims(p); err != nil {
		return err
	}
	if _, err := create(s.manager, pods, p); err != nil {
		s.event(statefulSetController, statefulSetKind, s.StatefulSet, corev1.EventTypeWarning, "FailedCreate", "create Pod %s in StatefulSet %s failed error: %v", p.Name, s.Name, err)
		return err
	}
	s.say("successful", "Create", "Pod ", p.Name)
	return nil
}

func claimName(template *corev1.PersistentVolumeClaim, p *corev1.Pod) string {
	return template.Name + "-" + p.Name
}

func (s *statefulSet) createClaims(p *corev1.Pod) error {
	for _, t := range s.Spec.VolumeClaimTemplates {
		if _, ok := get[*corev1.PersistentVolumeClaim](s.manager, claims, s.Namespace, claimName(&t, p)); ok {
			continue
		}
		c := t.DeepCopy()
		c.Namespace, c.Name = s.Namespace, claimName(&t, p)
		if c.Labels == nil {
			c.Labels = map[string]string{}
		}
		maps.Copy(c.Labels, s.Spec.Selector.MatchLabels)
		if s.policy().WhenDeleted == appsv1.DeletePersistentVolumeClaimRetentionPolicyType {
			c.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(s.StatefulSet, statefulSetKind)}
		}
		if _, err := create(s.manager, claims, c); err != nil {
			return err
		}
		s.say("success", "Create", "Claim "+c.Name+" Pod ", p.Name)
	}
	return nil
}

func (s *statefulSet) policy() appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy {
	if p := s.Spec.PersistentVolumeClaimRetentionPolicy; p != nil {
		return *p
	}
	return appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{}
}

// keepClaims lets a pod's claims go with the set, or with a pod that the set has no place for, as persistentVolumeClaimRetentionPolicy says.
func (s *statefulSet) keepClaims(p *corev1.Pod) error {
	const remove = appsv1.DeletePersistentVolumeClaimRetentionPolicyType
	for _, t := range s.Spec.VolumeClaimTemplates {
		c, ok := get[*corev1.PersistentVolumeClaim](s.manager, claims, s.Namespace, claimName(&t, p))
		if !ok || c.DeletionTimestamp != nil {
			continue
		}
		refs := slices.DeleteFunc(without(c, p.UID), func(ref metav1.OwnerReference) bool { return ref.UID == s.UID })
		beyond := !s.inRange(ordinal(s.StatefulSet, p))
		switch policy := s.policy(); {
		case len(refs) > 0: // somebody else's
		case beyond && policy.WhenScaled == remove:
			refs = append(refs, *metav1.NewControllerRef(p, podKind))
		case policy.WhenDeleted == remove:
			refs = append(refs, *metav1.NewControllerRef(s.StatefulSet, statefulSetKind))
		}
		if equality.Semantic.DeepEqual(refs, c.OwnerReferences) {
			continue
		}
		if _, err := patch(s.manager, claims, c, map[string]any{"ownerReferences": refs}); err != nil {
			return err
		}
		s.say("successful", "Update", "Pod ", p.Name)
	}
	return nil
}

func (s *statefulSet) setStatus() {
	now := appsv1.StatefulSetStatus{ObservedGeneration: s.Generation, CollisionCount: s.Status.CollisionCount, Conditions: s.Status.Conditions,
		CurrentRevision: s.current.Name, UpdateRevision: s.update.Name}
	for _, p := range indexed[*corev1.Pod](s.manager, pods, string(s.UID)) {
		now.Replicas++
		if p.Status.Phase == corev1.PodRunning && ready(p) {
			now.ReadyReplicas++
			if ok, _ := available(p, s.Spec.MinReadySeconds); ok {
				now.AvailableReplicas++
			}
		}
		if p.DeletionTimestamp == nil && p.Labels[appsv1.ControllerRevisionHashLabelKey] == s.current.Name {
			now.CurrentReplicas++
		}
		if p.DeletionTimestamp == nil && p.Labels[appsv1.ControllerRevisionHashLabelKey] == s.update.Name {
			now.UpdatedReplicas++
		}
	}
	if want := *s.Spec.Replicas; now.UpdatedReplicas == want && now.ReadyReplicas == want && now.Replicas == want {
		now.CurrentReplicas, now.CurrentRevision = now.UpdatedReplicas, now.UpdateRevision
	}
	s.Status = now
}
