package apiserver

import (
	"encoding/json"
	"maps"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// A HorizontalPodAutoscaler of autoscaling/v1 has one target, the CPU utilization. All other fields of v2 are kept in annotations, in JSON
// (k8s.io/kubernetes v1.37.1, pkg/apis/autoscaling/v1/conversion.go).
const (
	scalerNotes      = "autoscaling.alpha.kubernetes.io/"
	scalerMetrics    = scalerNotes + "metrics"
	scalerReached    = scalerNotes + "current-metrics"
	scalerConditions = scalerNotes + "conditions"
	scalerBehavior   = scalerNotes + "behavior"
)

// withoutScalerNotes returns annotations without those above, which only conversions write.
func withoutScalerNotes(in map[string]string) map[string]string {
	all := []string{scalerMetrics, scalerReached, scalerConditions, scalerBehavior, scalerNotes + "scale-down-tolerance", scalerNotes + "scale-up-tolerance"}
	out := maps.Clone(in)
	for _, name := range all {
		delete(out, name)
	}
	return out
}

// insideBehavior is the behavior in kube-apiserver's internal type, which is what the annotation holds.
type insideBehavior struct {
	ScaleUp   *insideScaling
	ScaleDown *insideScaling
}

type insideScaling struct {
	StabilizationWindowSeconds *int32
	SelectPolicy               *autoscalingv2.ScalingPolicySelect
	Policies                   []insidePolicy
	Tolerance                  *resource.Quantity
}

type insidePolicy struct {
	Type          autoscalingv2.HPAScalingPolicyType
	Value         int32
	PeriodSeconds int32
}

// metricNames maps fields of a metric in autoscaling/v2 to those of v1, by the kind of metric. In a status, a target of v2 stands for the
// current in a status.
var metricNames = map[string]map[string]string{
	"object":            {"describedObject": "target", "metric.name": "metricName", "metric.selector": "selector", "target.value": "targetValue", "target.averageValue": "averageValue"},
	"pods":              {"metric.name": "metricName", "metric.selector": "selector", "target.averageValue": "targetAverageValue"},
	"resource":          {"name": "name", "target.averageUtilization": "targetAverageUtilization", "target.averageValue": "targetAverageValue"},
	"containerResource": {"name": "name", "container": "container", "target.averageUtilization": "targetAverageUtilization", "target.averageValue": "targetAverageValue"},
	"external":          {"metric.name": "metricName", "metric.selector": "metricSelector", "target.value": "targetValue", "target.averageValue": "targetAverageValue"},
}

// metricsAs converts the metrics of a spec or of a status to the other version.
func metricsAs[To, From any](in []From, current, old bool) []To {
	out := make([]To, len(in))
	for i := range in {
		is, _ := runtime.DefaultUnstructuredConverter.ToUnstructured(&in[i]) // types of Kubernetes
		made := map[string]any{"type": is["type"]}
		for kind, names := range metricNames {
			m, ok := is[kind].(map[string]any)
			if !ok {
				continue
			}
			to := map[string]any{}
			for now, was := range names {
				if part, of, ok := strings.Cut(now, "."); current && ok && part == "target" {
					now, was = "current."+of, strings.Replace(was, "target", "current", 1)
				}
				from, at := now, was
				if !old {
					from, at = was, now
				}
				if v, ok, _ := unstructured.NestedFieldNoCopy(m, strings.Split(from, ".")...); ok {
					_ = unstructured.SetNestedField(to, v, strings.Split(at, ".")...)
				}
			}
			if !old && !current {
				typeTarget(kind, to)
			}
			made[kind] = to
		}
		_ = runtime.DefaultUnstructuredConverter.FromUnstructured(made, &out[i])
	}
	return out
}

// typeTarget sets the type of a target of autoscaling/v2 by the value that it has.
func typeTarget(kind string, metric map[string]any) {
	target, _ := metric["target"].(map[string]any)
	if target == nil {
		target = map[string]any{}
		metric["target"] = target
	}
	is := autoscalingv2.AverageValueMetricType
	switch {
	case target["averageUtilization"] != nil:
		is = autoscalingv2.UtilizationMetricType
	case kind == "object" && target["averageValue"] == nil, kind == "external" && target["value"] != nil:
		is = autoscalingv2.ValueMetricType
	case kind == "object" && target["value"] == "0": // autoscaling/v1 cannot leave it out
		delete(target, "value")
	}
	target["type"] = string(is)
}

// cpuTarget returns the CPU utilization that a metric targets, or nil if it targets something else.
func cpuTarget(m autoscalingv2.MetricSpec) *int32 {
	if m.Type != autoscalingv2.ResourceMetricSourceType || m.Resource == nil || m.Resource.Name != corev1.ResourceCPU {
		return nil
	}
	return m.Resource.Target.AverageUtilization
}

// scalerToV1 converts a HorizontalPodAutoscaler to autoscaling/v1.
func scalerToV1(in *autoscalingv2.HorizontalPodAutoscaler) runtime.Object {
	out := &autoscalingv1.HorizontalPodAutoscaler{ObjectMeta: in.ObjectMeta}
	out.Annotations = withoutScalerNotes(in.Annotations)
	note := func(name string, v any, some bool) {
		if b, err := json.Marshal(v); some && err == nil {
			if out.Annotations == nil {
				out.Annotations = map[string]string{}
			}
			out.Annotations[name] = string(b)
		}
	}
	s, is := &in.Spec, &in.Status
	out.Spec = autoscalingv1.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv1.CrossVersionObjectReference(s.ScaleTargetRef), MinReplicas: s.MinReplicas, MaxReplicas: s.MaxReplicas,
	}
	var more []autoscalingv2.MetricSpec
	for _, m := range s.Metrics {
		if p := cpuTarget(m); p == nil {
			more = append(more, m)
		} else if out.Spec.TargetCPUUtilizationPercentage == nil {
			out.Spec.TargetCPUUtilizationPercentage = p
		}
	}
	note(scalerMetrics, metricsAs[autoscalingv1.MetricSpec](more, false, true), len(more) > 0)
	if b := s.Behavior; b != nil {
		note(scalerBehavior, insideBehavior{insideRules(b.ScaleUp), insideRules(b.ScaleDown)}, true)
	}
	out.Status = autoscalingv1.HorizontalPodAutoscalerStatus{
		LastScaleTime: is.LastScaleTime, CurrentReplicas: is.CurrentReplicas, DesiredReplicas: is.DesiredReplicas, ObservedGeneration: is.ObservedGeneration,
	}
	for _, m := range is.CurrentMetrics {
		if m.Type == autoscalingv2.ResourceMetricSourceType && m.Resource != nil && m.Resource.Name == corev1.ResourceCPU && m.Resource.Current.AverageUtilization != nil {
			out.Status.CurrentCPUUtilizationPercentage = m.Resource.Current.AverageUtilization
		}
	}
	note(scalerReached, metricsAs[autoscalingv1.MetricStatus](is.CurrentMetrics, true, true), len(is.CurrentMetrics) > 0)
	note(scalerConditions, is.Conditions, len(is.Conditions) > 0)
	return out
}

