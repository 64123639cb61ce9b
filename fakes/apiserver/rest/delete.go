package rest

import (
	"context"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// remove deletes an object or a collection.
func (x *exchange) remove(ctx context.Context, t target) (int, runtime.Object, error) {
	var which metav1.ListOptions
	if t.req.Name == "" {
		if err := x.parameters(&which); err != nil {
			return 0, nil, err
		}
		if err := t.row.readable(which); err != nil {
			return 0, nil, err
		}
	}
	o, err := x.deleteOptions()
	if err != nil {
		return 0, nil, err
	}
	if t.req.Name == "" {
		var notes apiserver.Notes
		obj, err := x.api.DeleteCollection(apiserver.WithNotes(ctx, &notes), t.req, o, which)
		x.warnings(notes)
		return http.StatusOK, obj, err
	}
	var notes apiserver.Notes
	obj, err := x.api.Delete(apiserver.WithNotes(ctx, &notes), t.req, o)
	x.warnings(notes)
	if err != nil {
		return 0, nil, err
	}
	status, gone := obj.(*metav1.Status)
	if gone {
		status.Code = 0 // as the real one answers
	}
	//lint:ignore SA1019 clients still send it
	if orphan := o.OrphanDependents; !gone && orphan != nil && !*orphan {
		return http.StatusAccepted, obj, nil
	}
	return http.StatusOK, obj, nil
}

// readable refuses selectors that cannot be read, which is looked at before the body.
func (r *row) readable(which metav1.ListOptions) error {
	if _, err := labels.Parse(which.LabelSelector); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	fields, err := fields.ParseSelector(which.FieldSelector)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	return r.Selectable(fields)
}

// deleteOptions are in the body, or else in the query.
func (x *exchange) deleteOptions() (metav1.DeleteOptions, error) {
	var out metav1.DeleteOptions
	body, err := x.body()
	if err != nil {
		return out, err
	}
	if len(body) == 0 {
		return out, x.parameters(&out)
	}
	m, err := x.sent(whole)
	if err != nil {
		return out, err
	}
	gvk := metav1.SchemeGroupVersion.WithKind("DeleteOptions")
	obj, _, err := m.options.Decode(body, &gvk, &metav1.DeleteOptions{})
	if err != nil {
		return out, apierrors.NewBadRequest(err.Error())
	}
	got, ok := obj.(*metav1.DeleteOptions)
	if !ok {
		return out, apierrors.NewBadRequest("decoded object cannot be converted to DeleteOptions")
	}
	out = *got
	out.TypeMeta = metav1.TypeMeta{}
	return out, nil
}
