package history

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Comparable reports whether a resourceVersion can be ordered: a decimal integer above 0 without sign or leading
// zeros, of any length (KEP-5504).
func Comparable(s string) bool {
	_, ok := parseRV(s)
	return ok
}

// CompareRV compares two comparable resourceVersions, as cmp.Compare does.
func CompareRV(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) }

// lowDigits is how many decimal digits fit a machine word.
const lowDigits = 18

// number is a comparable resourceVersion: its last digits as a value, and the digits before them as text, which is
// nearly always empty.
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

// page says which of the perPage numbers from first on occur in a history.
type page struct {
	first  number
	bits   uint64
	before int32 // how many numbers lie on pages before this one
}

// upto returns how many numbers of the history are at most the one at this place on the page.
func (p *page) upto(place uint64) int32 {
	return p.before + int32(bits.OnesCount64(p.bits<<(perPage-1-place)))
}

// ranks orders the resourceVersions of a history. These come nearly in order and close together, so it needs neither a
// table of all of them nor sorting.
type ranks struct {
	pages  []page // the first is not used
	index  map[number]int32
	recent [64]int32 // recently used pages, by a part of their numbers; saves most look-ups in index
}

// maxPages is how many pages the slots can number.
const maxPages = 1 << 31 / perPage

// slot returns the place of a resourceVersion, from which rank finds its rank later. It is 0 if rv is not comparable.
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

// count sets each page's before, after which rank may be called. It returns the pages in order.
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

// rank returns the rank of the resourceVersion in a slot.
func (r *ranks) rank(slot int32) int32 { return r.pages[slot/perPage].upto(uint64(slot % perPage)) }

// Ranks returns one more than the largest N.
func (h *History) Ranks() int {
	if len(h.pages) == 0 {
		return 1
	}
	return int(h.pages[len(h.pages)-1].upto(perPage-1)) + 1
}

// RV returns the resourceVersion of rank n, or "" for 0.
func (h *History) RV(n int32) string {
	i, _ := slices.BinarySearchFunc(h.pages, n, func(p page, n int32) int { return cmp.Compare(p.before, n) })
	if n == 0 {
		return ""
	}
	p := h.pages[i-1]
	for range n - p.before - 1 {
		p.bits &= p.bits - 1 // drops the lowest bit
	}
	p.first.low += uint64(bits.TrailingZeros64(p.bits))
	return p.first.String()
}

// Floor returns the rank of the largest resourceVersion of the history that is at most s, or 0 if there is none. An
// object's RV is larger than s exactly if its N is larger than n. ok is false if s is not comparable.
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
