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

	keys   []facts  // by key
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

// facts are what a matcher knows of a key.
type facts uint8

const (
	asked    facts = 1 << iota
	inSpace        // its namespace is the scope's
	hasName        // its name is the one that the field selector names
	isNamed        // its namespace and name are what the field selector asks for
	isInside = inSpace | isNamed
)

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

// Leaves says whether an object can leave the scope without being deleted.
func (m *Matcher) Leaves() bool { return !m.everyLabels || !m.everyFields }

// AsksFields says whether the field selector asks for more than namespace and name.
func (m *Matcher) AsksFields() bool { return !m.everyFields }

// subject is what a matcher looks at: an object, or the object of a version.
type subject struct {
	k, labels, fields int32
	obj               *history.Ref
}

func ofRef(r *history.Ref) subject { return subject{r.K, setOf(r.Labels), setOf(r.Fields), r} }
func ofVersion(v *Version) subject { return subject{v.K, v.labels, v.fields, v.Obj} }

// Matches says whether the object is in the scope.
func (m *Matcher) Matches(r *history.Ref) bool { return m.matches(ofRef(r)) }

// MatchesVersion says whether the object of a version is in the scope.
func (m *Matcher) MatchesVersion(v *Version) bool { return m.matches(ofVersion(v)) }

func (m *Matcher) matches(s subject) bool {
	return m.MatchesKey(s.k) && m.matchesLabels(s) && m.matchesFields(s) && m.matchesShard(s)
}

func (m *Matcher) matchesShard(s subject) bool {
	shard := m.Scope.Shard
	return shard == nil || shard.Has(shard.Value(m.h.Key(s.k), s.obj))
}

// MatchesKey says whether namespace and name are in the scope.
func (m *Matcher) MatchesKey(k int32) bool {
	return m.everyKey || m.facts(k)&isInside == isInside
}

func (m *Matcher) facts(k int32) facts {
	if m.keys == nil {
		m.keys = make([]facts, m.h.Keys())
	}
	if m.keys[k] == 0 {
		f := asked
		ns, name := SplitKey(m.h.Key(k))
		if m.Scope.Namespace == "" || m.Scope.Namespace == ns {
			f |= inSpace
		}
		if m.Scope.Name == "" || m.Scope.Name == name {
			f |= hasName
		}
		if m.named.Empty() || m.named.Matches(fields.Set{"metadata.namespace": ns, "metadata.name": name}) {
			f |= isNamed
		}
		m.keys[k] = f
	}
	return m.keys[k]
}

func (m *Matcher) matchesLabels(s subject) bool {
	if m.everyLabels {
		return true
	}
	if m.labels == nil {
		m.labels = make([]answer, m.h.Sets()+1)
	}
	if m.labels[s.labels] == unasked {
		m.labels[s.labels] = toAnswer(m.Scope.Labels.Matches(labels.Set(s.obj.Labels.Map())))
	}
	return m.labels[s.labels] == yes
}

func (m *Matcher) matchesFields(s subject) bool {
	if m.everyFields {
		return true
	}
	if m.fields == nil {
		m.fields = make([]answer, m.h.Sets()+1)
	}
	if m.fields[s.fields] == unasked {
		m.fields[s.fields] = toAnswer(m.valued.Matches(fields.Set(s.obj.Fields.Map())))
	}
	return m.fields[s.fields] == yes
}

// MatchesAspect says whether an object is in the scope as far as one aspect goes.
func (m *Matcher) MatchesAspect(aspect string, r *history.Ref) bool {
	return m.aspect(aspect, ofRef(r))
}

func (m *Matcher) aspect(aspect string, s subject) bool {
	switch aspect {
	case ByNamespace:
		return m.facts(s.k)&inSpace != 0
	case ByName:
		return m.facts(s.k)&hasName != 0
	case ByLabel:
		return m.matchesLabels(s)
	case ByShard:
		return m.matchesShard(s)
	}
	return m.facts(s.k)&isNamed != 0 && m.matchesFields(s)
}

// OutsideBut says whether the object of a version is outside of the scope, and
// would be inside but for one aspect.
func (m *Matcher) OutsideBut(aspect string, v *Version) bool {
	s := ofVersion(v)
	if m.aspect(aspect, s) {
		return false
	}
	for _, a := range [...]string{ByNamespace, ByName, ByLabel, ByField, ByShard} {
		if a == aspect || aspect == ByName && a == ByField {
			continue // the field selector has the name, too
		}
		if !m.aspect(a, s) {
			return false
		}
	}
	return true
}
