package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Events are served in two groups: as those of core/v1, which is how they are stored, and as those of
// events.k8s.io/v1, whose recorder clients use today.

var (
	coreEvents = corev1.SchemeGroupVersion.WithResource("events")
	twinEvents = eventsv1.SchemeGroupVersion.WithResource("events")
)

// storedNames are fields of an event at the top, and what they are called as it is stored.
var storedNames = map[string]string{
	"regarding": "involvedObject", "note": "message", "reportingController": "reportingComponent",
	"deprecatedSource": "source", "deprecatedFirstTimestamp": "firstTimestamp", "deprecatedLastTimestamp": "lastTimestamp", "deprecatedCount": "count",
}

// twinRow is the second one of events.
func twinRow(of *apiserver.Resource) *row {
	res := &apiserver.Resource{
		GroupVersionResource: twinEvents, Kind: of.Kind, Namespaced: true, ShortNames: of.ShortNames,
		New:     func() runtime.Object { return &eventsv1.Event{} },
		NewList: func() runtime.Object { return &eventsv1.EventList{} },
	}
	r := &row{Resource: res, gvk: twinEvents.GroupVersion().WithKind(of.Kind), twin: true}
	r.name, r.list = inner(of, of.New()), inner(of, of.NewList())
	return r
}

// storedAs is the kind of what is stored.
func (r *row) storedAs() schema.GroupVersionKind {
	switch {
	case r.twin:
		return corev1.SchemeGroupVersion.WithKind(r.gvk.Kind)
	case r.StoredVersion != "":
		return r.gvk.GroupKind().WithVersion(r.StoredVersion)
	}
	return r.gvk
}

// toCore is an event as it is stored.
func toCore(e *eventsv1.Event) *corev1.Event {
	out := &corev1.Event{
		ObjectMeta: e.ObjectMeta, InvolvedObject: e.Regarding, Related: e.Related, Reason: e.Reason, Message: e.Note, Type: e.Type,
		EventTime: e.EventTime, Action: e.Action, ReportingController: e.ReportingController, ReportingInstance: e.ReportingInstance,
		Source: e.DeprecatedSource, FirstTimestamp: e.DeprecatedFirstTimestamp, LastTimestamp: e.DeprecatedLastTimestamp, Count: e.DeprecatedCount,
	}
	if e.Series != nil {
		out.Series = &corev1.EventSeries{Count: e.Series.Count, LastObservedTime: e.Series.LastObservedTime}
	}
	return out
}

func fromCore(e *corev1.Event) *eventsv1.Event {
	out := &eventsv1.Event{
		ObjectMeta: e.ObjectMeta, Regarding: e.InvolvedObject, Related: e.Related, Reason: e.Reason, Note: e.Message, Type: e.Type,
		EventTime: e.EventTime, Action: e.Action, ReportingController: e.ReportingController, ReportingInstance: e.ReportingInstance,
		DeprecatedSource: e.Source, DeprecatedFirstTimestamp: e.FirstTimestamp, DeprecatedLastTimestamp: e.LastTimestamp, DeprecatedCount: e.Count,
	}
	if e.Series != nil {
		out.Series = &eventsv1.EventSeries{Count: e.Series.Count, LastObservedTime: e.Series.LastObservedTime}
	}
	return out
}

// twinned is what the API answers, as a twin has it.
func twinned(obj runtime.Object) runtime.Object {
	switch o := obj.(type) {
	case *corev1.Event:
		return fromCore(o)
	case *corev1.EventList:
		out := &eventsv1.EventList{ListMeta: o.ListMeta, Items: make([]eventsv1.Event, len(o.Items))}
		for i := range o.Items {
			out.Items[i] = *fromCore(&o.Items[i])
		}
		return out
	case *metav1.Status:
		twinnedStatus(o)
	}
	return obj
}

// twinnedStatus says the group where a Status is about events.
func twinnedStatus(s *metav1.Status) {
	if d := s.Details; d != nil && d.Group == "" && d.Kind == coreEvents.Resource {
		d.Group = twinEvents.Group
		s.Message = strings.Replace(s.Message, coreEvents.Resource+` "`, twinEvents.Resource+"."+twinEvents.Group+` "`, 1)
	}
}

