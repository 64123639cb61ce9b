package rest

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// discovery are the documents that say what is served. They never change: others take their place when definitions change.
type discovery struct {
	groups   []metav1.APIGroup // without the core group
	versions map[schema.GroupVersion]*metav1.APIResourceList
	custom   map[string]bool // groups of custom resources, of which aggregates say the whole kind
	core     aggregate
	named    aggregate
}

// aggregate says all about some groups at once.
type aggregate struct {
	list *apidiscoveryv2.APIGroupDiscoveryList
	etag string
}

// aggregated is the type that clients ask aggregates by.
var aggregated = apidiscoveryv2.SchemeGroupVersion.WithKind("APIGroupDiscoveryList")

// discover writes the documents from the table of resources.
func discover(t *table, reviews []review) *discovery {
	d := &discovery{versions: map[schema.GroupVersion]*metav1.APIResourceList{}, custom: t.custom}
	known := func(gv schema.GroupVersion) {
		if d.versions[gv] == nil {
			d.versions[gv] = &metav1.APIResourceList{
				TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
				GroupVersion: gv.String(), APIResources: []metav1.APIResource{},
			}
			if gv.Group == "" {
				d.versions[gv].APIVersion = ""
			}
			d.add(gv)
		}
	}
	for _, r := range t.order {
		gv := r.GroupVersion()
		known(gv)
		d.describe(gv, r, verbs(r)...)
		d.describeParts(gv, r)
	}
	for _, r := range reviews {
		gv := r.row.GroupVersion()
		known(gv)
		d.describe(gv, r.row, r.verbs()...)
	}
	for gv, l := range d.versions {
		custom := d.custom[gv.Group]
		slices.SortFunc(l.APIResources, func(a, b metav1.APIResource) int {
			of, part, _ := strings.Cut(a.Name, "/")
			ofOther, other, _ := strings.Cut(b.Name, "/")
			if custom && of == ofOther && part != "" && other != "" {
				return strings.Compare(other, part) // status before scale
			}
			return strings.Compare(a.Name, b.Name)
		})
	}
	slices.SortStableFunc(d.groups, func(a, b metav1.APIGroup) int { return rank(a.Name) - rank(b.Name) })
	var named []string
	for _, g := range d.groups {
		named = append(named, g.Name)
	}
	d.core, d.named = d.aggregate([]string{""}), d.aggregate(named)
	return d
}

// groupOrder is the order in which a kube-apiserver tells of its groups, which kubectl keeps. Those of custom resources come after them.
var groupOrder = strings.Fields(`apiregistration.k8s.io apps events.k8s.io authentication.k8s.io authorization.k8s.io autoscaling batch
	certificates.k8s.io networking.k8s.io policy rbac.authorization.k8s.io storage.k8s.io admissionregistration.k8s.io apiextensions.k8s.io
	scheduling.k8s.io coordination.k8s.io node.k8s.io discovery.k8s.io resource.k8s.io flowcontrol.apiserver.k8s.io storagemigration.k8s.io`)

func rank(group string) int {
	if i := slices.Index(groupOrder, group); i >= 0 {
		return i
	}
	return len(groupOrder)
}

// add makes a version known, and its group.
func (d *discovery) add(gv schema.GroupVersion) {
	if gv.Group == "" {
		return
	}
	v := metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: gv.Version}
	for i := range d.groups {
		if d.groups[i].Name == gv.Group {
			d.groups[i].Versions = append(d.groups[i].Versions, v)
			return
		}
	}
	d.groups = append(d.groups, metav1.APIGroup{Name: gv.Group, Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v})
}

func (d *discovery) describe(gv schema.GroupVersion, r *row, verbs ...string) {
	l := d.versions[gv]
	l.APIResources = append(l.APIResources, metav1.APIResource{
		Name: r.Resource.Resource, SingularName: r.singular(), Namespaced: r.Namespaced, Kind: r.Kind, Verbs: verbs,
		ShortNames: r.ShortNames, Categories: r.Categories, StorageVersionHash: r.storageHash(),
	})
}

// singular is the name of one object.
func (r *row) singular() string {
	if r.Singular != "" {
		return r.Singular
	}
	return strings.ToLower(r.Kind)
}

