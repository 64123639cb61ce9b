package replay

import (
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// comparableRV is the feature without which resourceVersions order nothing.
const comparableRV = "comparable-rv"

// mode is found by whether acknowledged creates come with a resourceVersion,
// and whether these are of the store, and not each object's own count: then two
// objects are at one version. Whoever says what features a subject has, and not
// this one, says so, too.
type mode struct {
	byOrder  bool
	declared bool    // that resourceVersions can be compared: one create tells whether there are any
	certain  bool    // no other create has to be looked at
	at       []int32 // by rank: one more than the key that was created there
}

func newMode(h *history.History) mode {
	declared := slices.Contains(h.Header.Features, comparableRV)
	byOrder := !declared && h.Header.Features != nil
	return mode{byOrder: byOrder, declared: declared, certain: byOrder, at: make([]int32, h.Ranks())}
}

// created looks at what a create was answered with.
func (m *mode) created(e *history.Brief, got *history.Ref) {
	before := m.at[e.N]
	m.at[e.N] = e.K + 1
	switch {
	case e.N == 0 && got.RV == "":
		m.byOrder, m.certain = true, true
	case m.declared:
		m.certain = true
	case before != 0 && before != e.K+1:
		m.byOrder, m.certain = true, true
	}
}
