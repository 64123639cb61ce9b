package apiserver

import (
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/diff"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// checkClaim does not judge what a claim is filled from.
func checkClaim(in, old *corev1.PersistentVolumeClaim) (errs field.ErrorList) {
	s, path := &in.Spec, field.NewPath("spec")
	if len(s.AccessModes) == 0 {
		errs = append(errs, field.Required(path.Child("accessModes"), "at least 1 access mode is required"))
	}
	errs = append(errs, checkSelector(s.Selector, path.Child("selector"))...)
	errs = append(errs, checkAccessModes(s.AccessModes, path.Child("accessModes"))...)
	size, sized := s.Resources.Requests[corev1.ResourceStorage]
	if at := path.Child("resources").Key("storage"); !sized {
		errs = append(errs, field.Required(at, ""))
	} else {
		errs = append(errs, positive(size, at)...)
	}
	errs = append(errs, checkVolumeWords(s.StorageClassName, s.VolumeMode, path)...)
	if old != nil {
		errs = append(errs, checkClaimUpdate(in, old)...)
	}
	return errs
}

// checkClaimUpdate: a claim gets its volume and its class once; when it is bound it may ask for more.
func checkClaimUpdate(in, old *corev1.PersistentVolumeClaim) (errs field.ErrorList) {
	is, was, path := in.Spec.DeepCopy(), old.Spec.DeepCopy(), field.NewPath("spec")
	if was.VolumeName == "" {
		was.VolumeName = is.VolumeName
	}
	if named := old.Annotations[corev1.BetaStorageClassAnnotation]; was.StorageClassName == nil && is.StorageClassName != nil && (named == "" || named == *is.StorageClassName) {
		was.StorageClassName = is.StorageClassName
	}
	size, before, have := is.Resources.Requests[corev1.ResourceStorage], was.Resources.Requests[corev1.ResourceStorage], old.Status.Capacity[corev1.ResourceStorage]
	if in.Status.Phase == corev1.ClaimBound {
		if is.Resources.Requests != nil {
			is.Resources.Requests[corev1.ResourceStorage] = before
		}
		is.VolumeAttributesClassName = was.VolumeAttributesClassName
	}
	if !equality.Semantic.DeepEqual(is, was) {
		errs = append(errs, field.Forbidden(path, "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n"+diff.Diff(internalClaim(was), internalClaim(is))))
	}
	if size.Cmp(before) < 0 && size.Cmp(have) <= 0 {
		errs = append(errs, field.Forbidden(path.Child("resources", "requests", "storage"), "field can not be less than status.capacity"))
	}
	return append(errs, immutable(field.NewPath("volumeMode"), in.Spec.VolumeMode, old.Spec.VolumeMode)...)
}

// internalClaim has the fields and names that kube-apiserver's own type has, which it shows a difference in.
func internalClaim(s *corev1.PersistentVolumeClaimSpec) any {
	return struct {
		AccessModes      []corev1.PersistentVolumeAccessMode
		Selector         *metav1.LabelSelector
		Resources        struct{ Limits, Requests corev1.ResourceList }
		VolumeName       string
		StorageClassName *string
		VolumeMode       *corev1.PersistentVolumeMode
		DataSource       *struct {
			APIGroup   *string
			Kind, Name string
		}
		DataSourceRef *struct {
			APIGroup   *string
			Kind, Name string
			Namespace  *string
		}
		VolumeAttributesClassName *string
	}{
		s.AccessModes, s.Selector, struct{ Limits, Requests corev1.ResourceList }(s.Resources), s.VolumeName, s.StorageClassName, s.VolumeMode,
		(*struct {
			APIGroup   *string
			Kind, Name string
		})(s.DataSource), (*struct {
			APIGroup   *string
			Kind, Name string
			Namespace  *string
		})(s.DataSourceRef), s.VolumeAttributesClassName,
	}
}

func checkAccessModes(all []corev1.PersistentVolumeAccessMode, path *field.Path) (errs field.ErrorList) {
	known := []corev1.PersistentVolumeAccessMode{corev1.ReadOnlyMany, corev1.ReadWriteMany, corev1.ReadWriteOnce, corev1.ReadWriteOncePod}
	for _, m := range all {
		errs = append(errs, oneOf(path, m, known...)...)
	}
	if slices.Contains(all, corev1.ReadWriteOncePod) && slices.ContainsFunc(all, func(m corev1.PersistentVolumeAccessMode) bool { return slices.Contains(known[:3], m) }) {
		errs = append(errs, field.Forbidden(path, "may not use ReadWriteOncePod with other access modes"))
	}
	return errs
}

func checkVolumeWords(class *string, mode *corev1.PersistentVolumeMode, path *field.Path) (errs field.ErrorList) {
	if class != nil && *class != "" {
		errs = wrongs(path.Child("storageClassName"), *class, subdomain(*class))
	}
	if mode != nil {
		errs = append(errs, oneOf(path.Child("volumeMode"), *mode, corev1.PersistentVolumeBlock, corev1.PersistentVolumeFilesystem)...)
	}
	return errs
}

func positive(q resource.Quantity, path *field.Path) field.ErrorList {
	if q.Sign() > 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, q.String(), "must be greater than zero")}
}

