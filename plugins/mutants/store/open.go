// Package store has stores and queues of our own: correct ones, ones with
// exactly one fault each, and ones that are odd but correct.
package store

import (
	"context"
	"slices"

	conformance "github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/mutants"
)

// variant is a store with a fault, or an oddity.
type variant struct {
	name  string
	rule  string // that must catch it, or that it only seems to break; without the kind
	about string
	base  base
	fault fault
}

// base is a correct store, and what it declares.
type base struct {
	has  []harness.Feature
	sort harness.Feature // of a queue; "" is a map
}

var (
	aMap      = base{has: []harness.Feature{conformance.Map, conformance.Keys, conformance.Version, conformance.Index, conformance.Transactions}}
	undelta   = base{has: []harness.Feature{conformance.Map, conformance.Keys, conformance.Version, conformance.Undelta}}
	batches   = base{has: append([]harness.Feature{conformance.Transactions}, undelta.has...)} // pushes, of several changes at once, too
	aging     = base{has: append([]harness.Feature{conformance.Expiring}, undelta.has...)}     // pushes what grows old
	expiring  = base{has: []harness.Feature{conformance.Map, conformance.Keys, conformance.Version, conformance.Expiring}}
	deltas    = queueOf(conformance.IsDelta)
	aLog      = queueOf(conformance.IsLog)
	atomicLog = queueOf(conformance.IsAtomic)
)

func queueOf(sort harness.Feature) base {
	has := []harness.Feature{conformance.IsQueue, sort, conformance.InitialFlag, conformance.Keys, conformance.Bookmarks}
	if sort != conformance.IsDelta {
		has = append(has, conformance.Batch)
	}
	return base{has, sort}
}

// old is a queue of a time when Pop did not say what is initial.
func old(b base) base {
	return base{slices.DeleteFunc(slices.Clone(b.has), func(f harness.Feature) bool { return f == conformance.InitialFlag }), b.sort}
}

// fault is what is done to a correct store before it is tested: to a map or a
// queue, and to the functions that its subject has.
type fault struct {
	memory func(*memory)
	queue  func(*queue)
	funcs  func(*funcs)
}

func inMemory(f func(*memory)) fault { return fault{memory: f} }
func inQueue(f func(*queue)) fault   { return fault{queue: f} }
func inFuncs(f func(*funcs)) fault   { return fault{funcs: f} }

// open opens a store with a fault.
func (v variant) open(t *harness.T) conformance.Open {
	return func(o options) (conformance.Subject, error) {
		if v.base.sort != "" {
			q := newQueue(v.base.sort)
			if v.fault.queue != nil {
				v.fault.queue(q)
			}
			t.Cleanup(q.release)
			return v.wrapped(q), nil
		}
		if !slices.Contains(v.base.has, conformance.Undelta) {
			o.Push = nil
		}
		m := newMemory(o)
		if v.fault.memory != nil {
			v.fault.memory(m)
		}
		return v.wrapped(m), nil
	}
}

func (v variant) wrapped(s conformance.Subject) conformance.Subject {
	if v.fault.funcs == nil {
		return s
	}
	f := functions(s)
	v.fault.funcs(f)
	return f.subject()
}

// release lets a Pop return that a fault left waiting, when the case is over.
func (q *queue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.units, q.closed = nil, true
	q.some.Broadcast()
}

func (v variant) target(sort string) mutants.Target {
	name := "store:" + sort + "/" + v.name
	out := mutants.Target{Name: v.name, About: v.about, Target: harness.Target{Name: name}}
	if v.rule != "" {
		out.Rule = "store/" + v.rule
	}
	out.Target.Cases = conformance.Suite.Bind(harness.Plugin[conformance.Open]{
		Name:     name,
		Features: append([]harness.Feature{harness.VirtualTime, conformance.ClientGoSemantics}, v.base.has...),
		Open:     func(t *harness.T) (conformance.Open, error) { return v.open(t), nil },
	})
	return out
}

func targets(sort string, vs []variant) []mutants.Target {
	var out []mutants.Target
	for _, v := range vs {
		out = append(out, v.target(sort))
	}
	return out
}

// Mutants are the stores with exactly one fault, each with the rule that must flag it.
func Mutants() []mutants.Target {
	return targets("mutant", slices.Concat(mapMutants, pushMutants, ageMutants, indexMutants, queueMutants, pendingMutants, popMutants, wakingMutants, sizeMutants, unsetMutants, crowdMutants))
}

// Oddities are odd but correct: every check passes on each.
func Oddities() []mutants.Target {
	return targets("oddity", slices.Concat(oddMaps, oddPushes, oddVersions, oddQueues, slowPops, oddWakes, oddUnset))
}

// Correct are the stores that mutants are made of, without a fault.
func Correct() []mutants.Target {
	return targets("correct", []variant{{name: "map", base: aMap}, {name: "undelta", base: undelta}, {name: "batches", base: batches}, {name: "expiring", base: expiring}, {name: "aging", base: aging},
		{name: "delta", base: deltas}, {name: "log", base: aLog}, {name: "atomic", base: atomicLog}})
}

// Nulls withhold something: they must pass nothing about it.
func Nulls() []mutants.Target {
	var out []mutants.Target
	for _, n := range nulls {
		t := n.target("null")
		t.Withholds = n.withholds
		out = append(out, t)
	}
	return out
}

// Open opens one of them by what follows "store:".
func Open(_ context.Context, name string) (harness.Target, error) {
	return mutants.Find("store:"+name, slices.Concat(Mutants(), Oddities(), Correct(), Nulls()))
}
