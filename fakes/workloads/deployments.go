package workloads

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var deploymentKind = appsv1.SchemeGroupVersion.WithKind("Deployment")

const (
	revisionAnnotation = "deployment.kubernetes.io/revision"
	revisionsBefore    = "deployment.kubernetes.io/revision-history"
	desiredReplicas    = "deployment.kubernetes.io/desired-replicas"
	maxReplicas        = "deployment.kubernetes.io/max-replicas"
)

// ownAnnotations are not copied from a Deployment to its ReplicaSets.
var ownAnnotations = []string{corev1.LastAppliedConfigAnnotation, revisionAnnotation, revisionsBefore, desiredReplicas, maxReplicas, appsv1.DeprecatedRollbackTo}

// deployment is one sync of a Deployment.
type deployment struct {
	*manager
	*appsv1.Deployment                      // a copy, whose status and annotations are written at the end
	stored             *appsv1.Deployment   // as the cache has it
	current            *appsv1.ReplicaSet   // that of the template; nil: there is none yet
	old                []*appsv1.ReplicaSet // by age
	want               int32
	surge, unavailable int32
}

func (m *manager) syncDeployment(namespace, name string) error {
	stored, ok := get[*appsv1.Deployment](m, deployments, namespace, name)
	if !ok {
		return nil
	}
	sets, err := claim[*appsv1.ReplicaSet](m, replicaSets, stored, deploymentKind, selectorOf(stored))
	if err != nil {
		return err
	}
	d := &deployment{manager: m, Deployment: stored.DeepCopy(), stored: stored, want: *stored.Spec.Replicas}
	if s := stored.Spec.Strategy; s.Type == appsv1.RollingUpdateDeploymentStrategyType {
		d.surge, d.unavailable = fenceposts(s.RollingUpdate.MaxSurge, s.RollingUpdate.MaxUnavailable, d.want)
	}
	slices.SortStableFunc(sets, func(a, b *appsv1.ReplicaSet) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	for _, rs := range sets {
		if d.current == nil && sameTemplate(&rs.Spec.Template, &d.Spec.Template) {
			d.current = rs
		} else {
			d.old = append(d.old, rs)
		}
	}
	syncErr := d.sync()
	if equality.Semantic.DeepEqual(stored.Status, d.Status) && stored.Annotations[revisionAnnotation] == d.Annotations[revisionAnnotation] {
		return syncErr
	}
	_, err = update(m, deployments, d.Deployment, "status")
	return cmp.Or(syncErr, err)
}

// fenceposts resolves maxSurge and maxUnavailable, of which one at least is not 0.
func fenceposts(maxSurge, maxUnavailable *intstr.IntOrString, of int32) (surge, unavailable int32) {
	zero := intstr.FromInt32(0)
	s, _ := intstr.GetScaledValueFromIntOrPercent(cmp.Or(maxSurge, &zero), int(of), true)
	u, _ := intstr.GetScaledValueFromIntOrPercent(cmp.Or(maxUnavailable, &zero), int(of), false)
	if s == 0 && u == 0 {
		u = 1
	}
	return int32(s), min(int32(u), of)
}

func sameTemplate(a, b *corev1.PodTemplateSpec) bool {
	a, b = a.DeepCopy(), b.DeepCopy()
	delete(a.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
	delete(b.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
	return equality.Semantic.DeepEqual(a, b)
}

func (d *deployment) all() []*appsv1.ReplicaSet {
	if d.current == nil {
		return d.old
	}
	return append(slices.Clone(d.old), d.current)
}

func (d *deployment) sync() error {
	if d.DeletionTimestamp != nil {
		d.setStatus()
		return nil
	}
	d.pausedCondition()
	if err := d.syncCurrent(); err != nil {
		return err
	}
	resized := slices.ContainsFunc(d.all(), func(rs *appsv1.ReplicaSet) bool {
		n, err := strconv.Atoi(rs.Annotations[desiredReplicas])
		return specified(rs) > 0 && err == nil && int32(n) != d.want
	})
	var err error
	switch {
	case d.Spec.Paused || resized:
		err = d.resize()
	case d.rolling():
		err = d.rollRolling()
	default:
		err = d.rollRecreate()
	}
	if err == nil && (d.Spec.Paused || !resized && d.complete()) {
		err = d.cleanUp()
	}
	if d.setStatus(); !d.Spec.Paused && !resized {
		d.setProgress()
	}
	return err
}

func (d *deployment) rolling() bool {
	return d.Spec.Strategy.Type == appsv1.RollingUpdateDeploymentStrategyType
}

func (d *deployment) complete() bool {
	s := &d.Status
	return s.UpdatedReplicas == d.want && s.Replicas == d.want && s.AvailableReplicas == d.want && s.ObservedGeneration >= d.Generation
}

// syncCurrent brings the annotations of the current ReplicaSet up to date, and the Deployment's revision.
func (d *deployment) syncCurrent() error {
	if d.current == nil {
		return nil
	}
	rs := d.current.DeepCopy()
	rs.Spec.MinReadySeconds = d.Spec.MinReadySeconds
	d.annotate(rs)
	if !equality.Semantic.DeepEqual(rs, d.current) {
		out, err := update(d.manager, replicaSets, rs, "")
		if err != nil {
			return err
		}
		d.current = out
	}
	metav1.SetMetaDataAnnotation(&d.ObjectMeta, revisionAnnotation, rs.Annotations[revisionAnnotation])
	if d.condition(appsv1.DeploymentProgressing) == nil {
		d.setProgressing(corev1.ConditionTrue, "FoundNewReplicaSet", fmt.Sprintf("Found new replica set %q", rs.Name))
	}
	return nil
}

func revisionOf(rs *appsv1.ReplicaSet) int {
	n, _ := strconv.Atoi(rs.Annotations[revisionAnnotation])
	return n
}

// annotate copies the Deployment's annotations, and makes the ReplicaSet's revision the highest.
func (d *deployment) annotate(rs *appsv1.ReplicaSet) {
	if rs.Annotations == nil {
		rs.Annotations = map[string]string{}
	}
	for k, v := range d.Annotations {
		if !slices.Contains(ownAnnotations, k) {
			rs.Annotations[k] = v
		}
	}
	highest := 0
	for _, other := range d.old {
		highest = max(highest, revisionOf(other))
	}
	was, had := rs.Annotations[revisionAnnotation]
	if revisionOf(rs) > highest {
		return
	}
	rs.Annotations[revisionAnnotation] = strconv.Itoa(highest + 1)
	if had {
		rs.Annotations[revisionsBefore] = strings.TrimPrefix(rs.Annotations[revisionsBefore]+","+was, ",")
	}
}

// createCurrent creates the ReplicaSet of the template.
func (d *deployment) createCurrent() error {
	template := *d.Spec.Template.DeepCopy()
	hash := hashOf(template, d.Status.CollisionCount)
	metav1.SetMetaDataLabel(&template.ObjectMeta, appsv1.DefaultDeploymentUniqueLabelKey, hash)
	selector := d.Spec.Selector.DeepCopy()
	metav1.AddLabelToSelector(selector, appsv1.DefaultDeploymentUniqueLabelKey, hash)
	rs := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: d.Namespace, Name: fmt.Sprintf("%.242s-%s", d.Name, hash), Labels: maps.Clone(template.Labels),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(d, deploymentKind)}},
		Spec: appsv1.ReplicaSetSpec{Replicas: new(int32), MinReadySeconds: d.Spec.MinReadySeconds, Selector: selector, Template: template},
	}
	*rs.Spec.Replicas = d.room(0)
	d.annotate(rs)
	d.annotateReplicas(rs)
	out, err := create(d.manager, replicaSets, rs)
	if apierrors.IsAlreadyExists(err) { // of another Deployment, or of another template with the same hash
		d.Status.CollisionCount = new(*cmp.Or(d.Status.CollisionCount, new(int32)) + 1)
		return err
	}
	if err != nil {
		const failed = "ReplicaSetCreateError"
		d.event("deployment-controller", deploymentKind, d, corev1.EventTypeWarning, failed, "Failed to create new replica set %q: %v", rs.Name, err)
		d.setProgressing(corev1.ConditionFalse, failed, fmt.Sprintf("Failed to create new replica set %q: %v", rs.Name, err))
		return err
	}
	if n := *out.Spec.Replicas; n > 0 {
		d.event("deployment-controller", deploymentKind, d, corev1.EventTypeNormal, "ScalingReplicaSet", "Scaled up replica set %s from 0 to %d", out.Name, n)
	}
	d.current = out
	metav1.SetMetaDataAnnotation(&d.ObjectMeta, revisionAnnotation, out.Annotations[revisionAnnotation])
	d.setProgressing(corev1.ConditionTrue, "NewReplicaSetCreated", fmt.Sprintf("Created new replica set %q", out.Name))
	return nil
}

