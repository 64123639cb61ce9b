package rest

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// accountPrefix begins the names of service accounts.
const accountPrefix = "system:serviceaccount:"

// wanted is whom a request impersonates.
type wanted struct {
	authenticationv1.UserInfo
	namespace, account string // of a service account
	node               string
}

// impersonate makes the user of a request the one that its Impersonate headers name. Roles must allow that in one of the modes. a is what
// the request does.
func (x *exchange) impersonate(h http.Header, a attributes) error {
	who, err := impersonated(h)
	if err != nil || who == nil {
		return err
	}
	last, tried := x.impersonated.Load(x.user.Username)
	order := make([]int, 0, len(modes)+1)
	if tried {
		order = append(order, last.(int))
	}
	for i := range modes {
		if !tried || i != last.(int) {
			order = append(order, i)
		}
	}
	var first error
	for _, i := range order {
		if !modes[i].fits(x.user, who) {
			continue
		}
		err := x.become(modes[i], who, a)
		if err == nil {
			x.impersonated.Store(x.user.Username, i)
			x.user = modes[i].user(who)
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// impersonated reads the headers; nil: there are none.
func impersonated(h http.Header) (*wanted, error) {
	who := &wanted{UserInfo: authenticationv1.UserInfo{Username: h.Get("Impersonate-User"), UID: h.Get("Impersonate-Uid"), Groups: slices.Clone(h.Values("Impersonate-Group"))}}
	extra := map[string][]string(nil)
	for name, values := range h {
		if key, ok := strings.CutPrefix(name, "Impersonate-Extra-"); ok && len(values) > 0 {
			key = strings.ToLower(key)
			if plain, err := url.PathUnescape(key); err == nil {
				key = plain
			}
			if extra == nil {
				extra, who.Extra = map[string][]string{}, map[string]authenticationv1.ExtraValue{}
			}
			extra[key] = append(extra[key], values...)
			who.Extra[key] = extra[key]
		}
	}
	switch {
	case who.Username != "":
	case who.UID != "" || len(who.Groups) > 0 || extra != nil:
		return nil, apierrors.NewBadRequest(fmt.Sprintf("requested &user.DefaultInfo{Name:%q, UID:%q, Groups:%#v, Extra:%#v} without impersonating a user name", "", who.UID, who.Groups, extra))
	default:
		return nil, nil
	}
	if name, ok := strings.CutPrefix(who.Username, accountPrefix); ok {
		namespace, account, found := strings.Cut(name, ":")
		if found && len(validation.ValidateNamespaceName(namespace, false))+len(validation.ValidateServiceAccountName(account, false)) == 0 {
			who.namespace, who.account = namespace, account
		}
	}
	if name, ok := strings.CutPrefix(who.Username, "system:node:"); ok && len(validation.NameIsDNSSubdomain(name, false)) == 0 {
		who.node = name
	}
	return who, nil
}

// alone reports whether a request says no more than the name of whom it impersonates.
func (w *wanted) alone() bool { return w.UID == "" && len(w.Groups) == 0 && len(w.Extra) == 0 }

// mode is a way to impersonate.
type mode struct {
	name string // "": with the verb impersonate, whatever the request does
	fits func(by authenticationv1.UserInfo, who *wanted) bool
}

// modes are all, in the order in which a kube-apiserver tries them (k8s.io/apiserver/pkg/endpoints/filters/impersonation): that in which a
// user last had success comes first, and a refusal is that of the first one.
var modes = []mode{
	{"associated-node", func(by authenticationv1.UserInfo, who *wanted) bool {
		own := by.Extra["authentication.kubernetes.io/node-name"]
		return who.node != "" && who.alone() && strings.HasPrefix(by.Username, accountPrefix) && slices.Equal(own, []string{who.node})
	}},
	{"arbitrary-node", func(_ authenticationv1.UserInfo, who *wanted) bool { return who.node != "" && who.alone() }},
	{"serviceaccount", func(_ authenticationv1.UserInfo, who *wanted) bool { return who.account != "" && who.alone() }},
	{"user-info", func(_ authenticationv1.UserInfo, who *wanted) bool { return who.node == "" && who.account == "" }},
	{"", func(authenticationv1.UserInfo, *wanted) bool { return true }},
}

// user is whom a request becomes.
func (m mode) user(who *wanted) authenticationv1.UserInfo {
	out := who.UserInfo
	switch {
	case who.account != "" && len(out.Groups) == 0:
		out.Groups = []string{"system:serviceaccounts", "system:serviceaccounts:" + who.namespace}
	case who.node != "" && m.name != "":
		out.Groups = []string{"system:nodes"}
	}
	group := "system:authenticated"
	if out.Username == "system:anonymous" || slices.Contains(out.Groups, "system:unauthenticated") {
		group = "system:unauthenticated"
	}
	if !slices.Contains(out.Groups, group) {
		out.Groups = append(out.Groups, group)
	}
	return out
}

// become refuses what the user of a request may not do to become another in a mode.
func (x *exchange) become(m mode, who *wanted, a attributes) error {
	verb := "impersonate"
	if m.name != "" {
		a.verb = "impersonate-on:" + m.name + ":" + a.verb
		if ok, why := x.allows(x.r.Context(), x.user, a); !ok {
			return a.refusal(x.user, why)
		}
		verb += ":" + m.name
	}
	for _, step := range m.steps(who) {
		step.verb = verb
		if step.never != "" {
			return step.refusal(x.user, step.never)
		}
		if ok, why := x.allows(x.r.Context(), x.user, step.attributes); !ok {
			return step.refusal(x.user, why)
		}
	}
	return nil
}

// step is a right that somebody needs to become another. never is why nobody may.
type step struct {
	attributes
	never string
}

// steps are those of a mode.
func (m mode) steps(who *wanted) []step {
	const group = authenticationv1.GroupName
	names := "" // the group of users and groups
	if m.name != "" {
		names = group
	}
	user := step{attributes: attributes{group: names, resource: "users", name: who.Username}}
	switch {
	case who.account != "":
		user.resource, user.namespace, user.name = "serviceaccounts", who.namespace, who.account
	case m.name == "associated-node":
		user.resource, user.name = "nodes", "*"
	case who.node != "" && m.name != "":
		user.resource, user.name = "nodes", who.node
	}
	all := []step{user}
	if who.UID != "" {
		all = append(all, step{attributes: attributes{group: group, resource: "uids", name: who.UID}})
	}
	for _, name := range []string{"", "system:masters"} {
		if m.name != "" && slices.Contains(who.Groups, name) {
			return append(all, step{attributes{group: names, resource: "groups", name: name}, fmt.Sprintf("impersonating the %s group is not allowed", cmp.Or(name, "empty string"))})
		}
	}
	for _, name := range who.Groups {
		all = append(all, step{attributes: attributes{group: names, resource: "groups", name: name}})
	}
	if why := wrongExtra(who.Extra); m.name != "" && why != "" {
		return append(all, step{attributes{group: group, resource: "userextras"}, why})
	}
	for _, key := range slices.Sorted(maps.Keys(who.Extra)) {
		for _, value := range who.Extra[key] {
			all = append(all, step{attributes: attributes{group: group, resource: "userextras", subresource: key, name: value}})
		}
	}
	return all
}

// wrongExtra says what is wrong with extra fields of a user; "": nothing. Of several errors it is that of the first key.
func wrongExtra(extra map[string]authenticationv1.ExtraValue) string {
	for _, key := range slices.Sorted(maps.Keys(extra)) {
		wrong := utilvalidation.IsDomainPrefixedPath(field.NewPath("extra", "key"), key).ToAggregate()
		switch {
		case key == "":
			return "impersonating the empty string key in extra is not allowed"
		case wrong != nil:
			return "impersonating an invalid key in extra is not allowed: " + wrong.Error()
		case key != strings.ToLower(key):
			return fmt.Sprintf("impersonating a non-lowercase key in extra is not allowed: %q", key)
		case slices.Contains(extra[key], ""):
			return "impersonating the empty string value in extra is not allowed"
		}
	}
	return ""
}
