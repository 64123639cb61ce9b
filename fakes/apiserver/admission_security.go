package apiserver

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// podSecurity checks pods against the Pod Security Standards.
var podSecurity = sync.OnceValue(func() policy.Evaluator {
	e, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		panic(err) // the checks are the library's own
	}
	return e
})

// securityLevels are the levels that the labels of a namespace say, and what is wrong with the labels.
func securityLevels(labels map[string]string) (api.Policy, field.ErrorList) {
	privileged := api.LevelVersion{Level: api.LevelPrivileged, Version: api.LatestVersion()}
	return api.PolicyToEvaluate(labels, api.Policy{Enforce: privileged, Audit: privileged, Warn: privileged})
}

// secure refuses a pod that violates the level that its namespace enforces, and warns of one, or of a template, that violates the level of
// which the namespace warns. The mode audit has no effect here (k8s.io/pod-security-admission/admission).
func (c *core) secure(k *kind, sub string, in, old runtime.Object, notes *Notes) error {
	var template *corev1.PodTemplateSpec
	pod, isPod := in.(*corev1.Pod)
	switch ns, isNamespace := in.(*corev1.Namespace); {
	case isNamespace && sub == "":
		return c.secureNamespace(ns, old, notes)
	case isPod && sub != status && (old == nil || newImages(pod, old.(*corev1.Pod))):
		template = &corev1.PodTemplateSpec{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}
	case !isPod && sub == "":
		template = templateOf(in)
	}
	place := c.st.kinds[namespaces]
	if template == nil || place == nil {
		return nil
	}
	m := in.(metav1.Object)
	ns := place.Now().Get(m.GetNamespace())
	if ns == nil {
		return nil
	}
	levels, _ := securityLevels(ns.meta.GetLabels()) // a label that says no level counts as restricted
	violated := func(level api.LevelVersion) string {
		result := policy.AggregateCheckResults(podSecurity().EvaluatePod(level, &template.ObjectMeta, &template.Spec))
		if result.Allowed {
			return ""
		}
		return fmt.Sprintf("PodSecurity %q: %s", level.String(), result.ForbiddenDetail())
	}
	if isPod {
		if v := violated(levels.Enforce); v != "" {
			return apierrors.NewForbidden(k.res.GroupResource(), m.GetName(), fmt.Errorf("violates %s", v))
		}
	}
	if v := violated(levels.Warn); v != "" {
		notes.Warnings = append(notes.Warnings, "would violate "+v)
	}
	return nil
}

// templateOf is the template of pods that an object has; nil: none.
func templateOf(in runtime.Object) *corev1.PodTemplateSpec {
	switch o := in.(type) {
	case *corev1.PodTemplate:
		return &o.Template
	case *corev1.ReplicationController:
		return o.Spec.Template
	case *appsv1.ReplicaSet:
		return &o.Spec.Template
	case *appsv1.Deployment:
		return &o.Spec.Template
	case *appsv1.DaemonSet:
		return &o.Spec.Template
	case *appsv1.StatefulSet:
		return &o.Spec.Template
	case *batchv1.Job:
		return &o.Spec.Template
	case *batchv1.CronJob:
		return &o.Spec.JobTemplate.Spec.Template
	}
	return nil
}

// newImages reports whether an update of a pod brings another image or container.
func newImages(in, old *corev1.Pod) bool {
	images := func(pod *corev1.Pod) (all [][2]string) {
		for _, c := range containersOf(&pod.Spec) {
			all = append(all, [2]string{c.Name, c.Image})
		}
		for _, c := range pod.Spec.EphemeralContainers {
			all = append(all, [2]string{c.Name, c.Image})
		}
		return all
	}
	return !slices.Equal(images(in), images(old))
}

// secureNamespace refuses labels that say no level or version, and warns of pods that violate a new level.
func (c *core) secureNamespace(ns *corev1.Namespace, old runtime.Object, notes *Notes) error {
	levels, errs := securityLevels(ns.Labels)
	var before api.Policy
	var wrong field.ErrorList
	if old != nil {
		before, wrong = securityLevels(old.(*corev1.Namespace).Labels)
	}
	if len(errs) > 0 && !reflect.DeepEqual(errs, wrong) {
		return apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Namespace").GroupKind(), ns.Name, errs)
	}
	k, same := c.st.kinds[pods], levels.Enforce.Version == before.Enforce.Version
	if k == nil || old == nil || same && api.CompareLevels(levels.Enforce.Level, before.Enforce.Level) < 1 {
		return nil
	}
	first, more := map[string]string{}, map[string]int{} // by what is violated: a pod, and how many others there are
	for r := range k.Now().Within(ns.Name+"/", "") {
		pod := r.obj.(*corev1.Pod)
		result := policy.AggregateCheckResults(podSecurity().EvaluatePod(levels.Enforce, &pod.ObjectMeta, &pod.Spec))
		switch reason := result.ForbiddenReason(); {
		case result.Allowed:
		case first[reason] == "":
			first[reason] = pod.Name
		default:
			more[reason]++
		}
	}
	if len(first) == 0 {
		return nil
	}
	var all []string
	for reason, name := range first {
		switch n := more[reason]; n {
		case 0:
			all = append(all, fmt.Sprintf("%s: %s", name, reason))
		case 1:
			all = append(all, fmt.Sprintf("%s (and 1 other pod): %s", name, reason))
		default:
			all = append(all, fmt.Sprintf("%s (and %d other pods): %s", name, n, reason))
		}
	}
	slices.Sort(all)
	notes.Warnings = append(append(notes.Warnings, fmt.Sprintf("existing pods in namespace %q violate the new PodSecurity enforce level %q", ns.Name, levels.Enforce.String())), all...)
	return nil
}
