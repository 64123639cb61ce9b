package rest

import (
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// row is a resource as HTTP sees it.
type row struct {
	*apiserver.Resource
	gvk    schema.GroupVersionKind
	name   string // that messages give its type: core.ConfigMap
	list   string // and that of its lists
	unkept bool   // see review
	custom bool   // a custom resource's, or of a subresource of one; not that of APIServices, which kube-apiserver has built in

	columns *columnSet // of a custom resource; nil: its age
}

// table finds resources.
type table struct {
	rows   map[schema.GroupVersionResource]*row
	order  []*row
	groups map[string][]string // versions of a group, in the order of the resources
	custom map[string]bool     // groups that have custom resources only
}

// fixedRows are the rows that no definition changes.
func fixedRows(all []apiserver.Resource) (rows []*row) {
	for i := range all {
		rows = append(rows, newRow(&all[i]))
	}
	return rows
}

func newRow(res *apiserver.Resource) *row {
	r := &row{Resource: res, gvk: res.GroupVersion().WithKind(res.Kind), custom: res.Custom && res.GroupVersionResource != apiserver.APIServices, columns: newColumns(res.Columns)}
	r.name, r.list = inner(res, res.New()), inner(res, res.NewList())
	return r
}

func newTable(rows []*row) *table {
	t := &table{rows: map[schema.GroupVersionResource]*row{}, groups: map[string][]string{}, custom: map[string]bool{}}
	for _, r := range rows {
		t.add(r)
	}
	return t
}

func (t *table) add(r *row) {
	res := r.Resource
	t.rows[res.GroupVersionResource] = r
	t.order = append(t.order, r)
	if !slices.Contains(t.groups[res.Group], res.Version) {
		t.groups[res.Group] = append(t.groups[res.Group], res.Version)
	}
	if _, known := t.custom[res.Group]; !known {
		t.custom[res.Group] = true
	}
	t.custom[res.Group] = t.custom[res.Group] && r.custom
}

// of is the row by which a subresource's objects are read and shown.
func (r *row) of(sub *apiserver.Subresource) *row {
	if sub.Kind == r.gvk {
		return r
	}
	res := &apiserver.Resource{
		GroupVersionResource: sub.Kind.GroupVersion().WithResource(sub.Name), Kind: sub.Kind.Kind, Namespaced: r.Namespaced, New: sub.New, NewList: sub.New,
	}
	out := &row{Resource: res, gvk: sub.Kind, custom: r.Custom}
	out.name = inner(res, sub.New())
	if r.Custom {
		out.name = "v1." + sub.Kind.Kind // as it is on the wire
	}
	return out
}

// inner names a type as kube-apiserver does inside: by its group, not its version.
func inner(res *apiserver.Resource, obj any) string {
	name := strings.TrimPrefix(reflect.TypeOf(obj).String(), "*")
	if res.Custom {
		return name
	}
	_, kind, _ := strings.Cut(name, ".")
	group, _, _ := strings.Cut(res.Storage().Group, ".")
	if group == "" {
		group = "core"
	}
	return group + "." + kind
}

// versions of a group; custom resources' groups and others are told apart by what is not found in them.
func (t *table) versions(group string) []string { return t.groups[group] }
