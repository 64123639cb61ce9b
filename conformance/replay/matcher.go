package replay

import (
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/lwtest/lwtest/harness/history"
)

// Matcher asks whether objects are in a scope, and remembers the answer for
// each key and each set of labels and fields. It is not for concurrent use.
type Matcher struct {
	Scope Scope
	h     *history.History

	everyKey, everyLabels, everyFields bool            // nothing is asked of them
	named                              fields.Selector // what the field selector asks of namespace and name
	valued                             fields.Selector // and of all other fields

	keys   []answer // by key
	labels []answer // by set
	fields []answer // by set
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

// setOf is the number by which answers for a set are kept; 0 is none.
func setOf(s *history.Set) int32 {
	if s == nil {
		return 0
	}
	return s.ID + 1
}

// NewMatcher makes a matcher for objects of h.
func NewMatcher(h *history.History, s Scope) *Matcher {
	m := &Matcher{Scope: s, h: h}
	m.named, m.valued = split(s.Fields)
	m.everyKey = s.Namespace == "" && m.named.Empty()
	m.everyLabels, m.everyFields = s.Labels.Empty(), m.valued.Empty()
	return m
}

// split parts what a selector asks of namespace and name from the rest.
func split(s fields.Selector) (named, valued fields.Selector) {
	var n, v []fields.Selector
	for _, r := range s.Requirements() {
		one := fields.OneTermEqualSelector(r.Field, r.Value)
		if r.Operator == "!=" {
			one = fields.OneTermNotEqualSelector(r.Field, r.Value)
		}
		if r.Field == "metadata.name" || r.Field == "metadata.namespace" {
			n = append(n, one)
		} else {
			v = append(v, one)
		}
	}
	return fields.AndSelectors(n...), fields.AndSelectors(v...)
}

// Matches says whether the object is in the scope.
func (m *Matcher) Matches(r *history.Ref) bool {
	return m.MatchesKey(r.K) && m.matchesLabels(setOf(r.Labels), r) && m.matchesFields(setOf(r.Fields), r)
}

// MatchesVersion says whether the object of a version is in the scope; of a
// deletion that was never shown nothing is known but its key.
func (m *Matcher) MatchesVersion(v *Version) bool {
	return m.MatchesKey(v.K) && m.matchesLabels(v.labels, v.Obj) && m.matchesFields(v.fields, v.Obj)
}

// MatchesKey says whether namespace and name are in the scope.
func (m *Matcher) MatchesKey(k int32) bool {
	if m.everyKey {
		return true
	}
	if m.keys == nil {
		m.keys = make([]answer, m.h.Keys())
	}
	if m.keys[k] == unasked {
		ns, name := SplitKey(m.h.Key(k))
		m.keys[k] = toAnswer((m.Scope.Namespace == "" || m.Scope.Namespace == ns) &&
			m.named.Matches(fields.Set{"metadata.namespace": ns, "metadata.name": name}))
	}
	return m.keys[k] == yes
}

func (m *Matcher) matchesLabels(set int32, r *history.Ref) bool {
	if m.everyLabels {
		return true
	}
	if m.labels == nil {
		m.labels = make([]answer, m.h.Sets()+1)
	}
	if m.labels[set] == unasked {
		m.labels[set] = toAnswer(m.Scope.Labels.Matches(labels.Set(r.Labels.Map())))
	}
	return m.labels[set] == yes
}

func (m *Matcher) matchesFields(set int32, r *history.Ref) bool {
	if m.everyFields {
		return true
	}
	if m.fields == nil {
		m.fields = make([]answer, m.h.Sets()+1)
	}
	if m.fields[set] == unasked {
		m.fields[set] = toAnswer(m.valued.Matches(fields.Set(r.Fields.Map())))
	}
	return m.fields[set] == yes
}

// MatchesAspect says whether an object is in the scope, as far as one aspect goes.
func (m *Matcher) MatchesAspect(aspect string, r *history.Ref) bool {
	ns, name := SplitKey(r.Key)
	switch aspect {
	case ByNamespace:
		return m.Scope.Namespace == "" || m.Scope.Namespace == ns
	case ByName:
		return m.Scope.Name == "" || m.Scope.Name == name
	case ByLabel:
		return m.matchesLabels(setOf(r.Labels), r)
	}
	return m.named.Matches(fields.Set{"metadata.namespace": ns, "metadata.name": name}) && m.matchesFields(setOf(r.Fields), r)
}

// MatchesBut is Matches without looking at one aspect.
func (m *Matcher) MatchesBut(aspect string, r *history.Ref) bool {
	for _, a := range []string{ByNamespace, ByName, ByLabel, ByField} {
		if a != aspect && !(aspect == ByName && a == ByField) && !m.MatchesAspect(a, r) {
			return false
		}
	}
	return true
}
