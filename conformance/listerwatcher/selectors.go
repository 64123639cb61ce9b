package listerwatcher

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// meant returns options whose selectors are spelt in one way: those that mean the same are equal then.
func meant(o metav1.ListOptions) metav1.ListOptions {
	o.LabelSelector, o.FieldSelector = meantLabels(o.LabelSelector), meantFields(o.FieldSelector)
	return o
}

func meantLabels(selector string) string {
	all, err := labels.ParseToRequirements(selector)
	if err != nil {
		return selector
	}
	var out []string
	for _, r := range all {
		out = append(out, requirement(r.Key(), r.Operator(), r.Values().UnsortedList()...))
	}
	return asSet(out)
}

func meantFields(selector string) string {
	s, err := fields.ParseSelector(selector)
	if err != nil {
		return selector
	}
	var out []string
	for _, r := range s.Requirements() {
		out = append(out, requirement(r.Field, r.Operator, r.Value))
	}
	return asSet(out)
}

// requirement spells one: of a value, and of a set that has no other, in the same way.
func requirement(key string, op selection.Operator, values ...string) string {
	switch op {
	case selection.Equals, selection.DoubleEquals:
		op = selection.In
	case selection.NotEquals:
		op = selection.NotIn
	}
	slices.Sort(values)
	return fmt.Sprintf("%s %s %q", key, op, values)
}

func asSet(requirements []string) string {
	slices.Sort(requirements)
	return strings.Join(slices.Compact(requirements), ", ")
}

// tagOf returns what is the call's own in a selector, without what it has in common with all others: see driver.tagged.
func tagOf(selector string) string {
	all, err := labels.ParseToRequirements(selector)
	if err != nil {
		return ""
	}
	for _, r := range all {
		if is := requirement(r.Key(), r.Operator(), r.Values().UnsortedList()...); strings.HasPrefix(is, callTag+" "+string(selection.NotIn)+" ") {
			return is
		}
	}
	return ""
}

// untagged returns a selector without what is the call's own.
func untagged(selector string) string {
	all := strings.Split(selector, ",") // as driver.tagged has made it
	return strings.Join(slices.DeleteFunc(all, func(part string) bool { return strings.HasPrefix(part, callTag+"!=") }), ",")
}
