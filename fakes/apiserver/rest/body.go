package rest

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"reflect"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// bodyLimit is how long a body may take, as long as a whole request at a kube-apiserver.
const bodyLimit = time.Minute

// body reads what the request brings, within the limits.
func (x *exchange) body() ([]byte, error) {
	if x.r.Body == nil {
		return nil, nil
	}
	control := http.NewResponseController(x.w)
	_ = control.SetReadDeadline(time.Now().Add(bodyLimit)) // where that cannot be, nobody is slow
	b, err := io.ReadAll(io.LimitReader(x.r.Body, x.o.MaxBody+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, apierrors.NewTimeoutError(fmt.Sprintf("the body of the request has not come within %v", bodyLimit), 0)
	case err != nil:
		return nil, apierrors.NewBadRequest("the body of the request cannot be read: " + err.Error())
	case int64(len(b)) > x.o.MaxBody:
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", x.o.MaxBody))
	}
	_ = control.SetReadDeadline(time.Time{}) // else it stays for what net/http reads of the rest
	return b, nil
}

// sent is the representation that the body has; JSON where nothing is said.
func (x *exchange) sent(ok func(*media) bool) (*media, error) {
	said := x.r.Header.Get("Content-Type")
	if said == "" {
		return x.codecs.all[0], nil
	}
	if name, _, err := mime.ParseMediaType(said); err == nil {
		for _, m := range x.codecs.all {
			if m.name == name && ok(m) {
				return m, nil
			}
		}
	}
	return nil, unknownBody(x.codecs.names("", whole))
}

// object reads the body's object of a resource. What strictness finds is an error, a warning or nothing,
// as the directive says.
func (x *exchange) object(r *row, m *media, body []byte, directive string) (runtime.Object, error) {
	from := m.strict
	if directive == metav1.FieldValidationIgnore {
		from = m.whole
	}
	gvk := r.gvk
	if r.GroupVersionResource == apiserver.APIServices && m.name == runtime.ContentTypeJSON {
		var err error
		if body, err = apiserver.ReadAPIServiceJSON(body); err != nil {
			return nil, unreadable(r, err, &gvk, body)
		}
	}
	into := r.New()
	if r.Custom {
		into = &unstructured.Unstructured{}
	}
	obj, got, err := from.Decode(body, &gvk, into)
	if r.Custom && directive != metav1.FieldValidationIgnore {
		err = metadataToo(obj, err)
	}
	if r.Custom && hasMetadata(obj) {
		err = coerced(r, obj, err, directive != metav1.FieldValidationIgnore)
	}
	if strange := !r.Custom && obj != nil && reflect.TypeOf(obj) != reflect.TypeOf(into); strange && r.Kind != "Eviction" && (err == nil || runtime.IsStrictDecodingError(err)) {
		return nil, otherKind(r, obj, got)
	}
	if strict, ok := runtime.AsStrictDecodingError(err); ok && obj != nil && directive != metav1.FieldValidationStrict {
		for _, e := range strict.Errors() {
			x.warn(e.Error())
		}
		err = nil
	}
	if err != nil {
		return nil, unreadable(r, err, got, body)
	}
	if old, ok := obj.(*policyv1beta1.Eviction); ok && r.Kind == "Eviction" { // the older version is taken, too
		obj = &policyv1.Eviction{ObjectMeta: old.ObjectMeta, DeleteOptions: old.DeleteOptions}
	}
	if !r.Custom && reflect.TypeOf(obj) != reflect.TypeOf(into) {
		return nil, otherKind(r, obj, got)
	}
	return obj, nil
}

// coerced leaves of a custom object what its schema has, and adds to what strictness has found what it has not.
func coerced(r *row, obj runtime.Object, err error, strictly bool) error {
	var all []error
	if found, ok := runtime.AsStrictDecodingError(err); ok {
		all = found.Errors()
	} else if err != nil {
		return err
	}
	u, ok := obj.(*unstructured.Unstructured)
	if !ok || u.GroupVersionKind() != r.gvk {
		return err
	}
	unknown, wrong := r.Coerce(u)
	switch {
	case wrong != nil:
		return wrong
	case !strictly || len(unknown) == 0:
		return err
	}
	for _, path := range unknown {
		all = append(all, fmt.Errorf("unknown field %q", path))
	}
	return runtime.NewStrictDecodingError(all)
}

// hasMetadata reports whether the metadata of a custom object is such: what else is wrong with one without is not looked for.
func hasMetadata(obj runtime.Object) bool {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return false
	}
	b, err := json.Marshal(u.Object["metadata"])
	return err == nil && json.Unmarshal(b, &metav1.ObjectMeta{}) == nil
}

// metadataToo adds what strictness finds in a custom object's metadata, which has a type, to what it has
// found elsewhere.
func metadataToo(obj runtime.Object, err error) error {
	var all []error
	if found, ok := runtime.AsStrictDecodingError(err); ok {
		all = found.Errors()
	} else if err != nil {
		return err
	}
	var typed struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
	}
	content := map[string]any{"metadata": obj.(*unstructured.Unstructured).Object["metadata"]}
	more := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(content, &typed, true)
	if found, ok := runtime.AsStrictDecodingError(more); ok { // what is no metadata at all the API refuses
		all = append(all, found.Errors()...)
	}
	if len(all) == 0 {
		return nil
	}
	return runtime.NewStrictDecodingError(all)
}

// otherKind refuses an object that could be read, and is of another kind or version.
func otherKind(r *row, obj runtime.Object, got *schema.GroupVersionKind) error {
	if got.Kind == r.gvk.Kind && (got.Group == r.Group || got.Group == r.Storage().Group) {
		return apierrors.NewBadRequest(fmt.Sprintf(
			"the API version in the data (%s) does not match the expected API version (%s)", got.GroupVersion(), r.GroupVersion()))
	}
	return unreadable(r, fmt.Errorf("converting (%s) to (%s): unknown conversion", reflect.TypeOf(obj).Elem(), r.name), got, nil)
}

// unreadable is 400 for a body that is no object of the kind.
func unreadable(r *row, err error, got *schema.GroupVersionKind, body []byte) error {
	if r.custom && !r.Custom { // its decoder knows no Scale, and finds that out when it has an error to word
		return apierrors.NewBadRequest(fmt.Sprintf("no kind is registered for the type %s in scheme %q", r.name, "pkg/runtime/scheme.go:111"))
	}
	if got != nil && got.Kind != "" {
		return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", got.Kind, got.Version, r.Kind, err))
	}
	return apierrors.NewBadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", r.Kind, err, summary(body)))
}

// summary is the beginning of a body.
func summary(body []byte) string {
	const most = 30
	more := ""
	if len(body) > most {
		body, more = body[:most], " ..."
	}
	switch {
	case len(body) == 0:
		return "<empty>"
	case bytes.HasPrefix(body, []byte("{")):
		return string(body) + more
	}
	return hex.EncodeToString(body) + more
}

// warn adds a Warning to the answer.
func (x *exchange) warn(text string) {
	if header, err := utilnet.NewWarningHeader(299, "-", text); err == nil {
		x.w.Header().Add("Warning", header)
	}
}

// parameters reads options out of the query.
func (x *exchange) parameters(into runtime.Object) error {
	if err := scheme.ParameterCodec.DecodeParameters(x.r.URL.Query(), metav1.SchemeGroupVersion, into); err != nil {
		var known apierrors.APIStatus
		if errors.As(err, &known) {
			return err
		}
		return apierrors.NewBadRequest(err.Error())
	}
	return nil
}
