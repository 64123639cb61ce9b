package apiserver

import (
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// count is a number of a status.
type count struct {
	name  string
	value int32
}

// checkCounts: numbers are not negative, and those of some replicas are not more than there are, or than are ready.
func checkCounts(replicas, ready int32, ofReady string, all []count, some ...count) (errs field.ErrorList) {
	path := field.NewPath("status")
	for _, c := range all {
		errs = append(errs, atLeast0(path.Child(c.name), &c.value)...)
	}
	for _, c := range some {
		if c.value > replicas {
			errs = append(errs, field.Invalid(path.Child(c.name), c.value, "cannot be greater than status.replicas"))
		}
		if c.name == "availableReplicas" && c.value > ready {
			errs = append(errs, field.Invalid(path.Child(c.name), c.value, "cannot be greater than "+ofReady))
		}
	}
	return errs
}

func valueOf(n *int32) int32 {
	if n == nil {
		return 0
	}
	return *n
}

func checkDeploymentStatus(s *appsv1.DeploymentStatus) field.ErrorList {
	ready, available := count{"readyReplicas", s.ReadyReplicas}, count{"availableReplicas", s.AvailableReplicas}
	updated := count{"updatedReplicas", s.UpdatedReplicas}
	return checkCounts(s.Replicas, s.ReadyReplicas, "readyReplicas", []count{
		{"replicas", s.Replicas}, updated, ready, available, {"unavailableReplicas", s.UnavailableReplicas}, {"collisionCount", valueOf(s.CollisionCount)},
	}, updated, ready, available)
}

func checkReplicaSetStatus(s *appsv1.ReplicaSetStatus) field.ErrorList {
	ready, available := count{"readyReplicas", s.ReadyReplicas}, count{"availableReplicas", s.AvailableReplicas}
	labeled := count{"fullyLabeledReplicas", s.FullyLabeledReplicas}
	return checkCounts(s.Replicas, s.ReadyReplicas, "readyReplicas", []count{{"replicas", s.Replicas}, labeled, ready, available}, labeled, ready, available)
}

func checkStatefulSetStatus(s *appsv1.StatefulSetStatus) field.ErrorList {
	ready, available := count{"readyReplicas", s.ReadyReplicas}, count{"availableReplicas", s.AvailableReplicas}
	current, updated := count{"currentReplicas", s.CurrentReplicas}, count{"updatedReplicas", s.UpdatedReplicas}
	return checkCounts(s.Replicas, s.ReadyReplicas, "status.readyReplicas", []count{
		{"replicas", s.Replicas}, ready, current, updated, available, {"collisionCount", valueOf(s.CollisionCount)},
	}, ready, current, updated, available)
}

func checkDaemonSetStatus(s *appsv1.DaemonSetStatus) field.ErrorList {
	return checkCounts(0, 0, "", []count{
		{"currentNumberScheduled", s.CurrentNumberScheduled}, {"numberMisscheduled", s.NumberMisscheduled}, {"desiredNumberScheduled", s.DesiredNumberScheduled},
		{"numberReady", s.NumberReady}, {"updatedNumberScheduled", s.UpdatedNumberScheduled}, {"numberAvailable", s.NumberAvailable},
		{"numberUnavailable", s.NumberUnavailable}, {"collisionCount", valueOf(s.CollisionCount)},
	})
}

func checkPodStatus(in, old *corev1.Pod) (errs field.ErrorList) {
	path := field.NewPath("status")
	for i, ip := range in.Status.PodIPs {
		if at := path.Child("podIPs").Index(i); len(utilvalidation.IsValidIP(at, ip.IP)) > 0 {
			errs = append(errs, field.Invalid(at, ip.IP, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"))
		}
	}
	if old.Status.QOSClass != "" {
		errs = append(errs, immutable(path.Child("qosClass"), in.Status.QOSClass, old.Status.QOSClass)...)
	}
	return errs
}

// checkNodeAddresses: none is there twice.
func checkNodeAddresses(s *corev1.NodeStatus) (errs field.ErrorList) {
	type address struct {
		Type    corev1.NodeAddressType
		Address string
	}
	taken := map[address]bool{}
	for i, a := range s.Addresses {
		this := address{a.Type, a.Address}
		if taken[this] {
			errs = append(errs, field.Duplicate(field.NewPath("status", "addresses").Index(i), this))
		}
		taken[this] = true
	}
	return errs
}

// What does not change.

func checkStatefulSetUpdate(in, old *appsv1.StatefulSet) (errs field.ErrorList) {
	spec := field.NewPath("spec")
	errs = immutable(spec.Child("selector"), in.Spec.Selector, old.Spec.Selector)
	errs = append(errs, immutable(spec.Child("serviceName"), in.Spec.ServiceName, old.Spec.ServiceName)...)
	return append(errs, immutable(spec.Child("podManagementPolicy"), in.Spec.PodManagementPolicy, old.Spec.PodManagementPolicy)...)
}

// checkJobUpdate: an indexed job may get another number of completions, and one that waits other nodes.
func checkJobUpdate(in, old *batchv1.Job) (errs field.ErrorList) {
	spec := field.NewPath("spec")
	errs = immutable(spec.Child("selector"), in.Spec.Selector, old.Spec.Selector)
	if m := old.Spec.CompletionMode; m == nil || *m != batchv1.IndexedCompletion {
		errs = append(errs, immutable(spec.Child("completions"), in.Spec.Completions, old.Spec.Completions)...)
	}
	waits := old.Spec.Suspend != nil && *old.Spec.Suspend
	errs = append(errs, immutable(spec.Child("template"), unplaced(in.Spec.Template, waits), unplaced(old.Spec.Template, waits))...)
	return append(errs, immutable(spec.Child("completionMode"), in.Spec.CompletionMode, old.Spec.CompletionMode)...)
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

func checkRevisionUpdate(in, old *appsv1.ControllerRevision) field.ErrorList {
	was, now := old.Data.Raw, in.Data.Raw
	var before, after any
	if json.Unmarshal(was, &before) == nil && (len(now) == 0 || json.Unmarshal(now, &after) == nil) && !equality.Semantic.DeepEqual(before, after) {
		return field.ErrorList{field.Invalid(field.NewPath("data"), after, validation.FieldImmutableErrorMsg)}
	}
	return nil
}

// checkNodeUpdate: what a cloud has said of a node stays.
func checkNodeUpdate(in, old *corev1.Node) (errs field.ErrorList) {
	spec := field.NewPath("spec")
	if len(old.Spec.PodCIDRs) > 0 && !equality.Semantic.DeepEqual(in.Spec.PodCIDRs, old.Spec.PodCIDRs) {
		errs = append(errs, field.Forbidden(spec.Child("podCIDRs"), `node updates may not change podCIDR except from "" to valid`))
	}
	if old.Spec.ProviderID != "" && in.Spec.ProviderID != old.Spec.ProviderID {
		errs = append(errs, field.Invalid(spec.Child("providerID"), nil, "field cannot be modified once set"))
	}
	return errs
}

// checkCSINodeUpdate: a driver stays as it is as long as it is there.
func checkCSINodeUpdate(in, old *storagev1.CSINode) (errs field.ErrorList) {
	for _, was := range old.Spec.Drivers {
		for _, d := range in.Spec.Drivers {
			if d.Name == was.Name && !equality.Semantic.DeepEqual(d, was) {
				inside := struct {
					Name, NodeID string
					TopologyKeys []string
					Allocatable  *storagev1.VolumeNodeResources
				}{d.Name, d.NodeID, d.TopologyKeys, d.Allocatable}
				errs = append(errs, field.Invalid(field.NewPath("spec", "drivers"), inside, validation.FieldImmutableErrorMsg))
			}
		}
	}
	return errs
}

func checkCSIDriverUpdate(in, old *storagev1.CSIDriver) field.ErrorList {
	spec := field.NewPath("spec")
	errs := immutable(spec.Child("attachedRequired"), in.Spec.AttachRequired, old.Spec.AttachRequired)
	return append(errs, immutable(spec.Child("volumeLifecycleModes"), in.Spec.VolumeLifecycleModes, old.Spec.VolumeLifecycleModes)...)
}
