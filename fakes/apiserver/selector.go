package apiserver

import (
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// selector is what a list or watch asks for: a namespace or all, a name, labels and fields, a shard.
type selector struct {
	res    *Resource
	prefix string // of the keys: "" or "namespace/"
	name   string // "" for any
	label  labels.Selector
	field  fields.Selector
	shard  *shard // nil: all
}

// everything within the namespace matches, so that counting keys is counting matches.
func (s *selector) everything() bool {
	return s.name == "" && s.label.Empty() && s.field.Empty() && s.shard == nil
}

// single is the one key that can match, if it is known.
func (s *selector) single() (string, bool) {
	return s.prefix + s.name, s.name != "" && (s.prefix != "" || !s.res.Namespaced)
}

// covers says whether etcd is asked for a key, whatever the object there is.
func (s *selector) covers(key string) bool {
	one, ok := s.single()
	return key == one || !ok && strings.HasPrefix(key, s.prefix)
}

func (s *selector) match(r *record) bool {
	return r != nil && strings.HasPrefix(r.key, s.prefix) &&
		(s.name == "" || s.name == r.meta.GetName()) &&
		(s.label.Empty() || s.label.Matches(labels.Set(r.meta.GetLabels()))) &&
		(s.field.Empty() || s.field.Matches(selectable{s.res, r})) &&
		(s.shard == nil || s.shard.match(r.meta))
}

// selectable shows the selectable fields of a record to a field selector.
type selectable struct {
	res *Resource
	rec *record
}

func (s selectable) Has(field string) bool {
	return field == "metadata.name" || field == "metadata.namespace" || s.res.Fields[field] != nil
}

func (s selectable) Get(field string) string {
	switch field {
	case "metadata.name":
		return s.rec.meta.GetName()
	case "metadata.namespace":
		return s.rec.meta.GetNamespace()
	}
	if get := s.res.Fields[field]; get != nil {
		return get(s.rec.obj)
	}
	return ""
}

// query reads list options for a list or a watch: defaults, selectors (400 if they cannot be read; a bare
// 500 for that of a shard), validation (422).
func (s *core) query(k *kind, req Request, opts metav1.ListOptions, watching bool) (*internalversion.ListOptions, *selector, error) {
	opts.Watch = watching
	var lo internalversion.ListOptions
	if err := internalversion.Convert_v1_ListOptions_To_internalversion_ListOptions(&opts, &lo, nil); err != nil {
		return nil, nil, apierrors.NewBadRequest(err.Error())
	}
	internalversion.SetListOptionsDefaults(&lo, true)
	if err := invalidOptions("ListOptions", validation.ValidateListOptions(&lo, true)); err != nil {
		return nil, nil, err
	}
	sel := &selector{res: k.res, prefix: k.res.key(req.Namespace, ""), name: req.Name, label: lo.LabelSelector, field: lo.FieldSelector}
	if ns, ok := sel.field.RequiresExactMatch("metadata.namespace"); ok && req.Namespace == "" && k.res.Namespaced && ns != "" {
		sel.prefix = k.res.key(ns, "") // it is as if that had been asked
	}
	if name, ok := sel.field.RequiresExactMatch("metadata.name"); ok && sel.name == "" {
		sel.name = name // compared first: it decides most often
	}
	if err := k.res.Selectable(lo.FieldSelector); err != nil || lo.ShardSelector == "" || s.o.NoShards {
		return &lo, sel, err
	}
	var err error
	if sel.shard, err = parseShard(lo.ShardSelector); err != nil {
		return nil, nil, bare("invalid shard selector: " + err.Error())
	}
	return &lo, sel, nil
}

// hasNamespaceField says that a kind can be selected by a namespace: also one that is in none, unless it says
// itself what it can be selected by.
func hasNamespaceField(res *Resource) bool {
	return res.Namespaced || len(res.Fields) == 0 && !res.Custom
}

// Selectable returns an error (400) for a selector of fields that objects cannot be selected by.
func (res *Resource) Selectable(field fields.Selector) error {
	for _, r := range field.Requirements() {
		switch {
		case r.Field == "metadata.name", r.Field == "metadata.namespace" && hasNamespaceField(res), res.Fields[r.Field] != nil:
		case res.GroupVersionResource == jobs:
			return apierrors.NewBadRequest(fmt.Sprintf("field label %q not supported for Job", r.Field))
		case len(res.Fields) > 0 || res.Custom:
			return apierrors.NewBadRequest("field label not supported: " + r.Field)
		default:
			return apierrors.NewBadRequest(fmt.Sprintf(
				`%q is not a known field selector: only "metadata.name", "metadata.namespace"`, r.Field))
		}
	}
	return nil
}
