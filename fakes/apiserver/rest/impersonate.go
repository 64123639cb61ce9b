package rest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// impersonate makes the user of a request the one that its Impersonate headers name. With the option RBAC a role must allow that.
func (x *exchange) impersonate(h http.Header) error {
	who := authenticationv1.UserInfo{Username: h.Get("Impersonate-User"), UID: h.Get("Impersonate-Uid"), Groups: slices.Clone(h.Values("Impersonate-Group"))}
	for name, values := range h {
		if key, ok := strings.CutPrefix(name, "Impersonate-Extra-"); ok {
			if plain, err := url.PathUnescape(key); err == nil {
				key = plain
			}
			if who.Extra == nil {
				who.Extra = map[string]authenticationv1.ExtraValue{}
			}
			who.Extra[strings.ToLower(key)] = values
		}
	}
	switch {
	case who.Username == "" && (who.UID != "" || len(who.Groups) > 0 || who.Extra != nil):
		return apierrors.NewBadRequest("groups, a UID or extras cannot be impersonated without a user: set Impersonate-User too")
	case who.Username == "":
		return nil
	}
	for resource, names := range map[string][]string{"users": {who.Username}, "groups": who.Groups} {
		for _, name := range names {
			a := attributes{verb: "impersonate", resource: resource, name: name}
			if ok, _ := x.allows(x.r.Context(), x.user, a); !ok {
				return a.refusal(x.user)
			}
		}
	}
	if parts := strings.Split(who.Username, ":"); len(parts) == 4 && parts[0] == "system" && parts[1] == "serviceaccount" && len(who.Groups) == 0 {
		who.Groups = []string{"system:serviceaccounts", "system:serviceaccounts:" + parts[2]}
	}
	if who.Username != "system:anonymous" && !slices.Contains(who.Groups, "system:unauthenticated") && !slices.Contains(who.Groups, "system:authenticated") {
		who.Groups = append(who.Groups, "system:authenticated")
	}
	x.user = who
	return nil
}
