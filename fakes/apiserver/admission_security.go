package apiserver

import (
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

// secure refuses a new pod that violates the level that its namespace enforces by the label pod-security.kubernetes.io/enforce. The
// modes warn and audit have no effect here. The lock is held.
func (c *core) secure(k *kind, pod *corev1.Pod) error {
	namespaces := c.st.kinds[corev1.SchemeGroupVersion.WithResource("namespaces")]
	if !c.o.Admission.PodSecurity || namespaces == nil {
		return nil
	}
	ns := namespaces.now().get(pod.Namespace)
	if ns == nil {
		return nil
	}
	privileged := api.LevelVersion{Level: api.LevelPrivileged, Version: api.LatestVersion()}
	levels, errs := api.PolicyToEvaluate(ns.meta.GetLabels(), api.Policy{Enforce: privileged, Audit: privileged, Warn: privileged})
	if len(errs) > 0 { // the real plugin takes the level for restricted then, and says so
		levels.Enforce = api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	}
	if levels.Enforce.Level == api.LevelPrivileged {
		return nil
	}
	result := policy.AggregateCheckResults(podSecurity().EvaluatePod(levels.Enforce, &pod.ObjectMeta, &pod.Spec))
	if result.Allowed {
		return nil
	}
	return apierrors.NewForbidden(k.res.GroupResource(), pod.Name, fmt.Errorf("violates PodSecurity %q: %s", levels.Enforce.String(), result.ForbiddenDetail()))
}
