package apiserver

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	kyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// apply is a server-side apply patch: what is missing is created by it.
func (v *View) apply(ctx context.Context, k *kind, req Request, data []byte, opts metav1.PatchOptions) (runtime.Object, error) {
	if err := invalidOptions("PatchOptions", metav1validation.ValidatePatchOptions(&opts, types.ApplyYAMLPatchType)); err != nil {
		return nil, err
	}
	if _, err := kyaml.ToJSON(data); err != nil {
		return nil, apierrors.NewBadRequest("error encoding patch: " + err.Error())
	}
	return v.revise(ctx, k, req, intent{options{DryRun: opts.DryRun, FieldManager: opts.FieldManager, FieldValidation: opts.FieldValidation}, nil, func(old *record) (runtime.Object, error) {
		live := k.res.New()
		switch {
		case old != nil && req.Subresource == scale:
			var err error
			if live, _, err = v.scaled(k, v.managed(old)); err != nil {
				return nil, err
			}
		case old != nil:
			live = v.managed(old)
		case req.Subresource != "" && !k.creates(req):
			return nil, apierrors.NewNotFound(k.res.GroupVersionResource.GroupResource(), req.Name)
		}
		in, err := v.merge(ctx, k, req, live, data, opts)
		if s, ok := live.(*autoscalingv1.Scale); ok && k.res.Custom && len(s.ManagedFields) == 0 && (err == nil || apierrors.IsConflict(err) || strings.Contains(err.Error(), "failed to create typed patch")) {
			err = bare("failed to create manager for existing fields: failed to convert live object (/" + noCustomScale)
		}
		if err != nil {
			return nil, known(err)
		}
		if s, ok := live.(*autoscalingv1.Scale); ok && k.res.Custom {
			now, was := *in.(*autoscalingv1.Scale), *s
			if now.ManagedFields, was.ManagedFields = nil, nil; !equality.Semantic.DeepEqual(now, was) {
				var patch metav1.PartialObjectMetadata
				_ = yaml.Unmarshal(data, &patch) // which has been read before
				return nil, bare(fmt.Sprintf("failed to convert new object (%s/%s%s", patch.Namespace, patch.Name, noCustomScale))
			}
		}
		m := in.(metav1.Object)
		if old == nil && m.GetUID() != "" {
			return nil, apierrors.NewConflict(k.res.GroupVersionResource.GroupResource(), req.Name, fmt.Errorf(
				"uid mismatch: the provided object specified uid %s, and no existing object was found", m.GetUID()))
		}
		if err := placeIn(m, req); err != nil {
			return nil, err
		}
		return in, named(m, req)
	}})
}

// noCustomScale ends what a kube-apiserver (v1.37.1) answers to an apply that changes the /scale of a custom resource, which it takes
// for one.
const noCustomScale = "; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1"

// merge is the live object with what an apply patch says of it, and with its fields' managers.
func (v *View) merge(ctx context.Context, k *kind, req Request, live runtime.Object, data []byte, opts metav1.PatchOptions) (runtime.Object, error) {
	patch := &unstructured.Unstructured{Object: map[string]any{}}
	if err := yaml.Unmarshal(data, &patch.Object); err != nil {
		return nil, apierrors.NewBadRequest("error decoding patch: " + err.Error())
	}
	fields, err := v.fieldManager(k, req.Subresource)
	if err != nil {
		return nil, err
	}
	var before runtime.Object
	if k.res.Custom {
		before = live.DeepCopyObject()
	}
	merged, err := fields.Apply(live, patch, opts.FieldManager, opts.Force != nil && *opts.Force)
	if err != nil {
		return nil, err
	}
	if opts.FieldValidation != metav1.FieldValidationIgnore {
		switch err := yaml.UnmarshalStrict(data, &map[string]any{}); {
		case err == nil:
		case opts.FieldValidation == metav1.FieldValidationStrict:
			return nil, apierrors.NewBadRequest("error strict decoding patch: " + err.Error())
		default:
			notes := notesOf(ctx)
			for _, line := range strings.Split(err.Error(), "\n")[1:] { // the first says only that there are some
				notes.Warnings = append(notes.Warnings, strings.TrimSpace(line))
			}
		}
	}
	res := k.res.like(req.Subresource)
	if res.Custom && res.structure != nil {
		applied := *res.structure
		applied.nulls, applied.filled = true, sameButManagers(merged, before)
		like := *res
		like.structure, res = &applied, &like
	}
	in, m, err := res.accept(merged)
	if err != nil {
		return nil, err
	}
	onTheWire(m)
	switch in := in.(type) {
	case *unstructured.Unstructured: // which kube-apiserver does not decode again
		keepEmpty(in, merged)
	case *batchv1.Job:
		made := merged.(*batchv1.Job)
		if made.Labels != nil && reflect.ValueOf(made.Labels).Pointer() == reflect.ValueOf(made.Spec.Template.Labels).Pointer() {
			in.Labels = in.Spec.Template.Labels // see defaultJob
		}
	}
	return in, nil
}

// sameButManagers reports whether two objects differ only in who manages their fields.
func sameButManagers(a, b runtime.Object) bool {
	a, b = a.DeepCopyObject(), b.DeepCopyObject()
	a.(metav1.Object).SetManagedFields(nil)
	b.(metav1.Object).SetManagedFields(nil)
	return equality.Semantic.DeepEqual(a, b)
}
