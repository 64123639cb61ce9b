package replay

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/lwtest/lwtest/harness/history"
)

// Scope is what a list or a watch is about.
type Scope struct {
	Namespace string // empty: all
	Name      string // from the field selector metadata.name; empty: all
	Labels    labels.Selector
	Fields    fields.Selector
}

// ParseScope makes the scope of a request.
func ParseScope(a Args) (Scope, error) {
	l, err := labels.Parse(a.Options.LabelSelector)
	if err != nil {
		return Scope{}, fmt.Errorf("label selector %q: %w", a.Options.LabelSelector, err)
	}
	f, err := fields.ParseSelector(a.Options.FieldSelector)
	if err != nil {
		return Scope{}, fmt.Errorf("field selector %q: %w", a.Options.FieldSelector, err)
	}
	s := Scope{Namespace: a.Namespace, Labels: l, Fields: f}
	s.Name, _ = f.RequiresExactMatch("metadata.name")
	return s, nil
}

// String is how two scopes of one history are told apart.
func (s Scope) String() string {
	return fmt.Sprintf("%s|%s|%s", s.Namespace, s.Labels, s.Fields)
}

// onlyName says that the field selector has nothing but metadata.name.
func (s Scope) onlyName() bool {
	return s.Fields.Empty() || s.Name != "" && len(s.Fields.Requirements()) == 1
}

// Restricted says by which aspects the scope is narrowed.
func (s Scope) Restricted(aspect string) bool {
	switch aspect {
	case ByNamespace:
		return s.Namespace != ""
	case ByName:
		return s.Name != ""
	case ByLabel:
		return !s.Labels.Empty()
	case ByField:
		return !s.onlyName()
	}
	return false
}

// The aspects of a scope.
const (
	ByNamespace = "namespace"
	ByName      = "name"
	ByLabel     = "label"
	ByField     = "field"
)

// SplitKey gives namespace and name of a key.
func SplitKey(key string) (namespace, name string) {
	if ns, n, ok := strings.Cut(key, "/"); ok {
		return ns, n
	}
	return "", key
}

// Matcher asks whether objects are in a scope, and remembers the answer for
// each key and each set of labels and fields. It is not for concurrent use.
type Matcher struct {
	Scope  Scope
	h      *history.History
	keys   []answer
	labels []answer
	fields map[fieldsOfKey]bool
}

type fieldsOfKey struct {
	set *history.Set
	key int32
}

type answer int8

const (
	unasked answer = iota
	yes
	no
)

func toAnswer(b bool) answer {
	if b {
		return yes
	}
	return no
}

// NewMatcher makes a matcher for objects of h.
func NewMatcher(h *history.History, s Scope) *Matcher {
	return &Matcher{Scope: s, h: h}
}

// Matches says whether the object is in the scope.
func (m *Matcher) Matches(r *history.Ref) bool {
	return m.MatchesKey(r.K) && m.matchesLabels(r.Labels) && m.matchesFields(r)
}

// MatchesBut is Matches without looking at one aspect.
func (m *Matcher) MatchesBut(aspect string, r *history.Ref) bool {
	ns, name := SplitKey(r.Key)
	return (aspect == ByNamespace || m.Scope.Namespace == "" || m.Scope.Namespace == ns) &&
		(aspect == ByName || m.Scope.Name == "" || m.Scope.Name == name) &&
		(aspect == ByLabel || m.matchesLabels(r.Labels)) &&
		(aspect == ByField || aspect == ByName || m.matchesFields(r))
}

// MatchesKey says whether namespace and name are in the scope.
func (m *Matcher) MatchesKey(k int32) bool {
	if m.Scope.Namespace == "" && m.Scope.Name == "" {
		return true
	}
	if m.keys == nil {
		m.keys = make([]answer, m.h.Keys())
	}
	if m.keys[k] == unasked {
		ns, name := SplitKey(m.h.Key(k))
		m.keys[k] = toAnswer((m.Scope.Namespace == "" || m.Scope.Namespace == ns) && (m.Scope.Name == "" || m.Scope.Name == name))
	}
	return m.keys[k] == yes
}

func (m *Matcher) matchesLabels(s *history.Set) bool {
	if m.Scope.Labels.Empty() {
		return true
	}
	if m.labels == nil {
		m.labels = make([]answer, m.h.Sets()+1)
	}
	i := 0
	if s != nil {
		i = int(s.ID) + 1
	}
	if m.labels[i] == unasked {
		m.labels[i] = toAnswer(m.Scope.Labels.Matches(labels.Set(s.Map())))
	}
	return m.labels[i] == yes
}

func (m *Matcher) matchesFields(r *history.Ref) bool {
	if m.Scope.onlyName() {
		return true // MatchesKey has looked
	}
	id := fieldsOfKey{r.Fields, r.K}
	ok, known := m.fields[id]
	if !known {
		ns, name := SplitKey(r.Key)
		all := fields.Set{"metadata.namespace": ns, "metadata.name": name}
		for k, v := range r.Fields.Map() {
			all[k] = v
		}
		ok = m.Scope.Fields.Matches(all)
		if m.fields == nil {
			m.fields = map[fieldsOfKey]bool{}
		}
		m.fields[id] = ok
	}
	return ok
}