// storageHash tells versions that objects are stored in apart.
func (r *row) storageHash() string {
	if r.unkept {
		return ""
	}
	gvk := r.Storage()
	sum := sha256.Sum256([]byte(gvk.Group + "/" + gvk.Version + "/" + gvk.Kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}

// describeParts says which subresources there are.
func (d *discovery) describeParts(gv schema.GroupVersion, r *row) {
	l := d.versions[gv]
	for _, sub := range r.Subresources() {
		res := metav1.APIResource{Name: r.Resource.Resource + "/" + sub.Name, Namespaced: r.Namespaced, Kind: sub.Kind.Kind, Verbs: sub.Verbs}
		if of := sub.Kind.GroupVersion(); of != gv {
			res.Group, res.Version = of.Group, of.Version
		}
		l.APIResources = append(l.APIResources, res)
	}
	for _, c := range connections() {
		if c.resource == r.GroupVersionResource {
			l.APIResources = append(l.APIResources, metav1.APIResource{
				Name: r.Resource.Resource + "/" + c.name, Namespaced: r.Namespaced, Kind: c.kind, Verbs: c.verbs,
			})
		}
	}
}

func verbs(r *row) []string {
	out := []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
	if r.custom {
		out = []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}
	}
	if r.NoCollection {
		out = slices.DeleteFunc(out, func(v string) bool { return v == "deletecollection" })
	}
	return out
}

// aggregate says all about these groups.
func (d *discovery) aggregate(groups []string) aggregate {
	l := &apidiscoveryv2.APIGroupDiscoveryList{Items: []apidiscoveryv2.APIGroupDiscovery{}}
	l.SetGroupVersionKind(aggregated)
	for _, name := range groups {
		g := apidiscoveryv2.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: name}}
		for _, gv := range d.of(name) {
			all := slices.Clone(d.versions[gv].APIResources)
			for i := range all {
				if d.custom[name] {
					all[i].Group, all[i].Version = gv.Group, gv.Version
				}
			}
			g.Versions = append(g.Versions, describeVersion(gv.Version, all))
		}
		l.Items = append(l.Items, g)
	}
	return sealed(l)
}

// describeVersion says all about a version whose resources are sorted, so that each is before its parts.
func describeVersion(version string, all []metav1.APIResource) apidiscoveryv2.APIVersionDiscovery {
	v := apidiscoveryv2.APIVersionDiscovery{Version: version, Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent}
	for _, res := range all {
		if !strings.Contains(res.Name, "/") {
			v.Resources = append(v.Resources, asDiscovery(res))
		} else if len(v.Resources) > 0 {
			of := &v.Resources[len(v.Resources)-1]
			of.Subresources = append(of.Subresources, asPart(res))
		}
	}
	return v
}

// sealed returns an aggregate with its ETag.
func sealed(l *apidiscoveryv2.APIGroupDiscoveryList) aggregate {
	b, err := json.Marshal(l)
	if err != nil {
		panic(err) // names and booleans
	}
	return aggregate{l, strconv.Quote(fmt.Sprintf("%X", sha512.Sum512(b)))}
}

// of are the versions of a group.
func (d *discovery) of(group string) (out []schema.GroupVersion) {
	if group == "" {
		for gv := range d.versions {
			if gv.Group == "" {
				out = append(out, gv)
			}
		}
		return out
	}
	for _, g := range d.groups {
		for _, v := range g.Versions {
			if g.Name == group {
				out = append(out, schema.GroupVersion{Group: group, Version: v.Version})
			}
		}
	}
	return out
}

func asDiscovery(r metav1.APIResource) apidiscoveryv2.APIResourceDiscovery {
	scope := apidiscoveryv2.ScopeCluster
	if r.Namespaced {
		scope = apidiscoveryv2.ScopeNamespace
	}
	return apidiscoveryv2.APIResourceDiscovery{
		Resource: r.Name, SingularResource: r.SingularName, Scope: scope, Verbs: r.Verbs, ShortNames: r.ShortNames, Categories: r.Categories,
		ResponseKind: &metav1.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind},
	}
}

func asPart(r metav1.APIResource) apidiscoveryv2.APISubresourceDiscovery {
	_, name, _ := strings.Cut(r.Name, "/")
	return apidiscoveryv2.APISubresourceDiscovery{
		Subresource: name, Verbs: r.Verbs, ResponseKind: &metav1.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind},
	}
}

// reading refuses methods that do not read. What groups there are is answered to any method.
func (x *exchange) reading() bool {
	if x.r.Method == http.MethodGet {
		return true
	}
	x.fail(noSuchMethod())
	return false
}

// document answers with what is no resource.
func (x *exchange) document(obj runtime.Object) {
	f, ok := x.codecs.negotiate(x.r, asItIs)
	if !ok {
		x.fail(noRoute(x.codecs.names("", whole)))
		return
	}
	x.write(http.StatusOK, f.contentType(), f, obj)
}

// wantsAggregate answers with an aggregate if that is what is wanted most.
func (x *exchange) wantsAggregate(a aggregate) bool {
	if x.r.Header.Get("Accept") == "" || x.r.Method != http.MethodGet {
		return false
	}
	f, ok := x.codecs.negotiate(x.r, func(_ *media, c clause) bool {
		return c.target() == aggregated || c.target().Empty()
	})
	if !ok || f.as != aggregated {
		return false
	}
	out := x.w.Header()
	out.Set("ETag", a.etag)
	out.Set("Vary", "Accept")
	out.Set("Cache-Control", "public")
	if x.r.Header.Get("If-None-Match") == a.etag {
		x.w.WriteHeader(http.StatusNotModified)
		return true
	}
	kind := fmt.Sprintf("%s;g=%s;v=%s;as=%s", f.name, aggregated.Group, aggregated.Version, aggregated.Kind)
	x.write(http.StatusOK, kind, f, a.list)
	return true
}
