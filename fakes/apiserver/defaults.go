package apiserver

import (
	"math"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// What each kind becomes where a client says nothing: as a real kube-apiserver answers, recorded in
// rest/testdata/defaults.txt.

// defaultPtr is defaultTo for what a client may say to be zero.
func defaultPtr[T any](p **T, d T) {
	if *p == nil {
		*p = &d
	}
}

func defaultSecret(s *corev1.Secret) { defaultTo(&s.Type, corev1.SecretTypeOpaque) }

func defaultNamespace(n *corev1.Namespace) {
	if n.Name != "" {
		if n.Labels == nil {
			n.Labels = map[string]string{}
		}
		n.Labels[corev1.LabelMetadataName] = n.Name
	}
	defaultTo(&n.Status.Phase, corev1.NamespaceActive)
}

func defaultNode(n *corev1.Node) {
	if n.Status.Allocatable == nil {
		n.Status.Allocatable = n.Status.Capacity.DeepCopy()
	}
	if one := n.Spec.PodCIDR; one != "" && (len(n.Spec.PodCIDRs) == 0 || n.Spec.PodCIDRs[0] != one) {
		n.Spec.PodCIDRs = []string{one}
	}
	if len(n.Spec.PodCIDRs) > 0 {
		n.Spec.PodCIDR = n.Spec.PodCIDRs[0]
	}
}

func defaultService(s *corev1.Service) {
	spec := &s.Spec
	defaultTo(&spec.Type, corev1.ServiceTypeClusterIP)
	defaultTo(&spec.SessionAffinity, corev1.ServiceAffinityNone)
	if spec.SessionAffinity == corev1.ServiceAffinityClientIP && spec.SessionAffinityConfig == nil {
		spec.SessionAffinityConfig = &corev1.SessionAffinityConfig{
			ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: new(corev1.DefaultClientIPServiceAffinitySeconds)},
		}
	}
	for i := range spec.Ports {
		p := &spec.Ports[i]
		defaultTo(&p.Protocol, corev1.ProtocolTCP)
		if p.TargetPort == (intstr.IntOrString{}) || p.TargetPort == intstr.FromString("") {
			p.TargetPort = intstr.FromInt32(p.Port)
		}
	}
	if spec.Type != corev1.ServiceTypeExternalName {
		defaultPtr(&spec.InternalTrafficPolicy, corev1.ServiceInternalTrafficPolicyCluster)
	}
	if isReached(s) {
		defaultTo(&spec.ExternalTrafficPolicy, corev1.ServiceExternalTrafficPolicyCluster)
	}
	if spec.Type == corev1.ServiceTypeLoadBalancer {
		defaultPtr(&spec.AllocateLoadBalancerNodePorts, true)
		for i := range s.Status.LoadBalancer.Ingress {
			if g := &s.Status.LoadBalancer.Ingress[i]; g.IP != "" {
				defaultPtr(&g.IPMode, corev1.LoadBalancerIPModeVIP)
			}
		}
	}
}

func defaultDeployment(d *appsv1.Deployment) {
	defaultPodSpec(&d.Spec.Template.Spec)
	defaultPtr(&d.Spec.Replicas, 1)
	defaultPtr(&d.Spec.RevisionHistoryLimit, 10)
	defaultPtr(&d.Spec.ProgressDeadlineSeconds, 600)
	s := &d.Spec.Strategy
	if defaultTo(&s.Type, appsv1.RollingUpdateDeploymentStrategyType); s.Type == appsv1.RollingUpdateDeploymentStrategyType {
		defaultPtr(&s.RollingUpdate, appsv1.RollingUpdateDeployment{})
		defaultPtr(&s.RollingUpdate.MaxUnavailable, intstr.FromString("25%"))
		defaultPtr(&s.RollingUpdate.MaxSurge, intstr.FromString("25%"))
	}
}

func defaultReplicaSet(r *appsv1.ReplicaSet) {
	defaultPodSpec(&r.Spec.Template.Spec)
	defaultPtr(&r.Spec.Replicas, 1)
}

