package fuzz

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

// Pairs says which two values of different dimensions stories have put together. A nil Pairs has none.
type Pairs struct {
	Values []string `json:"values"` // each "dimension=value"
	Cells  []string `json:"cells"`  // Cells[i][j], j below i, is what became of Values[i] with Values[j]
	// Never has, by reason, which pairs cannot go together: i*(i-1)/2+j for Cells[i][j].
	Never map[string][]int `json:"never,omitempty"`
}

// The cells of Pairs, in the order of what is worth more.
const (
	same     = ' ' // both values are of one dimension
	never    = '#' // they cannot go together
	possible = '.'
	reached  = 'r' // a story had both, and their steps applied
	survived = 's' // and subject/survives alone tested events of both
	judged   = 'J' // and another rule did
)

const worth = string(same) + string(never) + string(possible) + string(reached) + string(survived) + string(judged)

// newPairs returns pairs of which none is reached; nil for none.
func newPairs(all []harness.Pair) *Pairs {
	if len(all) == 0 {
		return nil
	}
	p := &Pairs{Never: map[string][]int{}}
	at := map[string]int{}
	for _, pair := range all {
		for _, name := range []string{pair.A, pair.B} {
			if _, there := at[name]; !there {
				at[name] = len(p.Values)
				p.Values = append(p.Values, name)
			}
		}
	}
	cells := make([][]byte, len(p.Values))
	for i := range cells {
		cells[i] = []byte(strings.Repeat(string(same), i))
	}
	for _, pair := range all {
		a, b := max(at[pair.A], at[pair.B]), min(at[pair.A], at[pair.B])
		if cells[a][b] = possible; pair.Never != "" {
			cells[a][b] = never
			p.Never[pair.Never] = append(p.Never[pair.Never], a*(a-1)/2+b)
		}
	}
	for _, row := range cells {
		p.Cells = append(p.Cells, string(row))
	}
	return p
}

func (p *Pairs) clone() *Pairs {
	if p == nil {
		return nil
	}
	return &Pairs{slices.Clone(p.Values), slices.Clone(p.Cells), maps.Clone(p.Never)}
}

// Merge adds what others reached and judged. It does nothing if those are pairs of other values.
func (p *Pairs) Merge(other *Pairs) {
	if p == nil || other == nil || !slices.Equal(p.Values, other.Values) {
		return
	}
	for i, row := range p.Cells {
		now := []byte(row)
		for j := range now {
			now[j] = better(now[j], other.Cells[i][j])
		}
		p.Cells[i] = string(now)
	}
	for why, pairs := range p.Never { // the other target may have what the first cannot have
		p.Never[why] = slices.DeleteFunc(slices.Clone(pairs), func(n int) bool { return !p.never(n) })
	}
	maps.DeleteFunc(p.Never, func(_ string, pairs []int) bool { return len(pairs) == 0 })
}

// never reports whether a pair of Never cannot go together still.
func (p *Pairs) never(n int) bool {
	i := 1
	for ; n >= i; i++ {
		n -= i
	}
	return p.Cells[i][n] == never
}

func better(a, b byte) byte {
	if strings.IndexByte(worth, b) > strings.IndexByte(worth, a) {
		return b
	}
	return a
}

// at returns the cell of a pair; false: the two are no pair here.
func (p *Pairs) at(pair string) (i, j int, ok bool) {
	x, y, _ := strings.Cut(pair, story.And)
	i, j = slices.Index(p.Values, x), slices.Index(p.Values, y)
	return max(i, j), min(i, j), i >= 0 && j >= 0
}

// lack reports whether one of some pairs has not come so far.
func (p *Pairs) lack(pairs []string, as byte) bool {
	return slices.ContainsFunc(pairs, func(pair string) bool {
		i, j, ok := p.at(pair)
		return ok && p.Cells[i][j] != never && better(p.Cells[i][j], as) != p.Cells[i][j]
	})
}

// mark notes how far some pairs have come.
func (p *Pairs) mark(pairs []string, as byte) {
	for _, pair := range pairs {
		if i, j, ok := p.at(pair); ok {
			row := []byte(p.Cells[i])
			row[j] = better(row[j], as)
			p.Cells[i] = string(row)
		}
	}
}

// count returns how many pairs have come so far, or further.
func (p *Pairs) count(least byte) (n int) {
	for _, row := range p.Cells {
		for i := range row {
			if strings.IndexByte(worth, row[i]) >= strings.IndexByte(worth, least) {
				n++
			}
		}
	}
	return n
}

// open lists the pairs that have come so far and no further.
func (p *Pairs) open(as byte) (all []string) {
	for i, row := range p.Cells {
		for j := range row {
			if row[j] == as {
				all = append(all, p.Values[j]+story.And+p.Values[i])
			}
		}
	}
	return all
}

// lacks reports whether a story has a pair that no story has reached.
func (p *Pairs) lacks(s harness.Script) bool {
	values := map[string][]int32{}
	for _, step := range story.Of(s).Steps {
		for _, name := range step.Of {
			values[name] = nil
		}
	}
	return p.lack(story.PairsOf(values), reached)
}

// cover notes the pairs that a story reached, and judges each new one.
func (p *player) cover(s harness.Script, h *history.History) {
	values := p.of.Kind.Language.Cover(s, h)
	if len(values) < 2 {
		return
	}
	all := story.PairsOf(values)
	p.covered.mark(all, reached)
	if !p.covered.lack(all, judged) {
		return
	}
	strong, weak := story.Judged(h, values, p.judgements)
	p.covered.mark(strong, judged)
	p.covered.mark(weak, survived)
}

// judgements returns what each rule that a history tests says of it.
func (p *player) judgements(h *history.History) map[string]string {
	out := map[string]string{}
	for _, rr := range p.of.Kind.Judge(harness.Info{Name: "story"}, h).Rules {
		if rr.Tested > 0 {
			out[rr.Rule] = fmt.Sprint(rr.Verdict, rr.Tested, rr.Failures)
		}
	}
	return out
}

// shownPairs is how many pairs that no rule judged the text of a covering set names.
const shownPairs = 20

func (p *Pairs) text(b *strings.Builder, whole bool) {
	if p == nil {
		return
	}
	n, j, strong := p.count(possible), p.count(survived), p.count(judged)
	share := func(part int) float64 { return 100 * float64(part) / float64(max(n, 1)) }
	fmt.Fprintf(b, "pairs  %d possible, %d reached, %d judged (%.1f %%), %d of them by more than subject/survives (%.1f %%); %d cannot go together\n",
		n, p.count(reached), j, share(j), strong, share(strong), p.count(never)-n)
	if !whole {
		return
	}
	for _, why := range slices.SortedFunc(maps.Keys(p.Never), func(a, b string) int { return cmp.Or(len(p.Never[b])-len(p.Never[a]), strings.Compare(a, b)) }) {
		fmt.Fprintf(b, "never  %d pairs: %s\n", len(p.Never[why]), why)
	}
	for as, what := range map[byte]string{possible: "not reached", reached: "not judged"} {
		open := p.open(as)
		for _, pair := range open[:min(len(open), shownPairs)] {
			fmt.Fprintf(b, "%s  %s\n", what, pair)
		}
		if more := len(open) - shownPairs; more > 0 {
			fmt.Fprintf(b, "%s  and %d more: see the report\n", what, more)
		}
	}
}
