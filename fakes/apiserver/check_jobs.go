package apiserver

import (
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func checkJob(in, old *batchv1.Job) (errs field.ErrorList) {
	errs = append(checkJobSpec(&in.Spec, field.NewPath("spec")), checkJobSelector(&in.Spec)...)
	if old != nil {
		return append(errs, checkJobUpdate(in, old)...)
	}
	if n := in.Spec.Completions; n != nil && *n > 0 && isIndexed(&in.Spec) {
		if host := fmt.Sprintf("%s-%d", in.Name, *n-1); len(utilvalidation.IsDNS1123Label(host)) > 0 {
			errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), in.Name, "will not able to create pod with invalid DNS label: "+host))
		}
	}
	return errs
}

// checkJobSpec judges a job's spec, or that of a template of jobs.
func checkJobSpec(spec *batchv1.JobSpec, path *field.Path) (errs field.ErrorList) {
	for _, n := range []struct {
		name  string
		value *int32
	}{{"parallelism", spec.Parallelism}, {"completions", spec.Completions}, {"backoffLimit", spec.BackoffLimit}, {"ttlSecondsAfterFinished", spec.TTLSecondsAfterFinished}} {
		errs = append(errs, atLeast0(path.Child(n.name), n.value)...)
	}
	errs = append(errs, atLeast0(path.Child("activeDeadlineSeconds"), spec.ActiveDeadlineSeconds)...)
	errs = append(errs, checkIndexes(spec, path)...)
	if p := spec.PodReplacementPolicy; p != nil {
		may := []batchv1.PodReplacementPolicy{batchv1.Failed, batchv1.TerminatingOrFailed}
		if spec.PodFailurePolicy != nil {
			may = may[:1]
		}
		errs = append(errs, oneOf(path.Child("podReplacementPolicy"), *p, may...)...)
	}
	at := path.Child("template", "spec")
	errs = append(errs, metav1validation.ValidateLabels(spec.Template.Labels, path.Child("template", "labels"))...)
	errs = append(errs, checkPodSpec(&spec.Template.Spec, at)...)
	if p := spec.Template.Spec.RestartPolicy; p == corev1.RestartPolicyAlways {
		errs = append(errs, field.Required(at.Child("restartPolicy"), `valid values: "OnFailure", "Never"`))
	}
	return errs
}

func checkJobSelector(spec *batchv1.JobSpec) (errs field.ErrorList) {
	path := field.NewPath("spec")
	if spec.Selector == nil {
		errs = append(errs, field.Required(path.Child("selector"), ""))
	}
	selector, err := metav1.LabelSelectorAsSelector(spec.Selector)
	if err == nil && (spec.Selector == nil || !selector.Matches(labels.Set(spec.Template.Labels))) {
		errs = append(errs, field.Invalid(path.Child("template", "metadata", "labels"), spec.Template.Labels, "`selector` does not match template `labels`"))
	}
	return errs
}

// checkIndexes is about jobs whose pods have numbers, and what only they have.
func checkIndexes(spec *batchv1.JobSpec, path *field.Path) (errs field.ErrorList) {
	const mostAtOnce = 100_000
	most, limit := spec.MaxFailedIndexes, spec.BackoffLimitPerIndex
	errs = append(errs, atLeast0(path.Child("backoffLimitPerIndex"), limit)...)
	if errs = append(errs, atLeast0(path.Child("maxFailedIndexes"), most)...); most != nil && limit == nil {
		errs = append(errs, field.Required(path.Child("backoffLimitPerIndex"), "when maxFailedIndexes is specified"))
	}
	if by := spec.ManagedBy; by != nil {
		errs = append(errs, utilvalidation.IsDomainPrefixedPath(path.Child("managedBy"), *by)...)
	}
	indexed := isIndexed(spec)
	if m := spec.CompletionMode; m != nil {
		errs = append(errs, oneOf(path.Child("completionMode"), *m, batchv1.NonIndexedCompletion, batchv1.IndexedCompletion)...)
	}
	if indexed && spec.Completions == nil {
		errs = append(errs, field.Required(path.Child("completions"), fmt.Sprintf("when completion mode is %s", batchv1.IndexedCompletion)))
	}
	if p := spec.Parallelism; indexed && p != nil && *p > mostAtOnce {
		errs = append(errs, field.Invalid(path.Child("parallelism"), *p, fmt.Sprintf("must be less than or equal to %d when completion mode is %s", mostAtOnce, batchv1.IndexedCompletion)))
	}
	if indexed && most != nil && spec.Completions != nil && *most > *spec.Completions {
		errs = append(errs, field.Invalid(path.Child("maxFailedIndexes"), *most, "must be less than or equal to completions"))
	}
	const needsIndexes = "requires indexed completion mode"
	plain := spec.CompletionMode == nil || *spec.CompletionMode == batchv1.NonIndexedCompletion
	if limit != nil && plain {
		errs = append(errs, field.Invalid(path.Child("backoffLimitPerIndex"), *limit, needsIndexes))
	}
	if most != nil && plain {
		errs = append(errs, field.Invalid(path.Child("maxFailedIndexes"), *most, needsIndexes))
	}
	if p := spec.SuccessPolicy; p != nil && !indexed {
		var inside struct {
			Rules []struct {
				SucceededIndexes *string
				SucceededCount   *int32
			}
		}
		inside.Rules = []struct {
			SucceededIndexes *string
			SucceededCount   *int32
		}{}
		for _, r := range p.Rules {
			inside.Rules = append(inside.Rules, struct {
				SucceededIndexes *string
				SucceededCount   *int32
			}(r))
		}
		errs = append(errs, field.Invalid(path.Child("successPolicy"), inside, needsIndexes))
	}
	return errs
}

