// Package mutants has API servers with exactly one fault each, and names the rule that must catch it.
//
// Most are rows (row.go): of which requests something is wrong, and what. The client that a test uses is never touched.
// About names real software that had the bug, where there is one.
package mutants

import (
	"slices"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Mutant is a server with one fault.
type Mutant struct {
	Name  string // unique, [a-z0-9-]
	Rule  string // kind/clause[/aspect] that must catch it
	About string // what is wrong with it, and where that was seen
	// Resource is the plural name of what the fault is about; "": any, such as configmaps.
	Resource string
	// Withholds are beginnings of addresses of rules that must not pass on it: of Nulls only.
	Withholds []string
	// Open makes one over a new store with these options. The store is for closing, compacting and
	// the like; calls go to the API.
	Open func(apiserver.Options) (apiserver.API, *apiserver.Server)
}

// All mutants, in the order of the contract. Each call makes a new slice.
func All() []Mutant {
	rows := slices.Concat(slices.Concat(readRows, watchRows, writeRows)...)
	return mutantsOf(slices.Concat(rows, limitedRows(rows)))
}
