package rest

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// serve does what a method means for a target.
func (x *exchange) serve(t target) {
	if t.row.Deprecated != "" {
		x.warn(t.row.Deprecated)
	}
	f, err := x.form(t)
	if err != nil {
		x.fail(err)
		return
	}
	if wrong := content.IsPathSegmentName(t.req.Name); t.req.Name != "" && len(wrong) > 0 && x.r.Method != http.MethodPut { // which names it twice
		x.fail(apierrors.NewBadRequest(fmt.Sprintf("Name parameter invalid: %q: %s", t.req.Name, strings.Join(wrong, ";"))))
		return
	}
	if x.r.Method == http.MethodGet && (t.watch || t.req.Name == "") {
		x.collection(t, f)
		return
	}
	code, obj, err := x.call(t)
	if err == nil {
		err = f.readTable(x.r.URL.Query())
	}
	if err != nil {
		x.fail(err)
		return
	}
	x.answer(t, f, code, obj)
}

// form is what the answer is to look like. Routes of built-in kinds are chosen by Accept and
// Content-Type, too, before anything is read exactly.
func (x *exchange) form(t target) (form, error) {
	patches := []string{string(types.JSONPatchType), string(types.MergePatchType), string(types.StrategicMergePatchType), string(types.ApplyYAMLPatchType)}
	named := x.codecs.names("", whole)
	if x.r.Method == http.MethodGet && t.req.Name == "" {
		named = append(named, x.codecs.names(";stream=watch", streams)...)
	}
	switch {
	case t.row.custom && x.r.Method == http.MethodPatch && !slices.Contains([]string{patches[0], patches[1], patches[3]}, mediaType(x.r)):
		return form{}, apiserver.NoStrategicMerge()
	case t.row.custom: // by no route
	case x.r.Method == http.MethodPatch && !routed(nonEmpty(x.r.Header.Get("Content-Type")), patches):
		return form{}, unknownPatch()
	case !routed(x.r.Header.Get("Accept"), named):
		return form{}, noRoute(named)
	}
	f, found := x.codecs.negotiate(x.r, func(m *media, c clause) bool {
		return t.row.offers(m, c) && (c.target().Kind != "Table" || t.hasTable())
	})
	if !found {
		return form{}, notAcceptable(x.codecs.names("", whole))
	}
	return f, nil
}

// hasTable reports whether the answer can be a Table, which some subresources do not have.
func (t target) hasTable() bool {
	switch t.req.Subresource {
	case "finalize", "resize", "ephemeralcontainers":
		return false
	case "status":
		return t.req.Resource.Resource != "customresourcedefinitions"
	}
	return true
}

// mediaType is the type that a request's body has.
func mediaType(r *http.Request) string {
	t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return r.Header.Get("Content-Type")
	}
	return t
}