func isIndexed(spec *batchv1.JobSpec) bool {
	return spec.CompletionMode != nil && *spec.CompletionMode == batchv1.IndexedCompletion
}

// checkCompletions: how many there are to be does not change, but for an indexed job, which then has as many at once.
func checkCompletions(in, old *batchv1.JobSpec, path *field.Path) field.ErrorList {
	switch {
	case !isIndexed(in):
		return immutable(path, in.Completions, old.Completions)
	case in.Completions == nil || equality.Semantic.DeepEqual(in.Completions, old.Completions) || *in.Completions == *in.Parallelism:
		return nil
	}
	return field.ErrorList{field.Invalid(path, *in.Completions, "can only be modified in tandem with spec.parallelism")}
}

// checkJobUpdate: an indexed job may get another number of completions, and one that waits other nodes.
func checkJobUpdate(in, old *batchv1.Job) (errs field.ErrorList) {
	spec := field.NewPath("spec")
	errs = checkCompletions(&in.Spec, &old.Spec, spec.Child("completions"))
	errs = append(errs, immutable(spec.Child("selector"), in.Spec.Selector, old.Spec.Selector)...)
	waits := waits(old)
	if is, was := unplaced(in.Spec.Template, waits), unplaced(old.Spec.Template, waits); waits {
		errs = append(errs, immutable(spec.Child("template.spec"), is.Spec, was.Spec)...)
	} else {
		errs = append(errs, immutable(spec.Child("template"), is, was)...)
	}
	errs = append(errs, immutable(spec.Child("completionMode"), in.Spec.CompletionMode, old.Spec.CompletionMode)...)
	errs = append(errs, immutable(spec.Child("podFailurePolicy"), in.Spec.PodFailurePolicy, old.Spec.PodFailurePolicy)...)
	errs = append(errs, immutable(spec.Child("backoffLimitPerIndex"), in.Spec.BackoffLimitPerIndex, old.Spec.BackoffLimitPerIndex)...)
	errs = append(errs, immutable(spec.Child("managedBy"), in.Spec.ManagedBy, old.Spec.ManagedBy)...)
	return append(errs, immutable(spec.Child("successPolicy"), in.Spec.SuccessPolicy, old.Spec.SuccessPolicy)...)
}

// waits reports whether a job is suspended and has no pods, so that its template may change.
func waits(j *batchv1.Job) bool {
	suspended := slices.ContainsFunc(j.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Type == batchv1.JobSuspended && c.Status == corev1.ConditionTrue
	})
	return j.Spec.Suspend != nil && *j.Spec.Suspend && (j.Status.StartTime == nil || suspended) && j.Status.Active == 0
}

// unplaced is a template without what says where its pods go, and what for; but for a job that waits, as it is.
func unplaced(t corev1.PodTemplateSpec, waits bool) corev1.PodTemplateSpec {
	if !waits {
		return t
	}
	out := *t.DeepCopy()
	out.Annotations, out.Labels = nil, nil
	out.Spec.NodeSelector, out.Spec.Tolerations, out.Spec.SchedulingGates, out.Spec.Affinity = nil, nil, nil, nil
	for _, c := range containersOf(&out.Spec) {
		c.Resources = corev1.ResourceRequirements{}
	}
	return out
}
