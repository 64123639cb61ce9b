package apiserver

import (
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var (
	accounts = corev1.SchemeGroupVersion.WithResource("serviceaccounts")
	tokens   = authenticationv1.SchemeGroupVersion.WithKind("TokenRequest").GroupKind()
)

// issue gives a token of a service account, with the claims of a kube-apiserver's. TokenKeys.Read checks it.
func (v *View) issue(k *kind, req Request, t *authenticationv1.TokenRequest) (runtime.Object, error) {
	if t.Name != "" && t.Name != req.Name {
		return nil, apierrors.NewInvalid(tokens, req.Name, field.ErrorList{
			field.Invalid(field.NewPath("metadata", "name"), t.Name, "must match the service account name if specified"),
		})
	}
	if err := placeIn(t, req); err != nil {
		return nil, err
	}
	now := second(time.Now())
	v.mu.Lock()
	defer v.mu.Unlock()
	account := k.Now().Get(k.res.key(req.Namespace, req.Name))
	if account == nil {
		return nil, apierrors.NewNotFound(accounts.GroupResource(), req.Name)
	}
	t.Name, t.UID, t.CreationTimestamp = req.Name, account.meta.GetUID(), now
	if len(t.Spec.Audiences) == 0 {
		t.Spec.Audiences = []string{v.o.Tokens.Issuer()}
	}
	defaultPtr(&t.Spec.ExpirationSeconds, int64(3600))
	if err := checkTokenRequest(t); err != nil {
		return nil, err
	}
	about := map[string]any{"namespace": req.Namespace, "serviceaccount": map[string]any{"name": req.Name, "uid": t.UID}}
	if err := v.boundTo(req.Namespace, t.Spec.BoundObjectRef, about); err != nil {
		return nil, err
	}
	ends := now.Add(time.Duration(*t.Spec.ExpirationSeconds) * time.Second)
	t.Status = authenticationv1.TokenRequestStatus{ExpirationTimestamp: metav1.NewTime(ends)}
	t.Status.Token = v.o.Tokens.issue(map[string]any{
		"aud": t.Spec.Audiences, "exp": ends.Unix(), "iat": now.Unix(), "iss": v.o.Tokens.Issuer(), "jti": v.newUID(), "nbf": now.Unix(),
		"sub": "system:serviceaccount:" + req.Namespace + ":" + req.Name, "kubernetes.io": about,
	})
	return t, nil
}

func checkTokenRequest(t *authenticationv1.TokenRequest) error {
	at, seconds := field.NewPath("spec", "expirationSeconds"), *t.Spec.ExpirationSeconds
	switch {
	case seconds < 10*60:
		return apierrors.NewInvalid(tokens, "", field.ErrorList{field.Invalid(at, seconds, "may not specify a duration less than 10 minutes")})
	case seconds > 1<<32:
		return apierrors.NewInvalid(tokens, "", field.ErrorList{field.Invalid(at, seconds, "may not specify a duration larger than 2^32 seconds")})
	}
	return nil
}

// boundTo adds the object that a token lives as long as to what it is about. The lock is held.
func (v *View) boundTo(namespace string, ref *authenticationv1.BoundObjectReference, about map[string]any) error {
	if ref == nil {
		return nil
	}
	gvk := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)
	known := map[schema.GroupVersionKind]string{
		corev1.SchemeGroupVersion.WithKind("Pod"): "pods", corev1.SchemeGroupVersion.WithKind("Node"): "nodes", corev1.SchemeGroupVersion.WithKind("Secret"): "secrets",
	}
	resource := corev1.SchemeGroupVersion.WithResource(known[gvk])
	k := v.st.kinds[resource]
	if k == nil {
		return apierrors.NewBadRequest("cannot bind token to object of type " + gvk.String())
	}
	found := k.Now().Get(k.res.key(namespace, ref.Name))
	if found == nil {
		return apierrors.NewNotFound(resource.GroupResource(), ref.Name)
	}
	if uid := found.meta.GetUID(); ref.UID != "" && ref.UID != uid {
		return apierrors.NewConflict(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, ref.Name, fmt.Errorf(
			"the UID in the bound object reference (%s) does not match the UID in record. The object might have been deleted and then recreated", ref.UID))
	}
	about[known[gvk][:len(known[gvk])-1]] = map[string]any{"name": ref.Name, "uid": found.meta.GetUID()}
	return nil
}
