package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// client returns the name that a client has added to the server's token; "": none.
func (h *handler) client(r *http.Request) string {
	if h.o.Token == "" {
		return ""
	}
	_, name, _ := strings.Cut(r.Header.Get("Authorization"), h.o.Token+".")
	return name
}

// account is whose a token is, for which of some audiences. It may be that of no service account, or not for any of
// them, and it ends with its time, its account and what it is bound to.
func (h *handler) account(ctx context.Context, text string, audiences []string) (who authenticationv1.UserInfo, those []string, err error) {
	t, err := h.o.Tokens.Read(text)
	if err != nil {
		return who, nil, err
	}
	for _, a := range t.Audiences {
		if slices.Contains(audiences, a) {
			those = append(those, a)
		}
	}
	if len(those) == 0 {
		return who, nil, fmt.Errorf("token audiences %q is invalid for the target audiences %q", t.Audiences, audiences)
	}
	if time.Now().Unix() >= t.Expires {
		return who, nil, errors.New("service account token has expired")
	}
	about, credential := t.About, "authentication.kubernetes.io/"
	who = authenticationv1.UserInfo{
		Username: "system:serviceaccount:" + about.Namespace + ":" + about.ServiceAccount.Name, UID: about.ServiceAccount.UID,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + about.Namespace, "system:authenticated"},
		Extra:  map[string]authenticationv1.ExtraValue{credential + "credential-id": {"JTI=" + t.ID}},
	}
	for _, part := range []struct {
		resource, namespace, shown string
		named                      *apiserver.Named
	}{
		{"serviceaccounts", about.Namespace, "", &about.ServiceAccount},
		{"secrets", about.Namespace, "", about.Secret}, {"pods", about.Namespace, "pod", about.Pod}, {"nodes", "", "node", about.Node},
	} {
		if part.named == nil {
			continue
		}
		if err := h.lives(ctx, part.resource, part.namespace, *part.named); err != nil {
			return who, nil, err
		}
		if part.shown != "" {
			who.Extra[credential+part.shown+"-name"] = authenticationv1.ExtraValue{part.named.Name}
			who.Extra[credential+part.shown+"-uid"] = authenticationv1.ExtraValue{part.named.UID}
		}
	}
	return who, those, nil
}

// lives says whether an object that a token speaks of is still there, and no other by its name.
func (h *handler) lives(ctx context.Context, resource, namespace string, named apiserver.Named) error {
	obj, err := h.stored.Get(ctx, apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource(resource), Namespace: namespace, Name: named.Name}, metav1.GetOptions{})
	what, claim := "service account", "claim"
	if resource != "serviceaccounts" {
		what = strings.TrimSuffix(resource, "s")
		claim = "service account " + what + " ref claim"
		if apierrors.IsNotFound(err) {
			err = errors.New("service account token has been invalidated")
		}
	}
	if err != nil {
		return err
	}
	if uid := string(obj.(metav1.Object).GetUID()); uid != named.UID {
		return fmt.Errorf("%s UID (%s) does not match %s (%s)", what, uid, claim, named.UID)
	}
	return nil
}
