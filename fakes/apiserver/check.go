package apiserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// What is refused with 422 beside metadata, in the check_*.go: what clients meet first, not all that kube-apiserver
// refuses. Recorded in rest/testdata/raw: refused.txt, changed.txt and others.

const whileImmutable = "field is immutable when `immutable` is set"

func checkConfigMap(in, old *corev1.ConfigMap) field.ErrorList {
	if old == nil || old.Immutable == nil || !*old.Immutable {
		return nil
	}
	errs := locked(in.Immutable, maps.Equal(in.Data, old.Data))
	if !equality.Semantic.DeepEqual(in.BinaryData, old.BinaryData) {
		errs = append(errs, field.Forbidden(field.NewPath("binaryData"), whileImmutable))
	}
	return errs
}

func checkSecret(in, old *corev1.Secret) (errs field.ErrorList) {
	if old != nil {
		errs = immutable(field.NewPath("type"), in.Type, old.Type)
		if old.Immutable != nil && *old.Immutable {
			errs = append(errs, locked(in.Immutable, equality.Semantic.DeepEqual(in.Data, old.Data))...)
		}
	}
	return append(errs, checkSecretType(in)...)
}

// checkSecretType: secrets of some types have what those who read them look for.
func checkSecretType(in *corev1.Secret) (errs field.ErrorList) {
	data := field.NewPath("data")
	need := func(keys ...string) (missing field.ErrorList) {
		for _, k := range keys {
			if _, there := in.Data[k]; !there {
				missing = append(missing, field.Required(data.Key(k), ""))
			}
		}
		return missing
	}
	isJSON := func(key string) field.ErrorList {
		if missing := need(key); len(missing) > 0 {
			return missing
		}
		if err := json.Unmarshal(in.Data[key], &map[string]any{}); err != nil {
			return field.ErrorList{field.Invalid(data.Key(key), "<secret contents redacted>", err.Error())}
		}
		return nil
	}
	switch in.Type {
	case corev1.SecretTypeServiceAccountToken:
		if in.Annotations[corev1.ServiceAccountNameKey] == "" {
			return field.ErrorList{field.Required(field.NewPath("metadata", "annotations").Key(corev1.ServiceAccountNameKey), "")}
		}
	case corev1.SecretTypeTLS:
		return need(corev1.TLSCertKey, corev1.TLSPrivateKeyKey)
	case corev1.SecretTypeSSHAuth:
		return need(corev1.SSHAuthPrivateKey)
	case corev1.SecretTypeBasicAuth:
		if missing := need(corev1.BasicAuthUsernameKey, corev1.BasicAuthPasswordKey); len(missing) == 2 {
			return missing // one is enough
		}
	case corev1.SecretTypeDockercfg:
		return isJSON(corev1.DockerConfigKey)
	case corev1.SecretTypeDockerConfigJson:
		return isJSON(corev1.DockerConfigJsonKey)
	}
	return nil
}

// locked is what an object has to say that does not change any more.
func locked(still *bool, same bool) (errs field.ErrorList) {
	if still == nil || !*still {
		errs = append(errs, field.Forbidden(field.NewPath("immutable"), whileImmutable))
	}
	if !same {
		errs = append(errs, field.Forbidden(field.NewPath("data"), whileImmutable))
	}
	return errs
}

func immutable(path *field.Path, in, old any) field.ErrorList {
	if equality.Semantic.DeepEqual(in, old) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, in, validation.FieldImmutableErrorMsg)}
}

func checkNamespace(in, old *corev1.Namespace) (errs field.ErrorList) {
	if old == nil {
		for _, f := range in.Spec.Finalizers {
			errs = append(errs, standardFinalizer(string(f), field.NewPath("spec", "finalizers"))...)
		}
	}
	return errs
}

func checkNamespaceStatus(in, _ *corev1.Namespace) field.ErrorList {
	want, when := corev1.NamespaceActive, "empty"
	if in.DeletionTimestamp != nil {
		want, when = corev1.NamespaceTerminating, "not empty"
	}
	if in.Status.Phase == want {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("status", "Phase"), in.Status.Phase, fmt.Sprintf("may only be '%s' if `deletionTimestamp` is %s", want, when))}
}

