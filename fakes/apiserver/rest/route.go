package rest

import (
	"io"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// target is what a path names.
type target struct {
	row   *row // of what is sent and answered
	req   apiserver.Request
	sub   *apiserver.Subresource // that there is; nil: none is named, or there is none of this name
	watch bool                   // by its path
}

// verbOf is what methods mean for a subresource.
var verbOf = map[string]string{http.MethodGet: "get", http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch"}

// route sends a request where its path leads.
func (x *exchange) route() {
	path := x.r.URL.Path
	parts := split(path)
	switch {
	case strings.HasPrefix(path, "//"):
		x.noPage()
	case len(parts) == 0:
		x.roots()
	case parts[0] == "api" && len(parts) > 1:
		x.group("", parts[1:])
	case parts[0] == "apis" && len(parts) > 2:
		x.group(parts[1], parts[2:])
	case parts[0] == "api":
		x.discoverCore()
	case parts[0] == "apis" && len(parts) == 2:
		x.discoverGroup(parts[1])
	case parts[0] == "apis":
		x.discoverGroups()
	case parts[0] == "version":
		x.version(parts[1:])
	case parts[0] == "openapi":
		x.openAPI(parts[1:])
	case slices.Contains(healths, parts[0]) && !strings.HasSuffix(path, "/"):
		x.health(parts[0], strings.Join(parts[1:], "/"))
	case x.about(path):
	default:
		x.noPage()
	}
}

func split(path string) []string {
	if path = strings.Trim(path, "/"); path == "" {
		return nil
	}
	return strings.Split(path, "/")
}

// group goes on below a group: at a version, and what is in it.
func (x *exchange) group(group string, parts []string) {
	version, parts := parts[0], parts[1:]
	gv := schema.GroupVersion{Group: group, Version: version}
	if slices.Contains(reviewGroups, gv) && x.table.versions(group) == nil {
		x.review(gv, parts)
		return
	}
	known := x.table.versions(group)
	if !slices.Contains(known, version) && group != "" {
		if s := x.remoteService(group, version); s != nil {
			x.remote(s)
			return
		}
	}
	switch {
	case known == nil:
		x.noPage()
	case !slices.Contains(known, version) && x.table.custom[group]:
		x.noPage()
	case !slices.Contains(known, version):
		x.fail(noSuchPath())
	case len(parts) == 0:
		x.discoverVersion(gv)
	default:
		x.resource(gv, parts)
	}
}

// resource serves what is below a version of a group.
func (x *exchange) resource(gv schema.GroupVersion, parts []string) {
	t, ok := x.table.find(gv, parts)
	if ok {
		x.requests.add(t, x.metricsVerb(t))
	}
	if c, connects := connectionOf(t.req.Resource, t.req.Subresource); ok && connects {
		x.connect(c, t)
		return
	}
	switch {
	case ok && t.req.Resource == apiserver.APIServices && x.localService(t):
	case !ok && x.table.custom[gv.Group]:
		x.noPage()
	case !ok:
		x.review(gv, parts)
	case x.table.custom[gv.Group]:
		x.custom(t)
	case !t.allows(x.r.Method):
		x.fail(noSuchMethod())
	case t.req.Subresource != "" && t.sub == nil:
		x.fail(noSuchPath())
	default:
		x.serve(t)
	}
}

// custom serves a custom resource. A kube-apiserver has no routes for those: their requests are told apart
// by verbs, and refused in other words.
func (x *exchange) custom(t target) {
	method := x.r.Method
	if method == http.MethodHead {
		method = http.MethodGet // whose answer net/http does not send
	}
	switch {
	case t.req.Namespace == "" && t.row.Namespaced && method != http.MethodGet:
		x.noPage()
	case !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, method):
		x.fail(apierrors.NewMethodNotSupported(t.row.GroupVersionResource.GroupResource(), ""))
	case t.req.Subresource != "" && t.sub == nil:
		x.fail(apierrors.NewNotFound(t.req.Resource.GroupResource(), t.req.Name))
	case t.req.Subresource != "" && (method == http.MethodPost || method == http.MethodDelete):
		x.fail(apierrors.NewMethodNotSupported(t.req.Resource.GroupResource(), map[string]string{http.MethodPost: "create", http.MethodDelete: "delete"}[method]))
	case t.req.Name == "" && method == http.MethodPatch && t.row.Custom && !apiserver.PatchesCustom(types.PatchType(mediaType(x.r))):
		x.fail(apiserver.NoStrategicMerge())
	case t.req.Name == "" && (method == http.MethodPut || method == http.MethodPatch):
		x.fail(apierrors.NewBadRequest("name must be provided"))
	default:
		x.r = x.r.WithContext(x.r.Context()) // net/http has the other
		x.r.Method = method
		x.serve(t)
	}
}

// find reads a path: [watch/] [namespaces/NAMESPACE/] RESOURCE [/NAME [/SUBRESOURCE]].
func (t *table) find(gv schema.GroupVersion, parts []string) (target, bool) {
	if len(parts) == 3 && parts[0] == "namespaces" && parts[1] == "" {
		parts = parts[2:] // no namespace is all
	}
	if slices.Contains(parts, "") {
		return target{}, false
	}
	var out target
	if parts[0] == "watch" && len(parts) > 1 {
		out.watch, parts = true, parts[1:]
	}
	if parts[0] == "namespaces" && len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
		out.req.Namespace, parts = parts[1], parts[2:]
	}
	out.req.Resource = gv.WithResource(parts[0])
	out.row = t.rows[out.req.Resource]
	if len(parts) > 1 {
		out.req.Name = parts[1]
	}
	if len(parts) > 2 {
		out.req.Subresource = strings.Join(parts[2:], "/")
	}
	switch {
	case out.row == nil, out.watch && out.req.Subresource != "",
		!out.row.Namespaced && out.req.Namespace != "",
		out.row.Namespaced && out.req.Namespace == "" && out.req.Name != "":
		return target{}, false
	}
	if sub, ok := out.row.Subresource(out.req.Subresource); ok {
		out.sub, out.row = &sub, out.row.of(&sub)
	}
	return out, true
}

// allows says whether a method is served there.
func (t target) allows(method string) bool {
	res := t.row.Resource
	switch {
	case t.watch, res.Namespaced && t.req.Namespace == "":
		return method == http.MethodGet
	case t.req.Subresource != "":
		return t.sub == nil || slices.Contains(t.sub.Verbs, verbOf[method]) // the API says what there is not
	case t.req.Name != "":
		return method == http.MethodGet || method == http.MethodPut || method == http.MethodPatch || method == http.MethodDelete
	}
	return method == http.MethodGet || method == http.MethodPost || method == http.MethodDelete && !res.NoCollection
}

// watching says, before the path is read, whether the request may last.
func (x *exchange) watching() bool {
	parts := split(x.r.URL.Path)
	if truth(x.r.URL.Query()["watch"]) {
		return true
	}
	at := 2 // below a version
	if len(parts) > 0 && parts[0] == "apis" {
		at = 3
	}
	return len(parts) > at && parts[at] == "watch"
}

// truth is what a boolean parameter means: anything there but false and 0.
func truth(values []string) bool {
	return len(values) > 0 && values[0] != "0" && !strings.EqualFold(values[0], "false")
}

// noPage is what paths that belong to nobody get.
func (x *exchange) noPage() {
	x.w.Header().Set("X-Content-Type-Options", "nosniff")
	x.text(http.StatusNotFound, "404 page not found\n")
}

func (x *exchange) text(code int, body string) {
	x.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	x.w.WriteHeader(code)
	_, _ = io.WriteString(x.w, body) // who does not read it knows why
}
