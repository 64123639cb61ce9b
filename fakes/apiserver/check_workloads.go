package apiserver

import (
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// workload is what all that makes pods has in common.
type workload struct {
	kind     string // in messages
	selector *metav1.LabelSelector
	template *corev1.PodTemplateSpec
	replicas *int32
	ready    int32  // minReadySeconds
	history  *int32 // revisionHistoryLimit; nil: not judged
}

// check judges it in place of one with the old selector; nil: there was none, or it may change.
func (w workload) check(old *metav1.LabelSelector) (errs field.ErrorList) {
	spec := field.NewPath("spec")
	if w.replicas != nil {
		errs = append(errs, atLeast0(spec.Child("replicas"), w.replicas)...)
	}
	late := append(atLeast0(spec.Child("minReadySeconds"), &w.ready), atLeast0(spec.Child("revisionHistoryLimit"), w.history)...)
	switch {
	case w.kind == "statefulset" || w.history == nil:
		errs, late = append(errs, late...), nil
	case w.kind == "deployment": // checkStrategy has them
		late = nil
	}
	if w.selector == nil {
		errs = append(errs, field.Required(spec.Child("selector"), ""))
	} else {
		broken := checkSelector(w.selector, spec.Child("selector"))
		if errs = append(errs, broken...); w.kind == "statefulset" && len(broken) > 0 {
			errs = append(errs, field.Invalid(spec.Child("selector"), w.selector, ""))
		}
		if len(w.selector.MatchLabels)+len(w.selector.MatchExpressions) == 0 {
			errs = append(errs, field.Invalid(spec.Child("selector"), w.selector, "empty selector is invalid for "+w.kind))
		}
	}
	selector, err := metav1.LabelSelectorAsSelector(w.selector)
	switch {
	case err != nil && w.kind == "deployment":
		errs = append(errs, field.Invalid(spec.Child("selector"), w.selector, "invalid label selector"))
	case err == nil && (w.selector == nil || !selector.Matches(labels.Set(w.template.Labels))):
		errs = append(errs, field.Invalid(spec.Child("template", "metadata", "labels"), w.template.Labels, "`selector` does not match template `labels`"))
	}
	if err == nil || w.kind == "daemonset" {
		errs = append(errs, w.checkTemplate(spec.Child("template"))...)
	}
	errs = append(errs, late...)
	if old != nil {
		errs = append(errs, immutable(spec.Child("selector"), w.selector, old)...)
	}
	return errs
}

// checkTemplate: its pods are there for ever.
func (w workload) checkTemplate(path *field.Path) field.ErrorList {
	errs := metav1validation.ValidateLabels(w.template.Labels, path.Child("labels"))
	at, spec := path.Child("spec"), &w.template.Spec
	errs = append(errs, checkPodSpec(spec, at)...)
	if p := spec.RestartPolicy; p == corev1.RestartPolicyNever || p == corev1.RestartPolicyOnFailure {
		errs = append(errs, field.NotSupported(at.Child("restartPolicy"), p, []corev1.RestartPolicy{corev1.RestartPolicyAlways}))
	}
	if spec.ActiveDeadlineSeconds != nil {
		kind := map[string]string{"deployment": "ReplicaSet", "statefulset": "StatefulSet", "daemonset": "DaemonSet", "replicationcontroller": "ReplicationController"}[w.kind]
		errs = append(errs, field.Forbidden(at.Child("activeDeadlineSeconds"), "activeDeadlineSeconds in "+kind+" is not Supported"))
	}
	return errs
}

// checkStrategy is about how a deployment replaces its pods.
func checkStrategy(d *appsv1.Deployment) (errs field.ErrorList) {
	path := field.NewPath("spec", "strategy")
	s, rolling := d.Spec.Strategy, path.Child("rollingUpdate")
	switch s.Type {
	case appsv1.RecreateDeploymentStrategyType:
		if s.RollingUpdate != nil {
			errs = append(errs, field.Forbidden(rolling, "may not be specified when strategy `type` is 'Recreate'"))
		}
	case appsv1.RollingUpdateDeploymentStrategyType:
		if r := s.RollingUpdate; r != nil {
			errs = append(errs, checkShare(rolling.Child("maxUnavailable"), r.MaxUnavailable)...)
			errs = append(errs, checkShare(rolling.Child("maxSurge"), r.MaxSurge)...)
			if none(r.MaxUnavailable) && none(r.MaxSurge) {
				errs = append(errs, field.Invalid(rolling.Child("maxUnavailable"), number(r.MaxUnavailable), "may not be 0 when `maxSurge` is 0"))
			}
			errs = append(errs, atMostAll(rolling.Child("maxUnavailable"), r.MaxUnavailable)...)
		}
	default:
		inside := struct {
			Type          string
			RollingUpdate *appsv1.RollingUpdateDeployment
		}{string(s.Type), s.RollingUpdate}
		errs = append(errs, field.NotSupported(path, any(inside), []string{"Recreate", "RollingUpdate"}))
	}
	errs = append(append(errs, atLeast0(field.NewPath("spec", "minReadySeconds"), &d.Spec.MinReadySeconds)...), atLeast0(field.NewPath("spec", "revisionHistoryLimit"), d.Spec.RevisionHistoryLimit)...)
	if p := d.Spec.ProgressDeadlineSeconds; p != nil && *p <= d.Spec.MinReadySeconds {
		errs = append(errs, field.Invalid(field.NewPath("spec", "progressDeadlineSeconds"), *p, "must be greater than minReadySeconds"))
	}
	return errs
}

func checkStatefulSet(s *appsv1.StatefulSet) (errs field.ErrorList) {
	spec := field.NewPath("spec")
	if p := s.Spec.PodManagementPolicy; p != appsv1.OrderedReadyPodManagement && p != appsv1.ParallelPodManagement {
		errs = append(errs, field.Invalid(spec.Child("podManagementPolicy"), p, "must be 'OrderedReady' or 'Parallel'"))
	}
	u := s.Spec.UpdateStrategy
	if u.Type != appsv1.RollingUpdateStatefulSetStrategyType && u.Type != appsv1.OnDeleteStatefulSetStrategyType {
		inside := struct {
			Type          string
			RollingUpdate *struct{}
		}{Type: string(u.Type)}
		errs = append(errs, field.Invalid(spec.Child("updateStrategy"), inside, "must be 'RollingUpdate' or 'OnDelete'"))
	}
	if r, path := u.RollingUpdate, spec.Child("updateStrategy", "rollingUpdate"); r != nil {
		errs = append(errs, checkRollingSet(u.Type, r, path)...)
	}
	if p, path := s.Spec.PersistentVolumeClaimRetentionPolicy, spec.Child("persistentVolumeClaimRetentionPolicy"); p != nil {
		errs = append(errs, checkRetention(p.WhenDeleted, path.Child("whenDeleted"))...)
		errs = append(errs, checkRetention(p.WhenScaled, path.Child("whenScaled"))...)
	}
	if o := s.Spec.Ordinals; o != nil {
		errs = append(errs, atLeast0(spec.Child("ordinals.start"), &o.Start)...)
	}
	if n := s.Spec.ServiceName; n != "" {
		errs = append(errs, wrongs(spec.Child("serviceName"), n, validation.NameIsDNSLabel(n, false))...)
	}
	return errs
}

// podOfSet is a StatefulSet's template as its pods are: each has claims of its own as volumes, and a name
// that the controller gives it.
func podOfSet(s *appsv1.StatefulSetSpec) *corev1.PodTemplateSpec {
	if len(s.VolumeClaimTemplates) == 0 && s.Template.Spec.Hostname == "" && s.Template.Spec.Subdomain == "" {
		return &s.Template
	}
	out := s.Template.DeepCopy()
	out.Spec.Hostname, out.Spec.Subdomain, out.Spec.Volumes = "", "", nil
	for _, c := range s.VolumeClaimTemplates {
		claim := &corev1.PersistentVolumeClaimVolumeSource{ClaimName: c.Name}
		out.Spec.Volumes = append(out.Spec.Volumes, corev1.Volume{Name: c.Name, VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: claim}})
	}
	for _, v := range s.Template.Spec.Volumes {
		if !slices.ContainsFunc(s.VolumeClaimTemplates, func(c corev1.PersistentVolumeClaim) bool { return c.Name == v.Name }) {
			out.Spec.Volumes = append(out.Spec.Volumes, v)
		}
	}
	return out
}

