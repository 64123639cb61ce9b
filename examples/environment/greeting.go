// Package environment is a small controller-runtime project: a custom resource, its reconciler and its webhook. Its tests run on lwtest's
// Environment in place of envtest: only the import has changed.
package environment

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// Greeting greets whoever its spec names, in its status.
type Greeting struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   GreetingSpec   `json:"spec,omitempty"`
	Status GreetingStatus `json:"status,omitempty"`
}

// GreetingSpec says who is greeted.
type GreetingSpec struct {
	Name string `json:"name,omitempty"`
}

// GreetingStatus is the greeting.
type GreetingStatus struct {
	Text string `json:"text,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (g *Greeting) DeepCopyObject() runtime.Object {
	out := *g
	g.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// GreetingList is a list of them.
type GreetingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Greeting `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (l *GreetingList) DeepCopyObject() runtime.Object {
	out := &GreetingList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*Greeting))
	}
	return out
}

// AddToScheme adds the types to a scheme.
func AddToScheme(s *runtime.Scheme) {
	gv := schema.GroupVersion{Group: "example.com", Version: "v1"}
	s.AddKnownTypes(gv, &Greeting{}, &GreetingList{})
	metav1.AddToGroupVersion(s, gv)
}

// Setup adds the reconciler and the webhook to a manager.
func Setup(m ctrl.Manager) error {
	return errors.Join(
		ctrl.NewControllerManagedBy(m).For(&Greeting{}).Complete(&reconciler{m.GetClient()}),
		ctrl.NewWebhookManagedBy(m, &Greeting{}).WithValidator(validator{}).Complete())
}

type reconciler struct{ client.Client }

// Reconcile writes the greeting.
func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var g Greeting
	if err := r.Get(ctx, req.NamespacedName, &g); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	g.Status.Text = "Hello, " + g.Spec.Name
	return ctrl.Result{}, r.Status().Update(ctx, &g)
}

// validator refuses greetings of nobody.
type validator struct{}

func (validator) check(g *Greeting) (admission.Warnings, error) {
	if g.Spec.Name == "" {
		return nil, errors.New("spec.name says nobody")
	}
	return nil, nil
}

// ValidateCreate implements admission.Validator.
func (v validator) ValidateCreate(_ context.Context, g *Greeting) (admission.Warnings, error) {
	return v.check(g)
}

// ValidateUpdate implements admission.Validator.
func (v validator) ValidateUpdate(_ context.Context, _, g *Greeting) (admission.Warnings, error) {
	return v.check(g)
}

// ValidateDelete implements admission.Validator.
func (validator) ValidateDelete(context.Context, *Greeting) (admission.Warnings, error) {
	return nil, nil
}