// nonEmpty makes nothing into something that is not there.
func nonEmpty(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// collection is a list or a watch.
func (x *exchange) collection(t target, f form) {
	var o metav1.ListOptions
	if err := x.parameters(&o); err != nil {
		x.fail(err)
		return
	}
	if err := oneName(t.req.Name, o.FieldSelector); err != nil {
		x.fail(err)
		return
	}
	if o.Watch || t.watch {
		x.watch(t, f, o)
		return
	}
	x.list(t, f, o)
}

// oneName refuses a selector of another name than the path's.
func oneName(name, selector string) error {
	sel, err := fields.ParseSelector(selector)
	if name == "" || err != nil || sel.Empty() { // the API says what is wrong with it
		return nil
	}
	if want, ok := sel.RequiresExactMatch("metadata.name"); ok && want == name {
		return nil
	}
	return apierrors.NewBadRequest("fieldSelector metadata.name doesn't match requested name")
}

// call makes one request of the API.
func (x *exchange) call(t target) (int, runtime.Object, error) {
	ctx := x.r.Context()
	switch x.r.Method {
	case http.MethodGet:
		var o metav1.GetOptions
		if err := x.parameters(&o); err != nil {
			return 0, nil, err
		}
		obj, err := x.api.Get(ctx, t.req, o)
		return http.StatusOK, obj, err
	case http.MethodPost:
		return x.create(ctx, t)
	case http.MethodPut:
		return x.update(ctx, t)
	case http.MethodPatch:
		return x.patch(ctx, t)
	case http.MethodDelete:
		return x.remove(ctx, t)
	}
	return 0, nil, noSuchMethod()
}

func (x *exchange) create(ctx context.Context, t target) (int, runtime.Object, error) {
	var o metav1.CreateOptions
	obj, err := x.input(t, &o, func() error {
		return invalid("CreateOptions", metav1validation.ValidateCreateOptions(&o))
	}, &o.FieldValidation)
	if err != nil {
		return 0, nil, err
	}
	x.manager(&o.FieldManager)
	taken := t.req.Resource == apiserver.APIServices && x.localNamed(obj.(metav1.Object).GetName()) != nil
	if taken { // what else is wrong comes first
		o.DryRun = []string{metav1.DryRunAll}
	}
	var notes apiserver.Notes
	obj, err = x.api.Create(apiserver.WithNotes(ctx, &notes), t.req, obj, o)
	if err == nil && taken {
		err = apierrors.NewAlreadyExists(t.req.Resource.GroupResource(), obj.(metav1.Object).GetName())
	}
	x.warnings(notes)
	return http.StatusCreated, obj, err
}

func (x *exchange) update(ctx context.Context, t target) (int, runtime.Object, error) {
	var o metav1.UpdateOptions
	obj, err := x.input(t, &o, func() error {
		return invalid("UpdateOptions", metav1validation.ValidateUpdateOptions(&o))
	}, &o.FieldValidation)
	if err != nil {
		return 0, nil, err
	}
	x.manager(&o.FieldManager)
	var notes apiserver.Notes
	obj, err = x.api.Update(apiserver.WithNotes(ctx, &notes), t.req, obj, o)
	x.warnings(notes)
	if notes.Created {
		return http.StatusCreated, obj, err
	}
	return http.StatusOK, obj, err
}

// input reads the options and the object of a create or an update, in the order in which the real server
// looks at what may be wrong with them.
func (x *exchange) input(t target, options runtime.Object, validate func() error, directive *string) (runtime.Object, error) {
	ok := whole
	if t.row.Custom {
		ok = ofCustom
	}
	m, err := x.sent(ok)
	if err != nil {
		return nil, err
	}
	body, err := x.body()
	if err != nil {
		return nil, err
	}
	if err := x.parameters(options); err != nil {
		return nil, err
	}
	if err := validate(); err != nil {
		return nil, err
	}
	return x.object(t.row, m, body, *directive)
}

func (x *exchange) patch(ctx context.Context, t target) (int, runtime.Object, error) {
	pt := mediaType(x.r)
	if t.row.Custom && !t.row.custom && pt == string(types.StrategicMergePatchType) { // an APIService has one list, which a client does not write
		pt = string(types.MergePatchType)
	}
	body, err := x.body()
	if err != nil {
		return 0, nil, err
	}
	var o metav1.PatchOptions
	if err := x.parameters(&o); err != nil {
		return 0, nil, err
	}
	if types.PatchType(pt) != types.ApplyYAMLPatchType { // which must say it
		x.manager(&o.FieldManager)
	}
	var notes apiserver.Notes
	obj, err := x.api.Patch(apiserver.WithNotes(ctx, &notes), t.req, types.PatchType(pt), body, o)
	x.warnings(notes)
	if notes.Created {
		return http.StatusCreated, obj, err
	}
	return http.StatusOK, obj, err
}

func (x *exchange) warnings(notes apiserver.Notes) {
	for _, w := range notes.Warnings {
		x.warn(w)
	}
}

// manager names who writes, where the request does not, after its client.
func (x *exchange) manager(name *string) {
	if *name != "" {
		return
	}
	agent, _, _ := strings.Cut(x.r.UserAgent(), "/")
	for _, r := range agent {
		if len(*name)+utf8.RuneLen(r) > metav1validation.FieldManagerMaxLength {
			break
		}
		if unicode.IsPrint(r) {
			*name += string(r)
		}
	}
}
