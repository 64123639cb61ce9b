package replay

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// Scope is what a list or a watch is about.
type Scope struct {
	Namespace string // empty: all
	Name      string // from the field selector metadata.name; empty: all
	Labels    labels.Selector
	Fields    fields.Selector
	Shard     *Shard // that the server gave; nil: all. Not of ParseScope: a server may take no notice of a shardSelector
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
	t := fmt.Sprintf("%s|%s|%s", s.Namespace, s.Labels, s.Fields)
	if s.Shard != nil {
		t += "|" + s.Shard.String()
	}
	return t
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
	case ByShard:
		return s.Shard != nil
	}
	return false
}

// The aspects of a scope.
const (
	ByNamespace = "namespace"
	ByName      = "name"
	ByLabel     = "label"
	ByField     = "field"
	ByShard     = "shard"
)

// SplitKey gives namespace and name of a key.
func SplitKey(key string) (namespace, name string) {
	if ns, n, ok := strings.Cut(key, "/"); ok {
		return ns, n
	}
	return "", key
}
