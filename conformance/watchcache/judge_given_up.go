package watchcache

import (
	"github.com/lwtest/lwtest/conformance/replay"
)

// givenUp looks for what an apply leaves out, was answered with all the same, and only the same manager has
// ever written, by applies. Another client may have applied it, too.
func (k *keeping) givenUp(r *replay.Replay, w *replay.Write) {
	call := r.H.Event(w.Call)
	manager, _, ok := replay.AppliedBy(call)
	if !ok || w.ToStatus() || replay.IsDryRun(call) || r.Shared() || !r.Own(w.K) {
		return
	}
	names, got := words(&call.Obj), words(&r.H.Event(w.Return).Obj)
	for name := range everApplied(r, w, manager) {
		value, there := got[name]
		if _, named := names[name]; there && !named && !writtenByOthers(r, w, manager, name) {
			k.add(leftover{w.K, name, value}, w)
		}
	}
}

// writtenByOthers says that a write of an object that is no apply of this manager has named a word of its content.
func writtenByOthers(r *replay.Replay, w *replay.Write, manager, name string) bool {
	for i := range r.Writes {
		o := &r.Writes[i]
		call := r.H.Event(o.Call)
		if o.K != w.K || o.Outcome == replay.Refused || o.Call > w.Return || replay.IsDryRun(call) {
			continue
		}
		by, _, applied := replay.AppliedBy(call)
		if _, named := words(&call.Obj)[name]; named && (!applied || by != manager || o.ToStatus()) { // a subresource has owners of its own
			return true
		}
	}
	return false
}