// checkVolume does not judge whether the source of a volume changes.
func checkVolume(in, old *corev1.PersistentVolume) (errs field.ErrorList) {
	s, at := &in.Spec, field.NewPath("spec")
	if len(s.AccessModes) == 0 {
		errs = append(errs, field.Required(at.Child("accessModes"), ""))
	}
	errs = append(errs, checkAccessModes(s.AccessModes, at.Child("accessModes"))...)
	capacity := at.Child("capacity")
	if len(s.Capacity) == 0 {
		errs = append(errs, field.Required(capacity, ""))
	}
	if _, ok := s.Capacity[corev1.ResourceStorage]; !ok || len(s.Capacity) > 1 {
		errs = append(errs, field.NotSupported(capacity, s.Capacity, []corev1.ResourceName{corev1.ResourceStorage}))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Capacity)) {
		q := s.Capacity[name]
		if q.Value() < 0 {
			errs = append(errs, field.Invalid(capacity.Key(string(name)), q.Value(), "must be a valid resource quantity"))
		}
		errs = append(errs, positive(q, capacity.Key(string(name)))...)
	}
	reclaim := at.Child("persistentVolumeReclaimPolicy")
	errs = append(errs, oneOf(reclaim, s.PersistentVolumeReclaimPolicy, corev1.PersistentVolumeReclaimDelete, corev1.PersistentVolumeReclaimRecycle, corev1.PersistentVolumeReclaimRetain)...)
	some := false
	for _, f := range reflect.ValueOf(s.PersistentVolumeSource).Fields() {
		if !f.IsNil() {
			some, errs = true, append(errs, checkSource(f.Interface(), at)...)
		}
	}
	errs = append(errs, more(s.PersistentVolumeSource, at)...)
	if s.Local != nil && (s.NodeAffinity == nil || s.NodeAffinity.Required == nil) {
		errs = append(errs, field.Required(at.Child("nodeAffinity"), "Local volume requires node affinity"))
	}
	if !some {
		errs = append(errs, field.Required(at, "must specify a volume type"))
	}
	if s.HostPath != nil && path.Clean(s.HostPath.Path) == "/" && s.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimRecycle {
		errs = append(errs, field.Forbidden(reclaim, "may not be 'recycle' for a hostPath mount of '/'"))
	}
	errs = append(errs, checkVolumeWords(&s.StorageClassName, s.VolumeMode, at)...)
	if old != nil {
		errs = append(errs, immutable(field.NewPath("volumeMode"), s.VolumeMode, old.Spec.VolumeMode)...)
	}
	return errs
}

func checkStorageClass(in, old *storagev1.StorageClass) (errs field.ErrorList) {
	var last field.ErrorList
	if path := field.NewPath("provisioner"); in.Provisioner == "" {
		last = append(last, field.Required(path, ""))
	} else {
		lower := strings.ToLower(in.Provisioner)
		errs = wrongs(path, lower, utilvalidation.IsQualifiedName(lower))
	}
	if _, unnamed := in.Parameters[""]; unnamed {
		errs = append(errs, field.Invalid(field.NewPath("parameters"), "", "field can not be empty."))
	}
	errs = append(errs, oneOf(field.NewPath("reclaimPolicy"), *in.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete, corev1.PersistentVolumeReclaimRetain)...)
	errs = append(errs, oneOf(field.NewPath("volumeBindingMode"), *in.VolumeBindingMode, storagev1.VolumeBindingImmediate, storagev1.VolumeBindingWaitForFirstConsumer)...)
	if old == nil {
		return append(errs, last...)
	}
	for _, f := range []struct {
		name    string
		is, was any
	}{{"parameters", in.Parameters, old.Parameters}, {"provisioner", in.Provisioner, old.Provisioner}, {"reclaimPolicy", in.ReclaimPolicy, old.ReclaimPolicy}, {"volumeBindingMode", in.VolumeBindingMode, old.VolumeBindingMode}} {
		if !equality.Semantic.DeepEqual(f.is, f.was) {
			last = append(last, field.Invalid(field.NewPath(f.name), nil, validation.FieldImmutableErrorMsg))
		}
	}
	return append(errs, last...)
}
