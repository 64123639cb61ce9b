package harness

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Feature names something that an implementation may or may not offer. A check that needs an undeclared feature is
// skipped. A check that fails although its features are declared is a failure.
type Feature string

// VirtualTime declares that the subject lives in this process and works in a testing/synctest bubble, so that its
// checks need no real time.
const VirtualTime Feature = "virtual-time"

// FeatureInfo is a row of a kind's table of features. The table lists all features that the kind knows.
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

// missingAll returns the reason to skip a check that needs one feature of either, if has holds none of them. Empty
// means run it.
func missingAll(either, has []Feature) string {
	l := lacking(either, has)
	if len(l) == 0 || len(l) < len(either) {
		return ""
	}
	return needsFeature + strings.Join(l, " or ") + ", which is not declared"
}

// ruledOut returns the reason to skip a check that has nothing to test where one of the features unless is declared.
// Empty means run it.
func ruledOut(unless, has []Feature) string {
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
	notWith       = "does not apply to a plugin with the feature "
)

// NotDeclared reports whether reason, the reason of a skip, is about features: a missing one, or one that rules the
// check out.
func NotDeclared(reason string) bool {
	return strings.HasPrefix(reason, needsFeature) || strings.HasPrefix(reason, needsFeatures) || strings.HasPrefix(reason, notWith)
}

// Lacks returns the features whose absence is the reason of a skip, if that is the reason: all of them, or one of several that would do (any).
func Lacks(reason string) (features []string, any bool) {
	rest, one := strings.CutPrefix(reason, needsFeature)
	if !one {
		if rest, one = strings.CutPrefix(reason, needsFeatures); !one {
			return nil, false
		}
	}
	rest, _, _ = strings.Cut(rest, ", which")
	if strings.Contains(rest, " or ") {
		return strings.Split(rest, " or "), true
	}
	return strings.Split(rest, " and "), false
}

// Adjust returns has with each change applied: "x" declares a feature, "-x" withdraws it. It returns an error for a
// name that the kind's table does not hold.
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

// unknown returns the error for a name that is not a feature.
func unknown(f Feature, table []FeatureInfo) error {
	names := featureNames(table)
	return fmt.Errorf("unknown feature %q%s: there are %s", f, Suggest(string(f), names), strings.Join(names, ", "))
}

// UnknownFeatures returns an error that names the declared features that the kind does not know, and nil if there are
// none. A misspelled feature would silently skip the checks that need it.
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
	return slices.Compact(names)
}
