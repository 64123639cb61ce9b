package apiserver

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// checkAutoscaler validates a spec. Of metrics it validates only the numbers.
func checkAutoscaler(in, _ *autoscalingv2.HorizontalPodAutoscaler) (errs field.ErrorList) {
	s, path, last := &in.Spec, field.NewPath("spec"), field.ErrorList{}
	switch most := path.Child("maxReplicas"); {
	case s.MaxReplicas == 0:
		last = append(last, field.Required(most, ""))
	case s.MaxReplicas < 0:
		last = append(last, field.Invalid(most, s.MaxReplicas, "must be greater than or equal to 1"))
	}
	last = append(last, atLeast0(path.Child("minReplicas"), s.MinReplicas)...)
	if s.MinReplicas != nil && s.MaxReplicas < *s.MinReplicas {
		errs = append(errs, field.Invalid(path.Child("maxReplicas"), s.MaxReplicas, "must be greater than or equal to `minReplicas`"))
	}
	errs = append(errs, checkScaleTarget(s.ScaleTargetRef, path.Child("scaleTargetRef"))...)
	errs = append(errs, checkMetrics(s, path.Child("metrics"))...)
	if b := s.Behavior; b != nil {
		errs = append(errs, checkScaling(b.ScaleUp, path.Child("behavior", "scaleUp"))...)
		errs = append(errs, checkScaling(b.ScaleDown, path.Child("behavior", "scaleDown"))...)
	}
	return append(errs, last...)
}

func checkScaleTarget(ref autoscalingv2.CrossVersionObjectReference, path *field.Path) (errs field.ErrorList) {
	for _, part := range []struct{ name, value string }{{"kind", ref.Kind}, {"name", ref.Name}} {
		if part.value == "" {
			errs = append(errs, field.Required(path.Child(part.name), ""))
			continue
		}
		errs = append(errs, wrongs(path.Child(part.name), part.value, pathSegment(part.value, false))...)
	}
	switch gv, err := schema.ParseGroupVersion(ref.APIVersion); {
	case err != nil:
		errs = append(errs, field.Invalid(path.Child("apiVersion"), ref.APIVersion, err.Error()))
	case gv.Group == "" && ref.Kind != "ReplicationController":
		errs = append(errs, field.Invalid(path.Child("apiVersion"), ref.APIVersion, "apiVersion must specify API group"))
	}
	return errs
}

func checkMetrics(s *autoscalingv2.HorizontalPodAutoscalerSpec, path *field.Path) (errs field.ErrorList) {
	known := []autoscalingv2.MetricSourceType{autoscalingv2.ContainerResourceMetricSourceType, autoscalingv2.ExternalMetricSourceType,
		autoscalingv2.ObjectMetricSourceType, autoscalingv2.PodsMetricSourceType, autoscalingv2.ResourceMetricSourceType}
	toZero := false
	for i, m := range s.Metrics {
		at := path.Index(i)
		if m.Type == "" {
			errs = append(errs, field.Required(at.Child("type"), "must specify a metric source type"))
		}
		unknown := oneOf(at.Child("type"), m.Type, known...)
		if errs = append(errs, unknown...); len(unknown) == 0 {
			toZero = toZero || m.Type == autoscalingv2.ExternalMetricSourceType || m.Type == autoscalingv2.ObjectMetricSourceType
			name := strings.ToLower(string(m.Type[:1])) + string(m.Type[1:])
			if target := targetOf(m); target == nil {
				errs = append(errs, field.Required(at.Child(name), "must populate information for the given metric source"))
			} else {
				errs = append(errs, checkMetricTarget(target, at.Child(name, "target"))...)
			}
		}
	}
	if s.MinReplicas != nil && *s.MinReplicas == 0 && !toZero {
		errs = append(errs, field.Forbidden(path, "must specify at least one Object or External metric to support scaling to zero replicas"))
	}
	return errs
}

