package watchcache

import (
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// Trace says what somebody else has seen in the words of a history of this kind. The zero value is ready;
// it is for one history, and not safe for concurrent use.
type Trace struct {
	sets   history.Interner
	tokens tokens
}

// Object is what a history keeps of an object that a client sent.
func (t *Trace) Object(m *corev1.ConfigMap) history.Ref { return object(m, t.sets.Set) }

// Stored is what it keeps of one that the server showed.
func (t *Trace) Stored(m *corev1.ConfigMap) history.Ref {
	r := t.Object(m)
	r.Meta = decided(m, t.sets.Set)
	return r
}

// Set is the labels, fields or metadata of an object as it keeps them.
func (t *Trace) Set(all map[string]string) *history.Set { return t.sets.Set(all) }

// Given notes a token that the server gave elsewhere: who hands it back has not made it up.
func (t *Trace) Given(token string) { t.tokens.give(token) }

// Bookmark is what it keeps of one.
func (t *Trace) Bookmark(m *corev1.ConfigMap) history.Ref { return mark(m, t.sets.Set) }

// Refused is what it keeps of an error, with what its Status says beside.
func (t *Trace) Refused(s metav1.Status) harness.Answer {
	return harness.Answer{Err: failureOf(s), Body: t.tokens.refusal(s)}
}

// Asked are list options as it keeps them.
func (t *Trace) Asked(o metav1.ListOptions) metav1.ListOptions {
	o.Continue = t.tokens.ask(o.Continue)
	return o
}

// Listed is what it keeps of the answer to a list, beside the items.
func (t *Trace) Listed(m metav1.ListMeta) harness.Answer {
	a := harness.Answer{Obj: history.Ref{RV: m.ResourceVersion}}
	if m.Continue != "" || m.RemainingItemCount != nil || m.ShardInfo != nil {
		a.Body = replay.ListBody{Continue: t.tokens.give(m.Continue), Remaining: m.RemainingItemCount, ShardInfo: m.ShardInfo}
	}
	return a
}

func keyOf(m *corev1.ConfigMap) string {
	if m.Namespace == "" {
		return m.Name
	}
	return m.Namespace + "/" + m.Name
}

func object(m *corev1.ConfigMap, set func(map[string]string) *history.Set) history.Ref {
	return history.Ref{Key: keyOf(m), UID: string(m.UID), RV: m.ResourceVersion, Labels: set(m.Labels), Body: body(m)}
}

// decided is what a server alone decides of an object, in the form that JSON has: no client sees more of it.
func decided(m *corev1.ConfigMap, set func(map[string]string) *history.Set) *history.Set {
	meta := map[string]string{replay.Created: ""}
	if !m.CreationTimestamp.IsZero() {
		meta[replay.Created] = m.CreationTimestamp.UTC().Format(time.RFC3339)
	}
	if m.DeletionTimestamp != nil {
		meta[replay.Deletion] = m.DeletionTimestamp.UTC().Format(time.RFC3339)
	}
	if m.Generation != 0 {
		meta[replay.Generation] = strconv.FormatInt(m.Generation, 10)
	}
	return set(meta)
}

// mark is what a history keeps of a bookmark: its resourceVersion, whether it
// ends the initial events, and the names of all other fields that it has.
func mark(m *corev1.ConfigMap, set func(map[string]string) *history.Set) history.Ref {
	r := history.Ref{RV: m.ResourceVersion, Body: strings.Join(besides(m), " ")}
	if v, ok := m.Annotations[metav1.InitialEventsAnnotationKey]; ok {
		r.Fields = set(map[string]string{replay.InitialEventsEnd: v})
	}
	return r
}