func checkFinalize(in, _ *corev1.Namespace) (errs field.ErrorList) {
	for i, f := range in.Spec.Finalizers {
		errs = append(errs, standardFinalizer(string(f), field.NewPath("spec", "finalizers").Index(i))...)
	}
	return errs
}

func checkPod(in, old *corev1.Pod) field.ErrorList {
	path := field.NewPath("spec")
	errs := checkPodSpec(&in.Spec, path)
	if old == nil && len(in.Spec.EphemeralContainers) > 0 {
		errs = append(errs, field.Forbidden(path.Child("ephemeralContainers"), "cannot be set on create"))
	}
	if old == nil && in.Spec.NodeName != "" && len(in.Spec.SchedulingGates) > 0 {
		errs = append(errs, field.Forbidden(path.Child("nodeName"), "cannot be set until all schedulingGates have been cleared"))
	}
	if old == nil {
		return errs
	}
	if err := checkNumbers(&in.Spec, &old.Spec, path); err != nil {
		errs = append(errs, err)
		if in.Spec.ActiveDeadlineSeconds != nil || err.Type != field.ErrorTypeInvalid {
			return errs
		}
	}
	gated := len(old.Spec.SchedulingGates) > 0
	errs = append(errs, checkTolerated(in, old)...)
	errs = append(errs, checkGates(&in.Spec, &old.Spec, path)...)
	if len(errs) == 0 && !equality.Semantic.DeepEqual(unchanging(&in.Spec, gated), unchanging(&old.Spec, gated)) {
		errs = append(errs, field.Forbidden(path, "pod updates may not change fields other than `spec.containers[*].image`,"+
			"`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"+
			"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n"))
	}
	return errs
}

// checkTolerated: what a pod tolerates, it tolerates for ever.
func checkTolerated(in, old *corev1.Pod) field.ErrorList {
	for _, t := range old.Spec.Tolerations {
		if !slices.ContainsFunc(in.Spec.Tolerations, func(o corev1.Toleration) bool {
			o.TolerationSeconds = t.TolerationSeconds
			return equality.Semantic.DeepEqual(o, t)
		}) {
			return field.ErrorList{field.Forbidden(field.NewPath("spec", "tolerations"), "existing toleration can not be modified except its tolerationSeconds")}
		}
	}
	return nil
}

// checkNumbers: there are as many containers as there were, and a deadline gets only earlier.
func checkNumbers(in, old *corev1.PodSpec, path *field.Path) *field.Error {
	const more = "pod updates may not add or remove containers"
	now, was, deadline := in.ActiveDeadlineSeconds, old.ActiveDeadlineSeconds, path.Child("activeDeadlineSeconds")
	switch {
	case len(in.Containers) != len(old.Containers):
		return field.Forbidden(path.Child("containers"), more)
	case len(in.InitContainers) != len(old.InitContainers):
		return field.Forbidden(path.Child("initContainers"), more)
	case was != nil && now == nil:
		return field.Invalid(deadline, now, "must not update from a positive integer to nil value")
	case was != nil && *now > *was:
		return field.Invalid(deadline, *now, "must be less than or equal to previous value")
	}
	return nil
}

// checkGates: gates can only go, and while there are some the nodes that a pod can be on only become fewer. That
// a node affinity does so is not judged.
func checkGates(in, old *corev1.PodSpec, path *field.Path) (errs field.ErrorList) {
	for i, g := range in.SchedulingGates {
		if !slices.Contains(old.SchedulingGates, g) {
			errs = append(errs, field.Forbidden(path.Child("schedulingGates").Index(i).Child("name"),
				fmt.Sprintf("only deletion is allowed, but found new scheduling gate '%s'", g.Name)))
		}
	}
	if len(old.SchedulingGates) == 0 {
		return errs
	}
	for key, v := range old.NodeSelector {
		if now, there := in.NodeSelector[key]; !there || now != v {
			return append(errs, field.Invalid(path.Child("nodeSelector"), in.NodeSelector, "only additions to spec.nodeSelector are allowed (no mutations or deletions)"))
		}
	}
	return errs
}

