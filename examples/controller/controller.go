// Package controller is a small controller, and the example of how one is tested on lwtest's API server in
// place of envtest: without binaries to download, in milliseconds, in virtual time, and with what goes wrong
// in a cluster now and then.
package controller

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Label is what a namespace has that wants a ConfigMap of the name Settings, with the label's value in it.
const (
	Label    = "example.com/settings"
	Settings = "settings"
)

// Reconciler gives namespaces their settings.
type Reconciler struct{ client.Client }

// SetupWithManager makes it run.
func (r *Reconciler) SetupWithManager(m ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(m).For(&corev1.Namespace{}).Owns(&corev1.ConfigMap{}).Complete(r)
}

// Reconcile makes one namespace as it should be.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var ns corev1.Namespace
	if err := r.Get(ctx, req.NamespacedName, &ns); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	value, wanted := ns.Labels[Label]
	if !wanted || ns.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	var have corev1.ConfigMap
	err := r.Get(ctx, client.ObjectKey{Namespace: ns.Name, Name: Settings}, &have)
	switch {
	case apierrors.IsNotFound(err):
		made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: Settings}, Data: map[string]string{"value": value}}
		if err := ctrl.SetControllerReference(&ns, made, r.Scheme()); err != nil {
			return ctrl.Result{}, err
		}
		return ctrl.Result{}, r.Create(ctx, made)
	case err != nil || have.Data["value"] == value:
		return ctrl.Result{}, err
	}
	have.Data = map[string]string{"value": value}
	return ctrl.Result{}, r.Update(ctx, &have)
}