// targetOf returns the target of a metric, or nil if the field for its type is not set.
func targetOf(m autoscalingv2.MetricSpec) *autoscalingv2.MetricTarget {
	switch {
	case m.Type == autoscalingv2.ContainerResourceMetricSourceType && m.ContainerResource != nil:
		return &m.ContainerResource.Target
	case m.Type == autoscalingv2.ExternalMetricSourceType && m.External != nil:
		return &m.External.Target
	case m.Type == autoscalingv2.ObjectMetricSourceType && m.Object != nil:
		return &m.Object.Target
	case m.Type == autoscalingv2.PodsMetricSourceType && m.Pods != nil:
		return &m.Pods.Target
	case m.Type == autoscalingv2.ResourceMetricSourceType && m.Resource != nil:
		return &m.Resource.Target
	}
	return nil
}

func checkMetricTarget(t *autoscalingv2.MetricTarget, path *field.Path) (errs field.ErrorList) {
	if v := t.Value; v != nil && v.Sign() != 1 {
		errs = append(errs, field.Invalid(path.Child("value"), v, "must be positive"))
	}
	if v := t.AverageValue; v != nil && v.Sign() != 1 {
		errs = append(errs, field.Invalid(path.Child("averageValue"), v, "must be positive"))
	}
	if n := t.AverageUtilization; n != nil && *n < 1 {
		errs = append(errs, field.Invalid(path.Child("averageUtilization"), n, "must be greater than 0"))
	}
	return errs
}

func checkScaling(r *autoscalingv2.HPAScalingRules, path *field.Path) (errs field.ErrorList) {
	if r == nil {
		return nil
	}
	const hour, half = 3600, 1800
	if w := r.StabilizationWindowSeconds; w != nil && *w < 0 {
		errs = append(errs, field.Invalid(path.Child("stabilizationWindowSeconds"), *w, "must be greater than or equal to zero"))
	} else if w != nil && *w > hour {
		errs = append(errs, field.Invalid(path.Child("stabilizationWindowSeconds"), *w, fmt.Sprintf("must be less than or equal to %d", hour)))
	}
	if p := r.SelectPolicy; p != nil {
		errs = append(errs, oneOf(path.Child("selectPolicy"), *p, autoscalingv2.DisabledPolicySelect, autoscalingv2.MaxChangePolicySelect, autoscalingv2.MinChangePolicySelect)...)
	}
	if len(r.Policies) == 0 {
		errs = append(errs, field.Required(path.Child("policies"), "must specify at least one Policy"))
	}
	for i, p := range r.Policies {
		at := path.Child("policies").Index(i)
		errs = append(errs, oneOf(at.Child("type"), p.Type, autoscalingv2.PercentScalingPolicy, autoscalingv2.PodsScalingPolicy)...)
		for _, c := range []count{{"value", p.Value}, {"periodSeconds", p.PeriodSeconds}} {
			if c.value <= 0 {
				errs = append(errs, field.Invalid(at.Child(c.name), c.value, "must be greater than zero"))
			}
		}
		if p.PeriodSeconds > half {
			errs = append(errs, field.Invalid(at.Child("periodSeconds"), p.PeriodSeconds, fmt.Sprintf("must be less than or equal to %d", half)))
		}
	}
	return errs
}

func checkAutoscalerStatus(in, _ *autoscalingv2.HorizontalPodAutoscaler) field.ErrorList {
	path := field.NewPath("status")
	return append(atLeast0(path.Child("currentReplicas"), &in.Status.CurrentReplicas), atLeast0(path.Child("desiredReplicas"), &in.Status.DesiredReplicas)...)
}

