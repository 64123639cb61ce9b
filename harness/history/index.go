package history

import (
	"cmp"
	"slices"
	"strings"
)

// rv is a resourceVersion that can be compared: a decimal integer above 0
// without leading zeros, of any length (KEP-5504).
type rv struct{ text string }

func compareRV(a, b rv) int {
	return cmp.Or(cmp.Compare(len(a.text), len(b.text)), strings.Compare(a.text, b.text))
}

// Comparable says whether a resourceVersion can be ordered: a decimal integer
// above 0, without sign or leading zeros.
func Comparable(s string) bool {
	if s == "" || s[0] == '0' {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// CompareRV orders two comparable resourceVersions.
func CompareRV(a, b string) int { return compareRV(rv{a}, rv{b}) }

// index fills K and N of every object, and the views by actor.
func (h *History) index() {
	ix := indexer{keys: map[string]int32{"": 0}, ranks: map[string]int32{"": 0}}
	h.keys, h.rvs = []string{""}, []rv{{}}
	h.eachRef(func(r *Ref) { ix.collect(h, r) })
	slices.SortFunc(h.rvs[1:], compareRV)
	for n, v := range h.rvs {
		ix.ranks[v.text] = int32(n)
	}
	h.eachRef(func(r *Ref) {
		r.N = ix.ranks[r.RV]
	})
	h.sets, h.numbers = int(ix.sets), ix.keys
	h.split()
}

type indexer struct {
	keys  map[string]int32
	ranks map[string]int32
	sets  int32
	last  string // objects of one write follow each other: most look-ups end here
}

func (ix *indexer) collect(h *History, r *Ref) {
	k, ok := ix.keys[r.Key]
	if !ok {
		k = int32(len(h.keys))
		ix.keys[r.Key] = k
		h.keys = append(h.keys, r.Key)
	}
	r.K = k
	for _, s := range [...]*Set{r.Labels, r.Fields} {
		if s != nil {
			ix.sets = max(ix.sets, s.ID+1)
		}
	}
	if r.RV == ix.last || !Comparable(r.RV) {
		return
	}
	ix.last = r.RV
	if _, ok := ix.ranks[r.RV]; !ok {
		ix.ranks[r.RV] = 0
		h.rvs = append(h.rvs, rv{r.RV})
	}
}

func (h *History) eachRef(f func(*Ref)) {
	for i := range h.Events {
		e := &h.Events[i]
		f(&e.Obj)
		if e.X != nil {
			for j := range e.X.Items {
				f(&e.X.Items[j])
			}
		}
	}
}

// split lays the events out by actor: a judge that reads one actor runs
// through contiguous memory.
func (h *History) split() {
	count := map[string]int{}
	for i := range h.Events {
		a := h.Events[i].Actor
		if count[a] == 0 {
			h.actors = append(h.actors, a)
		}
		count[a]++
	}
	all := make([]Event, len(h.Events))
	h.by = make(map[string][]Event, len(h.actors))
	at := 0
	for _, a := range h.actors {
		h.by[a] = all[at : at : at+count[a]]
		at += count[a]
	}
	for i := range h.Events {
		e := &h.Events[i]
		h.by[e.Actor] = append(h.by[e.Actor], *e)
	}
}

// Floor is the rank of the largest resourceVersion of the history that is not
// above s: an object's N is larger than it exactly when its RV is larger than
// s. ok is false when s is not comparable.
func (h *History) Floor(s string) (n int32, ok bool) {
	if !Comparable(s) {
		return 0, false
	}
	i, found := slices.BinarySearchFunc(h.rvs[1:], rv{s}, compareRV)
	if !found {
		i--
	}
	return int32(i + 1), true
}
