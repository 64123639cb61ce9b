package apiserver

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The texts here are those of a real kube-apiserver, and part of what clients see.
const (
	listTooOld     = "The resourceVersion for the provided list is too old."
	watchTooOld    = "The resourceVersion for the provided watch is too old."
	continueTooOld = "The provided continue parameter is too old to display a consistent list result. " +
		"You can start a new list without the continue parameter, or use the continue token in this response to " +
		"retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - " +
		"objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list."
	modified = "the object has been modified; please apply your changes to the latest version and try again"
)

// bare is what an error that is no API error becomes: code 500, no reason, no details.
func bare(message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: message,
	}}
}

// noSuchPath answers what no resource serves.
func noSuchPath() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound,
		Message: "the server could not find the requested resource", Details: &metav1.StatusDetails{},
	}}
}

// noSuchMethod answers a verb that a path does not have.
func noSuchMethod() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusMethodNotAllowed, Reason: metav1.StatusReasonMethodNotAllowed,
		Message: "the server does not allow this method on the requested resource", Details: &metav1.StatusDetails{},
	}}
}

// invalidOptions is 422 for create, update, patch, delete and list options; nil where there are no errors.
func invalidOptions(kind string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: "meta.k8s.io", Kind: kind}, "", errs)
}

// tooLarge is 504 for a resourceVersion not yet seen; retryAfter in seconds, 0: none.
func tooLarge(asked, current uint64, retryAfter int) error {
	err := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", asked, current), retryAfter)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version",
	}}
	return err
}

// asStatus is the Status that an ERROR event carries.
func asStatus(err error) *metav1.Status {
	var known apierrors.APIStatus
	if errors.As(err, &known) {
		status := known.Status()
		return &status
	}
	return &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}
}

func format(rev uint64) string { return strconv.FormatUint(rev, 10) }

// parse reads a resourceVersion; "" is 0. The error is not a Status: get, list and PUT word it apart.
func parse(rv string) (uint64, error) {
	if rv == "" {
		return 0, nil
	}
	rev, err := strconv.ParseUint(rv, 10, 64)
	var number *strconv.NumError
	if errors.As(err, &number) { // kube-apiserver says so without the name of the function twice
		return 0, fmt.Errorf("strconv.ParseUint: parsing %q: %w", rv, number.Err)
	}
	return rev, err
}

// unreadable words the error of parse as get, list and watch do.
func unreadable(rv string, err error) string {
	return field.Invalid(field.NewPath("resourceVersion"), rv, err.Error()).Error()
}
