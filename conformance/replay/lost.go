package replay

import (
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// lost are the writes of unknown outcome, sorted by what they would do. One
// that something explains has a Version; the others are open: they may have
// happened, or happen later. Of those only the first of a key counts: what
// another may have done, that one may have done, too.
type lost struct {
	creates, changes, deletes openWrites
	content                   map[sent][]int32 // creates and changes, by what they would store
}

// openWrites are lost writes of one sort, by key, in order of their calls.
type openWrites struct {
	groups
	head []int32 // by key: how many at the front are explained
}

// sent is content that a client asked to be stored.
type sent struct {
	k    int32
	body string
}

func (b *builder) collectLost() {
	sort := func(verbs ...string) openWrites {
		return openWrites{
			group(b.H.Keys(), b.Writes, func(w *Write) bool { return w.Outcome == Unknown && w.counts() && slices.Contains(verbs, w.Verb) }),
			make([]int32, b.H.Keys()),
		}
	}
	b.lost = lost{sort(Create), sort(Update, Patch), sort(Delete), map[sent][]int32{}}
	for _, of := range []openWrites{b.lost.creates, b.lost.changes} {
		for _, i := range of.all {
			c := sent{b.Writes[i].K, b.H.Event(b.Writes[i].Call).Obj.Body}
			b.lost.content[c] = append(b.lost.content[c], i)
		}
	}
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

// storing is the first open write, called before the event with this number,
// that would store what an object shows; None if there is none.
func (b *builder) storing(obj *history.Ref, num int32) int32 {
	for _, i := range b.lost.content[sent{obj.K, obj.Body}] {
		if w := &b.Writes[i]; w.Version == None && w.Call < num {
			return i
		}
	}
	return None
}
