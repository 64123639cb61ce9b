package watchcache

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// The two strings that every object of this suite has in its data.
const (
	Spec   = "spec"
	Status = "status"
)

// ref is what a history keeps of an object. Of objects outside the run's own
// namespaces it keeps nothing but a resourceVersion and a name that tells
// them apart.
func (d *driver) ref(m *corev1.ConfigMap) history.Ref {
	key := m.Name
	if m.Namespace != "" {
		key = m.Namespace + "/" + m.Name
	}
	if m.Name != "" && !slices.Contains(d.namespaces, m.Namespace) {
		h := fnv.New64a()
		fmt.Fprint(h, key)
		return history.Ref{Key: fmt.Sprintf("%s%x", replay.Foreign, h.Sum64()), RV: m.ResourceVersion}
	}
	return history.Ref{Key: key, UID: string(m.UID), RV: m.ResourceVersion, Labels: d.t.Set(m.Labels), Body: body(m)}
}

// opaque is what a history keeps of a continue token: enough to tell it from
// others. The token itself names the object it stopped at, which may be foreign.
func opaque(token string) string {
	if token == "" {
		return ""
	}
	h := fnv.New64a()
	fmt.Fprint(h, token)
	return fmt.Sprintf("%x", h.Sum64())
}

// body is what rules compare of an object's content.
func body(m *corev1.ConfigMap) string {
	var p []string
	add := func(name, value string) {
		if value != "" {
			p = append(p, name+"="+value)
		}
	}
	add(Spec, m.Data[Spec])
	add(Status, m.Data[Status])
	add("finalizers", strings.Join(m.Finalizers, ","))
	if m.DeletionTimestamp != nil {
		p = append(p, "deleting")
	}
	return strings.Join(p, " ")
}

// mark is what a history keeps of a bookmark.
func (d *driver) mark(m *corev1.ConfigMap) history.Ref {
	r := history.Ref{RV: m.ResourceVersion}
	if v, ok := m.Annotations[metav1.InitialEventsAnnotationKey]; ok {
		r.Fields = d.t.Set(map[string]string{replay.InitialEventsEnd: v})
	}
	return r
}

// failure is what a history keeps of an error. Only a refusal with a 4xx code,
// or one that says when to come back, says for certain that nothing was written.
func failure(err error) *history.Error {
	var s apierrors.APIStatus
	if !errors.As(err, &s) {
		return &history.Error{Msg: err.Error()}
	}
	return failureOf(s.Status())
}

func failureOf(s metav1.Status) *history.Error {
	return &history.Error{Code: int(s.Code), Reason: string(s.Reason), Msg: s.Message, Definite: s.Code >= 400 && s.Code < 500 || comesBack(&s)}
}

// nothing is the answer of a subject that gives neither object nor error.
var nothing = &history.Error{Msg: "the subject answered with neither an object nor an error"}

func (d *driver) answer(m *corev1.ConfigMap) harness.Answer {
	if m == nil {
		return harness.Answer{Err: nothing}
	}
	return harness.Answer{Obj: d.ref(m)}
}

// eventAnswer is what an event of a watch brought.
func (d *driver) eventAnswer(o runtime.Object) harness.Answer {
	switch o := o.(type) {
	case *corev1.ConfigMap:
		if o != nil {
			return harness.Answer{Obj: d.ref(o)}
		}
	case *metav1.Status:
		if o != nil {
			return harness.Answer{Err: failureOf(*o)}
		}
	}
	return harness.Answer{Err: &history.Error{Msg: fmt.Sprintf("the event's object is a %T", o)}}
}
