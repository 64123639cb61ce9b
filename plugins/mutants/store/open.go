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

// row is a mutant or an oddity, in one or several forms.
type row struct {
	name  string // of another form than the first with its name behind it
	rule  string // that must catch it, or that it only seems to break; without the kind
	about string
	on    []base
	fault fault
}

// base is a correct store, and what it declares.
type base struct {
	name string
	has  []harness.Feature
	sort harness.Feature // of a queue; "" is a map
}

var (
	aMap      = mapOf("map", conformance.Index, conformance.Transactions)
	undelta   = mapOf("undelta", conformance.Undelta)
	batches   = mapOf("batches", conformance.Undelta, conformance.Transactions) // pushes, of several changes at once, too
	aging     = mapOf("aging", conformance.Undelta, conformance.Expiring)       // pushes what grows old
	expiring  = mapOf("expiring", conformance.Expiring)
	deltas    = queueOf("delta", conformance.IsDelta)
	aLog      = queueOf("log", conformance.IsLog, conformance.Batch)
	atomicLog = queueOf("atomic", conformance.IsAtomic, conformance.Batch)
	anyQueue  = in(deltas, aLog, atomicLog)
)

func mapOf(name string, more ...harness.Feature) []base {
	return []base{{name: name, has: append([]harness.Feature{conformance.Map, conformance.Keys, conformance.Version}, more...)}}
}

func queueOf(name string, sort harness.Feature, more ...harness.Feature) []base {
	return []base{{name, append([]harness.Feature{conformance.IsQueue, sort, conformance.InitialFlag, conformance.Keys, conformance.Bookmarks}, more...), sort}}
}

// old returns these forms without the feature initial-flag, as queues of client-go before 0.27.
func old(of []base) (out []base) {
	for _, b := range of {
		b.has = slices.DeleteFunc(slices.Clone(b.has), func(f harness.Feature) bool { return f == conformance.InitialFlag })
		out = append(out, b)
	}
	return out
}

// in joins forms.
func in(of ...[]base) []base { return slices.Concat(of...) }

// open opens a store with a fault.
func (b base) open(t *harness.T, to fault) conformance.Open {
	return func(o options) (conformance.Subject, error) {
		if b.sort != "" {
			q := newQueue(b.sort)
			if to.queue != nil {
				to.queue(q)
			}
			t.Cleanup(q.release)
			return to.wrapped(q), nil
		}
		if !slices.Contains(b.has, conformance.Undelta) {
			o.Push = nil
		}
		m := newMemory(o)
		if to.memory != nil && (o.Push != nil || !slices.Contains(b.has, conformance.Undelta)) {
			to.memory(m)
		}
		return to.wrapped(m), nil
	}
}

func (to fault) wrapped(s conformance.Subject) conformance.Subject {
	if to.funcs == nil {
		return s
	}
	f := functions(s)
	to.funcs(f)
	return f.subject()
}

// release lets a Pop return that a fault left waiting, when the case is over.
func (q *queue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.units, q.closed = nil, true
	q.some.Broadcast()
}

func (r row) target(sort, name string, b base) mutants.Target {
	address := "store:" + sort + "/" + name
	out := mutants.Target{Name: name, About: r.about, Target: harness.Target{Name: address}}
	if r.rule != "" {
		out.Rule = "store/" + r.rule
	}
	out.Cases = func() []harness.Case {
		return conformance.Suite.Bind(harness.Plugin[conformance.Open]{
			Name:     address,
			Features: append([]harness.Feature{harness.VirtualTime, conformance.ClientGoSemantics}, b.has...),
			Open:     func(t *harness.T) (conformance.Open, error) { return b.open(t, r.fault), nil },
		})
	}
	return out
}

func targets(sort string, rows []row) []mutants.Target {
	var out []mutants.Target
	for _, r := range rows {
		for n, b := range r.on {
			name := r.name
			if n > 0 {
				name += "-" + b.name
			}
			out = append(out, r.target(sort, name, b))
		}
	}
	return out
}

// Mutants are the stores with exactly one fault, each with the rule that must flag it.
func Mutants() []mutants.Target {
	return targets("mutant", slices.Concat(mapRows, indexRows, pushRows, ageRows, queueRows, popRows, crowdRows))
}

// Oddities are odd but correct: every check passes on each.
func Oddities() []mutants.Target {
	return targets("oddity", slices.Concat(oddMaps, oddPushes, oddQueues))
}

// Correct are the stores that mutants are made of, without a fault.
func Correct() []mutants.Target {
	var rows []row
	for _, b := range in(aMap, undelta, batches, expiring, aging, anyQueue) {
		rows = append(rows, row{name: b.name, on: []base{b}})
	}
	return targets("correct", rows)
}

// Nulls withhold something: they must pass nothing about it.
func Nulls() []mutants.Target {
	var out []mutants.Target
	for _, n := range nulls {
		for _, t := range targets("null", []row{n.row}) {
			t.Withholds = n.withholds
			out = append(out, t)
		}
	}
	return out
}

// Open opens one of them by what follows "store:".
func Open(_ context.Context, name string) (harness.Target, error) {
	return mutants.Find("store:"+name, slices.Concat(Mutants(), Oddities(), Correct(), Nulls()))
}
