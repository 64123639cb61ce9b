package main

import (
	"strings"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// kind is a suite as the command line knows it without a target.
type kind struct {
	about *harness.Kind
	// normalise makes histories of two servers comparable; nil: they cannot be recorded.
	normalise func(*history.History) *history.History
}

func (a app) kind(name string) (kind, error) {
	var names []string
	for _, k := range a.kinds {
		if k.about.Name == name {
			return k, nil
		}
		names = append(names, k.about.Name)
	}
	return kind{}, usagef("unknown kind %q: there are %s", name, strings.Join(names, ", "))
}

// check finds a check by its address.
func check(k *harness.Kind, address string) (harness.Info, bool) {
	for _, c := range k.Checks {
		if k.Name+"/"+c.Name == address {
			return c, true
		}
	}
	return harness.Info{}, false
}
