package apiserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/uuid"
)

// converter is the conversion webhook of a definition.
type converter struct {
	call WebhookCaller
	to   admissionregistrationv1.WebhookClientConfig
	most time.Duration // that a call may take
}

// conversionLimit is how long a conversion webhook may take, as at a kube-apiserver.
const conversionLimit = 30 * time.Second

// converterOf returns the converter of a definition; nil: conversion changes only apiVersion.
func (s *core) converterOf(d *crd) *converter {
	c := d.Spec.Conversion
	if s.o.Webhooks == nil || c == nil || c.Strategy != apiextensionsv1.WebhookConverter || c.Webhook == nil || c.Webhook.ClientConfig == nil {
		return nil
	}
	from := c.Webhook.ClientConfig
	to := admissionregistrationv1.WebhookClientConfig{URL: from.URL, CABundle: from.CABundle}
	if s := from.Service; s != nil {
		to.Service = &admissionregistrationv1.ServiceReference{Namespace: s.Namespace, Name: s.Name, Path: s.Path, Port: s.Port}
	}
	return &converter{s.o.Webhooks, to, conversionLimit}
}

// as is an object in the kind's version. It is private where that is another version than the object's.
func (k *kind) as(ctx context.Context, obj runtime.Object) (runtime.Object, error) {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return k.typed(obj), nil
	}
	if u.GetAPIVersion() == k.res.GroupVersion().String() {
		return obj, nil
	}
	all, err := k.convert(ctx, []*unstructured.Unstructured{u})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// typed is an object of a built-in kind in the kind's version, by way of the one that is stored. It shares parts with it.
func (k *kind) typed(obj runtime.Object) runtime.Object {
	if len(k.forms) < 2 || reflect.TypeOf(obj) == reflect.TypeOf(k.res.New()) {
		return obj
	}
	for _, form := range k.forms {
		if reflect.TypeOf(obj) == reflect.TypeOf(form.res.New()) {
			if obj = form.res.AsStored(obj); k.res.other != nil {
				obj = k.res.other.from(obj)
			}
			return obj
		}
	}
	return obj // a Status
}

// judgedForm is an object in the version in which it is judged.
func (k *kind) judgedForm(in runtime.Object) runtime.Object {
	if k.res.defaults != nil {
		k.res.defaults(in)
	}
	return k.judged.typed(in)
}

// form is the kind in a version; the kind itself if there is none.
func (k *kind) form(version runtime.GroupVersioner) *kind {
	for _, f := range k.forms {
		gvk := f.res.GroupVersion().WithKind(f.res.Kind)
		if is, ok := version.KindForGroupVersionKinds([]schema.GroupVersionKind{gvk}); ok && is == gvk {
			return f
		}
	}
	return k
}

// storage is the kind of the version in which objects are stored.
func (k *kind) storage() *kind {
	if k.stored != nil {
		return k.stored
	}
	return k
}

// hub is the kind by which objects are judged and stored: that of the stored version of a built-in kind, and for custom resources the
// version that a request is about.
func (k *kind) hub() *kind {
	if k.judged != nil {
		return k.judged
	}
	return k
}

// convert returns copies of custom objects in the kind's version: what a webhook makes of them, or else with another
// apiVersion alone (the conversion "None"). Fields that the version does not have are left out.
func (k *kind) convert(ctx context.Context, all []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	out := make([]*unstructured.Unstructured, len(all))
	if k.through == nil {
		for i, u := range all {
			out[i] = &unstructured.Unstructured{Object: maps.Clone(u.DeepCopy().Object)}
			out[i].SetAPIVersion(k.res.GroupVersion().String())
		}
	} else if err := k.through.convert(ctx, all, out, k.res.GroupVersion().String()); err != nil {
		return nil, err
	}
	for _, u := range out {
		k.res.structure.prune(u)
	}
	return out, nil
}

