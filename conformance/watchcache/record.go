package watchcache

import (
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// The strings that objects of this suite have in their data: every one the first two, and with the feature
// grace the third what is on a node.
const (
	Spec   = "spec"
	Status = "status"
	Node   = "node"
)

// ref is what a history keeps of an object. Of objects outside the run's own
// namespaces it keeps nothing but a resourceVersion and a name that tells
// them apart.
func (d *driver) ref(m *corev1.ConfigMap) history.Ref {
	if m.Name != "" && !slices.Contains(d.namespaces, m.Namespace) {
		h := fnv.New64a()
		fmt.Fprint(h, keyOf(m))
		return history.Ref{Key: fmt.Sprintf("%s%x", replay.Foreign, h.Sum64()), RV: m.ResourceVersion}
	}
	return object(m, d.t.Set)
}

// stored is ref of what the subject shows: with what it alone decides.
func (d *driver) stored(m *corev1.ConfigMap) history.Ref {
	r := d.ref(m)
	if !strings.HasPrefix(r.Key, replay.Foreign) {
		r.Meta = decided(m, d.t.Set)
	}
	return r
}

// tokens are the continue tokens that this run was given.
type tokens struct {
	mu    sync.Mutex
	given map[string]bool
}

// give notes a token that an answer had, and says what a history keeps of it:
// enough to tell it from others. The token itself names the object it stopped
// at, which may be foreign.
func (t *tokens) give(token string) string {
	if token == "" {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.given == nil {
		t.given = map[string]bool{}
	}
	t.given[token] = true
	return opaque(token)
}

// ask says what a history keeps of a token that a client hands back.
func (t *tokens) ask(token string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if token == "" || t.given[token] {
		return opaque(token)
	}
	return replay.MadeUp + opaque(token)
}

func opaque(token string) string {
	if token == "" {
		return ""
	}
	h := fnv.New64a()
	fmt.Fprint(h, token)
	return fmt.Sprintf("%x", h.Sum64())
}

func (d *driver) mark(m *corev1.ConfigMap) history.Ref { return mark(m, d.t.Set) }

// besides are the fields of a bookmark that say something, but for those that may.
func besides(m *corev1.ConfigMap) []string {
	o, err := runtime.DefaultUnstructuredConverter.ToUnstructured(m)
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	meta, _ := o["metadata"].(map[string]any)
	if a, ok := meta["annotations"].(map[string]any); ok {
		delete(a, metav1.InitialEventsAnnotationKey)
	}
	for _, f := range []string{"kind", "apiVersion", "metadata"} {
		delete(o, f)
	}
	delete(meta, "resourceVersion")
	add := func(prefix string, fields map[string]any) {
		for name, v := range fields {
			if l, ok := v.(map[string]any); v != nil && v != "" && (!ok || len(l) > 0) {
				out = append(out, prefix+name)
			}
		}
	}
	add("", o)
	add("metadata.", meta)
	slices.Sort(out)
	return out
}

// failure is what a history keeps of an error. Only a refusal with a 4xx code,
// with 501, or one that says when to come back, says for certain that nothing was written.
func failure(err error) *history.Error {
	var s apierrors.APIStatus
	if !errors.As(err, &s) {
		return &history.Error{Msg: err.Error()}
	}
	return failureOf(s.Status())
}

func failureOf(s metav1.Status) *history.Error {
	return &history.Error{Code: int(s.Code), Reason: string(s.Reason), Msg: s.Message, Definite: s.Code >= 400 && s.Code < 500 || s.Code == http.StatusNotImplemented || comesBack(&s)}
}

// refused is what a history keeps of an error, with what its Status says beside.
func (d *driver) refused(err error) harness.Answer {
	a := harness.Answer{Err: failure(err)}
	var s apierrors.APIStatus
	if errors.As(err, &s) {
		a.Body = d.refusal(s.Status())
	}
	return a
}

// refusal is nil where a Status says nothing beside code, reason and message.
func (d *driver) refusal(s metav1.Status) any { return d.tokens.refusal(s) }

func (t *tokens) refusal(s metav1.Status) any {
	r := replay.Refusal{Continue: t.give(s.Continue), RV: s.ResourceVersion}
	if s.Details != nil {
		r.RetryAfter = s.Details.RetryAfterSeconds
		for _, c := range s.Details.Causes {
			r.Causes = append(r.Causes, replay.Cause{Reason: string(c.Type), Msg: c.Message, Field: c.Field})
		}
	}
	if r.Causes == nil && r.RetryAfter == 0 && r.Continue == "" && r.RV == "" {
		return nil
	}
	return r
}

// errUndeclared is of a list that was not asked for.
var errUndeclared = errors.New("the subject does not declare such selectors")

// nothing is the answer of a subject that gives neither object nor error.
var (
	errNothing = errors.New("the subject answered with neither an object nor an error")
	nothing    = &history.Error{Msg: errNothing.Error()}
)

func (d *driver) answer(m *corev1.ConfigMap) harness.Answer {
	if m == nil {
		return harness.Answer{Err: nothing}
	}
	return harness.Answer{Obj: d.stored(m)}
}

// eventAnswer is what an event of a watch brought.
func (d *driver) eventAnswer(o runtime.Object) harness.Answer {
	switch o := o.(type) {
	case *corev1.ConfigMap:
		if o != nil {
			return harness.Answer{Obj: d.stored(o)}
		}
	case *metav1.Status:
		if o != nil {
			return harness.Answer{Err: failureOf(*o), Body: d.refusal(*o)}
		}
	}
	return harness.Answer{Err: &history.Error{Msg: fmt.Sprintf("the event's object is a %T", o)}}
}
