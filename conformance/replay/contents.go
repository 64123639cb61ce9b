package replay

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"

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

// bucket is where to begin with what has this content, or one that begins alike.
func (c *contents) bucket(k int32, body string) *int32 {
	h := maphash.String(c.seed, begin(body)) + uint64(k)
	return &c.first[int(h)&(len(c.first)-1)]
}

// begin is the first part of a content.
func begin(body string) string {
	first, _, _ := strings.Cut(body, " ")
	return first
}

// findContents notes what the writes of unknown outcome would store.
func (b *builder) findContents() {
	c := &b.content
	c.all = make([]content, 0, len(b.Writes)/8)
	for i := len(b.Writes) - 1; i >= 0 && !b.ByOrder; i-- { // the first called is found first
		w := &b.Writes[i]
		if s := sortOf(w); s != lostCreate && s != lostChange || w.Version != None {
			continue
		}
		c.all = append(c.all, content{int32(i), None, w.K, w.Call, b.stores(w)})
	}
	c.seed, c.first = maphash.MakeSeed(), slices.Repeat([]int32{None}, 1<<bits.Len(uint(2*len(c.all))))
	for i := range c.all {
		x := &c.all[i]
		first := c.bucket(x.k, x.body)
		x.next, *first = *first, int32(i)
	}
}

// storing takes the open write, called before its state was shown first, that
// would store what a glimpse shows; of several the first. Where there is none it
// takes one to which admission may have added the rest; None if that is none, too.
func (b *builder) storing(g glimpse) int32 {
	if len(b.content.all) == 0 {
		return None
	}
	body := b.object(g).Body
	w := b.storingAs(g, body)
	if of := StatusIn(body); w == None && of != "" && b.apart() { // what a write to status stores begins with that
		return b.storingAs(g, of)
	}
	return w
}

// storingJust takes the open write, called before its state was shown first, that sent just what a glimpse shows; None
// if there is none.
func (b *builder) storingJust(g glimpse) int32 {
	c := &b.content
	if len(c.all) == 0 {
		return None
	}
	obj, num := b.object(g), b.shownFirst(g)
	for at := c.bucket(obj.K, obj.Body); *at != None && c.all[*at].call <= num; at = &c.all[*at].next {
		if x := &c.all[*at]; x.k == obj.K && x.body == obj.Body && !b.forAnother(x.write, g) {
			return c.take(at)
		}
	}
	return None
}

// changing is storing for an object that has been marked since: what was sent to it has no mark. Nobody creates
// such a one.
func (b *builder) changing(obj *history.Ref, num int32) int32 {
	c, unmarked := &b.content, *obj
	unmarked.Body = Unmarked(obj.Body)
	for at := c.bucket(obj.K, unmarked.Body); *at != None && c.all[*at].call <= num; at = &c.all[*at].next {
		if x := &c.all[*at]; x.k == obj.K && b.Writes[x.write].acts != kindCreate && x.body != "" && Stored(x.body, unmarked.Body) {
			return c.take(at)
		}
	}
	return None
}

// storingAs is storing, of the writes whose content begins as this one.
func (b *builder) storingAs(g glimpse, body string) int32 {
	c, obj, num := &b.content, b.object(g), b.shownFirst(g)
	var added *int32
	for at := c.bucket(obj.K, body); *at != None && c.all[*at].call <= num; at = &c.all[*at].next {
		x := &c.all[*at]
		switch {
		case x.k != obj.K || b.forAnother(x.write, g):
		case x.body == obj.Body:
			return c.take(at)
		case added == nil && x.body != "" && begin(x.body) == begin(body) && b.mayStore(x.body, obj.Body): // not by the chance of a shared bucket
			added = at
		}
	}
	if added == nil {
		return None
	}
	return c.take(added)
}

// forAnother says that a write cannot have made what is shown: a create not an object that was there when it was called
// (which matters where another write may have made it), an update or patch not one of another uid, or of a
// resourceVersion that is not above the one it asked for; a delete not the mark of this object where the one that it
// asked for has been seen to be marked.
func (b *builder) forAnother(i int32, g glimpse) bool {
	w, uid := &b.Writes[i], b.uidIn(g)
	other := w.uid != 0 && uid != 0 && uid != w.uid
	switch {
	case w.acts == kindCreate:
		return uid != 0 && len(b.lost.changes.of(w.K)) > 0 && b.seenBefore(uid, w.Call)
	case w.mark == nil:
		return other || w.pre != 0 && g.n != 0 && g.n <= w.pre
	case !other:
		return false
	}
	for n := g.n - 1; n > 0; n-- {
		if at := b.placed(w.K, n); at != None && b.temp[at].uid == w.uid && b.temp[at].Obj != nil && IsDeleting(b.temp[at].Obj.Body) {
			return true
		}
	}
	return false
}

// mayStore says that a kind may have stored that: not each has a status.
func (b *builder) mayStore(sent, got string) bool {
	return Stored(sent, got) || StatusIn(sent) != "" && StatusIn(got) == "" && Stored(withStatus(sent, ""), got)
}

// take takes out the content to which a place points, and gives its write.
func (c *contents) take(at *int32) int32 {
	x := &c.all[*at]
	*at = x.next
	return x.write
}

// stores is the content that a write would store; of one to status that alone, of another all but that.
func (b *builder) stores(w *Write) string {
	body := b.H.Event(w.Call).Obj.Body
	switch {
	case w.mark != nil:
		return *w.mark
	case w.is(status):
		return StatusIn(body)
	case b.apart():
		return withStatus(body, "")
	}
	return body
}

// Stored says whether a content may be what came of the one that was sent. What
// is stored may have more than was sent: admission adds finalizers, and fills in
// what was left out. It has nothing less, and nothing else: more is a name with
// its value, as all parts of a content are.
func Stored(sent, got string) bool {
	if sent == got {
		return true
	}
	was, is := strings.Fields(sent), strings.Fields(got)
	return !slices.ContainsFunc(was, func(p string) bool { return !Has(got, p) }) &&
		!slices.ContainsFunc(is, func(p string) bool { return !strings.Contains(p, "=") && !slices.Contains(was, p) })
}

// Has says whether a content has a part of another: of finalizers each.
func Has(body, part string) bool {
	if slices.Contains(strings.Fields(body), part) {
		return true
	}
	want, there := FinalizersOf(part), FinalizersOf(body)
	return want != nil && !slices.ContainsFunc(want, func(f string) bool { return !slices.Contains(there, f) })
}