// checkRollingSet is about how a StatefulSet replaces its pods.
func checkRollingSet(how appsv1.StatefulSetUpdateStrategyType, r *appsv1.RollingUpdateStatefulSetStrategy, path *field.Path) (errs field.ErrorList) {
	if how == appsv1.OnDeleteStatefulSetStrategyType {
		inside := struct {
			Partition      int32
			MaxUnavailable *intstr.IntOrString
		}{valueOf(r.Partition), r.MaxUnavailable}
		return field.ErrorList{field.Invalid(path, inside, "only allowed for updateStrategy 'RollingUpdate'")}
	}
	errs = atLeast0(path.Child("partition"), r.Partition)
	unavailable := path.Child("maxUnavailable")
	errs = append(errs, checkShare(unavailable, r.MaxUnavailable)...)
	if none(r.MaxUnavailable) {
		errs = append(errs, field.Invalid(unavailable, number(r.MaxUnavailable), "cannot be 0"))
	}
	return append(errs, atMostAll(unavailable, r.MaxUnavailable)...)
}

// checkRetention: a claim stays or goes.
func checkRetention(p appsv1.PersistentVolumeClaimRetentionPolicyType, path *field.Path) field.ErrorList {
	return oneOf(path, p, appsv1.RetainPersistentVolumeClaimRetentionPolicyType, appsv1.DeletePersistentVolumeClaimRetentionPolicyType)
}

