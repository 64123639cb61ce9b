// Package informers puts client-go's informers and reflectors to the informer suite.
//
// What they break is in known/, each line with its reason, each file for the ways that it is true of.
package informers

import (
	"embed"
	"fmt"
	"slices"

	"k8s.io/client-go/features"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/clientgo"
)

//go:embed known/*.json
var known embed.FS

// Prefix is what stands before the name of a way in a connect string.
const Prefix = "go:client-go/"

// Names are those of the ways, for targets.
func Names() (out []string) {
	for _, w := range ways {
		out = append(out, w.name)
	}
	return out
}

// About says in words what a way is.
func About(name string) string {
	w, _ := find(name) // of an unknown one there is nothing to say
	return w.about
}

func find(name string) (way, error) {
	if i := slices.IndexFunc(ways, func(w way) bool { return w.name == name }); i >= 0 {
		return ways[i], nil
	}
	return way{}, fmt.Errorf("there is no %q: say one of %v", name, Names())
}

// Target is one of the ways as a target, on servers that open makes, which have these features; VirtualTime is one of
// them, where they work in it.
func Target(name string, open func(*harness.T) (rig.Server, error), serverHas ...harness.Feature) (harness.Target, error) {
	clientgo.Quiet()
	w, err := find(name)
	if err != nil {
		return harness.Target{}, err
	}
	w = w.gated()
	lines, err := w.lines()
	if err != nil {
		return harness.Target{}, err
	}
	cases := informer.Suite.Bind(informer.Plugin("client-go "+name+" "+clientgo.Version(), open,
		func(*harness.T) (informer.Subject, error) { return subject{w}, nil }, slices.Concat(w.features, serverHas)...))
	return harness.Target{Name: Prefix + name, Known: lines, Cases: cases}, nil
}

// gated is the way with what client-go's feature gates leave of it.
func (w way) gated() way {
	on := features.FeatureGates().Enabled
	if !on(features.WatchListClient) {
		w.known = without(without(w.known, "streams"), "streams-in-process")
		w.features = without(w.features, informer.Streams)
		if w.name == "factory-dynamic" {
			w.known = append(w.known, "dynamic-lists")
		}
	}
	if !on(features.AtomicFIFO) { // no store tells a version
		w.features = without(w.features, informer.Version)
	}
	return w
}

func without[E comparable](list []E, e E) []E {
	return slices.DeleteFunc(slices.Clone(list), func(x E) bool { return x == e })
}

// lines are the known failures of a way.
func (w way) lines() (out []harness.Known, err error) {
	for _, name := range w.known {
		b, err := known.ReadFile("known/" + name + ".json")
		if err != nil {
			return nil, err
		}
		lines, err := harness.ParseKnown("plugins/clientgo/informers/known/"+name+".json", b)
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			l.Target = Prefix + w.name
			out = append(out, l)
		}
	}
	return out, nil
}

type subject struct{ way }

// New implements informer.Subject.
func (s subject) New(c informer.Config) (informer.Informer, error) { return s.new(c) }
