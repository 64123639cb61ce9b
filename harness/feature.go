package harness

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Feature is something an implementation may or may not offer. Declared and
// failing is a failure, undeclared is a skip.
type Feature string

// VirtualTime: the subject lives in this process and works in a
// testing/synctest bubble, so that checks need no real time.
const VirtualTime Feature = "virtual-time"

// FeatureInfo is a row of a kind's closed table of features.
type FeatureInfo struct {
	Name Feature
	Help string // what declaring it promises
}

func lacking(needs, has []Feature) []string {
	var out []string
	for _, f := range needs {
		if !slices.Contains(has, f) {
			out = append(out, string(f))
		}
	}
	return out
}

func skipReason(needs, has []Feature) string {
	l := lacking(needs, has)
	switch len(l) {
	case 0:
		return ""
	case 1:
		return needsFeature + l[0] + ", which is not declared"
	}
	return needsFeatures + strings.Join(l, " and ") + ", which are not declared"
}

// noneOf is the reason for a skip where one feature would do, and there is none.
func noneOf(either, has []Feature) string {
	l := lacking(either, has)
	if len(l) == 0 || len(l) < len(either) {
		return ""
	}
	return needsFeature + strings.Join(l, " or ") + ", which is not declared"
}

// oneOf is the reason for a skip where a feature is declared with which a check has nothing to test.
func oneOf(unless, has []Feature) string {
	for _, f := range unless {
		if slices.Contains(has, f) {
			return notWith + string(f) + ", which is declared"
		}
	}
	return ""
}

const (
	needsFeature  = "needs the feature "
	needsFeatures = "needs the features "
	notWith       = "is not for what has the feature "
)

// NotDeclared says of the reason of a skip that it is a feature which is not declared, or one that is and rules the check out.
func NotDeclared(reason string) bool {
	return strings.HasPrefix(reason, needsFeature) || strings.HasPrefix(reason, needsFeatures) || strings.HasPrefix(reason, notWith)
}

// Adjust returns has with each change applied: "x" declares, "-x" withdraws.
// It refuses a name that the kind's table does not have.
func Adjust(has []Feature, changes []string, table []FeatureInfo) ([]Feature, error) {
	out := slices.Clone(has)
	for _, c := range changes {
		name := Feature(strings.TrimPrefix(c, "-"))
		if !known(name, table) {
			return nil, unknown(name, table)
		}
		out = slices.DeleteFunc(out, func(f Feature) bool { return f == name })
		if !strings.HasPrefix(c, "-") {
			out = append(out, name)
		}
	}
	return out, nil
}

func known(f Feature, table []FeatureInfo) bool {
	return f == VirtualTime || slices.ContainsFunc(table, func(i FeatureInfo) bool { return i.Name == f })
}

// unknown is the error for a name that is no feature's.
func unknown(f Feature, table []FeatureInfo) error {
	names := featureNames(table)
	return fmt.Errorf("unknown feature %q%s: there are %s", f, Suggest(string(f), names), strings.Join(names, ", "))
}

// UnknownFeatures says which features that a plugin declares the kind does not
// have, nil for none. Each would skip without a word the checks that it was meant for.
func (c Case) UnknownFeatures() error {
	var errs []error
	for _, f := range c.Has {
		if !known(f, c.Kind.Features) {
			errs = append(errs, fmt.Errorf("plugin %s declares an %w", c.Plugin, unknown(f, c.Kind.Features)))
		}
	}
	return errors.Join(errs...)
}

func featureNames(table []FeatureInfo) []string {
	names := []string{string(VirtualTime)}
	for _, i := range table {
		names = append(names, string(i.Name))
	}
	slices.Sort(names)
	return names
}