// twinnedError is that of an error.
func twinnedError(err error) error {
	var known apierrors.APIStatus
	if !errors.As(err, &known) {
		return err
	}
	s := known.Status()
	s.Details = s.Details.DeepCopy()
	twinnedStatus(&s)
	return &apierrors.StatusError{ErrStatus: s}
}

// twinnedPatch is a patch of a twin as one of what is stored.
func twinnedPatch(pt types.PatchType, body []byte) []byte {
	var out any
	if pt == types.JSONPatchType {
		var ops []map[string]any
		if json.Unmarshal(body, &ops) != nil {
			return body // which the API refuses
		}
		for _, op := range ops {
			for _, at := range []string{"path", "from"} {
				if path, ok := op[at].(string); ok && strings.HasPrefix(path, "/") {
					first, rest, deeper := strings.Cut(path[1:], "/")
					if op[at] = "/" + stored(first); deeper {
						op[at] = "/" + stored(first) + "/" + rest
					}
				}
			}
		}
		out = ops
	} else {
		var top map[string]json.RawMessage
		if json.Unmarshal(body, &top) != nil || top == nil {
			return body
		}
		renamed := map[string]json.RawMessage{}
		for name, v := range top {
			renamed[stored(name)] = v
		}
		out = renamed
	}
	b, err := json.Marshal(out)
	if err != nil {
		return body
	}
	return b
}

func stored(name string) string {
	if s, ok := storedNames[name]; ok {
		return s
	}
	return name
}

// twinnedSelector is a field selector as one of what is stored.
func twinnedSelector(selector string) (string, error) {
	sel, err := fields.ParseSelector(selector)
	if err != nil {
		return selector, nil // the API says what is wrong with it
	}
	sel, err = sel.Transform(func(label, value string) (string, string, error) {
		first, rest, deeper := strings.Cut(label, ".")
		switch {
		case first == "metadata", label == "reason", label == "type", label == "reportingController":
			return stored(label), value, nil
		case first == "regarding" && deeper:
			return stored(first) + "." + rest, value, nil
		}
		return "", "", apierrors.NewBadRequest("field label not supported: " + label)
	})
	if err != nil {
		return "", err
	}
	return sel.String(), nil
}

// stores makes a field selector one of what is stored.
func (r *row) stores(o *metav1.ListOptions) (err error) {
	if r.twin {
		o.FieldSelector, err = twinnedSelector(o.FieldSelector)
	}
	return err
}

// checkTwin is what is wrong with a new event, which those of core/v1 may be.
func checkTwin(e *eventsv1.Event) error {
	if e.Name == "" && e.GenerateName != "" {
		e = e.DeepCopy()
		e.Name = e.GenerateName + rand.String(5) // one that errors show; it gets another
	}
	errs := checkTwinMeta(e)
	unset := func(name string, said bool) {
		if said {
			errs = append(errs, field.Invalid(field.NewPath(name), "", "needs to be unset"))
		}
	}
	if e.EventTime.IsZero() {
		errs = append(errs, field.Required(field.NewPath("eventTime"), ""))
	} else {
		errs = append(errs, checkReport(e)...)
	}
	if e.Type != corev1.EventTypeNormal && e.Type != corev1.EventTypeWarning {
		errs = append(errs, field.Invalid(field.NewPath("type"), "", "has invalid value: "+e.Type))
	}
	unset("firstTimestamp", !e.DeprecatedFirstTimestamp.IsZero())
	unset("lastTimestamp", !e.DeprecatedLastTimestamp.IsZero())
	unset("count", e.DeprecatedCount != 0)
	unset("source", e.DeprecatedSource != corev1.EventSource{})
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Kind: "Event"}, e.Name, errs)
}

