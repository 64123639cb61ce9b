package rest

import (
	"fmt"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Kinds whose objects are computed for each request: componentstatuses, and apiservices where the table has no row of them.

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

// bindPod is a create of a binding that says by its name which pod it is about.
func bindPod(x *exchange, namespace string, b *corev1.Binding) error {
	if strings.TrimSpace(b.Name) == "" {
		return apierrors.NewBadRequest("Name parameter required.")
	}
	o := metav1.CreateOptions{DryRun: x.r.URL.Query()["dryRun"]}
	_, err := x.api.Create(x.r.Context(), apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("pods"), Namespace: namespace, Name: b.Name, Subresource: "binding"}, b, o)
	return err
}
