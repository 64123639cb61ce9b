package rest

import (
	"fmt"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Kinds whose objects are computed for each request: componentstatuses and apiservices.

// answerListed answers a get or a list of such a kind.
func (x *exchange) answerListed(r review, name string) {
	t := target{row: r.row, req: apiserver.Request{Resource: r.row.GroupVersionResource, Name: name}}
	if r.row.Deprecated != "" {
		x.warn(r.row.Deprecated)
	}
	f, err := x.form(t)
	if err == nil {
		err = f.readTable(x.r.URL.Query())
	}
	if err == nil && truth(x.r.URL.Query()["watch"]) {
		err = apierrors.NewMethodNotSupported(r.row.GroupResource(), "watch")
	}
	var out runtime.Object
	if all := r.list(x); err == nil && name == "" {
		out = r.row.NewList()
		err = meta.SetList(out, all)
	} else if err == nil {
		err = apierrors.NewNotFound(schema.GroupResource{Group: r.row.Group, Resource: r.row.singular()}, name)
		for _, obj := range all {
			if m, ok := obj.(metav1.Object); ok && m.GetName() == name {
				out, err = obj, nil
			}
		}
	}
	if err != nil {
		x.fail(err)
		return
	}
	x.answer(t, f, http.StatusOK, out)
}

// components serves componentstatuses. A kube-apiserver probes the scheduler and the controller manager on its own machine; here neither runs there.
func components() review {
	fresh, list := func() runtime.Object { return &corev1.ComponentStatus{} }, func() runtime.Object { return &corev1.ComponentStatusList{} }
	res := &apiserver.Resource{
		GroupVersionResource: corev1.SchemeGroupVersion.WithResource("componentstatuses"), Kind: "ComponentStatus",
		ShortNames: []string{"cs"}, Deprecated: "v1 ComponentStatus is deprecated in v1.19+", New: fresh, NewList: list,
	}
	of := func(name string, is corev1.ConditionStatus, message string) runtime.Object {
		return &corev1.ComponentStatus{ObjectMeta: metav1.ObjectMeta{Name: name}, Conditions: []corev1.ComponentCondition{{Type: corev1.ComponentHealthy, Status: is, Message: message}}}
	}
	refused := func(port int) string {
		return fmt.Sprintf(`Get "https://127.0.0.1:%d/healthz": dial tcp 127.0.0.1:%d: connect: connection refused`, port, port)
	}
	r := newRow(res)
	r.unkept = true
	return review{row: r, list: func(*exchange) []runtime.Object {
		return []runtime.Object{of("scheduler", corev1.ConditionFalse, refused(10259)), of("controller-manager", corev1.ConditionFalse, refused(10257)), of("etcd-0", corev1.ConditionTrue, "ok")}
	}}
}

var apiServices = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}

// services serves apiservices: one for each group version, all of them local. They are read-only here.
func services() review {
	res := apiserver.CustomResource(apiServices.GroupVersion().WithKind("APIService"), apiServices.Resource, false)
	res.Categories = []string{"api-extensions"}
	res.Columns = []apiserver.Column{
		{TableColumnDefinition: metav1.TableColumnDefinition{Name: "Service", Type: "string", Description: "The reference to the service that hosts this API endpoint."}, JSONPath: ".status.conditions[0].reason"},
		{TableColumnDefinition: metav1.TableColumnDefinition{Name: "Available", Type: "string", Description: "Whether this service is available."}, JSONPath: ".status.conditions[0].status"},
	}
	r := newRow(&res)
	r.unkept = true
	return review{row: r, list: func(x *exchange) (all []runtime.Object) {
		for _, g := range append([]metav1.APIGroup{{Versions: []metav1.GroupVersionForDiscovery{{Version: "v1"}}}}, x.found().groups...) {
			for _, v := range g.Versions {
				spec := map[string]any{"version": v.Version}
				if g.Name != "" {
					spec["group"] = g.Name
				}
				all = append(all, &unstructured.Unstructured{Object: map[string]any{
					"apiVersion": apiServices.GroupVersion().String(), "kind": "APIService", "metadata": map[string]any{"name": v.Version + "." + g.Name}, "spec": spec,
					"status": map[string]any{"conditions": []any{map[string]any{"type": "Available", "status": "True", "reason": "Local", "message": "Local APIServices are always available"}}},
				}})
			}
		}
		return all
	}}
}

// bindPod is a create of a binding that says by its name which pod it is about.
func bindPod(x *exchange, namespace string, b *corev1.Binding) error {
	if strings.TrimSpace(b.Name) == "" {
		return apierrors.NewBadRequest("Name parameter required.")
	}
	o := metav1.CreateOptions{DryRun: x.r.URL.Query()["dryRun"]}
	_, err := x.api.Create(x.r.Context(), apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("pods"), Namespace: namespace, Name: b.Name, Subresource: "binding"}, b, o)
	return err
}
