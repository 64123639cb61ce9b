package replay

import (
	"hash/maphash"
	"math/bits"

	"github.com/lwtest/lwtest/harness/history"
)

// contents finds the creates and changes of unknown outcome by what they would store.
type contents struct {
	seed  maphash.Seed
	first []int32 // place in all of the first with that hash, None; a power of two of them
	all   []content
}

// content is what an open write would store.
type content struct {
	write, next int32 // next is the place of the one called after it
	k, call     int32
	body        string
}

// bucket is where to begin with what has this content.
func (c *contents) bucket(k int32, body string) *int32 {
	h := maphash.String(c.seed, body) + uint64(k)
	return &c.first[int(h)&(len(c.first)-1)]
}

// findContents notes what the writes of unknown outcome would store.
func (b *builder) findContents() {
	c := &b.content
	open := len(b.lost.creates.all) + len(b.lost.changes.all)
	*c = contents{maphash.MakeSeed(), make([]int32, 1<<bits.Len(uint(2*open))), make([]content, 0, open)}
	for i := range c.first {
		c.first[i] = None
	}
	for i := len(b.Writes) - 1; i >= 0; i-- { // the first called is found first
		w := &b.Writes[i]
		if s := sortOf(w); s != lostCreate && s != lostChange || w.Version != None {
			continue
		}
		c.all = append(c.all, content{int32(i), None, w.K, w.Call, b.stores(w)})
	}
	for i := range c.all {
		x := &c.all[i]
		first := c.bucket(x.k, x.body)
		x.next, *first = *first, int32(i)
	}
}

// storing takes the open write, called before the event with this number, that
// would store what an object shows; of several the first. None if there is none.
func (b *builder) storing(obj *history.Ref, num int32) int32 {
	c := &b.content
	if len(c.all) == 0 {
		return None
	}
	for at := c.bucket(obj.K, obj.Body); *at != None; {
		x := &c.all[*at]
		switch {
		case x.call > num:
			return None
		case x.k == obj.K && x.body == obj.Body:
			*at = x.next
			return x.write
		}
		at = &x.next
	}
	return None
}

// stores is the content that a write would store.
func (b *builder) stores(w *Write) string {
	if w.mark != nil {
		return *w.mark
	}
	return b.H.Event(w.Call).Obj.Body
}
