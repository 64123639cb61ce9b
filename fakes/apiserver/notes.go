package apiserver

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Notes are what the answer to a write says beside its object.
type Notes struct {
	Created  bool     // by an Update of what was not there
	Warnings []string // of fields that a Patch names and that do not exist, or twice; of a Delete that orphans
}

type notesKey struct{}

// WithNotes is a context with which a write fills notes, which must be read only when it has returned.
// They are HTTP's: another code, and headers.
func WithNotes(ctx context.Context, notes *Notes) context.Context {
	return context.WithValue(ctx, notesKey{}, notes)
}

// notesOf are those to be filled; nobody reads them where nobody asked.
func notesOf(ctx context.Context) *Notes {
	if notes, ok := ctx.Value(notesKey{}).(*Notes); ok {
		return notes
	}
	return &Notes{}
}

// Check says what is wrong with an object that is to be stored in place of an old one, beside what its kind does.
type Check func(in, old runtime.Object) field.ErrorList

type checkKey struct{}

// WithCheck makes updates and patches be judged by a check too, each time before what they make is stored.
func WithCheck(ctx context.Context, check Check) context.Context {
	return context.WithValue(ctx, checkKey{}, check)
}

// judge asks the check of a call; 422 where it finds something.
func judge(ctx context.Context, k *kind, in, old runtime.Object) error {
	check, ok := ctx.Value(checkKey{}).(Check)
	if !ok {
		return nil
	}
	if errs := check(in, old); len(errs) > 0 {
		return apierrors.NewInvalid(k.res.groupKind(), in.(metav1.Object).GetName(), errs)
	}
	return nil
}
