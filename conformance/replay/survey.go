package replay

import (
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// survey goes through the history before anything is kept of it: for the room
// that is needed, the mode, and whether there are finalizers. nth gets how many
// events each call has brought.
func (b *builder) survey() {
	b.nth = make([]int32, len(b.briefs)+1)
	m := newMode(b.H)
	writes, shown := 0, 0
	for i := range b.briefs {
		e := &b.briefs[i]
		switch k := b.kinds[e.Kind]; {
		case e.Phase == history.Notice:
			b.nth[e.Call]++
			shown++
		case !k.isWrite():
		case e.Phase == history.Call:
			writes++
		case k != kindDelete && e.Failed == history.NoFailure:
			b.stored(&m, e, &b.H.Events[i].Obj)
		}
	}
	b.ByOrder, b.holds = m.byOrder, b.holds && !m.byOrder // in order mode that is found with the answers
	b.room(writes, shown)
}

// stored looks at what a write of anything but a deletion was answered with.
func (b *builder) stored(m *mode, e *history.Brief, got *history.Ref) {
	if b.kinds[e.Kind] == kindCreate && !m.certain && !b.dry(e.Call) {
		m.created(e, got)
	}
	if !b.holds && (hasFinalizers(got.Body) || IsDeleting(got.Body)) {
		b.holds = !b.dry(e.Call)
	}
}

// room is made for so many writes, and notices.
func (b *builder) room(writes, shown int) {
	b.own, b.acked = make([]bool, b.H.Keys()), make([]int32, len(b.briefs)+2)
	b.Writes = make([]Write, 0, writes)
	if !b.ByOrder {
		ranks := b.H.Ranks()
		b.glimpses = make([]glimpse, 0, shown/2)
		b.temp = make([]Version, ranks, ranks+ranks/16)
	}
}

// dry says whether the call with this number is a write that stores nothing.
func (b *builder) dry(call int32) bool {
	return b.briefs[call-1].HasExt && dryRun(b.H.Event(call).X.Args)
}

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
	return mode{byOrder: !declared && len(h.Header.Features) > 0, declared: declared, at: make([]int32, h.Ranks())}
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
