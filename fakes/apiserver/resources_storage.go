package apiserver

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// storageResources are kinds about volumes, and about the versions that objects are stored in.
func storageResources() []Resource {
	v1 := storagev1.SchemeGroupVersion
	return []Resource{
		builtin[storagev1.StorageClass, storagev1.StorageClassList](v1, "storageclasses", Resource{
			Unconditional: true, ShowsDeleted: true, ShortNames: []string{"sc"}, check: checked(checkStorageClass),
			defaults: of1(func(c *storagev1.StorageClass) {
				defaultPtr(&c.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete)
				defaultPtr(&c.VolumeBindingMode, storagev1.VolumeBindingImmediate)
			}),
		}),
		builtin[storagev1.VolumeAttachment, storagev1.VolumeAttachmentList](v1, "volumeattachments", Resource{
			ShowsDeleted: true,
			Status:       of(func(a *storagev1.VolumeAttachment) any { return &a.Status }), prepareStatus: keepMetadata,
		}),
		builtin[storagev1.CSIStorageCapacity, storagev1.CSIStorageCapacityList](v1, "csistoragecapacities", Resource{Namespaced: true}),
		builtin[storagev1.VolumeAttributesClass, storagev1.VolumeAttributesClassList](v1, "volumeattributesclasses", Resource{
			Unconditional: true, ShowsDeleted: true, ShortNames: []string{"vac"},
		}),
		builtin[storagemigrationv1.StorageVersionMigration, storagemigrationv1.StorageVersionMigrationList](storagemigrationv1.SchemeGroupVersion, "storageversionmigrations", Resource{
			StoredVersion: "v1beta1",
			Status:        of(func(m *storagemigrationv1.StorageVersionMigration) any { return &m.Status }), prepareStatus: keepMetadata,
		}),
	}
}

// deviceResources are kinds about devices and who may use them.
func deviceResources() []Resource {
	v1 := resourcev1.SchemeGroupVersion
	return []Resource{
		builtin[resourcev1.DeviceClass, resourcev1.DeviceClassList](v1, "deviceclasses", Resource{
			Unconditional: true, ShowsDeleted: true,
			Spec:  of(func(c *resourcev1.DeviceClass) any { return &c.Spec }),
			check: checked(checkDeviceClass),
		}),
		builtin[resourcev1.ResourceClaim, resourcev1.ResourceClaimList](v1, "resourceclaims", Resource{
			Namespaced: true, Unconditional: true, ShowsDeleted: true,
			Status:   of(func(c *resourcev1.ResourceClaim) any { return &c.Status }),
			defaults: of1(func(c *resourcev1.ResourceClaim) { defaultClaimSpec(&c.Spec) }), prepareStatus: keepMetadata,
			check: checked(checkResourceClaim),
		}),
		builtin[resourcev1.ResourceClaimTemplate, resourcev1.ResourceClaimTemplateList](v1, "resourceclaimtemplates", Resource{
			Namespaced: true, Unconditional: true, ShowsDeleted: true,
			defaults: of1(func(t *resourcev1.ResourceClaimTemplate) { defaultClaimSpec(&t.Spec.Spec) }),
			check:    checked(checkClaimTemplate),
		}),
		builtin[resourcev1.ResourceSlice, resourcev1.ResourceSliceList](v1, "resourceslices", Resource{
			Unconditional: true, ShowsDeleted: true,
			Fields: fieldFuncs{
				resourcev1.ResourceSliceSelectorNodeName: of(func(s *resourcev1.ResourceSlice) string {
					if s.Spec.NodeName == nil {
						return ""
					}
					return *s.Spec.NodeName
				}),
				resourcev1.ResourceSliceSelectorDriver:   of(func(s *resourcev1.ResourceSlice) string { return s.Spec.Driver }),
				resourcev1.ResourceSliceSelectorPoolName: of(func(s *resourcev1.ResourceSlice) string { return s.Spec.Pool.Name }),
			},
			Spec: of(func(s *resourcev1.ResourceSlice) any { return &s.Spec }),
			defaults: of1(func(s *resourcev1.ResourceSlice) {
				for i := range s.Spec.Devices {
					defaultTaints(s.Spec.Devices[i].Taints)
				}
			}),
		}),
		builtin[resourcev1.DeviceTaintRule, resourcev1.DeviceTaintRuleList](v1, "devicetaintrules", Resource{
			StoredVersion: "v1beta2",
			Unconditional: true,
			Spec:          of(func(r *resourcev1.DeviceTaintRule) any { return &r.Spec }),
			Status:        of(func(r *resourcev1.DeviceTaintRule) any { return &r.Status }),
			defaults: of1(func(r *resourcev1.DeviceTaintRule) {
				if r.Spec.Taint.TimeAdded == nil {
					r.Spec.Taint.TimeAdded = now()
				}
			}),
			prepareStatus: keepMetadata,
		}),
	}
}

// defaultClaimSpec: a request that says nothing else is for one device.
func defaultClaimSpec(spec *resourcev1.ResourceClaimSpec) {
	one := func(mode *resourcev1.DeviceAllocationMode, count *int64) {
		if defaultTo(mode, resourcev1.DeviceAllocationModeExactCount); *mode == resourcev1.DeviceAllocationModeExactCount {
			defaultTo(count, 1)
		}
	}
	for i := range spec.Devices.Requests {
		r := &spec.Devices.Requests[i]
		if r.Exactly != nil {
			one(&r.Exactly.AllocationMode, &r.Exactly.Count)
		}
		for j := range r.FirstAvailable {
			one(&r.FirstAvailable[j].AllocationMode, &r.FirstAvailable[j].Count)
		}
	}
}

func defaultTaints(taints []resourcev1.DeviceTaint) {
	for i := range taints {
		if taints[i].TimeAdded == nil {
			taints[i].TimeAdded = now()
		}
	}
}

// keepMetadata lets a write to /status change no metadata of which a client decides.
func keepMetadata(in, old runtime.Object) {
	metav1.ResetObjectMetaForStatus(in.(metav1.Object), old.(metav1.Object))
}

// now is the time as an object has it.
func now() *metav1.Time {
	t := second(time.Now())
	return &t
}
