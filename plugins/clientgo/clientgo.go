// Package clientgo puts client-go's own client side to the suites: the stores
// and queues of tools/cache, one target each.
//
// What it breaks is in known.json, each line with its reason.
package clientgo

import (
	"context"
	_ "embed"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"k8s.io/client-go/features"

	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/harness"
)

//go:embed known.json
var known []byte

// kindOf is one sort of store, as a target.
type kindOf struct {
	name     string // connect string: go:client-go/NAME
	about    string
	features []harness.Feature // beside those that all declare
	open     func(store.Options) (store.Subject, error)
}

var stores = []kindOf{
	{"store", "cache.Store", []harness.Feature{store.Map, store.Keys, store.Version, store.Transactions}, openStore},
	{"indexer", "cache.Indexer", []harness.Feature{store.Map, store.Keys, store.Version, store.Index, store.Transactions}, openIndexer},
	{"thread-safe-store", "cache.ThreadSafeStore", []harness.Feature{store.Map, store.Version, store.Index, store.Transactions}, openThreadSafe},
	{"delta-fifo", "cache.DeltaFIFO", []harness.Feature{store.IsQueue, store.IsDelta, store.InitialFlag, store.Keys}, openDeltaFIFO},
	{"real-fifo", "cache.RealFIFO", []harness.Feature{store.IsQueue, store.IsLog, store.InitialFlag, store.Keys, store.Batch, store.Bookmarks}, openRealFIFO},
	{"real-fifo-atomic", "cache.RealFIFO with atomic events", []harness.Feature{store.IsQueue, store.IsAtomic, store.InitialFlag, store.Keys, store.Batch, store.Bookmarks}, openAtomicFIFO},
	{"undelta-store", "cache.UndeltaStore", []harness.Feature{store.Map, store.Keys, store.Version, store.Undelta}, openUndelta},
	{"expiration-cache", "cache.ExpirationCache", []harness.Feature{store.Map, store.Keys, store.Version, store.Expiring}, openExpiring},
}

// Target is a connect string, and what it opens.
type Target struct {
	Name string
	Help string
	Open func(context.Context, string) (harness.Target, error)
}

// Targets are all of this package, in the order of the contract.
func Targets() []Target {
	var out []Target
	for _, k := range stores {
		out = append(out, Target{Name: "go:client-go/" + k.name, Help: "client-go's " + k.about, Open: k.target})
	}
	return out
}

// declared are the features that client-go's feature gates leave.
func (k kindOf) declared() []harness.Feature {
	has := append([]harness.Feature{harness.VirtualTime, store.ClientGoSemantics}, k.features...)
	if !features.FeatureGates().Enabled(features.AtomicFIFO) { // no store tells a version
		has = slices.DeleteFunc(has, func(f harness.Feature) bool { return f == store.Version })
	}
	return has
}

func (k kindOf) target(_ context.Context, arg string) (harness.Target, error) {
	name := "go:client-go/" + k.name
	if arg != "" {
		return harness.Target{}, fmt.Errorf("the target %s takes no argument, and %q was given", name, arg)
	}
	lines, err := harness.ParseKnown("plugins/clientgo/known.json", known)
	if err != nil {
		return harness.Target{}, err
	}
	lines = slices.DeleteFunc(lines, func(l harness.Known) bool { return !l.OnTarget(name) })
	Quiet()
	return harness.Target{Name: name, Known: lines, Cases: store.Suite.Bind(harness.Plugin[store.Open]{
		Name:     fmt.Sprintf("client-go %s %s", k.about, Version()),
		Features: k.declared(),
		Open:     func(*harness.T) (store.Open, error) { return k.open, nil },
	})}, nil
}

// Version of client-go in this program, where that is known, and what of it is switched.
func Version() string {
	return strings.TrimSpace(moduleVersion() + " " + strings.Join(Gates(), ","))
}

func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == "k8s.io/client-go" {
			if m.Replace != nil {
				return m.Replace.Version
			}
			return m.Version
		}
	}
	return ""
}