func defaultStatefulSet(s *appsv1.StatefulSet) {
	spec := &s.Spec
	defaultPodSpec(&spec.Template.Spec)
	defaultPtr(&spec.Replicas, 1)
	defaultPtr(&spec.RevisionHistoryLimit, 10)
	defaultTo(&spec.PodManagementPolicy, appsv1.OrderedReadyPodManagement)
	u := &spec.UpdateStrategy
	if u.Type == "" {
		u.Type = appsv1.RollingUpdateStatefulSetStrategyType
		defaultPtr(&u.RollingUpdate, appsv1.RollingUpdateStatefulSetStrategy{})
	}
	if u.Type == appsv1.RollingUpdateStatefulSetStrategyType && u.RollingUpdate != nil {
		defaultPtr(&u.RollingUpdate.Partition, 0)
		defaultPtr(&u.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
	}
	defaultPtr(&spec.PersistentVolumeClaimRetentionPolicy, appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{})
	defaultTo(&spec.PersistentVolumeClaimRetentionPolicy.WhenDeleted, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
	defaultTo(&spec.PersistentVolumeClaimRetentionPolicy.WhenScaled, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
	for i := range spec.VolumeClaimTemplates {
		c := &spec.VolumeClaimTemplates[i]
		c.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"))
		defaultPtr(&c.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
		defaultTo(&c.Status.Phase, corev1.ClaimPending)
	}
}

func defaultDaemonSet(d *appsv1.DaemonSet) {
	defaultPodSpec(&d.Spec.Template.Spec)
	defaultPtr(&d.Spec.RevisionHistoryLimit, 10)
	u := &d.Spec.UpdateStrategy
	if defaultTo(&u.Type, appsv1.RollingUpdateDaemonSetStrategyType); u.Type == appsv1.RollingUpdateDaemonSetStrategyType {
		defaultPtr(&u.RollingUpdate, appsv1.RollingUpdateDaemonSet{})
		defaultPtr(&u.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
		defaultPtr(&u.RollingUpdate.MaxSurge, intstr.FromInt32(0))
	}
	if u.RollingUpdate != nil { // of another strategy, which makes nothing of it
		defaultPtr(&u.RollingUpdate.MaxUnavailable, intstr.FromInt32(0))
		defaultPtr(&u.RollingUpdate.MaxSurge, intstr.FromInt32(0))
	}
}

func defaultJob(j *batchv1.Job) {
	spec := &j.Spec
	defaultPodSpec(&spec.Template.Spec)
	if spec.Parallelism == nil {
		defaultPtr(&spec.Completions, 1)
	}
	defaultPtr(&spec.Parallelism, 1)
	if spec.BackoffLimitPerIndex != nil {
		defaultPtr(&spec.BackoffLimit, math.MaxInt32)
	}
	defaultPtr(&spec.BackoffLimit, 6)
	if len(j.Labels) == 0 {
		j.Labels = spec.Template.Labels // the same map: prepareJob adds to both
	}
	defaultPtr(&spec.CompletionMode, batchv1.NonIndexedCompletion)
	defaultPtr(&spec.Suspend, false)
	defaultPtr(&spec.ManualSelector, false)
	if policy := spec.PodFailurePolicy; policy != nil {
		defaultPtr(&spec.PodReplacementPolicy, batchv1.Failed)
		for _, rule := range policy.Rules {
			for i := range rule.OnPodConditions {
				defaultTo(&rule.OnPodConditions[i].Status, corev1.ConditionTrue)
			}
		}
	}
	defaultPtr(&spec.PodReplacementPolicy, batchv1.TerminatingOrFailed)
}

func defaultCronJob(c *batchv1.CronJob) {
	defaultTo(&c.Spec.ConcurrencyPolicy, batchv1.AllowConcurrent)
	defaultPtr(&c.Spec.Suspend, false)
	defaultPtr(&c.Spec.SuccessfulJobsHistoryLimit, 3)
	defaultPtr(&c.Spec.FailedJobsHistoryLimit, 1)
	defaultPodSpec(&c.Spec.JobTemplate.Spec.Template.Spec)
}

// defaultAutoscaler: by the use of processors, unless it says by what.
func defaultAutoscaler(a *autoscalingv2.HorizontalPodAutoscaler) {
	defaultPtr(&a.Spec.MinReplicas, 1)
	if len(a.Spec.Metrics) == 0 {
		a.Spec.Metrics = []autoscalingv2.MetricSpec{cpuUtilization(80)}
	}
	if b := a.Spec.Behavior; b != nil {
		percent := autoscalingv2.HPAScalingPolicy{Type: autoscalingv2.PercentScalingPolicy, Value: 100, PeriodSeconds: 15}
		pods := autoscalingv2.HPAScalingPolicy{Type: autoscalingv2.PodsScalingPolicy, Value: 4, PeriodSeconds: 15}
		defaultScaling(&b.ScaleUp, new(int32(0)), pods, percent)
		defaultScaling(&b.ScaleDown, nil, percent)
	}
}

// cpuUtilization returns a metric that targets this percentage of the CPU that pods request.
func cpuUtilization(percent int32) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
		Name:   corev1.ResourceCPU,
		Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &percent},
	}}
}

// defaultScaling sets how fast an autoscaler goes up or down.
func defaultScaling(r **autoscalingv2.HPAScalingRules, window *int32, policies ...autoscalingv2.HPAScalingPolicy) {
	defaultPtr(r, autoscalingv2.HPAScalingRules{})
	inheritPtr(&(*r).StabilizationWindowSeconds, window)
	defaultPtr(&(*r).SelectPolicy, autoscalingv2.MaxChangePolicySelect)
	if (*r).Policies == nil {
		(*r).Policies = policies
	}
}

// defaultCSINode: no drivers are nothing, not an empty list.
func defaultCSINode(n *storagev1.CSINode) {
	if len(n.Spec.Drivers) == 0 {
		n.Spec.Drivers = nil
	}
}

func defaultPriorityClass(p *schedulingv1.PriorityClass) {
	defaultPtr(&p.PreemptionPolicy, corev1.PreemptLowerPriority)
}

func defaultCSIDriver(d *storagev1.CSIDriver) {
	spec := &d.Spec
	defaultPtr(&spec.AttachRequired, true)
	defaultPtr(&spec.FSGroupPolicy, storagev1.ReadWriteOnceWithFSTypeFSGroupPolicy)
	for _, off := range []**bool{&spec.PodInfoOnMount, &spec.StorageCapacity, &spec.RequiresRepublish, &spec.SELinuxMount, &spec.PreventPodSchedulingIfMissing} {
		defaultPtr(off, false)
	}
	if len(spec.VolumeLifecycleModes) == 0 {
		spec.VolumeLifecycleModes = []storagev1.VolumeLifecycleMode{storagev1.VolumeLifecyclePersistent}
	}
}
