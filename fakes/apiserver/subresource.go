package apiserver

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	hooksv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The subresources that there are.
const (
	status    = "status"
	scale     = "scale"
	finalize  = "finalize"
	binding   = "binding"
	eviction  = "eviction"
	ephemeral = "ephemeralcontainers"
	resize    = "resize"
	tokenOf   = "token"
	approval  = "approval"
)

// Subresource is a part of an object with a path of its own.
type Subresource struct {
	Name  string
	Verbs []string                // in the order of discovery
	Kind  schema.GroupVersionKind // of what is sent and answered
	New   func() runtime.Object
}

// Subresources of a resource, in the order of their names. Only what the table says is served; a
// kube-apiserver has more of some kinds.
func (r *Resource) Subresources() []Subresource {
	var all []Subresource
	readWrite, own := []string{"get", "patch", "update"}, r.GroupVersion().WithKind(r.Kind)
	create := []string{"create"}
	if r.GroupVersionResource == pods {
		all = append(all,
			Subresource{binding, create, corev1.SchemeGroupVersion.WithKind("Binding"), func() runtime.Object { return &corev1.Binding{} }},
			Subresource{ephemeral, readWrite, own, r.New},
			Subresource{eviction, create, policyv1.SchemeGroupVersion.WithKind("Eviction"), func() runtime.Object { return &policyv1.Eviction{} }},
			Subresource{resize, readWrite, own, r.New})
	}
	if r.GroupVersionResource == signingRequests {
		all = append(all, Subresource{approval, readWrite, own, r.New})
	}
	if r.GroupVersionResource == accounts {
		all = append(all, Subresource{tokenOf, create, authenticationv1.SchemeGroupVersion.WithKind("TokenRequest"), func() runtime.Object { return &authenticationv1.TokenRequest{} }})
	}
	if r.GroupVersionResource == namespaces {
		all = append(all, Subresource{finalize, []string{"update"}, own, r.New})
	}
	if r.Scale != nil {
		all = append(all, Subresource{scale, readWrite, autoscalingv1.SchemeGroupVersion.WithKind("Scale"), func() runtime.Object { return &autoscalingv1.Scale{} }})
	}
	if r.Status != nil {
		all = append(all, Subresource{status, readWrite, own, r.New})
	}
	return all
}

// Subresource gives one of them by its name.
func (r *Resource) Subresource(name string) (Subresource, bool) {
	all := r.Subresources()
	i := slices.IndexFunc(all, func(s Subresource) bool { return s.Name == name })
	if i < 0 {
		return Subresource{}, false
	}
	return all[i], true
}

// serves says whether a verb can be put to what a request names: 404 and 405 where not.
func (r *Resource) serves(sub, verb string) error {
	if sub == "" {
		return nil
	}
	s, ok := r.Subresource(sub)
	switch {
	case !ok:
		return noSuchPath()
	case !slices.Contains(s.Verbs, verb):
		return noSuchMethod()
	}
	return nil
}

// like is the row by which objects of a subresource are read.
func (r *Resource) like(sub string) *Resource {
	if sub != scale {
		return r
	}
	s, _ := r.Subresource(sub)
	return &Resource{GroupVersionResource: s.Kind.GroupVersion().WithResource(scale), Kind: s.Kind.Kind, New: s.New, Namespaced: r.Namespaced}
}

// shown is an object as a subresource shows it. It is private.
func (r *Resource) shown(sub string, obj runtime.Object) runtime.Object {
	switch {
	case sub == "" && r.hides != nil:
		return r.hides(obj).DeepCopyObject()
	case sub != scale:
		return obj.DeepCopyObject()
	}
	m, now := obj.(metav1.Object), r.Scale(obj)
	out := &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{
			Name: m.GetName(), Namespace: m.GetNamespace(), UID: m.GetUID(),
			ResourceVersion: m.GetResourceVersion(), CreationTimestamp: m.GetCreationTimestamp(),
		},
		Status: autoscalingv1.ScaleStatus{Replicas: now.Current, Selector: now.Selector},
	}
	if now.Replicas != nil {
		out.Spec.Replicas = *now.Replicas
	}
	return out
}

// noReplicas is what a patch of /scale finds where a custom resource says none.
const noReplicas = math.MinInt32

