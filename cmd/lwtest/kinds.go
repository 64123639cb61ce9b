package main

import (
	"fmt"
	"strings"
	"sync"

	"github.com/lwtest/lwtest/conformance/controller"
	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/conformance/node"
	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// kind is a suite without a target.
type kind struct {
	about *harness.Kind
	// normalise makes histories of two servers comparable. If it is nil, they cannot be recorded.
	normalise func(*history.History) *history.History
	// readable returns an error about the line that the rules cannot read. If it is nil, nothing is checked.
	readable func(*history.History) error
}

// kinds returns all suites, the same each time.
var kinds = sync.OnceValue(func() []kind {
	return []kind{
		{about: watchcache.Suite.Describe(), normalise: replay.Normalise, readable: replay.Readable},
		{about: store.Suite.Describe(), readable: store.Readable},
		{about: listerwatcher.Suite.Describe(), readable: listerwatcher.Readable},
		{about: informer.Suite.Describe(), readable: informer.Readable},
		{about: runtime.Suite.Describe()},
		{about: node.Suite.Describe()},
		{about: controller.Suite.Describe()},
	}
})

func (a app) kind(name string) (kind, error) {
	var names []string
	for _, k := range a.kinds() {
		if k.about.Name == name {
			return k, nil
		}
		names = append(names, k.about.Name)
	}
	return kind{}, usagef("unknown kind %q%s: there are %s", name, harness.Suggest(name, names), strings.Join(names, ", "))
}

// kindOf returns the kind that a history's header names. It returns an error for a feature that the kind does not
// have, because that would silently skip rules.
func (a app) kindOf(h history.Header) (kind, error) {
	k, err := a.kind(h.Kind)
	if err != nil {
		return kind{}, err
	}
	for _, f := range h.Features {
		// as a withdrawal, so that a name that begins with - is unknown, too
		if _, err := harness.Adjust(nil, []string{"-" + f}, k.about.Features); err != nil {
			return kind{}, fmt.Errorf("line 1: features: %w", err)
		}
	}
	return k, nil
}

// check returns the check with this address.
func check(k *harness.Kind, address string) (harness.Info, bool) {
	for _, c := range k.Checks {
		if k.Name+"/"+c.Name == address {
			return c, true
		}
	}
	return harness.Info{}, false
}