// unchanging is a pod's spec without what an update may change, which is more while the pod is not to be scheduled.
func unchanging(spec *corev1.PodSpec, gated bool) *corev1.PodSpec {
	out := spec.DeepCopy()
	out.ActiveDeadlineSeconds, out.Tolerations, out.SchedulingGates = nil, nil, nil
	if gated {
		out.NodeSelector = nil
		if out.Affinity != nil {
			out.Affinity.NodeAffinity = nil
		}
		if out.Affinity != nil && *out.Affinity == (corev1.Affinity{}) {
			out.Affinity = nil
		}
	}
	for _, c := range containersOf(out) {
		c.Image = ""
	}
	return out
}

func checkRevision(in, old *appsv1.ControllerRevision) field.ErrorList {
	if old != nil {
		return append(checkRevisionUpdate(in, old), atLeast0(field.NewPath("revision"), &in.Revision)...)
	}
	errs, data := atLeast0(field.NewPath("revision"), &in.Revision), field.NewPath("data")
	switch raw := bytes.TrimSpace(in.Data.Raw); {
	case len(raw) == 0 && in.Data.Object == nil:
		return append(errs, field.Required(data, "data is mandatory"))
	case len(raw) > 0 && raw[0] != '{':
		return append(errs, field.Required(data, "data must be a valid JSON object"))
	}
	return errs
}

func checkLease(in, _ *coordinationv1.Lease) (errs field.ErrorList) {
	if d := in.Spec.LeaseDurationSeconds; d != nil && *d <= 0 {
		errs = append(errs, field.Invalid(field.NewPath("spec", "leaseDurationSeconds"), *d, "must be greater than 0"))
	}
	return append(errs, atLeast0(field.NewPath("spec", "leaseTransitions"), in.Spec.LeaseTransitions)...)
}

func checkPriorityClass(in, old *schedulingv1.PriorityClass) field.ErrorList {
	const system = "system-"
	if value, known := systemPriorities[in.Name]; old == nil && strings.HasPrefix(in.Name, system) {
		broken := in.Name + " is not a known system priority class"
		if known {
			broken = fmt.Sprintf("value of %s PriorityClass must be %d", in.Name, value)
		}
		return field.ErrorList{field.Forbidden(field.NewPath("metadata", "name"), "priority class names with '"+system+"' prefix are reserved for system use only. error: "+broken)}
	}
	preemption, errs := field.NewPath("preemptionPolicy"), field.ErrorList{}
	if old != nil {
		if in.Value != old.Value {
			errs = append(errs, field.Forbidden(field.NewPath("value"), "may not be changed in an update."))
		}
		return append(errs, immutable(preemption, in.PreemptionPolicy, old.PreemptionPolicy)...)
	}
	if most := int32(1_000_000_000); in.Value > most {
		errs = append(errs, field.Forbidden(field.NewPath("value"), fmt.Sprintf("maximum allowed value of a user defined priority is %d", most)))
	}
	if p := in.PreemptionPolicy; p != nil {
		errs = append(errs, oneOf(preemption, *p, corev1.PreemptLowerPriority, corev1.PreemptNever)...)
	}
	return errs
}

func checkRuntimeClass(in, old *nodev1.RuntimeClass) field.ErrorList {
	path := field.NewPath("handler")
	switch {
	case in.Handler == "":
		return field.ErrorList{field.Required(path, "")}
	case old != nil && in.Handler != old.Handler:
		return field.ErrorList{field.Invalid(path, nil, validation.FieldImmutableErrorMsg)}
	}
	errs := wrongs(path, in.Handler, utilvalidation.IsDNS1123Label(in.Handler))
	if s := in.Scheduling; s != nil {
		errs = append(errs, metav1validation.ValidateLabels(s.NodeSelector, field.NewPath("scheduling", "nodeSelector"))...)
	}
	return errs
}
