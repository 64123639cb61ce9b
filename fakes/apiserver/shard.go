package apiserver

import (
	"fmt"
	"hash/fnv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// shard is what a shardSelector asks for: objects of which the hash of a field lies in a range.
type shard struct {
	field  string
	ranges []hashRange
}

// hashRange is from start, up to but without end: 0x and 16 hexadecimal digits each, or 2^64 as the end.
type hashRange struct{ field, start, end string }

func (s *shard) match(m metav1.Object) bool {
	value := string(m.GetUID())
	if s.field == byNamespace {
		value = m.GetNamespace()
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(value)) // its error is always nil
	hash := fmt.Sprintf("0x%016x", h.Sum64())
	for _, r := range s.ranges {
		if !hexLess(hash, r.start) && hexLess(hash, r.end) {
			return true
		}
	}
	return false
}

// hexLess compares numbers without leading zeros, or of one length.
func hexLess(a, b string) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}

// String is the selector again, as a list's shardInfo has it.
func (s *shard) String() string {
	var p []string
	for _, r := range s.ranges {
		p = append(p, fmt.Sprintf("shardRange(%s, '%s', '%s')", s.field, r.start, r.end))
	}
	return strings.Join(p, " || ")
}

// tell sets the shardInfo of a list that is a shard. That of a custom resource has it here; a real
// kube-apiserver (v1.37.1) leaves it out there, so that nobody can tell such a list from a whole one.
func (s *shard) tell(list runtime.Object) {
	switch l := list.(type) {
	case metav1.ShardedListInterface:
		l.SetShardInfo(&metav1.ShardInfo{Selector: s.String()})
	case *unstructured.UnstructuredList:
		if l.Object == nil {
			l.Object = map[string]any{}
		}
		_ = unstructured.SetNestedField(l.Object, s.String(), "metadata", "shardInfo", "selector") // of strings
	}
}

// The fields that a shard can be chosen by.
const (
	byUID       = "object.metadata.uid"
	byNamespace = "object.metadata.namespace"
)

// parseShard reads a shardSelector. Errors are what the real server says after "invalid shard selector: ",
// but for what no part of CEL is.
func parseShard(text string) (*shard, error) {
	if strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("empty shard selector is not allowed; omit the parameter for unfiltered lists")
	}
	e, err := parseExpr(text)
	if err != nil {
		return nil, fmt.Errorf("CEL parse error: Syntax error: %w", err)
	}
	s := &shard{}
	if err := s.add(e); err != nil {
		return nil, err
	}
	s.field = s.ranges[0].field
	for _, r := range s.ranges {
		if r.field != s.field {
			return nil, fmt.Errorf("all shard ranges must use the same field, got %q and %q", s.field, r.field)
		}
	}
	return s, nil
}

// add takes the ranges of an expression.
func (s *shard) add(e expr) error {
	switch {
	case e.kind != aCall:
		return fmt.Errorf("unexpected expression kind %d; expected shardRange() call or || operator", e.kind)
	case e.text == "_||_":
		for _, side := range e.args {
			if err := s.add(side); err != nil {
				return err
			}
		}
		return nil
	case e.text != "shardRange":
		return fmt.Errorf("unsupported function %q; only shardRange() and || are allowed", e.text)
	case len(e.args) != 3:
		return fmt.Errorf("shardRange() requires exactly 3 arguments, got %d", len(e.args))
	}
	path, err := fieldPath(e.args[0])
	if err != nil {
		return err
	}
	start, err := hashBound("hexStart", e.args[1])
	if err != nil {
		return err
	}
	end, err := hashBound("hexEnd", e.args[2])
	if err != nil {
		return err
	}
	if !hexLess(start, end) {
		return fmt.Errorf("shard range start %s must be less than end %s", start, end)
	}
	s.ranges = append(s.ranges, hashRange{path, start, end})
	return nil
}

func fieldPath(e expr) (string, error) {
	switch {
	case e.kind != aName && e.kind != aSelect:
		return "", fmt.Errorf("shardRange() first argument: expected field path (e.g. %s), got expression kind %d", byUID, e.kind)
	case e.text != byUID && e.text != byNamespace:
		return "", fmt.Errorf("unsupported field path %q; supported: %s, %s", e.text, byUID, byNamespace)
	}
	return e.text, nil
}

// hashBound reads one end of a range.
func hashBound(name string, e expr) (string, error) {
	switch {
	case e.kind != aLiteral:
		return "", fmt.Errorf("%s must be a string literal (e.g. '0xff'), got expression kind %d", name, e.kind)
	case e.is != "string":
		return "", fmt.Errorf("%s must be a string literal, got %s", name, e.is)
	}
	hex, ok := strings.CutPrefix(e.text, "0x")
	strange := strings.IndexFunc(hex, func(c rune) bool { return !strings.ContainsRune("0123456789abcdef", c) })
	switch {
	case !ok:
		return "", fmt.Errorf("%s must have '0x' prefix, got %q", name, e.text)
	case hex == "":
		return "", fmt.Errorf("%s: hex value is required after '0x'", name)
	case len(hex) > 17:
		return "", fmt.Errorf("%s: hex value too long (%d chars, max 17): %q", name, len(hex), hex)
	case strange >= 0:
		return "", fmt.Errorf("%s: invalid hex character %q in %q", name, hex[strange:strange+1], e.text)
	case len(hex) == 17 && e.text != "0x10000000000000000":
		return "", fmt.Errorf("%s: 17-digit hex value must be '0x10000000000000000' (2^64), got %q", name, e.text)
	case len(hex) < 16:
		return "", fmt.Errorf("%s must be a 0x-prefixed 16-digit hex value, got %q (did you mean %q?)", name, e.text, "0x"+strings.Repeat("0", 16-len(hex))+hex)
	}
	return e.text, nil
}
