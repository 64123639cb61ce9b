package replay

import (
	"fmt"
	"slices"
	"sync"

	"github.com/lwtest/lwtest/harness/history"
)

// findDisturbed finds the keys whose state not only this run's acknowledged
// writes decide: another client writes them, or they wait for finalizers or a
// grace period. Nothing can be said of them; Disturbed tells why. In virtual
// time the subject lives in this process and nobody else can reach it, and some
// have no other writers: what no write explains there is the subject's doing,
// and the rules say so.
func (b *builder) findDisturbed() {
	b.disturbed = make([]bool, b.H.Keys())
	if b.ByOrder {
		return
	}
	if b.Shared() {
		b.disturbedByOthers()
	}
	b.disturbedByLostPatches()
	b.disturbedByCreations()
	b.disturbedByElders()
	for _, i := range b.strange {
		if v := &b.Versions[i]; v.marked() {
			b.disturb(v.K, b.H.Key(v.K)+" waits for something after its deletion, and nothing tells for what")
		}
	}
	b.findSurvivors()
	b.disturbedBySweeps()
	for _, u := range b.unclear {
		if b.livesOn[u.k] {
			b.disturb(u.k, fmt.Sprintf("%s waits for something after its deletion, the %s #%d, and nothing tells for what", b.H.Key(u.k), b.H.Event(u.call).Kind, u.call))
			continue
		}
		b.disturb(u.k, fmt.Sprintf("%s has had finalizers, and nobody knows whether the %s #%d marked it, deleted it or changed nothing", b.H.Key(u.k), b.H.Event(u.call).Kind, u.call))
	}
}

// SoleWriter is the feature of a subject to which nobody else writes.
const SoleWriter = "sole-writer"

// Shared says that other clients may write to the subject, too: it is not in
// this process, and nobody has declared that there are none.
func (r *Replay) Shared() bool {
	return r.H.Header.Time != history.VirtualTime && !slices.Contains(r.H.Header.Features, SoleWriter)
}

// disturbedByLostPatches looks for states that no write explains, of keys with a
// patch before whose outcome nobody knows: what it has stored, if it has, depends
// on what was there, and is not what was sent.
func (b *builder) disturbedByLostPatches() {
	if len(b.Phantoms) == 0 {
		return
	}
	lost := map[int32]int32{} // the first such call, by key
	for i := range b.Writes {
		if w := &b.Writes[i]; w.Outcome == Unknown && w.verb == kindPatch && w.Version == None && lost[w.K] == 0 {
			lost[w.K] = w.Call
		}
	}
	for _, num := range b.Phantoms {
		for _, o := range Objects(b.H.Event(num)) {
			if call := lost[o.K]; call != 0 && call < num && o.N != 0 && b.own[o.K] && b.Find(o.K, o.N) == None {
				b.disturb(o.K, fmt.Sprintf("#%d shows %s in a state that may be what came of the PATCH #%d, whose outcome nobody knows", num, o.Key, call))
			}
		}
	}
}

// disturbedByElders looks for keys that were there before the run, of which several deletes were under way when the
// first object of the run was created: one of them ended what was there.
func (b *builder) disturbedByElders() {
	for k := range int32(len(b.older)) {
		if !b.older[k] || len(b.OfKey(k)) == 0 || len(b.deletes.of(k)) < 2 {
			continue
		}
		first := &b.Versions[b.OfKey(k)[0]]
		var calls []int32
		for _, i := range b.deletes.of(k) {
			if w := &b.Writes[i]; w.Call < first.known && w.Return > first.since {
				calls = append(calls, w.Call)
			}
		}
		if len(calls) > 1 {
			b.disturb(k, fmt.Sprintf("%s was there before the run, and nobody knows which of the DELETEs #%d and #%d ended that", b.H.Key(k), calls[0], calls[1]))
		}
	}
}

