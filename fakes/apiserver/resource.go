package apiserver

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"
)

// Resource is what the server knows about one resource, as data.
type Resource struct {
	schema.GroupVersionResource
	Kind       string
	Namespaced bool

	// CreateOnUpdate: an update of what does not exist creates it.
	CreateOnUpdate bool
	// Unconditional: an update without resourceVersion is applied; else it is refused with 422.
	Unconditional bool
	// Uncached: served without a watch cache. Lists page at "0" too, a watch gets no bookmarks but the
	// initial-events-end one, what is too new is refused at once, and compaction decides what is too old.
	Uncached bool
	// Cold: its cache starts with the first request that needs it, which is refused with 429; so after a
	// restart. A custom resource is served so when its definition is new.
	Cold bool
	// Custom: objects are *unstructured.Unstructured; see CustomResource.
	Custom bool
	// NoCollection: deletecollection is refused with 405.
	NoCollection bool
	// ShowsDeleted: a delete answers with the object, not with a Status.
	ShowsDeleted bool
	// Orphans: a delete that says nothing about dependents orphans them.
	Orphans bool

	// Uncollected: it takes no part in garbage collection, so what a delete says about dependents means nothing.
	Uncollected bool

	// Singular is the name of one object in discovery; "": Kind in lower case.
	Singular string
	// Columns of a custom resource's Tables, after its name; nil: its age.
	Columns []Column
	// ShortNames and Categories are what discovery says beside the names.
	ShortNames, Categories []string
	// Deprecated is the warning that every answer about the resource carries; "": none.
	Deprecated string
	// StoredVersion is the version that kube-apiserver stores objects in, which discovery shows a hash of; "": that of
	// the resource. Of a custom resource there is a row of that version, too, before this one.
	StoredVersion string

	// Status gives a pointer to the part that /status writes, and nothing else; nil: there is no such
	// subresource.
	Status func(runtime.Object) any
	// StatusOnCreate: a create may bring a status, which is dropped else.
	StatusOnCreate bool
	// StatusFollows sets what follows from the spec in a status, in a write to the object; nil: nothing does.
	StatusFollows func(runtime.Object)
	// Scale gives a pointer to the replicas that /scale writes, and what it shows beside; nil: there is
	// no such subresource.
	Scale func(runtime.Object) Scaled
	// Grace is how many seconds an object has left when it is deleted, and the client asks for so many
	// (nil: for none in particular); nil: none. At 0 it is deleted at once.
	Grace func(obj runtime.Object, asked *int64) int64

	// Fields are the selectable fields beside metadata.name and metadata.namespace.
	Fields map[string]func(runtime.Object) string
	// Spec is the part whose change raises metadata.generation, which starts at 1; nil where there is no
	// generation. A write to /status never raises it.
	Spec func(runtime.Object) any
	// LateGeneration: a create sets no generation.
	LateGeneration bool
	// ValidName judges names (and, with prefix, generateNames); nil: a DNS subdomain.
	ValidName validation.ValidateNameFunc
	// hosts is what has its name from this one's, so that a name that is no DNS label is warned of; "": nothing.
	hosts string
	// freeFinalizers: finalizers need no domain.
	freeFinalizers bool

	New     func() runtime.Object
	NewList func() runtime.Object

	// statusResets are fields of metadata that a write to /status does not change.
	statusResets []string

	// other is where a built-in resource's objects are stored, and what makes them of another version; nil: they are stored as they are.
	other *otherVersion
	// inside is the stored resource, of which this is a copy to judge objects of another version.
	inside *Resource

	// What a kind does in its own way: nil, nothing.
	defaults      func(in runtime.Object)                      // set where a client says nothing
	reads         func(in runtime.Object)                      // what reading it from the wire makes of it, beside defaults
	admit         func(c *core, in, old runtime.Object) error  // with what depends on other objects; old may be nil
	prepare       func(in, old runtime.Object)                 // a create (old is nil) or an update, after status
	prepareStatus func(in, old runtime.Object)                 // a write to /status
	stored        func(in runtime.Object) (other bool)         // what the store gives back for it; other: it does not hold that
	hides         func(in runtime.Object) runtime.Object       // what it shows of it, but in /status: the same object, or less
	check         func(in, old runtime.Object) field.ErrorList // what is wrong with it; old may be nil
	warns         func(in runtime.Object) []string             // of what a create or an update stores
	// structure is the schema of a custom resource; nil: it has none.
	structure *structure
	// rules are those of its schema; nil: they are not evaluated.
	rules Rules
	// types is by what a custom resource is merged in server-side apply; nil: only its metadata is known.
	types managedfields.TypeConverter
	// replicas are the fields that lead to what a custom resource's /scale writes; nil: Scale gives a pointer to it.
	replicas []string
	// checkFirst: a create whose check finds something is refused before its metadata is judged.
	checkFirst bool
	// checkPart is in place of check for writes to a subresource. nil: its finalizers are not judged, either.
	checkPart map[string]func(in, old runtime.Object) field.ErrorList
}

