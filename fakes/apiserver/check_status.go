package apiserver

import (
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// checkCollisions: collisionCount never gets smaller.
func checkCollisions(now, before *int32) field.ErrorList {
	if before == nil || now != nil && *now >= *before {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("status", "collisionCount"), valueOf(now), "cannot be decremented")}
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
	if to := in.Status.NominatedNodeName; to != "" && to != old.Status.NominatedNodeName {
		errs = append(errs, wrongs(path.Child("nominatedNodeName"), to, subdomain(to))...)
		if old.Spec.NodeName != "" {
			errs = append(errs, field.Forbidden(path.Child("nominatedNodeName"), "may not be set on pods that are already bound to a node"))
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
	if !equality.Semantic.DeepEqual(in.Spec.VolumeClaimTemplates, old.Spec.VolumeClaimTemplates) {
		errs = append(errs, field.Invalid(spec.Child("volumeClaimTemplates"), insideClaims(in.Spec.VolumeClaimTemplates), validation.FieldImmutableErrorMsg))
	}
	errs = append(errs, immutable(spec.Child("serviceName"), in.Spec.ServiceName, old.Spec.ServiceName)...)
	return append(errs, immutable(spec.Child("podManagementPolicy"), in.Spec.PodManagementPolicy, old.Spec.PodManagementPolicy)...)
}

// insideClaim is a claim as a kube-apiserver has it inside, which is what its messages show.
type insideClaim struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Spec struct {
		AccessModes               []corev1.PersistentVolumeAccessMode
		Selector                  *metav1.LabelSelector
		Resources                 struct{ Limits, Requests corev1.ResourceList }
		VolumeName                string
		StorageClassName          *string
		VolumeMode                *corev1.PersistentVolumeMode
		DataSource                *insideReference
		DataSourceRef             *insideNamespaced
		VolumeAttributesClassName *string
	}
	Status struct {
		Phase                                                                            corev1.PersistentVolumeClaimPhase
		AccessModes, Capacity, Conditions, AllocatedResources, AllocatedResourceStatuses *struct{}
		CurrentVolumeAttributesClassName, ModifyVolumeStatus, HealthStatus               *struct{}
	}
}

type insideReference struct {
	APIGroup   *string
	Kind, Name string
}

type insideNamespaced struct {
	APIGroup   *string
	Kind, Name string
	Namespace  *string
}

func insideClaims(all []corev1.PersistentVolumeClaim) (out []insideClaim) {
	for i := range all {
		var c insideClaim
		spec := &all[i].Spec
		c.ObjectMeta, c.Status.Phase = all[i].ObjectMeta, all[i].Status.Phase
		c.Spec.AccessModes, c.Spec.Selector = spec.AccessModes, spec.Selector
		c.Spec.Resources.Limits, c.Spec.Resources.Requests = spec.Resources.Limits, spec.Resources.Requests
		c.Spec.VolumeName, c.Spec.StorageClassName, c.Spec.VolumeMode = spec.VolumeName, spec.StorageClassName, spec.VolumeMode
		c.Spec.DataSource, c.Spec.DataSourceRef = (*insideReference)(spec.DataSource), (*insideNamespaced)(spec.DataSourceRef)
		c.Spec.VolumeAttributesClassName = spec.VolumeAttributesClassName
		out = append(out, c)
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