// room returns how many replicas a ReplicaSet with n may have, so that all together stay within maxSurge.
func (d *deployment) room(n int32) int32 {
	if !d.rolling() {
		return d.want
	}
	left := d.want + d.surge - sum(d.all(), specified)
	return n + max(0, min(left, d.want-n))
}

func (d *deployment) annotateReplicas(rs *appsv1.ReplicaSet) {
	metav1.SetMetaDataAnnotation(&rs.ObjectMeta, desiredReplicas, strconv.Itoa(int(d.want)))
	metav1.SetMetaDataAnnotation(&rs.ObjectMeta, maxReplicas, strconv.Itoa(int(d.want+d.surge)))
}

func specified(rs *appsv1.ReplicaSet) int32 { return *rs.Spec.Replicas }

func usable(rs *appsv1.ReplicaSet) int32 { return rs.Status.AvailableReplicas }

func sum(sets []*appsv1.ReplicaSet, f func(*appsv1.ReplicaSet) int32) (n int32) {
	for _, rs := range sets {
		n += f(rs)
	}
	return n
}

// scale sets the replicas of a ReplicaSet, in its place among d's.
func (d *deployment) scale(rs *appsv1.ReplicaSet, n int32) error {
	now, was := rs.DeepCopy(), *rs.Spec.Replicas
	*now.Spec.Replicas = n
	d.annotateReplicas(now)
	out, err := update(d.manager, replicaSets, now, "")
	if err != nil {
		return err
	}
	if how := "up"; n != was {
		if n < was {
			how = "down"
		}
		d.event("deployment-controller", deploymentKind, d, corev1.EventTypeNormal, "ScalingReplicaSet", "Scaled %s replica set %s from %d to %d", how, rs.Name, was, n)
	}
	if rs == d.current {
		d.current = out
	} else if i := slices.Index(d.old, rs); i >= 0 {
		d.old[i] = out
	}
	return nil
}

