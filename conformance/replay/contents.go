package replay

import (
	"hash/maphash"

	"github.com/lwtest/lwtest/harness/history"
)

// contents finds the creates and changes of unknown outcome by what they would
// store: by a hash of it, then one after the other.
type contents struct {
	seed  maphash.Seed
	first map[uint64]int32 // index of the first write
	next  map[int32]int32  // of the one after it, where several would store the same
	last  map[uint64]int32 // and of the last of several
}

// someSame is how many that would store the same are looked at for the one
// that was called first: as many as may be under way at once.
const someSame = 32

func (c *contents) hash(r *history.Ref, k int32) uint64 {
	return maphash.String(c.seed, r.Body) + uint64(k)
}

// lose notes what a write of unknown outcome would store.
func (b *builder) lose(i int32) {
	w, c := &b.Writes[i], &b.content
	if w.Verb == Delete || !w.counts() {
		return
	}
	if c.first == nil {
		*c = contents{maphash.MakeSeed(), map[uint64]int32{}, map[int32]int32{}, map[uint64]int32{}}
	}
	hash := c.hash(&b.H.Event(w.Call).Obj, w.K)
	first, ok := c.first[hash]
	if !ok {
		c.first[hash] = i
		return
	}
	if last, ok := c.last[hash]; ok {
		first = last
	}
	c.next[first], c.last[hash] = i, i
}

// storing is the open write, called before the event with this number, that
// would store what an object shows; of several the first. None if there is none.
func (b *builder) storing(obj *history.Ref, num int32) int32 {
	c, out := &b.content, int32(None)
	if c.first == nil {
		return out
	}
	hash := c.hash(obj, obj.K)
	i, ok := c.first[hash]
	for ok && b.Writes[i].Version != None { // explained by something else
		if i, ok = c.next[i]; ok {
			c.first[hash] = i
		}
	}
	for n := 0; ok && n < someSame; n++ {
		w := &b.Writes[i]
		if w.Version == None && w.Call < num && (out == None || i < out) && w.K == obj.K && b.H.Event(w.Call).Obj.Body == obj.Body {
			out = i
		}
		i, ok = c.next[i]
	}
	return out
}
