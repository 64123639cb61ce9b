package replay

import (
	"math"
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// deleter is the acknowledged delete that ended an object, as far as can be
// told: write is None where there is none. Several may have been under way. The
// object's end lies between the first of their calls and the answer of write,
// which is the event with number end; 0 where that is not certain.
type deleter struct {
	write, call, end int32
	maybe            bool // a delete that was taken for an earlier object may have been this one's
}

// deleter finds the delete that can have ended the first of these versions of a
// key: one that was under way between the object's write and the first event
// that tells of its end. Of several the one that was answered first: objects
// end one after the other, so that whichever it was, this one had ended by
// then.
func (b *builder) deleter(of []int32) deleter {
	v := &b.Versions[of[0]]
	begin, end := v.since, int32(math.MaxInt32)
	for _, i := range of[1:] {
		end = min(end, b.Versions[i].known)
		if !b.Versions[i].Gone {
			break
		}
	}
	by, lost, shared := deleter{write: None, call: math.MaxInt32}, false, false
	elders := int32(None) // a delete that may have been of what was there before the run
	if i := b.openAt(&b.lost.deletes, v.K, end); i != None {
		lost, by.call = true, b.Writes[i].Call
	}
	fitting := false
	for _, i := range b.deletesAfter(v.K, begin) {
		w := &b.Writes[i]
		if w.Call > end {
			break
		}
		if w.Return < begin {
			continue
		}
		by.call = min(by.call, w.Call)
		fits := b.demands(w, v)
		by.maybe = by.maybe || w.is(loose)
		both := b.mayShare(i, v)
		if w.Version != None || fitting && !fits || !fits && (lost || both) {
			continue
		}
		if b.mayHaveEndedOlder(v, i) {
			elders = i
			continue
		}
		if by.write == None || fits && !fitting || w.Return < b.Writes[by.write].Return {
			by.write, by.end, fitting, shared = i, w.Return, fits, both
		}
	}
	if by.write == None && elders != None {
		by.write, by.end = elders, 0
		b.Writes[elders].traits |= loose
	}
	if by.write != None && (b.hidden(v.K, by.end) || gives(b.asks(b.Writes[by.write].Call).PropagationPolicy)) { // that was answered when it had marked the object
		by.end = 0
	}
	if by.write != None && shared {
		by.end = 0
	}
	if by.write != None && (lost || shared || elders != None) { // then this one may have been of a later object
		b.Writes[by.write].traits |= loose
	}
	return by
}

// mayShare says that a delete may have been of the object before a version's, which somebody else ended between
// its two steps, or which it ended between another's.
func (b *builder) mayShare(i int32, v *Version) bool {
	w := &b.Writes[i]
	if !b.graceful() || v.By != 0 && w.Call > v.By {
		return false
	}
	for _, of := range [][]int32{b.deletes.of(w.K), b.lost.deletes.of(w.K)} {
		if slices.ContainsFunc(of, func(j int32) bool {
			d := &b.Writes[j]
			return j != i && d.Call < w.Return && (d.Return == 0 || d.Return > w.Call)
		}) {
			return true
		}
	}
	return false
}

// deletesAfter are the acknowledged deletes of a key, but for those at the
// front that were answered before the event with this number.
func (b *builder) deletesAfter(k, num int32) []int32 {
	all := b.deletes.of(k)
	for int(b.passed[k]) < len(all) && b.Writes[all[b.passed[k]]].Return < num {
		b.passed[k]++
	}
	return all[b.passed[k]:]
}

// mayHaveEndedOlder says that a delete may have been of what was there before the run: it was called before the first object
// of the run, which somebody created, is known to have been there.
func (b *builder) mayHaveEndedOlder(v *Version, write int32) bool {
	if w := &b.Writes[write]; !b.older[v.K] || w.pre != 0 && w.pre == v.N || w.uid != 0 && w.uid == v.uid { // it asked for just this one
		return false
	}
	first := &b.Versions[b.OfKey(v.K)[0]]
	mayBeNew := b.H.Header.Check == "" && !b.seenBefore(v.uid, b.Writes[write].Call)
	lost := mayBeNew && b.openAt(&b.lost.creates, v.K, first.known) != None
	madeSince := first.verb == kindCreate || b.createsOnUpdate() || mayBeNew && b.Shared() || lost // in the run, or by another client
	return !first.Gone && madeSince && b.Writes[write].Call < first.known
}

// seenBefore says that an object with this uid was shown, or answered, before the event with this number.
func (b *builder) seenBefore(uid, num int32) bool {
	if b.uidSeen == nil {
		b.uidSeen = []int32{}
		see := func(uid, num int32) {
			for int(uid) >= len(b.uidSeen) {
				b.uidSeen = append(b.uidSeen, 0)
			}
			if b.uidSeen[uid] == 0 {
				b.uidSeen[uid] = num
			}
		}
		for i := range b.briefs {
			if e := &b.briefs[i]; e.Phase != history.Call {
				see(e.UID, int32(i+1))
				for _, o := range itemsOf(&b.H.Events[i]) {
					see(b.H.UIDOf(o.UID), int32(i+1))
				}
			}
		}
	}
	return uid != 0 && int(uid) < len(b.uidSeen) && b.uidSeen[uid] != 0 && b.uidSeen[uid] < num
}

// hidden: a create whose answer was lost, called before the event with this
// number, may have made an object that nothing has shown. Then a delete may
// have been that one's.
func (b *builder) hidden(k, num int32) bool {
	return b.openAt(&b.lost.creates, k, num) != None || b.createsOnUpdate() && b.openAt(&b.lost.changes, k, num) != None
}

// ofAnother says that a deletion that was shown may be that of an object that
// was never shown itself.
func (b *builder) ofAnother(live, gone int32, hidden bool) bool {
	is, was := b.Versions[gone].uid, b.Versions[live].uid
	return hidden && is == 0 || (hidden || b.Shared()) && is != 0 && is != was
}

// mayHaveBeenReplaced: where objects have no uids, a delete and a create whose
// answer was lost may have come between two versions.
func (b *builder) mayHaveBeenReplaced(v, next int32) bool {
	i := &b.Versions[next]
	if i.uid != 0 || !b.deletedBefore(i.K, i.known) {
		return false
	}
	w := b.openAt(&b.lost.creates, i.K, i.known)
	return w != None && b.acked[b.Writes[w].Call] < i.N
}

// demands says that a version is what a delete's precondition asks for.
func (b *builder) demands(w *Write, v *Version) bool {
	first := v.step && v.Prev != None && b.Versions[v.Prev].N == w.pre // v may be its first step
	if w.pre != 0 && w.pre != v.N && !first {
		return false
	}
	return w.uid == 0 || w.uid == v.uid
}