func checkDaemonSet(d *appsv1.DaemonSet) field.ErrorList {
	path, u := field.NewPath("spec", "updateStrategy"), d.Spec.UpdateStrategy
	switch u.Type {
	case appsv1.OnDeleteDaemonSetStrategyType:
	case appsv1.RollingUpdateDaemonSetStrategyType:
		if r := u.RollingUpdate; r != nil {
			return checkRollingDaemons(r, path.Child("rollingUpdate"))
		}
	default:
		inside := struct {
			Type          string
			RollingUpdate *struct{}
		}{Type: string(u.Type)}
		return field.ErrorList{field.NotSupported(path, any(inside), []string{"RollingUpdate", "OnDelete"})}
	}
	return nil
}

// checkRollingDaemons: on a node the new pod comes before the old one goes, or after.
func checkRollingDaemons(r *appsv1.RollingUpdateDaemonSet, path *field.Path) (errs field.ErrorList) {
	unavailable, surge := path.Child("maxUnavailable"), path.Child("maxSurge")
	errs = slices.Concat(checkShare(unavailable, r.MaxUnavailable), checkShare(surge, r.MaxSurge),
		atMostAll(unavailable, r.MaxUnavailable), atMostAll(surge, r.MaxSurge))
	switch some := (r.MaxSurge != nil && amount(r.MaxSurge) != 0); {
	case r.MaxUnavailable == nil: // it has been set already
	case some && amount(r.MaxUnavailable) != 0:
		errs = append(errs, field.Invalid(surge, number(r.MaxSurge), "may not be set when maxUnavailable is non-zero"))
	case !some && amount(r.MaxUnavailable) == 0:
		errs = append(errs, field.Required(unavailable, "cannot be 0 when maxSurge is 0"))
	}
	return errs
}

// amount is a number or a percentage as one, and 0 for what is neither.
func amount(n *intstr.IntOrString) int {
	if n.Type == intstr.Int {
		return n.IntValue()
	}
	percent, _ := strconv.Atoi(strings.TrimSuffix(n.StrVal, "%"))
	return percent
}

// atMostAll: a percentage is one of what there is.
func atMostAll(path *field.Path, n *intstr.IntOrString) field.ErrorList {
	if n == nil || n.Type == intstr.Int || amount(n) <= 100 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, n.StrVal, "must not be greater than 100%")}
}

func none(n *intstr.IntOrString) bool {
	return n != nil && (n.Type == intstr.Int && n.IntVal == 0 || n.Type == intstr.String && n.StrVal == "0%")
}

func number(n *intstr.IntOrString) any {
	if n.Type == intstr.Int {
		return n.IntVal
	}
	return n.StrVal
}

// checkShare: some of the pods are a number or a percentage.
func checkShare(path *field.Path, n *intstr.IntOrString) field.ErrorList {
	if n == nil || n.Type == intstr.String && strings.Trim(n.StrVal, "0123456789") == "%" {
		return nil
	}
	if n.Type == intstr.Int {
		return atLeast0(path, &n.IntVal)
	}
	return field.ErrorList{field.Invalid(path, n.StrVal, "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')")}
}
