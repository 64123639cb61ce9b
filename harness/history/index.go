package history

import (
	"fmt"
	"math"
)

// Brief holds, in 32 bytes, what rules ask of every event. A rule that goes through a whole history reads the briefs
// and only the few events that matter.
type Brief struct {
	Call     int32
	K, N     int32  // of Obj
	UID      int32  // number of Obj.UID in the history, from 1; 0: none
	Labels   int32  // one more than the ID of Obj.Labels; 0: none
	Fields   int32  // the same of Obj.Fields
	Kind     uint16 // index into Kinds
	Code     uint16 // HTTP code of the error
	Phase    Phase
	Failed   Failure
	HasExt   bool // X is not nil
	returned bool // the call has a return
}

// Failure says whether an event has an error, and whether that is definite.
type Failure uint8

const (
	NoFailure Failure = iota
	SomeFailure
	DefiniteFailure
)

// indexer sets K and N of every object and makes the briefs. It checks that each return follows a call of its own and
// that no call returns twice.
type indexer struct {
	briefs  []Brief
	keys    texts
	kinds   texts
	uids    texts
	last    []known // by K
	ranks   ranks
	sets    int32
	listing []int32 // numbers of the events with items
}

// texts numbers texts in the order in which they first occur.
type texts struct {
	all     []string
	numbers map[string]int32
}

func (t *texts) number(s string) int32 {
	n, ok := t.numbers[s]
	if !ok {
		if t.numbers == nil {
			t.numbers = map[string]int32{}
		}
		n = int32(len(t.all))
		t.numbers[s], t.all = n, append(t.all, s)
	}
	return n
}

// known is the last uid that was seen of a key. A key's uid rarely changes, so this saves nearly all look-ups.
type known struct {
	uid    string
	number int32
}

func newIndexer(events int) indexer {
	ix := indexer{briefs: make([]Brief, 0, events)}
	ix.keys.number("")
	ix.uids.number("")
	ix.last = make([]known, 1)
	return ix
}

// add indexes the last of the events.
func (ix *indexer) add(events []Event) error {
	e := &events[len(events)-1]
	ix.object(&e.Obj)
	b := Brief{Call: e.Call, K: e.Obj.K, N: e.Obj.N, UID: ix.uid(&e.Obj), Labels: setOf(e.Obj.Labels), Fields: setOf(e.Obj.Fields), Phase: e.Phase}
	kind := ix.kinds.number(e.Kind)
	if kind > math.MaxUint16 {
		return fmt.Errorf("event #%d: more than %d kinds of event", e.Num, math.MaxUint16)
	}
	b.Kind = uint16(kind)
	if e.X != nil {
		b.HasExt = true
		ix.ext(&b, e)
	}
	ix.briefs = append(ix.briefs, b)
	return ix.pair(events)
}

func (ix *indexer) ext(b *Brief, e *Event) {
	if err := e.X.Err; err != nil {
		b.Failed, b.Code = SomeFailure, uint16(min(max(err.Code, 0), math.MaxUint16))
		if err.Definite {
			b.Failed = DefiniteFailure
		}
	}
	if len(e.X.Items) > 0 {
		ix.listing = append(ix.listing, e.Num)
	}
	for i := range e.X.Items {
		ix.object(&e.X.Items[i])
		ix.uid(&e.X.Items[i])
	}
}

func (ix *indexer) uid(r *Ref) int32 {
	if r.UID == "" {
		return 0
	}
	for len(ix.last) < len(ix.keys.all) {
		ix.last = append(ix.last, known{})
	}
	l := &ix.last[r.K]
	if l.uid != r.UID {
		*l = known{r.UID, ix.uids.number(r.UID)}
	}
	return l.number
}

// object sets K of an object. It sets N to a slot, which finish replaces by the rank.
func (ix *indexer) object(r *Ref) {
	r.K, r.N = 0, 0
	if r.Key != "" {
		r.K = ix.keys.number(r.Key)
	}
	if r.RV != "" {
		r.N = ix.ranks.slot(r.RV)
	}
	ix.sets = max(ix.sets, setOf(r.Labels), setOf(r.Fields))
}

// setOf returns one more than the ID of a set, or 0 for nil.
func setOf(s *Set) int32 {
	if s == nil {
		return 0
	}
	return s.ID + 1
}

func (ix *indexer) pair(events []Event) error {
	e := &events[len(events)-1]
	switch {
	case e.Call < 0 || e.Call >= e.Num && e.Call != 0:
		return fmt.Errorf("event #%d belongs to call #%d, which is not before it", e.Num, e.Call)
	case e.Phase == Return && e.Call == 0:
		return fmt.Errorf("event #%d is a return without a call: set \"call\" to the number of its call event", e.Num)
	case e.Call == 0:
		return nil
	}
	b := &ix.briefs[e.Call-1]
	switch {
	case b.Phase != Call:
		return fmt.Errorf("event #%d belongs to #%d, which is a %s and not a call", e.Num, e.Call, b.Phase)
	case e.Phase != Return:
		return nil
	case b.returned:
		return fmt.Errorf("event #%d: call #%d has returned before", e.Num, e.Call)
	}
	b.returned = true
	if c := &events[e.Call-1]; c.Actor != e.Actor || c.Kind != e.Kind {
		return fmt.Errorf("event #%d is the return of %s by %s, but call #%d is %s by %s", e.Num, e.Kind, e.Actor, c.Num, c.Kind, c.Actor)
	}
	return nil
}

// finish returns the history of the events, which must all have been added.
func (ix *indexer) finish(h Header, events []Event) *History {
	pages := ix.ranks.count()
	for i := range ix.briefs {
		if b := &ix.briefs[i]; b.N != 0 {
			b.N = ix.ranks.rank(b.N)
			events[i].Obj.N = b.N
		}
	}
	for _, num := range ix.listing {
		items := events[num-1].X.Items
		for i := range items {
			if r := &items[i]; r.N != 0 {
				r.N = ix.ranks.rank(r.N)
			}
		}
	}
	return &History{Header: h, Events: events, briefs: ix.briefs, keys: ix.keys, uids: ix.uids.numbers, kinds: ix.kinds.all, pages: pages, sets: int(ix.sets)}
}