// disturbedByCreations looks for what may be a new object, or the one before: of kinds that create on update,
// after a delete, where objects have no uids.
func (b *builder) disturbedByCreations() {
	if !b.createsOnUpdate() {
		return
	}
	for i := range b.Writes {
		w := &b.Writes[i]
		if changes := w.verb == kindUpdate || w.verb == kindPatch; changes && w.Outcome == Done && w.made == 0 && w.counts() && !w.is(status) && b.deleteCalled(w.K, w.Return) {
			b.disturb(w.K, fmt.Sprintf("%s has no uid, and nobody knows whether the %s #%d changed it or made another", b.H.Key(w.K), w.Verb(), w.Call))
		}
	}
}

// disturbedByOthers looks for what no write of this run explains.
func (b *builder) disturbedByOthers() {
	refused := sync.OnceValue(b.Refused) // few histories need it
	for _, num := range b.Phantoms {
		e := b.H.Event(num)
		for _, o := range Objects(e) {
			if o.N != 0 && b.own[o.K] && b.Find(o.K, o.N) == None && !b.invented(&o, e.Kind == Deleted) && !b.judged(refused().Explains(e, &o)) {
				b.disturb(o.K, fmt.Sprintf("#%d shows %s in a state that no write here explains: another client writes it, or the server made it up", num, o.Key))
			}
		}
	}
	for _, i := range b.strange {
		v := &b.Versions[i]
		if v.Gone && !b.older[v.K] && !b.judged(refused().Explains(b.H.Event(v.Seen), v.Obj)) {
			b.disturb(v.K, fmt.Sprintf("#%d deletes %s, and nobody here did: another client, or the server", v.Seen, b.H.Key(v.K)))
		}
	}
	for _, num := range b.missing {
		b.disturbedBy404(num)
	}
}

// judged says whether the refused write of this call, 0 for none, is one that
// write/conflict looks at: one with a precondition, of a check. Of any other trace two clients may be replicas of
// one program, which write the same.
func (r *Replay) judged(call int32) bool {
	if r.H.Header.Check == "" {
		return false
	}
	if call != 0 && r.H.Event(call).Kind == Delete {
		return false // on a shared server another client may have deleted it
	}
	return call != 0 && (r.H.Event(call).Obj.RV != "" || r.H.Event(call).Obj.UID != "")
}

func (r *Replay) disturb(k int32, why string) {
	if r.Disturbed == "" {
		r.Disturbed = why
	}
	r.disturbed[k] = true
}

// invented: the revision is that of an acknowledged write of another object,
// so no other client can have made this change; only deletions share theirs.
func (r *Replay) invented(o *history.Ref, deleted bool) bool {
	if o.N == 0 || r.at[o.N] == None {
		return false
	}
	other := &r.Versions[r.at[o.N]]
	return other.Sure && !(other.Gone && deleted)
}

// disturbedBy404 looks whether an answer says that an object is not there
// though nobody here has deleted it.
func (b *builder) disturbedBy404(num int32) {
	e := &b.briefs[num-1]
	w := Write{K: b.briefs[e.Call-1].K, Call: e.Call, Return: num, Version: None}
	if w.K == 0 || !b.own[w.K] || b.kinds[e.Kind] == kindCreate {
		return
	}
	get := b.kinds[e.Kind] == kindGet
	if get && b.mayBeStale(b.H.Event(e.Call), num) {
		return
	}
	if m := b.Moments(&w); !m.Absent && !m.Doubt && len(m.Versions) > 0 && (!get || !b.outlived(w.K, m.Versions[len(m.Versions)-1])) {
		b.disturb(w.K, fmt.Sprintf("#%d says that %s is not there, and nobody here deleted it: another client did, or the server is wrong", num, b.H.Key(w.K)))
	}
}

// mayBeStale says that a get may have been answered from a state in which its
// object was not there: the resourceVersion that it asks for allows that.
func (r *Replay) mayBeStale(call *history.Event, answer int32) bool {
	a, err := arguments(call)
	if err != nil || a.Options.ResourceVersion == "" {
		return false
	}
	n, ok := r.H.Floor(a.Options.ResourceVersion)
	return !ok || r.GoneSince(call.Obj.K, n, answer)
}