// checkTwinMeta is about its metadata, of which less is asked where it is stored.
func checkTwinMeta(e *eventsv1.Event) field.ErrorList {
	m := e.ObjectMeta.DeepCopy()
	m.Namespace = "x" // it is yet to be placed
	at := field.NewPath("metadata")
	errs := apivalidation.ValidateObjectMeta(m, true, apivalidation.NameIsDNSSubdomain, at)
	for i, f := range m.Finalizers {
		if !strings.Contains(f, "/") && f != metav1.FinalizerOrphanDependents && f != metav1.FinalizerDeleteDependents && f != "kubernetes" {
			errs = append(errs, field.Invalid(at.Child("finalizers").Index(i), f, "name is neither a standard finalizer name nor is it fully qualified"))
		}
	}
	return errs
}

// checkTwinUpdate: of an event nothing changes but its series.
func checkTwinUpdate(in, old runtime.Object) (errs field.ErrorList) {
	now, before := in.(*corev1.Event), old.(*corev1.Event)
	if !equality.Semantic.DeepEqual(now.Series, before.Series) && now.Series != nil && now.Series.Count < 2 {
		errs = append(errs, field.Invalid(field.NewPath("series", "count"), "", "should be at least 2"))
	}
	for _, f := range []struct {
		name    string
		is, was any
	}{
		{"involvedObject", inside(&now.InvolvedObject), inside(&before.InvolvedObject)},
		{"reason", now.Reason, before.Reason},
		{"message", now.Message, before.Message},
		{"source", struct{ Component, Host string }(now.Source), struct{ Component, Host string }(before.Source)},
		{"firstTimestamp", now.FirstTimestamp, before.FirstTimestamp},
		{"lastTimestamp", now.LastTimestamp, before.LastTimestamp},
		{"count", now.Count, before.Count},
		{"type", now.Type, before.Type},
		{"eventTime", now.EventTime, before.EventTime},
		{"action", now.Action, before.Action},
		{"related", inside(now.Related), inside(before.Related)},
		{"reportingController", now.ReportingController, before.ReportingController},
		{"reportingInstance", now.ReportingInstance, before.ReportingInstance},
	} {
		if !equality.Semantic.DeepEqual(f.is, f.was) {
			errs = append(errs, field.Invalid(field.NewPath(f.name), f.is, "field is immutable"))
		}
	}
	return errs
}

// inside is a reference as the type that a kube-apiserver has inside, which errors show.
func inside(r *corev1.ObjectReference) any {
	if r == nil {
		return nil
	}
	return struct{ Kind, Namespace, Name, UID, APIVersion, ResourceVersion, FieldPath string }{
		r.Kind, r.Namespace, r.Name, string(r.UID), r.APIVersion, r.ResourceVersion, r.FieldPath,
	}
}

// checkReport is about who reports what.
func checkReport(e *eventsv1.Event) (errs field.ErrorList) {
	const most, mostNote = 128, 1024
	at := field.NewPath("reportingController")
	if e.ReportingController == "" {
		errs = append(errs, field.Required(at, ""))
	}
	for _, broken := range validation.IsQualifiedName(e.ReportingController) {
		errs = append(errs, field.Invalid(at, e.ReportingController, broken))
	}
	for _, f := range []struct{ name, value string }{{"reportingInstance", e.ReportingInstance}, {"action", e.Action}, {"reason", e.Reason}} {
		if at := field.NewPath(f.name); f.value == "" {
			errs = append(errs, field.Required(at, ""))
		} else if len(f.value) > most {
			errs = append(errs, field.Invalid(at, "", fmt.Sprintf("can have at most %d characters", most)))
		}
	}
	if len(e.Note) > mostNote {
		errs = append(errs, field.Invalid(field.NewPath("message"), "", fmt.Sprintf("can have at most %d characters", mostNote)))
	}
	if e.Series != nil && e.Series.Count < 2 {
		errs = append(errs, field.Invalid(field.NewPath("series", "count"), "", "should be at least 2"))
	}
	return errs
}

// taken is the object of a create or an update as it is stored.
func (r *row) taken(method string, obj runtime.Object) (runtime.Object, error) {
	e, ok := obj.(*eventsv1.Event)
	if !r.twin || !ok {
		return obj, nil
	}
	if method == http.MethodPost {
		if err := checkTwin(e); err != nil {
			return nil, err
		}
	}
	return toCore(e), nil
}
