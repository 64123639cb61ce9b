package replay

// End is the end of an object: between the events with the numbers Since, from which on it may have been there, and
// Known, which tells that it is gone.
type End struct {
	Last         int32 // index of its last version
	Since, Known int32
	uid          int32
	first        int32 // rank of its first version
	made         bool  // by an acknowledged create: below that rank it was another one
}

// Ends are the ends of a key's objects that are certain: one was shown to be deleted, or another uid follows it. Those
// without uids are left out.
func (r *Replay) Ends(k int32) (all []End) {
	var now End
	for _, i := range r.OfKey(k) {
		switch v := &r.Versions[i]; {
		case v.Unseen():
		case v.Gone:
			if now.uid != 0 && now.uid == v.uid {
				now.Known = v.known
				all = append(all, now)
			}
			now = End{}
		case v.uid == now.uid:
			now.Last = i
		default:
			if now.uid != 0 && v.uid != 0 {
				now.Known = v.known
				all = append(all, now)
			}
			now = End{Last: i, Since: v.since, uid: v.uid, first: v.N, made: v.verb == kindCreate && v.Sure}
		}
	}
	return all
}

// During says that a write may have been under way while an object was there; one whose answer was lost may come later.
func (e *End) During(w *Write) bool {
	return w.Call < e.Known && (w.Outcome == Unknown || w.Return == 0 || w.Return > e.Since)
}

// Names says whether the preconditions of a write may be those of an object.
func (r *Replay) Names(e *End, w *Write) (rv, uid bool) {
	uid = w.uid == 0 || w.uid == e.uid
	if w.pre == 0 {
		return true, uid // none, or one that nobody can compare
	}
	if i := r.Find(w.K, w.pre); i != None {
		return r.Versions[i].uid == e.uid || r.Versions[i].uid == 0, uid
	}
	return !e.made || w.pre >= e.first, uid
}