func insideRules(r *autoscalingv2.HPAScalingRules) *insideScaling {
	if r == nil {
		return nil
	}
	out := &insideScaling{StabilizationWindowSeconds: r.StabilizationWindowSeconds, SelectPolicy: r.SelectPolicy, Tolerance: r.Tolerance}
	for _, p := range r.Policies {
		out.Policies = append(out.Policies, insidePolicy(p))
	}
	return out
}

func outsideRules(r *insideScaling) *autoscalingv2.HPAScalingRules {
	if r == nil {
		return nil
	}
	out := &autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: r.StabilizationWindowSeconds, SelectPolicy: r.SelectPolicy, Tolerance: r.Tolerance}
	for _, p := range r.Policies {
		out.Policies = append(out.Policies, autoscalingv2.HPAScalingPolicy(p))
	}
	return out
}

// scalerToV2 converts a HorizontalPodAutoscaler to autoscaling/v2. It ignores annotations that it cannot read.
func scalerToV2(in *autoscalingv1.HorizontalPodAutoscaler) runtime.Object {
	out := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: in.ObjectMeta}
	out.Annotations = withoutScalerNotes(in.Annotations)
	noted := func(name string, into any) bool {
		said, ok := in.Annotations[name]
		return ok && json.Unmarshal([]byte(said), into) == nil
	}
	s, is := &in.Spec, &in.Status
	out.Spec = autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference(s.ScaleTargetRef), MinReplicas: s.MinReplicas, MaxReplicas: s.MaxReplicas,
	}
	var more []autoscalingv1.MetricSpec
	if noted(scalerMetrics, &more) {
		out.Spec.Metrics = metricsAs[autoscalingv2.MetricSpec](more, false, false)
	}
	if p := s.TargetCPUUtilizationPercentage; p != nil {
		out.Spec.Metrics = append(out.Spec.Metrics, cpuUtilization(*p))
	} else if len(out.Spec.Metrics) == 0 {
		out.Spec.Metrics = []autoscalingv2.MetricSpec{cpuUtilization(80)}
	}
	var b insideBehavior
	if noted(scalerBehavior, &b) && b != (insideBehavior{}) {
		out.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: outsideRules(b.ScaleUp), ScaleDown: outsideRules(b.ScaleDown)}
	}
	out.Status = autoscalingv2.HorizontalPodAutoscalerStatus{
		LastScaleTime: is.LastScaleTime, CurrentReplicas: is.CurrentReplicas, DesiredReplicas: is.DesiredReplicas, ObservedGeneration: is.ObservedGeneration,
	}
	if p := is.CurrentCPUUtilizationPercentage; p != nil {
		out.Status.CurrentMetrics = []autoscalingv2.MetricStatus{{
			Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricStatus{Name: corev1.ResourceCPU, Current: autoscalingv2.MetricValueStatus{AverageUtilization: p}},
		}}
	}
	var reached []autoscalingv1.MetricStatus
	if noted(scalerReached, &reached) {
		out.Status.CurrentMetrics = metricsAs[autoscalingv2.MetricStatus](reached, true, false)
	}
	var conditions []autoscalingv2.HorizontalPodAutoscalerCondition // alike in both
	if noted(scalerConditions, &conditions) {
		out.Status.Conditions = conditions
	}
	return out
}
