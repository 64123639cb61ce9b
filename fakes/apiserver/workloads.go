package apiserver

import (
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var jobs = batchv1.SchemeGroupVersion.WithResource("jobs")

// podNames is what has its name from those of what makes pods.
const podNames = "Pod names and hostnames"

// workloads are what makes pods, and what it keeps of its own past.
func workloads() []Resource {
	v1, all := appsv1.SchemeGroupVersion, []string{"all"}
	return []Resource{
		builtin[appsv1.Deployment, appsv1.DeploymentList](v1, "deployments", Resource{
			Namespaced: true, Unconditional: true, ShortNames: []string{"deploy"}, Categories: all, hosts: podNames,
			Spec:   of(func(d *appsv1.Deployment) any { return []any{d.Spec, d.Annotations} }),
			Status: of(func(d *appsv1.Deployment) any { return &d.Status }),
			Scale: of(func(d *appsv1.Deployment) Scaled {
				return Scaled{d.Spec.Replicas, d.Status.Replicas, selectorText(d.Spec.Selector)}
			}),
			defaults:      of1(defaultDeployment),
			prepareStatus: changed(func(in, old *appsv1.Deployment) { in.Labels = old.Labels }), statusResets: []string{"labels"},
			check: checked(func(in, old *appsv1.Deployment) field.ErrorList {
				t := workload{"deployment", in.Spec.Selector, &in.Spec.Template, in.Spec.Replicas, in.Spec.MinReadySeconds, in.Spec.RevisionHistoryLimit}
				if old == nil {
					return append(t.check(nil), checkStrategy(in)...)
				}
				return slices.Concat(t.check(nil), checkStrategy(in), checkDeploymentStatus(&in.Status), checkCollisions(in.Status.CollisionCount, old.Status.CollisionCount), immutable(field.NewPath("spec", "selector"), in.Spec.Selector, old.Spec.Selector))
			}),
		}),
		builtin[appsv1.ReplicaSet, appsv1.ReplicaSetList](v1, "replicasets", Resource{
			Namespaced: true, Unconditional: true, ShortNames: []string{"rs"}, Categories: all, hosts: podNames,
			Spec:   of(func(r *appsv1.ReplicaSet) any { return &r.Spec }),
			Status: of(func(r *appsv1.ReplicaSet) any { return &r.Status }),
			Scale: of(func(r *appsv1.ReplicaSet) Scaled {
				return Scaled{r.Spec.Replicas, r.Status.Replicas, selectorText(r.Spec.Selector)}
			}),
			defaults: of1(defaultReplicaSet),
			check: checked(func(in, old *appsv1.ReplicaSet) field.ErrorList {
				t := workload{"deployment", in.Spec.Selector, &in.Spec.Template, in.Spec.Replicas, in.Spec.MinReadySeconds, nil} // kube-apiserver says so
				if old == nil {
					return t.check(nil)
				}
				return append(t.check(old.Spec.Selector), checkReplicaSetStatus(&in.Status)...)
			}),
		}),
		builtin[appsv1.StatefulSet, appsv1.StatefulSetList](v1, "statefulsets", Resource{
			Namespaced: true, Unconditional: true, ShortNames: []string{"sts"}, Categories: all, ValidName: validation.NameIsDNSLabel,
			Spec:   of(func(s *appsv1.StatefulSet) any { return &s.Spec }),
			Status: of(func(s *appsv1.StatefulSet) any { return &s.Status }),
			Scale: of(func(s *appsv1.StatefulSet) Scaled {
				return Scaled{s.Spec.Replicas, s.Status.Replicas, selectorText(s.Spec.Selector)}
			}),
			defaults: of1(defaultStatefulSet),
			check: checked(func(in, old *appsv1.StatefulSet) field.ErrorList {
				t := workload{"statefulset", in.Spec.Selector, podOfSet(&in.Spec), in.Spec.Replicas, in.Spec.MinReadySeconds, nil}
				errs := append(checkStatefulSet(in), t.check(nil)...)
				if old != nil {
					errs = slices.Concat(errs, checkStatefulSetUpdate(in, old), checkStatefulSetStatus(&in.Status), checkCollisions(in.Status.CollisionCount, old.Status.CollisionCount))
				}
				return errs
			}),
		}),
		builtin[appsv1.DaemonSet, appsv1.DaemonSetList](v1, "daemonsets", Resource{
			Namespaced: true, Unconditional: true, ShortNames: []string{"ds"}, Categories: all,
			Spec:     of(func(d *appsv1.DaemonSet) any { return &d.Spec }),
			Status:   of(func(d *appsv1.DaemonSet) any { return &d.Status }),
			defaults: of1(defaultDaemonSet), reads: of1(readDaemonSet), prepare: changed(prepareDaemonSet), prepareStatus: changed(prepareDaemonSetStatus),
			check: checked(func(in, old *appsv1.DaemonSet) field.ErrorList {
				t := workload{"daemonset", in.Spec.Selector, &in.Spec.Template, nil, in.Spec.MinReadySeconds, in.Spec.RevisionHistoryLimit}
				var changed field.ErrorList
				if old != nil {
					changed = immutable(field.NewPath("spec", "selector"), in.Spec.Selector, old.Spec.Selector)
				}
				all := slices.Concat(changed, t.check(nil), checkDaemonSet(in), checkDaemonSetStatus(&in.Status))
				if old != nil {
					all = append(all, checkCollisions(in.Status.CollisionCount, old.Status.CollisionCount)...)
				}
				return slices.DeleteFunc(all, func(err *field.Error) bool { // it says only what does not match
					return err.Type == field.ErrorTypeRequired && err.Field == "spec.selector"
				})
			}),
		}),
		builtin[appsv1.ControllerRevision, appsv1.ControllerRevisionList](v1, "controllerrevisions", Resource{
			Namespaced: true, Unconditional: true, check: checked(checkRevision),
		}),
		builtin[batchv1.Job, batchv1.JobList](batchv1.SchemeGroupVersion, "jobs", Resource{
			Namespaced: true, Unconditional: true, Orphans: true, Categories: all, hosts: podNames,
			Fields: map[string]func(runtime.Object) string{
				"status.successful": of(func(j *batchv1.Job) string { return strconv.Itoa(int(j.Status.Succeeded)) }),
			},
			Spec:     of(func(j *batchv1.Job) any { return &j.Spec }),
			Status:   of(func(j *batchv1.Job) any { return &j.Status }),
			defaults: of1(defaultJob), prepare: changed(prepareJob), stored: storedJob, check: checked(checkJob),
			checkPart: map[string]func(in, old runtime.Object) field.ErrorList{status: checked(checkJobStatus)},
		}),
	}
}

// furtherWorkloads are what makes other workloads, or says how large they are.
func furtherWorkloads() []Resource {
	return []Resource{
		builtin[batchv1.CronJob, batchv1.CronJobList](batchv1.SchemeGroupVersion, "cronjobs", Resource{
			Namespaced: true, Unconditional: true, ShortNames: []string{"cj"}, Categories: []string{"all"}, hosts: podNames,
			Spec:     of(func(c *batchv1.CronJob) any { return &c.Spec }),
			Status:   of(func(c *batchv1.CronJob) any { return &c.Status }),
			defaults: of1(defaultCronJob), check: checked(checkCronJob),
			checkPart: unjudged,
		}),
		builtin[autoscalingv2.HorizontalPodAutoscaler, autoscalingv2.HorizontalPodAutoscalerList](autoscalingv2.SchemeGroupVersion, "horizontalpodautoscalers", Resource{
			Namespaced: true, Unconditional: true, ShortNames: []string{"hpa"}, Categories: []string{"all"},
			Spec:     of(func(a *autoscalingv2.HorizontalPodAutoscaler) any { return &a.Spec }),
			Status:   of(func(a *autoscalingv2.HorizontalPodAutoscaler) any { return &a.Status }),
			defaults: of1(defaultAutoscaler), check: checked(checkAutoscaler),
			checkPart: map[string]func(in, old runtime.Object) field.ErrorList{status: checked(checkAutoscalerStatus)},
		}),
		builtin[autoscalingv1.HorizontalPodAutoscaler, autoscalingv1.HorizontalPodAutoscalerList](autoscalingv1.SchemeGroupVersion, "horizontalpodautoscalers", Resource{
			Namespaced: true, Unconditional: true, ShortNames: []string{"hpa"}, Categories: []string{"all"},
			Status:   of(func(a *autoscalingv1.HorizontalPodAutoscaler) any { return &a.Status }),
			defaults: of1(func(a *autoscalingv1.HorizontalPodAutoscaler) { defaultPtr(&a.Spec.MinReplicas, 1) }),
			other: &otherVersion{
				stored: autoscalingv2.SchemeGroupVersion.WithResource("horizontalpodautoscalers"),
				to:     of(scalerToV2), from: of(scalerToV1),
			},
		}),
	}
}

// selectorText is a selector as a scale shows it.
func selectorText(s *metav1.LabelSelector) string {
	out, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return ""
	}
	return out.String()
}
