package workloads

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// DefaultClass is the name of the StorageClass that AddDefaultClass creates, and ProvisionerName that of the provisioner that it names.
const (
	DefaultClass    = "standard"
	ProvisionerName = "lwtest/hostpath"
)

// Annotations by which a provisioner, kube-controller-manager and kube-scheduler talk to each other.
const (
	isDefaultClass = "storageclass.kubernetes.io/is-default-class"
	provisionerOf  = "volume.kubernetes.io/storage-provisioner"
	selectedNode   = "volume.kubernetes.io/selected-node"
	provisionedBy  = "pv.kubernetes.io/provisioned-by"
)

var classes = storagev1.SchemeGroupVersion.WithResource("storageclasses")

// AddDefaultClass creates the StorageClass DefaultClass as the default one, unless there is a default one or one of that name.
func AddDefaultClass(ctx context.Context, api apiserver.API) error {
	list, err := api.List(ctx, apiserver.Request{Resource: classes}, metav1.ListOptions{})
	if err != nil {
		return err
	}
	has := false
	if err := meta.EachListItem(list, func(o runtime.Object) error {
		has = has || o.(metav1.Object).GetAnnotations()[isDefaultClass] == "true"
		return nil
	}); has || err != nil {
		return err
	}
	remove, immediate := corev1.PersistentVolumeReclaimDelete, storagev1.VolumeBindingImmediate
	_, err = api.Create(ctx, apiserver.Request{Resource: classes}, &storagev1.StorageClass{
		ObjectMeta:  metav1.ObjectMeta{Name: DefaultClass, Annotations: map[string]string{isDefaultClass: "true"}},
		Provisioner: ProvisionerName, ReclaimPolicy: &remove, VolumeBindingMode: &immediate,
	}, metav1.CreateOptions{FieldManager: apiserver.ServerManager})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// provisioners are the controllers of Options.Provisioner.
func provisioners() []*controller {
	return []*controller{
		{claims, (*manager).provision, []link{{classes, claimsOfClass}}},
		{volumes, (*manager).reclaim, nil},
	}
}

// claimsOfClass links a class with its claims.
func claimsOfClass(m *manager, o metav1.Object) (all []types.NamespacedName) {
	for _, c := range everywhere[*corev1.PersistentVolumeClaim](m, claims) {
		if className(c.Spec.StorageClassName) == o.GetName() {
			all = append(all, types.NamespacedName{Namespace: c.Namespace, Name: c.Name})
		}
	}
	return all
}

// provision makes the volume of a claim that has none, as the external provisioners of a cluster do: once kube-controller-manager has
// written on the claim who should make it. Where the class waits for the first consumer, that is after kube-scheduler has chosen a node.
func (m *manager) provision(namespace, name string) error {
	c, ok := get[*corev1.PersistentVolumeClaim](m, claims, namespace, name)
	if !ok || c.DeletionTimestamp != nil || c.Spec.VolumeName != "" || c.Annotations[provisionerOf] != ProvisionerName {
		return nil
	}
	class, ok := get[*storagev1.StorageClass](m, classes, "", className(c.Spec.StorageClassName))
	if !ok || class.Provisioner != ProvisionerName {
		return nil
	}
	waits := class.VolumeBindingMode != nil && *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
	if waits && c.Annotations[selectedNode] == "" {
		return nil
	}
	v := newVolume(c)
	v.Annotations = map[string]string{provisionedBy: ProvisionerName}
	if class.ReclaimPolicy != nil {
		v.Spec.PersistentVolumeReclaimPolicy = *class.ReclaimPolicy
	}
	if _, err := create(m, volumes, v); !apierrors.IsAlreadyExists(err) {
		return err
	}
	return nil
}

// newVolume returns the volume that is made for a claim.
func newVolume(c *corev1.PersistentVolumeClaim) *corev1.PersistentVolume {
	name, how := "pvc-"+string(c.UID), corev1.HostPathDirectoryOrCreate
	return &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PersistentVolumeSpec{
		Capacity: corev1.ResourceList{corev1.ResourceStorage: *c.Spec.Resources.Requests.Storage()}, AccessModes: c.Spec.AccessModes,
		ClaimRef:         &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: c.Namespace, Name: c.Name, UID: c.UID, ResourceVersion: c.ResourceVersion},
		StorageClassName: className(c.Spec.StorageClassName), VolumeMode: c.Spec.VolumeMode, PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
		PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/var/lib/volumes/" + name, Type: &how}},
	}}
}

// reclaim deletes a volume that this provisioner has made, whose claim is gone and whose policy is Delete.
func (m *manager) reclaim(_, name string) error {
	v, ok := get[*corev1.PersistentVolume](m, volumes, "", name)
	if !ok || v.DeletionTimestamp != nil || v.Annotations[provisionedBy] != ProvisionerName || v.Status.Phase != corev1.VolumeReleased ||
		v.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete {
		return nil
	}
	return m.remove(volumes, v, "")
}