// scaleTo is scale where that changes something.
func (d *deployment) scaleTo(rs *appsv1.ReplicaSet, n int32) error {
	if specified(rs) == n {
		return nil
	}
	return d.scale(rs, n)
}

// resize follows a change of spec.replicas: in the middle of a rollout all ReplicaSets with pods grow or shrink by the same proportion.
func (d *deployment) resize() error {
	all := d.all()
	some := only(all, func(rs *appsv1.ReplicaSet) bool { return specified(rs) > 0 })
	switch {
	case len(all) == 0:
		return nil
	case len(some) == 0: // the current one grows, or the youngest
		return d.scaleTo(all[len(all)-1], d.want)
	case len(some) == 1:
		return d.scaleTo(some[0], d.want)
	case d.current != nil && specified(d.current) == d.want && d.current.Annotations[desiredReplicas] == strconv.Itoa(int(d.want)) && usable(d.current) == d.want:
		return each(d.old, func(rs *appsv1.ReplicaSet) error { return d.scaleTo(rs, 0) })
	case !d.rolling():
		return nil
	}
	return d.resizeInProportion(some)
}

func (d *deployment) resizeInProportion(some []*appsv1.ReplicaSet) error {
	allowed := d.want + d.surge
	if d.want == 0 {
		allowed = 0
	}
	left := allowed - sum(some, specified)
	grows := left > 0
	slices.SortStableFunc(some, func(a, b *appsv1.ReplicaSet) int {
		age := a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
		if grows {
			age = -age
		}
		return cmp.Or(int(specified(b)-specified(a)), age)
	})
	sizes := make([]int32, len(some))
	for i, rs := range some {
		share := d.share(rs)
		switch {
		case left == 0:
			share = 0
		case grows:
			share = min(share, left)
		default:
			share = max(share, left)
		}
		sizes[i] = specified(rs) + share
		left -= share
	}
	sizes[0] = max(0, sizes[0]+left)
	i := -1
	return each(some, func(rs *appsv1.ReplicaSet) error {
		i++
		return d.scale(rs, sizes[i])
	})
}

// share returns by how many replicas a ReplicaSet grows or shrinks to keep its proportion.
func (d *deployment) share(rs *appsv1.ReplicaSet) int32 {
	if d.want == 0 {
		return -specified(rs)
	}
	before, err := strconv.Atoi(rs.Annotations[maxReplicas])
	if err != nil || before == 0 {
		if before = int(d.Status.Replicas); before == 0 {
			return 0
		}
	}
	return int32(math.Round(float64(specified(rs)*(d.want+d.surge))/float64(before))) - specified(rs)
}