// managedIn returns a custom object in another version, in which somebody manages fields of it. Unlike convert it prunes nothing. The
// words of errors are a kube-apiserver's (k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/converter.go), which gives the
// webhook no context either.
func (k *kind) managedIn(u *unstructured.Unstructured, to schema.GroupVersion) (*unstructured.Unstructured, error) {
	from := u.GroupVersionKind().GroupVersion()
	known := func(gv schema.GroupVersion) bool {
		return gv.Group == k.res.Group && slices.Contains(k.versions, gv.Version)
	}
	switch {
	case !known(to):
		return nil, fmt.Errorf("request to convert CR to an invalid group/version: %s", to)
	case !known(from):
		return nil, fmt.Errorf("request to convert CR from an invalid group/version: %s", from)
	case from == to:
		return u, nil
	case k.through == nil:
		u = u.DeepCopy()
		u.SetAPIVersion(to.String())
		return u, nil
	}
	out := make([]*unstructured.Unstructured, 1)
	err := k.through.convert(context.Background(), []*unstructured.Unstructured{u}, out, to.String())
	return out[0], err
}

// convert asks the webhook. The words of errors are a kube-apiserver's
// (k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go).
func (c *converter) convert(ctx context.Context, all, out []*unstructured.Unstructured, version string) error {
	from := all[0].GroupVersionKind()
	failed := func(format string, args ...any) error {
		return bare(fmt.Sprintf("conversion webhook for %v %s", from, fmt.Sprintf(format, args...)))
	}
	review := apiextensionsv1.ConversionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: "ConversionReview"},
		Request:  &apiextensionsv1.ConversionRequest{UID: uuid.NewUUID(), DesiredAPIVersion: version},
	}
	for _, u := range all {
		review.Request.Objects = append(review.Request.Objects, runtime.RawExtension{Object: u})
	}
	ctx, cancel := context.WithTimeout(ctx, c.most)
	defer cancel()
	got, err := c.ask(ctx, review)
	if err != nil {
		return failed("failed: %v", err)
	}
	if len(got) != len(all) {
		return failed("returned %d objects, expected %d", len(got), len(all))
	}
	for i, raw := range got {
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(raw.Raw); err != nil {
			return bare(err.Error())
		}
		settle(u.Object)
		was, is := all[i], u.GroupVersionKind()
		switch {
		case u.GetAPIVersion() != version:
			return failed("returned invalid object at index %d: invalid groupVersion (expected %s, received %s)", i, version, u.GetAPIVersion())
		case is.Kind != was.GetKind():
			return failed("returned invalid object at index %d: invalid kind (expected %s, received %s)", i, was.GetKind(), is.Kind)
		case u.GetName() != was.GetName():
			return failed("returned invalid object: must have the same name: %s != %s", was.GetName(), u.GetName())
		case u.GetNamespace() != was.GetNamespace():
			return failed("returned invalid object: must have the same namespace: %s != %s", was.GetNamespace(), u.GetNamespace())
		case u.GetUID() != was.GetUID():
			return failed("returned invalid object: must have the same UID: %s != %s", was.GetUID(), u.GetUID())
		}
		labels, annotations := u.GetLabels(), u.GetAnnotations() // all else of metadata no webhook changes
		u.Object["metadata"] = runtime.DeepCopyJSONValue(was.Object["metadata"])
		u.SetLabels(labels)
		u.SetAnnotations(annotations)
		out[i] = u
	}
	return nil
}

func (c *converter) ask(ctx context.Context, review apiextensionsv1.ConversionReview) ([]runtime.RawExtension, error) {
	var answer apiextensionsv1.ConversionReview
	if err := exchange(ctx, c.call, c.to, &review, &answer); err != nil {
		return nil, err
	}
	r := answer.Response
	switch {
	case answer.TypeMeta != review.TypeMeta:
		return nil, fmt.Errorf("expected webhook response of %v, got %v", review.GroupVersionKind(), answer.GroupVersionKind())
	case r == nil:
		return nil, errors.New("no response provided")
	case r.UID != review.Request.UID:
		return nil, fmt.Errorf("expected response.uid=%q, got %q", review.Request.UID, r.UID)
	case r.Result.Status == metav1.StatusSuccess:
		return r.ConvertedObjects, nil
	case r.Result.Message != "":
		return nil, errors.New(r.Result.Message)
	}
	return nil, fmt.Errorf("response.result.status was '%s', not 'Success'", r.Result.Status)
}

