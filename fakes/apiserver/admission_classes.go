package apiserver

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// newestDefault is the name of the newest class that an annotation marks as the default, by name if there are several; nil: there is none.
func (c *core) newestDefault(classes schema.GroupVersionResource, annotations ...string) *string {
	k := c.st.kinds[classes]
	if k == nil {
		return nil
	}
	var newest metav1.Object
	for r := range k.Now().Within("", "") {
		marked := slices.ContainsFunc(annotations, func(a string) bool { return r.meta.GetAnnotations()[a] == "true" })
		if marked && (newest == nil || newest.GetCreationTimestamp().Time.Before(r.meta.GetCreationTimestamp().Time)) {
			newest = r.meta
		}
	}
	if newest == nil {
		return nil
	}
	return new(newest.GetName())
}

func (c *core) defaultStorageClass(claim *corev1.PersistentVolumeClaim) error {
	if _, beta := claim.Annotations[corev1.BetaStorageClassAnnotation]; !beta && claim.Spec.StorageClassName == nil {
		claim.Spec.StorageClassName = c.newestDefault(storagev1.SchemeGroupVersion.WithResource("storageclasses"),
			"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
	}
	return nil
}

func (c *core) defaultIngressClass(ingress *networkingv1.Ingress) error {
	if _, old := ingress.Annotations["kubernetes.io/ingress.class"]; !old && ingress.Spec.IngressClassName == nil {
		ingress.Spec.IngressClassName = c.newestDefault(networkingv1.SchemeGroupVersion.WithResource("ingressclasses"), networkingv1.AnnotationIsDefaultIngressClass)
	}
	return nil
}

// protectStorage gives a new object the finalizer that keeps it while it is used.
func protectStorage(_ *core, k *kind, in runtime.Object) error {
	finalizer, ok := map[string]string{
		"persistentvolumeclaims": "kubernetes.io/pvc-protection", "persistentvolumes": "kubernetes.io/pv-protection",
		"volumeattributesclasses.storage.k8s.io": "kubernetes.io/vac-protection",
	}[k.res.GroupResource().String()]
	m := in.(metav1.Object)
	if ok && !slices.Contains(m.GetFinalizers(), finalizer) {
		m.SetFinalizers(append(m.GetFinalizers(), finalizer))
	}
	return nil
}