// merged is the old object with what a write to a subresource changes of it.
func (r *Resource) merged(sub string, in, old runtime.Object) (runtime.Object, error) {
	switch sub {
	case status:
		if r.Custom {
			return mergedStatus(in, old), nil
		}
		r.read("", in)
		out := old.DeepCopyObject()
		copyMeta(out, in)
		copyPart(r.Status(out), r.Status(in))
		return out, nil
	case scale:
		asked, m := in.(*autoscalingv1.Scale), in.(metav1.Object)
		if asked.Spec.Replicas == noReplicas && r.replicas != nil {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("the spec replicas field %q cannot be empty", "."+strings.Join(r.replicas, ".")))
		}
		if asked.Spec.Replicas < 0 && r.replicas == nil {
			return nil, apierrors.NewInvalid(autoscalingv1.SchemeGroupVersion.WithKind("Scale").GroupKind(), asked.Name, field.ErrorList{
				field.Invalid(field.NewPath("spec", "replicas"), asked.Spec.Replicas, "must be greater than or equal to 0"),
			})
		}
		if has := old.(metav1.Object).GetUID(); m.GetUID() != "" && m.GetUID() != has {
			return nil, apierrors.NewConflict(schema.GroupResource{Group: r.Group, Resource: r.Resource + "/" + scale}, asked.Name, fmt.Errorf(
				"%s: UID in precondition: %s, UID in object meta: %s", "Precondition failed", m.GetUID(), has))
		}
		out := old.DeepCopyObject()
		if r.replicas == nil {
			*r.Scale(out).Replicas = asked.Spec.Replicas
		} else if err := unstructured.SetNestedField(out.(*unstructured.Unstructured).Object, int64(asked.Spec.Replicas), r.replicas...); err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		out.(metav1.Object).SetUID(m.GetUID())
		out.(metav1.Object).SetResourceVersion(m.GetResourceVersion())
		out.(metav1.Object).SetManagedFields(m.GetManagedFields())
		return out, nil
	case approval:
		return approved(in.(*certificatesv1.CertificateSigningRequest), old.(*certificatesv1.CertificateSigningRequest)), nil
	case ephemeral, resize:
		out := partOfPod(sub, in.(*corev1.Pod), old.(*corev1.Pod))
		out.UID, out.ResourceVersion, out.ManagedFields = in.(*corev1.Pod).UID, in.(*corev1.Pod).ResourceVersion, in.(*corev1.Pod).ManagedFields
		return out, nil
	}
	return in, nil
}

// settle makes a private object what it is stored as, in place of old, which may be nil.
func (r *Resource) settle(sub string, in, old runtime.Object) {
	if r.Custom {
		before := old
		if r.Status != nil && sub != status {
			if old == nil {
				setStatus(in, r.New())
				r.structure.setDefaults(in.(*unstructured.Unstructured)) // a kube-apiserver sets them when it reads what it has stored
			} else {
				setStatus(in, old)
			}
		}
		if r.prepare != nil && sub != status {
			r.prepare(in, before)
		}
		return
	}
	switch {
	case sub == approval: // approved has settled it
		return
	case sub == status && old != nil: // merged has read it
		if r.prepareStatus != nil {
			r.prepareStatus(in, old)
		}
		return
	}
	if r.defaults != nil {
		r.defaults(in)
	}
	if r.Status != nil && (old != nil || !r.StatusOnCreate) {
		if old == nil {
			old := r.New()
			if r.defaults != nil {
				r.defaults(old)
			}
			copyPart(r.Status(in), r.Status(old))
		} else {
			copyPart(r.Status(in), r.Status(old.DeepCopyObject()))
		}
	}
	if r.StatusFollows != nil {
		r.StatusFollows(in)
	}
	if r.prepare != nil && sub != finalize {
		r.prepare(in, old)
	}
}

// copyPart sets what one pointer points to to what another does.
func copyPart(to, from any) { reflect.ValueOf(to).Elem().Set(reflect.ValueOf(from).Elem()) }

// copyMeta gives an object the metadata of another of a built-in kind.
func copyMeta(to, from runtime.Object) {
	copyPart(to.(metav1.ObjectMetaAccessor).GetObjectMeta(), from.(metav1.ObjectMetaAccessor).GetObjectMeta())
}

// act serves a create of what is no object: a pod's binding, or its eviction, or an account's token.
func (v *View) act(ctx context.Context, k *kind, req Request, obj runtime.Object, opts metav1.CreateOptions) (runtime.Object, error) {
	in, m, err := acceptAs(k.res.Kind, obj, func() runtime.Object { s, _ := k.res.Subresource(req.Subresource); return s.New() })
	if err != nil {
		return nil, err
	}
	if t, ok := in.(*authenticationv1.TokenRequest); ok {
		return v.issue(k, req, t)
	}
	if m.GetName() != req.Name {
		return nil, apierrors.NewBadRequest("name in URL does not match name in " + reflect.TypeOf(in).Elem().Name() + " object")
	}
	hooks := v.asks(ctx, k, req, hooksv1.Create, req.Name, nil, options{DryRun: opts.DryRun, FieldManager: opts.FieldManager})
	if in, err = hooks.mutate(ctx, in); err != nil {
		return nil, err
	}
	if err := hooks.validate(ctx, in); err != nil {
		return nil, err
	}
	switch in := in.(type) {
	case *corev1.Binding:
		err = v.bind(k, req, in, len(opts.DryRun) > 0)
	case *policyv1.Eviction:
		o := metav1.DeleteOptions{}
		if in.DeleteOptions != nil {
			o = *in.DeleteOptions
		}
		o.DryRun = append(o.DryRun, opts.DryRun...)
		err = v.evict(k, req, o)
	}
	if err != nil {
		return nil, err
	}
	return &metav1.Status{Status: metav1.StatusSuccess, Code: 201}, nil
}
