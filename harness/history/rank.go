package history

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Comparable reports whether a resourceVersion can be ordered: a decimal integer
// above 0, without sign or leading zeros, of any length (KEP-5504).
func Comparable(s string) bool {
	_, ok := parseRV(s)
	return ok
}

// CompareRV orders two comparable resourceVersions.
func CompareRV(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) }

// lowDigits are as many as fit a machine word.
const lowDigits = 18

// number is a comparable resourceVersion: its last digits as a value, and
// those before them as text, which hardly any has.
type number struct {
	high string
	low  uint64
}

func parseRV(s string) (number, bool) {
	if s == "" || s[0] == '0' {
		return number{}, false
	}
	n := number{}
	if cut := len(s) - lowDigits; cut > 0 {
		n.high = s[:cut]
	}
	for i := range len(s) {
		d := s[i] - '0'
		if d > 9 {
			return number{}, false
		}
		if i >= len(n.high) {
			n.low = n.low*10 + uint64(d)
		}
	}
	return n, true
}

func (n number) String() string {
	if n.high == "" {
		return strconv.FormatUint(n.low, 10)
	}
	return fmt.Sprintf("%s%0*d", n.high, lowDigits, n.low)
}

func compare(a, b number) int { return cmp.Or(CompareRV(a.high, b.high), cmp.Compare(a.low, b.low)) }

// perPage is how many consecutive numbers share a page.
const perPage = 64

// page says which of the numbers from first on occur in a history.
type page struct {
	first  number
	bits   uint64
	before int32 // how many there are on smaller pages
}

// upto is how many numbers there are at or before the one at this place on the page.
func (p *page) upto(place uint64) int32 {
	return p.before + int32(bits.OnesCount64(p.bits<<(perPage-1-place)))
}

// ranks orders the resourceVersions of a history. They come nearly in order
// and close together, so that one page follows another, and neither a table of
// all of them nor sorting them is needed.
type ranks struct {
	pages  []page // the first is of no number
	index  map[number]int32
	recent [64]int32 // pages, by a part of their numbers: spares most look-ups in index
}

// maxPages is how many a slot can tell apart.
const maxPages = 1 << 31 / perPage

// slot is where a resourceVersion is until all are known, 0 if it is not comparable.
func (r *ranks) slot(rv string) int32 {
	n, ok := parseRV(rv)
	if !ok {
		return 0
	}
	place := n.low % perPage
	near := &r.recent[n.low/perPage%uint64(len(r.recent))]
	n.low -= place
	if *near == 0 || r.pages[*near].first != n {
		*near = r.page(n)
	}
	r.pages[*near].bits |= 1 << place
	return *near*perPage + int32(place)
}

func (r *ranks) page(first number) int32 {
	if i, ok := r.index[first]; ok {
		return i
	}
	if r.index == nil {
		r.index, r.pages = map[number]int32{}, make([]page, 1)
	}
	i := int32(len(r.pages))
	if i == maxPages {
		panic("history: too many resourceVersions")
	}
	r.index[first] = i
	r.pages = append(r.pages, page{first: first})
	return i
}

// count tells each page how many numbers lie before it; then rank may be
// asked. It gives the pages in order.
func (r *ranks) count() []page {
	order := make([]*page, 0, len(r.pages))
	for i := 1; i < len(r.pages); i++ {
		order = append(order, &r.pages[i])
	}
	slices.SortFunc(order, func(a, b *page) int { return compare(a.first, b.first) })
	n, sorted := int32(0), make([]page, 0, len(order))
	for _, p := range order {
		p.before = n
		n = p.upto(perPage - 1)
		sorted = append(sorted, *p)
	}
	return sorted
}

// rank is that of the resourceVersion in a slot.
func (r *ranks) rank(slot int32) int32 { return r.pages[slot/perPage].upto(uint64(slot % perPage)) }

// Ranks is one more than the largest N.
func (h *History) Ranks() int {
	if len(h.pages) == 0 {
		return 1
	}
	return int(h.pages[len(h.pages)-1].upto(perPage-1)) + 1
}

// RV is the text of rank n.
func (h *History) RV(n int32) string {
	i, _ := slices.BinarySearchFunc(h.pages, n, func(p page, n int32) int { return cmp.Compare(p.before, n) })
	if n == 0 {
		return ""
	}
	p := h.pages[i-1]
	for range n - p.before - 1 {
		p.bits &= p.bits - 1 // without its lowest
	}
	p.first.low += uint64(bits.TrailingZeros64(p.bits))
	return p.first.String()
}

// Floor is the rank of the largest resourceVersion of the history that is not
// above s: an object's N is larger than it exactly when its RV is larger than
// s. ok is false when s is not comparable.
func (h *History) Floor(s string) (n int32, ok bool) {
	v, ok := parseRV(s)
	if !ok {
		return 0, false
	}
	place := v.low % perPage
	v.low -= place
	i, found := slices.BinarySearchFunc(h.pages, v, func(p page, v number) int { return compare(p.first, v) })
	switch {
	case found:
		return h.pages[i].upto(place), true
	case i == 0:
		return 0, true
	}
	return h.pages[i-1].upto(perPage - 1), true
}