func checkCronJob(in, old *batchv1.CronJob) (errs field.ErrorList) {
	s, path, last := &in.Spec, field.NewPath("spec"), field.ErrorList{}
	if schedule := path.Child("schedule"); s.Schedule == "" {
		last = append(last, field.Required(schedule, ""))
	} else {
		errs = checkSchedule(s.Schedule, old != nil && strings.Contains(old.Spec.Schedule, "TZ"), s.TimeZone != nil, schedule)
	}
	errs = append(errs, atLeast0(path.Child("startingDeadlineSeconds"), s.StartingDeadlineSeconds)...)
	if s.TimeZone != nil {
		errs = append(errs, checkTimeZone(*s.TimeZone, path.Child("timeZone"))...)
	}
	errs = append(errs, oneOf(path.Child("concurrencyPolicy"), s.ConcurrencyPolicy, batchv1.AllowConcurrent, batchv1.ForbidConcurrent, batchv1.ReplaceConcurrent)...)
	errs = append(errs, checkJobSpec(&s.JobTemplate.Spec, path.Child("jobTemplate", "spec"))...)
	errs = append(errs, atLeast0(path.Child("successfulJobsHistoryLimit"), s.SuccessfulJobsHistoryLimit)...)
	errs = append(errs, atLeast0(path.Child("failedJobsHistoryLimit"), s.FailedJobsHistoryLimit)...)
	if old == nil && len(in.Name) > 52 { // a job's name has eleven characters more
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), in.Name, "must be no more than 52 characters"))
	}
	return append(errs, last...)
}

// checkSchedule judges a schedule by the parser of kube-apiserver, which panics at some.
func checkSchedule(schedule string, mayHaveZone, hasZone bool, path *field.Path) (errs field.ErrorList) {
	if err := parseSchedule(schedule); err != nil {
		errs = append(errs, field.Invalid(path, schedule, err.Error()))
	}
	switch zone := strings.Contains(schedule, "TZ"); {
	case zone && mayHaveZone && hasZone:
		errs = append(errs, field.Invalid(path, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule"))
	case zone && !mayHaveZone:
		errs = append(errs, field.Invalid(path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"))
	}
	return errs
}

func parseSchedule(schedule string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("invalid schedule format: %v", r)
		}
	}()
	_, err = cron.ParseStandard(schedule)
	return err
}

// timeZonePart is what stands between the slashes in names of time zones.
var timeZonePart = regexp.MustCompile(`^[A-Za-z._0-9+][-A-Za-z._0-9+]{0,13}$`)

func checkTimeZone(zone string, path *field.Path) field.ErrorList {
	if zone == "" {
		return field.ErrorList{field.Invalid(path, zone, "timeZone must be nil or non-empty string")}
	}
	for part := range strings.SplitSeq(zone, "/") {
		if part == "." || part == ".." || !timeZonePart.MatchString(part) {
			return field.ErrorList{field.Invalid(path, zone, "unknown time zone "+zone)}
		}
	}
	if strings.EqualFold(zone, "Local") {
		return field.ErrorList{field.Invalid(path, zone, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones")}
	}
	if _, err := time.LoadLocation(zone); err != nil {
		return field.ErrorList{field.Invalid(path, zone, err.Error())}
	}
	return nil
}

func checkReplicationController(in, old *corev1.ReplicationController) (errs field.ErrorList) {
	s, path := &in.Spec, field.NewPath("spec")
	if len(s.Selector) == 0 {
		errs = append(errs, field.Required(path.Child("selector"), ""))
	}
	if t, at := s.Template, path.Child("template"); t == nil {
		errs = append(errs, field.Required(at, ""))
	} else {
		if len(s.Selector) > 0 && !labels.SelectorFromSet(s.Selector).Matches(labels.Set(t.Labels)) {
			errs = append(errs, field.Invalid(at.Child("metadata", "labels"), t.Labels, "`selector` does not match template `labels`"))
		}
		errs = append(errs, workload{kind: "replicationcontroller", template: t}.checkTemplate(at)...)
	}
	if old != nil {
		ready, available, labeled := count{"readyReplicas", in.Status.ReadyReplicas}, count{"availableReplicas", in.Status.AvailableReplicas}, count{"fullyLabeledReplicas", in.Status.FullyLabeledReplicas}
		errs = append(errs, checkCounts(in.Status.Replicas, in.Status.ReadyReplicas, "readyReplicas", []count{{"replicas", in.Status.Replicas}, labeled, ready, available}, labeled, ready, available)...)
	}
	errs = append(errs, atLeast0(path.Child("minReadySeconds"), &s.MinReadySeconds)...)
	return append(errs, atLeast0(path.Child("replicas"), s.Replicas)...)
}