// otherVersion is a built-in resource whose objects are stored as another's, which comes before it in the table. The conversions share what
// they need not change.
type otherVersion struct {
	stored      schema.GroupVersionResource
	to, from    func(runtime.Object) runtime.Object
	checkNew    func(in runtime.Object) error                       // what is wrong with a new object, before all else; nil: nothing
	checkChange func(in, old runtime.Object) (errs field.ErrorList) // and with a change, of what is stored; nil: nothing
}

// Storage is the version in which objects are stored.
func (r *Resource) Storage() schema.GroupVersionKind {
	switch {
	case r.other != nil:
		return r.other.stored.GroupVersion().WithKind(r.Kind)
	case r.StoredVersion != "":
		return schema.GroupVersionKind{Group: r.Group, Version: r.StoredVersion, Kind: r.Kind}
	}
	return r.GroupVersion().WithKind(r.Kind)
}

// AsStored returns an object of a built-in kind in the version that is stored. It shares parts with it.
func (r *Resource) AsStored(obj runtime.Object) runtime.Object {
	if r.other == nil {
		return obj
	}
	return r.other.to(obj)
}

// Scaled is what a scale subresource is about.
type Scaled struct {
	Replicas *int32 // of the spec
	Current  int32  // of the status
	Selector string // of the pods
}

// MetadataByStatus lets a write to /status change all the metadata that a client can set. Of most kinds it
// does; a few reset some of it.
func (r *Resource) MetadataByStatus() { r.prepareStatus, r.statusResets = nil, nil }

func (r *Resource) groupKind() schema.GroupKind {
	if r.inside != nil {
		return r.inside.groupKind()
	}
	return schema.GroupKind{Group: r.Group, Kind: r.Kind}
}

func (r *Resource) nameFunc(in runtime.Object) validation.ValidateNameFunc {
	if d, ok := in.(*crd); ok {
		return definitionName(d)
	}
	if u, ok := in.(*unstructured.Unstructured); ok && r.GroupVersionResource == APIServices {
		return apiServiceName(u)
	}
	if r.ValidName != nil {
		return r.ValidName
	}
	return validation.NameIsDNSSubdomain
}

// key is the object's place in the order of its kind; with an empty name, the prefix of a namespace.
func (r *Resource) key(namespace, name string) string {
	if !r.Namespaced || namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// accept takes a caller's object: a private copy of the right type, without kind and apiVersion where
// the type says them.
func (r *Resource) accept(obj runtime.Object) (runtime.Object, metav1.Object, error) {
	if custom, ok := obj.(*unstructured.Unstructured); ok && custom != nil && r.Custom {
		return r.acceptCustom(custom)
	}
	return acceptAs(r.Kind, obj, r.New)
}

// acceptAs is accept for a built-in kind, or what is none.
func acceptAs(kind string, obj runtime.Object, fresh func() runtime.Object) (runtime.Object, metav1.Object, error) {
	if obj == nil || reflect.ValueOf(obj).IsNil() {
		obj = fresh()
	}
	if got, want := reflect.TypeOf(obj), reflect.TypeOf(fresh()); got != want {
		return nil, nil, apierrors.NewBadRequest(fmt.Sprintf("%s cannot be handled as a %s", got, kind))
	}
	in := obj.DeepCopyObject()
	in.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	m, ok := in.(metav1.Object)
	if !ok {
		return nil, nil, apierrors.NewBadRequest(fmt.Sprintf("%T has no metadata", obj))
	}
	return in, m, nil
}

// decodeStrict reads an object that the server itself has written, and gives the fields in it that the type
// has not got; of a custom resource those of metadata.
func (r *Resource) decodeStrict(doc []byte) (runtime.Object, []error, error) {
	if !r.Custom {
		in := r.New()
		errs, err := kjson.UnmarshalStrict(doc, in)
		in.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
		return in, errs, err
	}
	in, err := decodeCustom(doc)
	if err != nil {
		return nil, nil, err
	}
	var part struct {
		Metadata any `json:"metadata"`
	}
	var typed struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
	}
	if err := json.Unmarshal(doc, &part); err != nil {
		return nil, nil, err
	}
	unknown, err := r.structure.coerce(in)
	if err != nil {
		return nil, nil, err
	}
	b, err := json.Marshal(part)
	if err != nil {
		return nil, nil, err
	}
	errs, err := kjson.UnmarshalStrict(b, &typed)
	for _, path := range unknown {
		errs = append(errs, fmt.Errorf("unknown field %q", path))
	}
	return in, errs, err
}

