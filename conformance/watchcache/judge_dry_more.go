package watchcache

import (
	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// takesLast says that the object was being deleted, and would be gone if this
// were no dry run.
func takesLast(r *replay.Replay, w *replay.Write) bool {
	m := r.Moments(w)
	if m.Doubt || m.Absent || !r.Own(w.K) || len(m.Versions) != 1 || w.Verb() == replay.Create {
		return false
	}
	was := r.Versions[m.Versions[0]].Obj
	return was != nil && leaves(was, &r.H.Event(w.Return).Obj)
}

// sweeps notes what was there, and may be in a collection that would have been deleted.
func (d *dryRuns) sweeps() {
	for i := range d.r.DrySweeps {
		c := &d.r.DrySweeps[i]
		if c.Return == 0 || c.Outcome != replay.Done {
			continue
		}
		d.j.Tested++
		for k := int32(1); int(k) < d.r.H.Keys(); k++ {
			if d.deletes[k] != 0 || !d.r.Own(k) || !d.r.Covers(c, k) {
				continue
			}
			if m := d.r.Moments(replay.Looking(k, c.Call, c.Return)); !m.Doubt && there(d.r, m) {
				d.deletes[k] = c.Call
			}
		}
	}
}

// suspect is the dry run that may have ended the object of a key; 0: none.
func (d *dryRuns) suspect(k int32) int32 {
	if at := d.deletes[k]; at != 0 {
		return at
	}
	return d.taken[k]
}

// follow keeps what took the last finalizer in mind, until somebody else may have done it.
func (d *dryRuns) follow(e *history.Event) {
	switch {
	case e.Phase == history.Return && d.takes[e.Call] != 0:
		d.taken[d.takes[e.Call]] = e.Call
	case e.Phase == history.Call && e.Kind != replay.Get && !replay.IsDryRun(e):
		delete(d.taken, e.Obj.K)
	}
}