// versions are the forms of a record in other versions, which a webhook has made for watches and lists.
type versions struct {
	kind *kind
	rec  *record
	next *versions
}

// inVersion is a record of the store with its object in the kind's version, as it is now.
func (k *kind) inVersion(ctx context.Context, rec *record) (*record, error) {
	if k.stored == nil || rec == nil {
		return rec, nil
	}
	obj, err := k.as(ctx, rec.obj)
	if err != nil {
		return nil, err
	}
	return rec.with(obj), nil
}

// readInVersion is inVersion for reads, which say more when it fails.
func (k *kind) readInVersion(ctx context.Context, rec *record) (*record, error) {
	out, err := k.inVersion(ctx, rec)
	if err != nil {
		err = apierrors.NewInternalError(fmt.Errorf("StorageError: corrupt object, Code: 7, Key: /%s/%s/%s, ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=%d: %w",
			k.res.Group, k.res.Resource, rec.key, rec.rev, err))
	}
	return out, err
}

// stored is what the store holds of a record.
func (r *record) stored() runtime.Object {
	if r.whole != nil {
		return r.whole
	}
	return r.obj
}

// inStore is what the store holds of a custom object.
func (r *record) inStore() *unstructured.Unstructured {
	if r.raw != nil {
		return r.raw
	}
	return r.obj.(*unstructured.Unstructured)
}

// holds reports whether an object in the stored version is what the store holds, but for its metadata.
func (r *record) holds(put runtime.Object) bool {
	u, custom := put.(*unstructured.Unstructured)
	return !custom || equality.Semantic.DeepEqual(butMetadata(u), butMetadata(r.inStore()))
}

// readBack makes an object, which is private and in the stored version, what a read of it gives: one that was written in another version, or
// whose fields an apply has left as they were, gets the defaults of this one. It returns what is stored then; nil: the same.
func (k *kind) readBack(put runtime.Object) (raw *unstructured.Unstructured) {
	u, custom := put.(*unstructured.Unstructured)
	if !custom || k.stored == nil || k.stored.res.structure == nil {
		return nil
	}
	raw = u.DeepCopy()
	if k.stored.res.structure.setDefaults(u); equality.Semantic.DeepEqual(u, raw) {
		return nil
	}
	return raw
}

func (r *record) with(obj runtime.Object) *record {
	return &record{key: r.key, rev: r.rev, obj: obj, meta: obj.(metav1.Object), by: r.by, other: r.other}
}

// inVersions is inVersion for lists, watches and writes, as from a cache: a webhook is asked once about each record, and about all of a list together.
func (k *kind) inVersions(ctx context.Context, all []*record) ([]*record, error) {
	if k.stored == nil {
		return all, nil
	}
	out := make([]*record, len(all))
	var ask []*unstructured.Unstructured
	var at []int
	for i, r := range all {
		for v := r.versions.Load(); v != nil && out[i] == nil; v = v.next {
			if v.kind == k {
				out[i] = v.rec
			}
		}
		u, custom := r.obj.(*unstructured.Unstructured)
		switch {
		case out[i] != nil:
		case !custom:
			out[i] = r.with(k.typed(r.obj))
			r.keep(k, out[i])
		case u.GetAPIVersion() == k.res.GroupVersion().String():
			out[i] = r
		default:
			ask, at = append(ask, u), append(at, i)
		}
	}
	if len(ask) == 0 {
		return out, nil
	}
	made, err := k.convert(ctx, ask)
	if err != nil {
		return nil, err
	}
	for i, u := range made {
		r := all[at[i]]
		out[at[i]] = r.with(u)
		if k.through != nil {
			r.keep(k, out[at[i]])
		}
	}
	return out, nil
}

// keep remembers a record in a kind's version.
func (r *record) keep(k *kind, as *record) {
	next := r.versions.Load()
	r.versions.CompareAndSwap(next, &versions{k, as, next}) // else another has just been faster
}

// shown is a private copy of the object of a record, in the kind's version, as a subresource shows it.
func (k *kind) shown(ctx context.Context, sub string, rec *record) (runtime.Object, error) {
	all, err := k.inVersions(ctx, []*record{rec})
	if err != nil {
		return nil, err
	}
	return k.res.shown(sub, all[0].stored()), nil
}