// comesBack makes an object what the store gives back for it, and reports whether the store does not hold just that.
func (r *Resource) comesBack(in runtime.Object) (other bool) {
	if u, ok := in.(*unstructured.Unstructured); ok {
		dropped := dropEmpty(u)
		return len(r.structure.prune(u)) > 0 || dropped // of an object of another kind, whose status is written, nothing is pruned before
	}
	return r.stored != nil && r.stored(in)
}

// validate judges what is about to be stored, by way of a subresource or not, in place of old, which may be nil; else 422. notes, which
// may be nil if old is, get the warnings of rules.
func (r *Resource) validate(sub string, in runtime.Object, m metav1.Object, old *record, notes *Notes) error {
	path := field.NewPath("metadata")
	var errs, changes field.ErrorList
	var before runtime.Object
	if old != nil {
		before = old.obj
		changes = validation.ValidateObjectMetaAccessorUpdate(m, old.meta, path)
		errs = append(validation.ValidateObjectMetaAccessor(m, r.Namespaced, pathSegment, path), changes...)
	}
	if wrong := r.otherType(in, before); len(wrong) > 0 {
		return apierrors.NewInvalid(in.GetObjectKind().GroupVersionKind().GroupKind(), m.GetName(), append(errs, wrong...))
	}
	switch {
	case old == nil:
		errs = validation.ValidateObjectMetaAccessor(m, r.Namespaced, r.nameFunc(in), path)
	case r.Custom:
		errs = append(errs, changes...) // both the registry and the resource look, and say so
	}
	part, own := r.checkPart[sub]
	if !r.Custom && !r.freeFinalizers && (!own || part != nil) {
		errs = append(errs, standardFinalizers(m, path.Child("finalizers"))...)
	}
	check := r.check
	if own {
		check = part
	}
	if check != nil {
		found, warnings := r.rules.validate(in, before, check(in, before))
		if len(warnings) > 0 {
			notes.Warnings = append(notes.Warnings, warnings...)
		}
		if r.checkFirst && old == nil && len(found) > 0 {
			errs = nil
		}
		errs = append(errs, found...)
	}
	if errs = append(errs, content(in)...); len(errs) == 0 {
		return nil
	}
	if !r.Custom || old == nil {
		errs = once(errs)
	}
	return apierrors.NewInvalid(r.groupKind(), m.GetName(), errs)
}

// once leaves out errors that have been there: two labels may have the same bad value.
func once(errs field.ErrorList) field.ErrorList {
	said := map[string]bool{}
	return slices.DeleteFunc(errs, func(e *field.Error) bool {
		again := said[e.Error()]
		said[e.Error()] = true
		return again
	})
}

// warn notes what is allowed in an object, and better not done: a custom resource's new finalizers without
// a domain, names that make bad names of hosts, and what the kind has to say. old may be nil.
func (r *Resource) warn(notes *Notes, m, old metav1.Object) {
	if obj, ok := m.(runtime.Object); ok && r.warns != nil {
		notes.Warnings = append(notes.Warnings, r.warns(obj)...)
	}
	if r.hosts != "" && old == nil {
		if wrong := utilvalidation.IsDNS1123Label(m.GetName()); len(wrong) > 0 {
			notes.Warnings = append(notes.Warnings, fmt.Sprintf(
				"metadata.name: this is used in %s, which can result in surprising behavior; a DNS label is recommended: %v", r.hosts, wrong))
		}
	}
	if !r.Custom {
		return
	}
	for _, f := range slices.Sorted(slices.Values(m.GetFinalizers())) {
		if len(standardFinalizer(f, nil)) > 0 && (old == nil || !slices.Contains(old.GetFinalizers(), f)) {
			notes.Warnings = append(notes.Warnings, fmt.Sprintf(
				"metadata.finalizers: %q: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers", f))
		}
	}
}

// standardFinalizers is what built-in kinds ask beyond a qualified name: a domain, or a known name.
func standardFinalizers(m metav1.Object, path *field.Path) (errs field.ErrorList) {
	for i, f := range m.GetFinalizers() {
		errs = append(errs, standardFinalizer(f, path.Index(i))...)
	}
	return errs
}

func standardFinalizer(f string, path *field.Path) field.ErrorList {
	switch {
	case strings.Contains(f, "/"), f == metav1.FinalizerOrphanDependents, f == metav1.FinalizerDeleteDependents, f == "kubernetes":
		return nil
	}
	return field.ErrorList{field.Invalid(path, f, "name is neither a standard finalizer name nor is it fully qualified")}
}
