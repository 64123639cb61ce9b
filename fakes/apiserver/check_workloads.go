package apiserver

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
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
	errs = append(errs, atLeast0(spec.Child("minReadySeconds"), &w.ready)...)
	errs = append(errs, atLeast0(spec.Child("revisionHistoryLimit"), w.history)...)
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
	errs = append(errs, w.checkTemplate(spec.Child("template"))...)
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
		kind := map[string]string{"deployment": "ReplicaSet", "statefulset": "StatefulSet", "daemonset": "DaemonSet"}[w.kind]
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
		}
	default:
		inside := struct {
			Type          string
			RollingUpdate *appsv1.RollingUpdateDeployment
		}{string(s.Type), s.RollingUpdate}
		errs = append(errs, field.NotSupported(path, any(inside), []string{"Recreate", "RollingUpdate"}))
	}
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
	if r := u.RollingUpdate; r != nil && none(r.MaxUnavailable) {
		errs = append(errs, field.Invalid(spec.Child("updateStrategy", "rollingUpdate", "maxUnavailable"), number(r.MaxUnavailable), "cannot be 0"))
	}
	if n := s.Spec.ServiceName; n != "" {
		errs = append(errs, wrongs(spec.Child("serviceName"), n, validation.NameIsDNSLabel(n, false))...)
	}
	return errs
}

func checkDaemonSet(d *appsv1.DaemonSet) field.ErrorList {
	path, u := field.NewPath("spec", "updateStrategy"), d.Spec.UpdateStrategy
	switch u.Type {
	case appsv1.OnDeleteDaemonSetStrategyType:
	case appsv1.RollingUpdateDaemonSetStrategyType:
		if r := u.RollingUpdate; r != nil && none(r.MaxUnavailable) && (r.MaxSurge == nil || none(r.MaxSurge)) {
			return field.ErrorList{field.Required(path.Child("rollingUpdate", "maxUnavailable"), "cannot be 0 when maxSurge is 0")}
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

func checkJob(in, old *batchv1.Job) (errs field.ErrorList) {
	spec, path := &in.Spec, field.NewPath("spec")
	for _, n := range []struct {
		name  string
		value *int32
	}{{"parallelism", spec.Parallelism}, {"completions", spec.Completions}, {"backoffLimit", spec.BackoffLimit}, {"ttlSecondsAfterFinished", spec.TTLSecondsAfterFinished}} {
		errs = append(errs, atLeast0(path.Child(n.name), n.value)...)
	}
	errs = append(errs, atLeast0(path.Child("activeDeadlineSeconds"), spec.ActiveDeadlineSeconds)...)
	indexed := false
	if m := spec.CompletionMode; m != nil {
		indexed = *m == batchv1.IndexedCompletion
		errs = append(errs, oneOf(path.Child("completionMode"), *m, batchv1.NonIndexedCompletion, batchv1.IndexedCompletion)...)
	}
	if indexed && spec.Completions == nil {
		errs = append(errs, field.Required(path.Child("completions"), fmt.Sprintf("when completion mode is %s", batchv1.IndexedCompletion)))
	}
	if n := spec.BackoffLimitPerIndex; n != nil && !indexed {
		errs = append(errs, field.Invalid(path.Child("backoffLimitPerIndex"), *n, "requires indexed completion mode"))
	}
	if p := spec.PodReplacementPolicy; p != nil {
		errs = append(errs, oneOf(path.Child("podReplacementPolicy"), *p, batchv1.Failed, batchv1.TerminatingOrFailed)...)
	}
	if spec.Selector == nil {
		errs = append(errs, field.Required(path.Child("selector"), ""))
	}
	selector, err := metav1.LabelSelectorAsSelector(spec.Selector)
	if err == nil && (spec.Selector == nil || !selector.Matches(labels.Set(spec.Template.Labels))) {
		errs = append(errs, field.Invalid(path.Child("template", "metadata", "labels"), spec.Template.Labels, "`selector` does not match template `labels`"))
	}
	at := path.Child("template", "spec")
	errs = append(errs, checkPodSpec(&spec.Template.Spec, at)...)
	if p := spec.Template.Spec.RestartPolicy; old == nil && p == corev1.RestartPolicyAlways {
		errs = append(errs, field.Required(at.Child("restartPolicy"), `valid values: "OnFailure", "Never"`))
	}
	if old != nil {
		errs = append(errs, checkJobUpdate(in, old)...)
	}
	errs = append(errs, checkCounts(0, 0, "", []count{{"active", in.Status.Active}, {"succeeded", in.Status.Succeeded}, {"failed", in.Status.Failed}})...)
	return errs
}
