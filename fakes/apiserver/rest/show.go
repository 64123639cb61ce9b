package rest

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// tableOptions are those of a request for a Table.
type tableOptions = metav1.TableOptions

// readTable takes over what a query says about a Table, where one is wanted.
func (f *form) readTable(query url.Values) error {
	if f.as.Kind != "Table" {
		return nil
	}
	if err := scheme.ParameterCodec.DecodeParameters(query, metav1.SchemeGroupVersion, &f.table); err != nil {
		return err
	}
	if errs := metav1validation.ValidateTableOptions(&f.table); len(errs) > 0 {
		return apierrors.NewBadRequest("Unable to convert to Table as requested: " + errs[0].Error())
	}
	return nil
}

// show gives what the wire has of an object or list. A Status is always shown as it is.
func (f *form) show(r *row, obj runtime.Object) (runtime.Object, error) {
	obj = r.kinded(obj)
	if _, ok := obj.(*metav1.Status); ok || f.as.Empty() {
		return obj, nil
	}
	listed := meta.IsListType(obj)
	switch f.as.Kind {
	case "PartialObjectMetadata":
		if listed {
			return nil, otherShape("you requested PartialObjectMetadata, but the requested object is a list (*%s)", r.list)
		}
		return f.partial(obj)
	case "PartialObjectMetadataList":
		if !listed && r.Custom {
			return nil, errors.New("content is not a list")
		}
		if !listed {
			return nil, otherShape("you requested PartialObjectMetadataList, but the requested object is not a list (*%s)", r.name)
		}
		return f.partials(obj)
	}
	return f.rows(r, obj)
}

func otherShape(format, what string) error {
	return statusError(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable, fmt.Sprintf(format, what), false)
}

// partial is an object without what its kind is about.
func (f *form) partial(obj runtime.Object) (*metav1.PartialObjectMetadata, error) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	out := meta.AsPartialObjectMetadata(m)
	_, scaler := obj.(*autoscalingv1.HorizontalPodAutoscaler)
	elsewhere := func(name, _ string) bool { // the server keeps it
		return name == appsv1.DeprecatedTemplateGeneration || scaler && strings.HasPrefix(name, "autoscaling.alpha.kubernetes.io/")
	}
	for name := range out.Annotations {
		if elsewhere(name, "") {
			out.Annotations = maps.Clone(out.Annotations)
			maps.DeleteFunc(out.Annotations, elsewhere)
			break
		}
	}
	if len(out.Annotations) == 0 {
		out.Annotations = nil
	}
	out.SetGroupVersionKind(f.as.GroupVersion().WithKind("PartialObjectMetadata"))
	return out, nil
}

func (f *form) partials(list runtime.Object) (runtime.Object, error) {
	out := &metav1.PartialObjectMetadataList{}
	out.SetGroupVersionKind(f.as)
	if err := copyListMeta(list, &out.ListMeta); err != nil {
		return nil, err
	}
	err := meta.EachListItem(list, func(obj runtime.Object) error {
		p, err := f.partial(obj)
		if err == nil {
			out.Items = append(out.Items, *p)
		}
		return err
	})
	return out, err
}

func copyListMeta(list runtime.Object, to *metav1.ListMeta) error {
	m, err := meta.ListAccessor(list)
	if err != nil {
		return err
	}
	to.ResourceVersion, to.Continue, to.RemainingItemCount = m.GetResourceVersion(), m.GetContinue(), m.GetRemainingItemCount()
	return nil
}

// rows are an object or a list as a Table.
func (f *form) rows(r *row, obj runtime.Object) (runtime.Object, error) {
	out := &metav1.Table{}
	out.SetGroupVersionKind(f.as)
	if !slices.ContainsFunc(columns(r), func(c metav1.TableColumnDefinition) bool { return c.Name == "Created At" }) { // else there is no printer of that kind
		out.Rows = []metav1.TableRow{}
	}
	if !f.table.NoHeaders {
		out.ColumnDefinitions = columns(r)
	}
	add := func(obj runtime.Object) error {
		row, err := f.row(r, obj)
		out.Rows = append(out.Rows, row)
		return err
	}
	if meta.IsListType(obj) {
		if err := copyListMeta(obj, &out.ListMeta); err != nil {
			return nil, err
		}
		return out, meta.EachListItem(obj, add)
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	out.ResourceVersion = m.GetResourceVersion()
	return out, add(obj)
}

// columns are those of a kind.
func columns(r *row) []metav1.TableColumnDefinition {
	if known := columnsOf()[r.GroupResource().String()]; known != nil && !r.Custom {
		return known
	}
	about, age := metav1.ObjectMeta{}.SwaggerDoc(), "string"
	if r.GroupVersionResource == apiserver.APIServices {
		return apiServiceColumns()
	}
	if r.columns != nil {
		return r.columns.definitions
	}
	if r.Custom {
		age = "date"
	}
	return []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string", Format: "name", Description: about["name"]},
		{Name: "Age", Type: age, Description: about["creationTimestamp"]},
	}
}

// cells are the cells of an object, and the conditions of its row.
func (f *form) cells(r *row, obj runtime.Object) (metav1.TableRow, error) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return metav1.TableRow{}, err
	}
	row := metav1.TableRow{Cells: builtinCells(r.AsStored(obj))}
	switch {
	case r.GroupVersionResource == apiserver.APIServices:
		row.Cells = apiServiceCells(obj)
	case r.columns != nil:
		row.Cells = r.columns.cells(obj)
	case row.Cells != nil:
		if p, ok := obj.(*corev1.Pod); ok {
			row.Conditions = podConditions(p)
		}
	case !r.Custom && columnsOf()[r.GroupResource().String()] != nil: // what the server does not know how to print
		row.Cells = []any{m.GetName(), m.GetCreationTimestamp().Time.UTC().Format(time.RFC3339)}
	case r.Custom && m.GetCreationTimestamp().Time.IsZero(): // a bookmark
		row.Cells = []any{m.GetName(), nil}
	default:
		row.Cells = []any{m.GetName(), age(m)}
	}
	return row, nil
}

func (f *form) row(r *row, obj runtime.Object) (metav1.TableRow, error) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return metav1.TableRow{}, err
	}
	row, err := f.cells(r, obj)
	if err != nil {
		return row, err
	}
	switch f.table.IncludeObject {
	case metav1.IncludeNone:
		if m.GetAnnotations()[metav1.InitialEventsAnnotationKey] != "true" {
			return row, nil
		}
	case metav1.IncludeObject:
		row.Object.Object = r.kinded(obj)
		return row, nil
	}
	row.Object.Object, err = f.partial(obj)
	return row, err
}

func age(m metav1.Object) string {
	at := m.GetCreationTimestamp()
	if at.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(time.Since(at.Time))
}