func (d *deployment) rollRolling() error {
	if d.current == nil {
		return d.createCurrent()
	}
	n := d.want
	if specified(d.current) < d.want {
		n = d.room(specified(d.current))
	}
	if n == specified(d.current) {
		return d.shrinkOld()
	}
	return d.scale(d.current, n)
}

// shrinkOld takes pods from the old ReplicaSets, so that enough of all stay available: first those that are not.
func (d *deployment) shrinkOld() error {
	least := d.want - d.unavailable
	most := sum(d.all(), specified) - least - (specified(d.current) - usable(d.current))
	err := each(slices.Clone(d.old), func(rs *appsv1.ReplicaSet) error {
		n := max(0, min(most, specified(rs)-usable(rs)))
		most -= n
		return d.scaleTo(rs, specified(rs)-n)
	})
	if err != nil || most <= 0 {
		return err
	}
	spare := sum(d.all(), usable) - least
	return each(slices.Clone(d.old), func(rs *appsv1.ReplicaSet) error {
		n := max(0, min(spare, specified(rs)))
		spare -= n
		return d.scaleTo(rs, specified(rs)-n)
	})
}

// rollRecreate waits until no pod of an old ReplicaSet is left.
func (d *deployment) rollRecreate() error {
	if err := each(slices.Clone(d.old), func(rs *appsv1.ReplicaSet) error { return d.scaleTo(rs, 0) }); err != nil {
		return err
	}
	for _, rs := range d.old {
		if rs.Status.Replicas > 0 || slices.ContainsFunc(indexed[*corev1.Pod](d.manager, pods, string(rs.UID)), func(p *corev1.Pod) bool { return !ended(p) }) {
			return nil
		}
	}
	if d.current == nil {
		return d.createCurrent()
	}
	return d.scaleTo(d.current, d.want)
}

// cleanUp deletes the oldest ReplicaSets beyond revisionHistoryLimit.
func (d *deployment) cleanUp() error {
	if d.Spec.RevisionHistoryLimit == nil || *d.Spec.RevisionHistoryLimit == math.MaxInt32 {
		return nil
	}
	idle := only(d.old, func(rs *appsv1.ReplicaSet) bool { return rs.DeletionTimestamp == nil })
	slices.SortStableFunc(idle, func(a, b *appsv1.ReplicaSet) int { return revisionOf(a) - revisionOf(b) })
	return each(idle[:max(0, len(idle)-int(*d.Spec.RevisionHistoryLimit))], func(rs *appsv1.ReplicaSet) error {
		if rs.Status.Replicas != 0 || specified(rs) != 0 || rs.Generation > rs.Status.ObservedGeneration {
			return nil
		}
		return d.remove(replicaSets, rs, "")
	})
}

func (d *deployment) pausedCondition() {
	c := d.condition(appsv1.DeploymentProgressing)
	switch was := c != nil && c.Reason == "DeploymentPaused"; {
	case c != nil && c.Reason == "ProgressDeadlineExceeded":
	case d.Spec.Paused && !was:
		d.setProgressing(corev1.ConditionUnknown, "DeploymentPaused", "Deployment is paused")
	case !d.Spec.Paused && was:
		d.setProgressing(corev1.ConditionUnknown, "DeploymentResumed", "Deployment is resumed")
	}
}

// setProgressing sets the condition Progressing of a Deployment that has a deadline for that.
func (d *deployment) setProgressing(status corev1.ConditionStatus, reason, message string) {
	if s := d.Spec.ProgressDeadlineSeconds; s != nil && *s != math.MaxInt32 {
		d.setCondition(appsv1.DeploymentProgressing, status, reason, message)
	}
}

func (d *deployment) condition(what appsv1.DeploymentConditionType) *appsv1.DeploymentCondition {
	for i := range d.Status.Conditions {
		if d.Status.Conditions[i].Type == what {
			return &d.Status.Conditions[i]
		}
	}
	return nil
}

// setCondition sets a condition, unless it has that status and reason.
func (d *deployment) setCondition(what appsv1.DeploymentConditionType, status corev1.ConditionStatus, reason, message string) {
	now := metav1.Now()
	c := appsv1.DeploymentCondition{Type: what, Status: status, Reason: reason, Message: message, LastUpdateTime: now, LastTransitionTime: now}
	if was := d.condition(what); was != nil {
		if was.Status == status && was.Reason == reason {
			return
		}
		if was.Status == status {
			c.LastTransitionTime = was.LastTransitionTime
		}
	}
	d.dropCondition(what)
	d.Status.Conditions = append(d.Status.Conditions, c)
}

