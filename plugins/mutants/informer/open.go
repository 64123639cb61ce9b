package informer

import (
	"slices"
	"sync/atomic"

	conformance "github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/mutants"
)

// variant is an informer with a fault, or an oddity.
type variant struct {
	name  string
	rule  string // that must flag it, or that it only seems to break; without the kind
	about string
	base  base
	fault func(*informer)
}

// base is a correct informer, and what it declares.
type base struct {
	streams bool // it asks for streaming lists
	wire    bool // it goes by HTTP where it could go round
	has     []harness.Feature
}

// everything is what all of them declare.
var everything = []harness.Feature{conformance.HasSynced, conformance.Handlers, conformance.ManyHandlers, conformance.HandlerPeriods, conformance.HandlerSynced, conformance.InitialFlag, conformance.DeleteState,
	conformance.Removal, conformance.RemovalWaits, conformance.Indexes, conformance.Resync, conformance.Transforms, conformance.Pushes, conformance.Version, conformance.Bookmarks,
	conformance.ErrorHook, conformance.PageSize, conformance.AllNamespaces, conformance.Selectors, conformance.Restarts, conformance.Writes, conformance.ReadYourWrites, conformance.NoticesSilence, conformance.ClientGoSemantics}

var (
	lists      = base{has: everything}
	streams    = base{streams: true, has: with(conformance.Streams)}
	wiredLists = base{wire: true, has: append(without(conformance.NoticesSilence), rig.HTTP2)}
	wired      = base{streams: true, wire: true, has: append(without(conformance.NoticesSilence), conformance.Streams, rig.HTTP2)}
)

func with(more ...harness.Feature) []harness.Feature { return slices.Concat(everything, more) }

func without(less ...harness.Feature) []harness.Feature {
	return slices.DeleteFunc(slices.Clone(everything), func(f harness.Feature) bool { return slices.Contains(less, f) })
}

// subject makes the informers of one case.
type subject struct {
	variant
	made atomic.Int32
}

// New implements informer.Subject.
func (v *subject) New(c conformance.Config) (conformance.Informer, error) {
	if v.base.wire {
		c.Server.Direct = nil
	}
	i, err := newInformer(c)
	if err != nil {
		return nil, err
	}
	i.streams, i.at.streams = v.base.streams, v.base.streams
	i.eldest = v.made.Add(1) == 1
	if v.base.wire {
		i.opening, i.answers = forEver, forEver // client-go itself asks again, as slowly as it is told to
	}
	if v.fault != nil {
		v.fault(i)
	}
	return i, nil
}

// Servers are what the informers are given: open makes one, which has these features.
type Servers struct {
	Open func(*harness.T) (rig.Server, error)
	Has  []harness.Feature
}

func (s Servers) target(sort string, v variant) mutants.Target {
	name := "informer:" + sort + "/" + v.name
	out := mutants.Target{Name: v.name, About: v.about, Target: harness.Target{Name: name}}
	if v.rule != "" {
		out.Rule = "informer/" + v.rule
	}
	out.Cases = func() []harness.Case {
		has := slices.Concat(v.base.has, s.Has, []harness.Feature{harness.VirtualTime})
		if !v.base.wire {
			has = append(has, rig.InProcess)
		}
		return conformance.Suite.Bind(conformance.Plugin(name, s.Open, func(*harness.T) (conformance.Subject, error) { return &subject{variant: v}, nil }, has...))
	}
	return out
}

func (s Servers) targets(sort string, vs []variant) []mutants.Target {
	var out []mutants.Target
	for _, v := range vs {
		out = append(out, s.target(sort, v))
	}
	return out
}

// Correct are the informers that mutants are made of, without a fault.
func (s Servers) Correct() []mutants.Target {
	return s.targets("correct", []variant{{name: "lists", base: lists}, {name: "streams", base: streams}, {name: "http", base: wired}})
}

// Mutants are the informers with exactly one fault, each with the rule that must flag it.
func (s Servers) Mutants() []mutants.Target {
	return s.targets("mutant", slices.Concat(syncMutants, convergeMutants, objectMutants, loseMutants, manyMutants, roundMutants, resumeMutants, errorMutants, pageMutants, notifyMutants, batchMutants, largeMutants, longMutants, storeMutants, readMutants, pushMutants, stopMutants, deafMutants, rareMutants, oftenMutants, wireMutants))
}

// Oddities are odd but correct: every check passes on each, but for the rule that a few are there to break, a SHOULD.
func (s Servers) Oddities() []mutants.Target {
	return s.targets("oddity", slices.Concat(oddRequests, oddNotices, oddStores, oddPaces, oddTransports))
}

// Nulls withhold something: they must pass nothing about it.
func (s Servers) Nulls() []mutants.Target {
	var out []mutants.Target
	for _, n := range nulls {
		t := s.target("null", n.variant)
		t.Withholds = n.withholds
		out = append(out, t)
	}
	return out
}

// Find gives the one that stands after "informer:".
func (s Servers) Find(name string) (harness.Target, error) {
	return mutants.Find("informer:"+name, slices.Concat(s.Mutants(), s.Pairs(), s.Oddities(), s.Correct(), s.Nulls()))
}
