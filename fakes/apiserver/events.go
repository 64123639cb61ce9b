package apiserver

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Events are served in two groups: as those of core/v1, which is how they are stored, and as those of
// events.k8s.io/v1, whose recorder clients use today.

var events = corev1.SchemeGroupVersion.WithResource("events")

// twinEvents is the resource events of events.k8s.io. Its field selectors read events of either version.
func twinEvents() Resource {
	fields := fieldFuncs{}
	for name, core := range eventFields() {
		f := func(o runtime.Object) string {
			if e, ok := o.(*eventsv1.Event); ok {
				o = toCore(e)
			}
			return core(o)
		}
		switch part, ok := strings.CutPrefix(name, "involvedObject."); {
		case ok:
			fields["regarding."+part] = f
		case name == "reportingComponent":
			fields["reportingController"] = f
		case name != "source":
			fields[name] = f
		}
	}
	return builtin[eventsv1.Event, eventsv1.EventList](eventsv1.SchemeGroupVersion, "events", Resource{
		Namespaced: true, Unconditional: true, CreateOnUpdate: true, Uncached: true, Uncollected: true, ShortNames: []string{"ev"}, Fields: fields,
		other: &otherVersion{stored: events, to: of(toCore), from: of(fromCore), checkNew: checkTwin, checkChange: checkTwinUpdate},
	})
}

// toCore converts an event of events.k8s.io to the core version, in which events are stored.
func toCore(e *eventsv1.Event) runtime.Object {
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

// fromCore converts a stored event to events.k8s.io.
func fromCore(e *corev1.Event) runtime.Object {
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

// checkTwin is what is wrong with a new event, which those of core/v1 may be.
func checkTwin(in runtime.Object) error {
	e := in.(*eventsv1.Event)
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
	errs := validation.ValidateObjectMeta(m, true, validation.NameIsDNSSubdomain, at)
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
	for _, broken := range utilvalidation.IsQualifiedName(e.ReportingController) {
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
