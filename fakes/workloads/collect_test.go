package workloads_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

func TestDeleteInBackground(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.apply(web)
		c.wait(time.Minute)
		c.remove(deployments, "web", metav1.DeletePropagationBackground)
		_, there := get[*appsv1.Deployment](c, deployments, "web")
		assert.False(t, there)
		c.wait(time.Minute)
		assert.Empty(t, list[*appsv1.ReplicaSet](c, replicaSets))
		assert.Empty(t, list[*corev1.Pod](c, pods))
	})
}

func TestDeleteInForeground(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.apply(web)
		c.wait(time.Minute)
		name := list[*corev1.Pod](c, pods)[0].Name
		change(c, pods, name, func(p *corev1.Pod) { p.Finalizers = []string{"test/holds"} })
		c.remove(deployments, "web", metav1.DeletePropagationForeground)
		c.wait(time.Minute)
		assert.Equal(t, []string{name}, names(list[*corev1.Pod](c, pods)))
		assert.NotNil(t, the[*appsv1.Deployment](c, deployments, "web").DeletionTimestamp, "its pod holds it")
		change(c, pods, name, func(p *corev1.Pod) { p.Finalizers = nil })
		c.wait(time.Minute)
		assert.Empty(t, list[*corev1.Pod](c, pods))
		assert.Empty(t, list[*appsv1.ReplicaSet](c, replicaSets))
		assert.Empty(t, list[*appsv1.Deployment](c, deployments))
	})
}

func TestDeleteOrphans(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.apply(web)
		c.wait(time.Minute)
		c.remove(deployments, "web", metav1.DeletePropagationOrphan)
		c.wait(time.Minute)
		assert.Empty(t, list[*appsv1.Deployment](c, deployments))
		rs := list[*appsv1.ReplicaSet](c, replicaSets)
		require.Len(t, rs, 1)
		assert.Empty(t, rs[0].OwnerReferences)
		assert.Len(t, list[*corev1.Pod](c, pods), 4)

		c.apply(web)
		c.wait(time.Minute)
		rs = list[*appsv1.ReplicaSet](c, replicaSets)
		require.Len(t, rs, 1)
		assert.Equal(t, the[*appsv1.Deployment](c, deployments, "web").UID, rs[0].OwnerReferences[0].UID, "adopted")
	})
}

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.test.example.com}
spec:
  group: test.example.com
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing, listKind: ThingList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`

func TestCollectCustomResources(t *testing.T) {
	bubble(t, everything, func(c *cluster) {
		c.apply(definition)
		c.wait(time.Minute)
		create := func(name string, owners ...metav1.OwnerReference) metav1.OwnerReference {
			ref := *metav1.NewControllerRef(c.createThing(name, owners...), things.GroupVersion().WithKind("Thing"))
			ref.Controller = nil
			return ref
		}
		a, b := create("a"), create("b")
		create("child", a)
		c.create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "both", OwnerReferences: []metav1.OwnerReference{a, b}}})
		wrong := a
		wrong.UID = "no-such-uid"
		c.create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "absent", OwnerReferences: []metav1.OwnerReference{wrong}}})
		c.wait(time.Minute)
		assert.Equal(t, []string{"a", "b", "child"}, names(list[*unstructured.Unstructured](c, things)))
		assert.Equal(t, []string{"both", "kube-root-ca.crt"}, names(list[*corev1.ConfigMap](c, configMaps)), "an owner that never was is absent")

		crds := apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions")
		o, err := c.Get(ctx, apiserver.Request{Resource: crds, Name: "things.test.example.com"}, metav1.GetOptions{})
		require.NoError(t, err)
		crd := o.(*apiextensionsv1.CustomResourceDefinition)
		crd.Spec.Versions = append(crd.Spec.Versions, *crd.Spec.Versions[0].DeepCopy())
		crd.Spec.Versions[0].Served, crd.Spec.Versions[0].Storage = false, false
		crd.Spec.Versions[1].Name = "v2"
		_, err = c.Update(ctx, apiserver.Request{Resource: crds, Name: crd.Name}, crd, metav1.UpdateOptions{})
		require.NoError(t, err)
		c.wait(time.Minute)
		v2 := things.GroupResource().WithVersion("v2")
		assert.Len(t, list[*unstructured.Unstructured](c, v2), 3, "another version is no reason to delete")
		c.remove(v2, "a", metav1.DeletePropagationForeground)
		c.wait(time.Minute)
		assert.Equal(t, []string{"b"}, names(list[*unstructured.Unstructured](c, v2)))
		assert.Len(t, the[*corev1.ConfigMap](c, configMaps, "both").OwnerReferences, 1)
	})
}

var things = schema.GroupVersionResource{Group: "test.example.com", Version: "v1", Resource: "things"}

// createThing creates a custom resource.
func (c *cluster) createThing(name string, owners ...metav1.OwnerReference) metav1.Object {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "test.example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": name}}}
	u.SetOwnerReferences(owners)
	out, err := c.Create(ctx, apiserver.Request{Resource: things, Namespace: "default"}, u, metav1.CreateOptions{})
	require.NoError(c.t, err)
	return out.(metav1.Object)
}
