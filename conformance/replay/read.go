package replay

import "github.com/lwtest/lwtest/harness/history"

// read collects what a history has. What few have is found on the way, and then
// it is read once more: as one without resourceVersions, or with finalizers. Of
// the keys that live on a delete may only have marked what is there.
func read(h *history.History, known hints) *builder {
	b := newBuilder(h, newMode(h), known.held)
	switch {
	case b.found.byOrder != b.ByOrder:
		b = newBuilder(h, b.found, false)
	case !b.ByOrder && !known.held && (b.holders || b.graceful()):
		b = newBuilder(h, b.found, true)
	}
	if b.livesOn = known.livesOn; b.holds {
		b.findShownHeld()
	}
	return b
}

// findShownHeld notes the keys that were shown with finalizers before any write
// had answered with that: of a lost write, or of somebody else's, a deletion
// leaves the object there.
func (b *builder) findShownHeld() {
	for _, g := range b.glimpses {
		if !g.ends() && hasFinalizers(b.object(g).Body) {
			if b.shownHeld == nil {
				b.shownHeld = map[int32]bool{}
			}
			b.shownHeld[g.k] = true
		}
	}
}

func newBuilder(h *history.History, found mode, holds bool) *builder {
	b := &builder{Replay: &Replay{H: h, ByOrder: found.byOrder}, briefs: h.Briefs(), kinds: kindsOf(h), found: found, holds: holds}
	b.nth = make([]int32, len(b.briefs)+1)
	together(b.collectWrites, func() {
		b.collectInquiries()
		b.holders = !holds && b.findHolders()
	})
	return b
}

// findHolders looks whether any object that was stored has finalizers, or waits
// for something. It does nothing else on its way: each look is at another end of
// the memory, and so several are under way at a time.
func (b *builder) findHolders() bool {
	for i := range b.briefs {
		e := &b.briefs[i]
		if k := b.kinds[e.Kind]; e.Phase != history.Return || e.Failed != history.NoFailure || !k.isWrite() || k == kindDelete {
			continue
		}
		if body := b.H.Events[i].Obj.Body; (hasFinalizers(body) || IsDeleting(body)) && !IsDryRun(b.H.Event(e.Call)) {
			return true
		}
	}
	return false
}
