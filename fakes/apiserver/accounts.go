package apiserver

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Issuer is who issues the tokens of service accounts, and for whom unless a request says so.
const Issuer = "https://kubernetes.default.svc"

var (
	accounts = corev1.SchemeGroupVersion.WithResource("serviceaccounts")
	tokens   = authenticationv1.SchemeGroupVersion.WithKind("TokenRequest").GroupKind()
)

// issue gives a token of a service account. It says what a kube-apiserver's does; TokenKey is by which it
// is checked.
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
	account := k.now().get(k.res.key(req.Namespace, req.Name))
	if account == nil {
		return nil, apierrors.NewNotFound(accounts.GroupResource(), req.Name)
	}
	t.Name, t.UID, t.CreationTimestamp = req.Name, account.meta.GetUID(), now
	if len(t.Spec.Audiences) == 0 {
		t.Spec.Audiences = []string{Issuer}
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
	t.Status.Token = jwt(map[string]any{
		"aud": t.Spec.Audiences, "exp": ends.Unix(), "iat": now.Unix(), "iss": Issuer, "jti": v.newUID(), "nbf": now.Unix(),
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
	found := k.now().get(k.res.key(namespace, ref.Name))
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

// Token is what a service account's token says: whose it is and for whom, until when, and what it lives as long as.
type Token struct {
	ID        string   `json:"jti"`
	Audiences []string `json:"aud"`
	Expires   int64    `json:"exp"` // seconds since 1970
	About     struct {
		Namespace      string
		ServiceAccount Named
		Pod            *Named
		Node           *Named
		Secret         *Named
	} `json:"kubernetes.io"`
}

// Named is an object that a token speaks of.
type Named struct{ Name, UID string }

var (
	// ErrForeign: no API of this package has issued that.
	ErrForeign = errors.New("it is no token of a service account")
	// ErrSignature: somebody has changed it.
	ErrSignature = errors.New("go-jose/go-jose: error in cryptographic primitive")
)

// ReadToken reads a token that an API of this package has issued. Whether what it speaks of is still there, it
// does not say.
func ReadToken(text string) (*Token, error) {
	end := max(0, strings.LastIndex(text, "."))
	said, sum := text[:end], strings.TrimPrefix(text[end:], ".")
	_, claims, ok := strings.Cut(said, ".")
	if !ok {
		return nil, ErrForeign
	}
	var t Token
	if b, err := base64.RawURLEncoding.DecodeString(claims); err != nil || json.Unmarshal(b, &t) != nil || t.About.ServiceAccount.Name == "" {
		return nil, ErrForeign
	}
	if sum != signature(said) {
		return nil, ErrSignature
	}
	return &t, nil
}

// jwt is a signed token (RFC 7519).
func jwt(claims map[string]any) string {
	b, err := json.Marshal(claims)
	if err != nil {
		panic(err) // texts and numbers
	}
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(`{"alg":"ES256","kid":"`+TokenKey().ID+`"}`)) + "." + encode(b)
	return text + "." + signature(text)
}