// GoneSince says that at rank n or later an object may not have been there,
// before the event with this number.
func (r *Replay) GoneSince(k, n, num int32) bool {
	if s := r.StateAt(k, n); s.Version == None || !s.Certain {
		return true
	}
	for _, i := range r.OfKey(k) {
		if v := &r.Versions[i]; v.Gone && v.Before > n && v.since < num {
			return true
		}
	}
	return false
}

// outlived says that the object of version i of a key was certainly there when
// the next one was made: nobody had deleted it before that.
func (r *Replay) outlived(k, i int32) bool {
	of := r.OfKey(k)
	n := slices.Index(of, i) + 1
	return n < len(of) && livedOn(&r.Versions[i], &r.Versions[of[n]])
}

// Objects are those that an event shows: of a list its items.
func Objects(e *history.Event) []history.Ref {
	if items := itemsOf(e); items != nil || e.Kind == List && e.Phase == history.Return && e.Err() == nil {
		return items
	}
	return []history.Ref{e.Obj}
}

// Refusals are what refused writes would have made: contents, and ends.
type Refusals struct {
	replay   *Replay
	contents *Claims
	deletes  map[int32]int32 // the first such call, by key
	dry      map[int32]int32 // the first accepted dry run of a delete, by key: it may be what removed an object
}

// Refused finds, for what refused writes would have made, the first such call.
func (r *Replay) Refused() Refusals {
	out := Refusals{r, NewClaims(r), map[int32]int32{}, map[int32]int32{}}
	for i := range r.Writes {
		w := &r.Writes[i]
		switch {
		case w.Outcome == Done && w.is(dry) && w.verb == kindDelete && out.dry[w.K] == 0:
			out.dry[w.K] = w.Call
		case w.Outcome != Refused:
		case w.verb != kindDelete:
			out.contents.Put(w.K, r.Sends(w), w.Call)
		case out.deletes[w.K] == 0:
			out.deletes[w.K] = w.Call
		}
	}
	if out.contents.fills == nil {
		return out
	}
	for i := range r.Writes { // what was stored before may only be filled in anew
		if w := &r.Writes[i]; w.Outcome != Refused && w.verb != kindDelete {
			out.contents.forgetRest(w.K, r.Sends(w))
			if w.Outcome == Done {
				out.contents.forgetRest(w.K, r.H.Event(w.Return).Obj.Body)
			}
		}
	}
	return out
}

// Explains is the call of the refused write that an event shows nevertheless, 0 if there is none. What had that content
// before has not come by it: another client may have changed what a history does not keep.
func (f Refusals) Explains(e *history.Event, o *history.Ref) int32 {
	if e.Kind == Deleted {
		return f.Deletes(o.K, e.Num)
	}
	if call := f.contents.Find(o.K, o.Body); call != 0 && call < e.Num && !f.replay.hadThat(o) {
		return call
	}
	return 0
}

// hadThat says that an object had a content and labels before, where others write, too, or what writes is not in a
// check's words: a delete that only marks may leave them as they are.
func (r *Replay) hadThat(o *history.Ref) bool {
	if !r.Shared() && r.H.Header.Check != "" {
		return false
	}
	v := r.latest(o.K, o.N)
	return v != nil && v.Obj != nil && v.Obj.Body == o.Body && v.Obj.Labels == o.Labels
}

// Deletes is the call of the first refused delete of a key, 0 if there was none
// before the event with this number, or if before it a delete was accepted as a
// dry run: which of the two removed the object nothing tells.
func (f Refusals) Deletes(k, num int32) int32 {
	if at := f.dry[k]; at != 0 && at < f.deletes[k] {
		return 0
	}
	if call := f.deletes[k]; call < num {
		return call
	}
	return 0
}

// Shows says whether this history keeps labels and fields of what the subject
// has shown: a trace may leave them out.
func (r *Replay) Shows() (labels, fields bool) { return r.showsLabels, r.showsFields }
