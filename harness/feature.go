package harness

import (
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
	if len(l) == 0 {
		return ""
	}
	return fmt.Sprintf("needs the feature %s, which is not declared", strings.Join(l, " and "))
}

// Adjust returns has with each change applied: "x" declares, "-x" withdraws.
// It refuses a name that the kind's table does not have.
func Adjust(has []Feature, changes []string, table []FeatureInfo) ([]Feature, error) {
	out := slices.Clone(has)
	for _, c := range changes {
		name := Feature(strings.TrimPrefix(c, "-"))
		if !known(name, table) {
			return nil, fmt.Errorf("unknown feature %q: there are %s", name, featureNames(table))
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

func featureNames(table []FeatureInfo) string {
	names := []string{string(VirtualTime)}
	for _, i := range table {
		names = append(names, string(i.Name))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