func (d *deployment) dropCondition(what appsv1.DeploymentConditionType) {
	d.Status.Conditions = slices.DeleteFunc(d.Status.Conditions, func(c appsv1.DeploymentCondition) bool { return c.Type == what })
}

// setStatus counts what the ReplicaSets say of themselves.
func (d *deployment) setStatus() {
	all, s := d.all(), &d.Status
	s.ObservedGeneration = d.Generation
	s.Replicas = sum(all, func(rs *appsv1.ReplicaSet) int32 { return rs.Status.Replicas })
	s.ReadyReplicas = sum(all, func(rs *appsv1.ReplicaSet) int32 { return rs.Status.ReadyReplicas })
	s.AvailableReplicas = sum(all, usable)
	s.UnavailableReplicas = max(0, sum(all, specified)-s.AvailableReplicas)
	s.UpdatedReplicas = 0
	if d.current != nil {
		s.UpdatedReplicas = d.current.Status.Replicas
	}
	s.TerminatingReplicas = new(sum(all, func(rs *appsv1.ReplicaSet) int32 { return *cmp.Or(rs.Status.TerminatingReplicas, new(int32)) }))
	if s.AvailableReplicas >= d.want-d.unavailable {
		d.setCondition(appsv1.DeploymentAvailable, corev1.ConditionTrue, "MinimumReplicasAvailable", "Deployment has minimum availability.")
		return
	}
	d.setCondition(appsv1.DeploymentAvailable, corev1.ConditionFalse, "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
}

// setProgress says how the rollout goes on, and what keeps ReplicaSets from making pods.
func (d *deployment) setProgress() {
	d.dropCondition(appsv1.DeploymentReplicaFailure)
	sets := slices.Clone(d.all())
	slices.Reverse(sets)
	for _, rs := range sets {
		if i := slices.IndexFunc(rs.Status.Conditions, func(c appsv1.ReplicaSetCondition) bool { return c.Type == appsv1.ReplicaSetReplicaFailure }); i >= 0 {
			c := rs.Status.Conditions[i]
			d.Status.Conditions = append(d.Status.Conditions, appsv1.DeploymentCondition{Type: appsv1.DeploymentReplicaFailure, Status: c.Status,
				LastTransitionTime: c.LastTransitionTime, LastUpdateTime: c.LastTransitionTime, Reason: c.Reason, Message: c.Message})
			break
		}
	}
	if d.Spec.ProgressDeadlineSeconds == nil || *d.Spec.ProgressDeadlineSeconds == math.MaxInt32 {
		d.dropCondition(appsv1.DeploymentProgressing)
		return
	}
	const what = appsv1.DeploymentProgressing
	c, now, was := d.condition(what), &d.Status, &d.stored.Status
	if now.Replicas == now.UpdatedReplicas && c != nil && c.Reason == "NewReplicaSetAvailable" {
		return
	}
	name := fmt.Sprintf("Deployment %q", d.Name)
	if d.current != nil {
		name = fmt.Sprintf("ReplicaSet %q", d.current.Name)
	}
	switch {
	case d.complete():
		d.setProgressing(corev1.ConditionTrue, "NewReplicaSetAvailable", name+" has successfully progressed.")
	case now.UpdatedReplicas > was.UpdatedReplicas || now.Replicas-now.UpdatedReplicas < was.Replicas-was.UpdatedReplicas || now.ReadyReplicas > was.ReadyReplicas || now.AvailableReplicas > was.AvailableReplicas:
		if d.setProgressing(corev1.ConditionTrue, "ReplicaSetUpdated", name+" is progressing."); c != nil {
			d.condition(what).LastUpdateTime = metav1.Now()
		}
		d.after(deployments, d, time.Duration(*d.Spec.ProgressDeadlineSeconds+1)*time.Second)
	case c != nil && c.Reason != "NewReplicaSetAvailable" && c.Reason != "ProgressDeadlineExceeded":
		if left := time.Until(c.LastUpdateTime.Add(time.Duration(*d.Spec.ProgressDeadlineSeconds) * time.Second)); left > 0 {
			d.after(deployments, d, left+time.Second)
		} else {
			d.setProgressing(corev1.ConditionFalse, "ProgressDeadlineExceeded", name+" has timed out progressing.")
		}
	}
}
