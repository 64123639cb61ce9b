package workloads_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/workloads"
)

var persistentVolumes = corev1.SchemeGroupVersion.WithResource("persistentvolumes")

// TestProvision: a claim gets a volume once its annotations say that this provisioner should make it.
func TestProvision(t *testing.T) {
	const provisioner, node = "volume.kubernetes.io/storage-provisioner", "volume.kubernetes.io/selected-node"
	ours := workloads.ProvisionerName
	for name, test := range map[string]struct {
		class       string
		annotations map[string]string
		volumes     int
	}{
		"immediate":               {"standard", map[string]string{provisioner: ours}, 1},
		"nobody has asked":        {"standard", nil, 0},
		"another provisioner":     {"standard", map[string]string{provisioner: "example.com/other"}, 0},
		"class of another":        {"other", map[string]string{provisioner: ours}, 0},
		"no class":                {"missing", map[string]string{provisioner: ours}, 0},
		"first consumer, no node": {"waits", map[string]string{provisioner: ours}, 0},
		"first consumer":          {"waits", map[string]string{provisioner: ours, node: "node-1"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, workloads.Options{Provisioner: true}, func(c *cluster) {
				for range 2 { // the second time it is there
					require.NoError(t, workloads.AddDefaultClass(ctx, c))
				}
				wait, keep := storagev1.VolumeBindingWaitForFirstConsumer, corev1.PersistentVolumeReclaimRetain
				c.create(&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "other"}, Provisioner: "example.com/other"})
				c.create(&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "waits"}, Provisioner: ours, VolumeBindingMode: &wait, ReclaimPolicy: &keep})
				claim := claimOf(test.class)
				claim.Annotations = test.annotations
				c.create(claim)
				c.wait(time.Minute)
				all := volumesOf(t, c)
				require.Len(t, all, test.volumes)
				for _, v := range all {
					assert.Equal(t, test.class, v.Spec.StorageClassName)
					assert.Equal(t, "data", v.Spec.ClaimRef.Name)
					assert.Equal(t, ours, v.Annotations["pv.kubernetes.io/provisioned-by"])
				}
				release(t, c, all)
				left := map[string]int{"waits": test.volumes}[test.class] // its volumes are kept
				assert.Len(t, volumesOf(t, c), left)
			})
		})
	}
}

func claimOf(class string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data", Namespace: "default"}, Spec: corev1.PersistentVolumeClaimSpec{
		StorageClassName: &class, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
	}}
}

// volumesOf lists all volumes.
func volumesOf(t *testing.T, c *cluster) (all []*corev1.PersistentVolume) {
	t.Helper()
	list, err := c.List(ctx, apiserver.Request{Resource: persistentVolumes}, metav1.ListOptions{})
	require.NoError(t, err)
	require.NoError(t, meta.EachListItem(list, func(o runtime.Object) error { all = append(all, o.(*corev1.PersistentVolume)); return nil }))
	return all
}

// release sets the phase of volumes whose claims are gone, as kube-controller-manager does.
func release(t *testing.T, c *cluster, all []*corev1.PersistentVolume) {
	t.Helper()
	for _, v := range all {
		v.Status.Phase = corev1.VolumeReleased
		_, err := c.Update(ctx, apiserver.Request{Resource: persistentVolumes, Name: v.Name, Subresource: "status"}, v, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	c.wait(time.Minute)
}
