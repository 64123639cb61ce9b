package mvcc

import "sort"

// History is a set at each revision that changed it. It has no lock of its own.
type History[V any] struct {
	states []state[V] // oldest first; states[0] is that of the compaction, or of the beginning
}

type state[V any] struct {
	rev  uint64
	tree Tree[V]
}

// NewHistory returns that of a set that is empty at a revision.
func NewHistory[V any](rev uint64) *History[V] { return &History[V]{states: []state[V]{{rev: rev}}} }

// Now returns the last state.
func (h *History[V]) Now() Tree[V] { return h.states[len(h.states)-1].tree }

// At returns the state at a revision, which must not be before the compaction.
func (h *History[V]) At(rev uint64) Tree[V] { return h.states[h.after(rev)-1].tree }

// after returns the index of the first state after a revision.
func (h *History[V]) after(rev uint64) int {
	return sort.Search(len(h.states), func(i int) bool { return h.states[i].rev > rev })
}

// Set makes a tree the state from a revision on, which must not be before the last one.
func (h *History[V]) Set(rev uint64, t Tree[V]) {
	if last := len(h.states) - 1; h.states[last].rev == rev {
		h.states[last].tree = t
		return
	}
	h.states = append(h.states, state[V]{rev, t})
}

// Replace makes a tree the last state, at the same revision.
func (h *History[V]) Replace(t Tree[V]) { h.states[len(h.states)-1].tree = t }

// Compact forgets every state before that at a revision.
func (h *History[V]) Compact(rev uint64) {
	old := h.after(rev) - 1
	clear(h.states[:old])
	h.states = h.states[old:]
}
