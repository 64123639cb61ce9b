package apiserver

import (
	"errors"
	"slices"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/version"

	"github.com/lwtest/lwtest/fakes/mvcc"
)

// Defined has the custom resources that CustomResourceDefinitions make: one for each served version. It never
// changes. A write to a definition puts another in its place.
type Defined struct {
	Resources []Resource // by group, by version as kubectl prefers them, by name

	kinds map[schema.GroupVersionResource]*kind // these and those of the table
}

// Defining is an API that tells what definitions have made. A Server and its Views are such, and so is what stands
// before them: faults and request logs.
type Defining interface {
	// Defined returns what is defined now. Two calls return the same pointer if nothing has changed between them.
	Defined() *Defined
}

// DefinedBy returns what an API tells of definitions; nil: it tells nothing.
func DefinedBy(a API) *Defined {
	if d, ok := a.(Defining); ok {
		return d.Defined()
	}
	return nil
}

// Defined implements Defining.
func (v *View) Defined() *Defined { return v.served.Load() }

// definition is what one CustomResourceDefinition has made.
type definition struct {
	uid   types.UID
	from  *crd // what was read last: as long as it is this one, nothing has changed
	spec  *apiextensionsv1.CustomResourceDefinitionSpec
	names apiextensionsv1.CustomResourceDefinitionNames
	*history
	kinds   []*kind // of the served versions
	storage *kind   // of the stored version, served or not
}

// serve rebuilds the table of custom resources. The caller holds the lock, or is the only one who has the core.
func (s *core) serve(all []*definition) {
	base, out := s.st.order[:s.st.fixed], &Defined{kinds: map[schema.GroupVersionResource]*kind{}}
	for _, k := range base {
		for _, form := range k.forms {
			out.kinds[form.res.GroupVersionResource] = form
		}
	}
	s.st.order = slices.Clone(base)
	for _, d := range all {
		s.st.order = append(s.st.order, d.storage)
		for _, k := range d.kinds {
			out.kinds[k.res.GroupVersionResource] = k
			out.Resources = append(out.Resources, *k.res)
		}
	}
	slices.SortFunc(out.Resources, func(a, b Resource) int {
		if c := strings.Compare(a.Group, b.Group); c != 0 {
			return c
		}
		if c := version.CompareKubeAwareVersionStrings(b.Version, a.Version); c != 0 {
			return c
		}
		return strings.Compare(a.Resource, b.Resource)
	})
	s.st.kinds = out.kinds
	s.served.Store(out)
}

// serveDefinitions serves what the definitions in the store say, and nothing else that is custom. The lock is held.
func (s *core) serveDefinitions(now time.Time) {
	before, changed := s.defined, false
	s.defined = map[string]*definition{}
	var all []*definition
	for rec := range s.st.kinds[definitions].Now().Within("", "") {
		crd := rec.obj.(*apiextensionsv1.CustomResourceDefinition)
		was := before[crd.Name]
		if was != nil && was.uid != crd.UID {
			was = nil
		}
		d := was
		if was == nil || was.from != crd && !(equality.Semantic.DeepEqual(was.spec, &crd.Spec) && equality.Semantic.DeepEqual(was.names, crd.Status.AcceptedNames)) {
			d = s.install(now, crd, was)
			changed = true
		}
		if d != nil {
			d.from = crd
			d.ending = crd.DeletionTimestamp != nil
			s.defined[crd.Name], all = d, append(all, d)
		}
	}
	for name, d := range before {
		if s.defined[name] == nil || s.defined[name].history != d.history {
			s.discard(d)
			changed = true
		}
	}
	if changed {
		s.serve(all)
	}
}

// install makes of a definition what it defines, in place of what it was, which may be nil; nil: its names are not
// accepted, or others have them.
func (s *core) install(now time.Time, crd *apiextensionsv1.CustomResourceDefinition, was *definition) *definition {
	if !conditionTrue(crd, apiextensionsv1.NamesAccepted) && !conditionTrue(crd, apiextensionsv1.Established) {
		return nil
	}
	for _, k := range s.st.order[:s.st.fixed] {
		if k.res.Group == crd.Spec.Group && k.res.Resource == crd.Spec.Names.Plural {
			return nil // the table has it
		}
	}
	rows, err := customRows(crd)
	if err != nil {
		return nil // a definition that is stored has been checked
	}
	var versions []string
	for _, v := range crd.Spec.Versions {
		versions = append(versions, v.Name)
	}
	d := &definition{uid: crd.UID, spec: crd.Spec.DeepCopy(), names: *crd.Status.AcceptedNames.DeepCopy()}
	if d.history = (&history{History: mvcc.NewHistory[*record](s.st.compacted)}); was != nil {
		d.history = was.history
	}
	for i, v := range crd.Spec.Versions {
		if rows[i].structure != nil && s.o.CEL != nil {
			rows[i].rules = s.o.CEL.Rules(rows[i].structure.Structural)
		}
		k := &kind{res: rows[i], history: d.history, versions: versions}
		if v.Storage {
			d.storage = k
		}
		if v.Served {
			d.kinds = append(d.kinds, k)
		}
	}
	for _, k := range append([]*kind{d.storage}, d.kinds...) {
		if k.through = s.converterOf(crd); len(rows) > 1 { // some may be stored in another version
			k.stored = d.storage
		}
	}
	if was != nil {
		d.reread(rows)
	}
	for _, v := range s.views {
		if slot := v.slots[d.history]; slot != nil && slot.cache != nil {
			close(slot.cache.ended)
		}
		v.addSlot(now, d.storage)
		v.wake()
	}
	return d
}

// reread reads the objects anew, by the schemas that are there now: each by that of the version in which it is stored.
func (d *definition) reread(rows []*Resource) {
	now := d.Now()
	for rec := range now.Within("", "") {
		raw := rec.inStore()
		i := slices.IndexFunc(rows, func(r *Resource) bool { return r.GroupVersion().String() == raw.GetAPIVersion() })
		if i < 0 {
			continue
		}
		u := raw.DeepCopy()
		u.Object["metadata"] = runtime.DeepCopyJSONValue(rec.obj.(*unstructured.Unstructured).Object["metadata"])
		if _, err := rows[i].structure.coerce(u); err != nil || equality.Semantic.DeepEqual(u, rec.obj) {
			continue
		}
		now = now.Put(rec.key, &record{key: rec.key, rev: rec.rev, obj: u, meta: u, by: rec.by, other: rec.other, raw: raw})
	}
	d.Replace(now)
}

// discard ends what a deleted definition has made: its watches end.
func (s *core) discard(d *definition) {
	d.gone = true
	for _, v := range s.views {
		if slot := v.slots[d.history]; slot != nil && slot.cache != nil {
			close(slot.cache.ended)
		}
		delete(v.slots, d.history)
		v.wake()
	}
}

// open refuses to create what nobody serves any more, or soon.
func (k *kind) open(name string) error {
	switch {
	case k.gone:
		return noSuchPath()
	case k.ending:
		return apierrors.NewForbidden(k.res.GroupVersionResource.GroupResource(), name,
			errors.New("create not allowed while custom resource definition is terminating"))
	}
	return nil
}
