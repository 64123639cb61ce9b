package main

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apiserver/pkg/admission"
)

// protection refuses to delete what has an annotation, as an admission policy may. The story cache/lag/writes takes the annotation away first.
type protection struct{}

var _ admission.ValidationInterface = protection{}

func (protection) Handles(o admission.Operation) bool { return o == admission.Delete }

func (protection) Validate(_ context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	if a.GetOldObject() == nil { // of a collection
		return nil
	}
	m, err := meta.Accessor(a.GetOldObject())
	if err != nil {
		return err
	}
	if m.GetAnnotations()["lwtest/protected"] != "" {
		return apierrors.NewBadRequest("it is protected")
	}
	return nil
}
