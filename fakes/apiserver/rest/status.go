package rest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/lwtest/lwtest/fakes/apiserver/faults"
)

// The texts here are those of a real kube-apiserver, and part of what clients see.

func noSuchPath() error {
	return statusError(http.StatusNotFound, metav1.StatusReasonNotFound, "the server could not find the requested resource", true)
}

func noSuchMethod() error {
	return statusError(http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed,
		"the server does not allow this method on the requested resource", true)
}

// noRoute is 406 before anybody has looked at what Accept says exactly.
func noRoute(media []string) error {
	return statusError(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
		"406: Not Acceptable\n\nAvailable representations: "+strings.Join(media, ", "), true)
}

// notAcceptable is 406 after that.
func notAcceptable(media []string) error {
	return statusError(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
		"only the following media types are accepted: "+strings.Join(media, ", "), false)
}

func unknownBody(media []string) error {
	return statusError(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType,
		"the body of the request was in an unknown format - accepted media types include: "+strings.Join(media, ", "), false)
}

// unknownPatch is 415 for a patch of a built-in kind.
func unknownPatch() error {
	return statusError(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType, "415: Unsupported Media Type", true)
}

// statusError makes an error; some have details, without anything in them.
func statusError(code int32, reason metav1.StatusReason, message string, details bool) error {
	s := metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message}
	if details {
		s.Details = &metav1.StatusDetails{}
	}
	return &apierrors.StatusError{ErrStatus: s}
}

// invalid is 422 for options; nil where there are no errors.
func invalid(kind string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: "meta.k8s.io", Kind: kind}, "", errs)
}

// asStatus is an error as it is answered.
func asStatus(err error) *metav1.Status {
	var known apierrors.APIStatus
	var status metav1.Status
	switch {
	case errors.As(err, &known):
		status = known.Status()
	case errors.Is(err, context.DeadlineExceeded):
		status = apierrors.NewTimeoutError("request did not complete within requested timeout - "+err.Error(), 0).ErrStatus
	default:
		status = metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}
	}
	name(&status)
	return &status
}

// name gives a Status its kind.
func name(s *metav1.Status) { s.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"} }

// fail answers with an error, in the form that was asked for where that is one for everything, else as
// indented JSON.
func (x *exchange) fail(err error) {
	if errors.Is(err, faults.ErrCut) {
		x.cut()
	}
	if errors.Is(err, faults.ErrAnswered) {
		x.instead(x.wire.Answer)
		return
	}
	status := asStatus(err)
	if d := status.Details; d != nil && d.RetryAfterSeconds > 0 {
		x.w.Header().Set("Retry-After", strconv.Itoa(int(d.RetryAfterSeconds)))
	}
	if x.limited && errors.Is(err, context.DeadlineExceeded) {
		x.overdue()
		return
	}
	f, ok := x.codecs.negotiate(x.r, asItIs)
	if !ok {
		x.raw(int(status.Code), status)
		return
	}
	x.write(int(status.Code), f.contentType(), f, status)
}

// overdue answers a request whose time is up, as what stands before all else in a kube-apiserver does.
func (x *exchange) overdue() {
	x.w.Header().Del("X-Kubernetes-Pf-Flowschema-Uid")
	x.w.Header().Del("X-Kubernetes-Pf-Prioritylevel-Uid")
	x.text(http.StatusGatewayTimeout, `{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}`+"\n")
}

// raw answers in indented JSON, whatever was asked for.
func (x *exchange) raw(code int, v any) {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // a Status, or a document of our own
	}
	x.w.Header().Set("Content-Type", runtime.ContentTypeJSON)
	x.w.WriteHeader(code)
	_, _ = x.w.Write(body)
}
