package replay

// lost are the writes of unknown outcome, sorted by what they would do. One
// that something explains has a Version; the others are open: they may have
// happened, or happen later. Of those only the first of a key counts: what
// another may have done, that one may have done, too.
type lost struct {
	creates, changes, deletes openWrites
}

// openWrites are lost writes of one sort, by key, in order of their calls.
type openWrites struct {
	groups
	head []int32 // by key: how many at the front are explained
}

// The sorts of writes that are looked up by key.
const (
	lostCreate = iota
	lostChange
	lostDelete
	ackedDelete
	sorts
)

func sortOf(w *Write) int {
	switch {
	case !w.counts() || w.is(step) && w.mark == nil || w.Outcome == Refused || w.Outcome == Done && w.acts != kindDelete && w.mark == nil:
		return -1
	case w.mark != nil:
		return lostChange // what it stored is told by nobody but watches, lists and gets
	case w.Outcome == Done:
		return ackedDelete
	case w.acts == kindCreate:
		return lostCreate
	case w.acts == kindDelete:
		return lostDelete
	}
	return lostChange
}

// groupWrites gathers the deletes, and the lost writes.
func (b *builder) groupWrites() {
	of := group(b.H.Keys(), sorts, b.Writes, sortOf)
	open := func(g groups) openWrites { return openWrites{g, make([]int32, b.H.Keys())} }
	b.deletes, b.passed = of[ackedDelete], make([]int32, b.H.Keys())
	b.lost.creates, b.lost.changes, b.lost.deletes = open(of[lostCreate]), open(of[lostChange]), open(of[lostDelete])
}

// first is the first open write of a sort and key, None if there is none.
func (b *builder) first(of *openWrites, k int32) int32 {
	all := of.of(k)
	for int(of.head[k]) < len(all) {
		if i := all[of.head[k]]; b.Writes[i].Version == None {
			return i
		}
		of.head[k]++
	}
	return None
}

// openAt is the first open write of a sort and key if it was called before the
// event with this number, else None.
func (b *builder) openAt(of *openWrites, k, num int32) int32 {
	if i := b.first(of, k); i != None && b.Writes[i].Call < num {
		return i
	}
	return None
}
