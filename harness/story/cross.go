package story

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// Cross is what a kind combines systematically: its dimensions, and how one value of each becomes a story.
type Cross struct {
	Dimensions []Dimension
	Never      []Never
	// Story makes the parts of a story from a row. The first part is the scene: values that have no part of their own are
	// counted as those of its first step.
	Story func(Row) []Part
	// Shown returns the events that show what a step did, where these are not the ones that follow it: a step may wait for its moment.
	// If there are none, the step's values are not reached. Nil: those between the step and the next.
	Shown func(h *history.History, step *history.Step) []int32
}

// Dimension is one thing in which stories differ: which call, how it fails, what object, at which moment.
type Dimension struct {
	Name   string
	Values []Value // the first goes with every value of the others that the target can have
	// Seen reports whether an event shows a value of the dimension, beside the events of the value's own steps: a request that
	// a fault struck, for example. Nil: no other does.
	Seen func(*history.Event) bool
	// OnlySeen says that a value is reached only if Seen reports an event: a fault that no request met was not.
	OnlySeen bool
}

// Value is one value of a dimension. With is what Cross.Story makes of it.
type Value struct {
	Name   string
	With   any
	Needs  []harness.Feature // beside what the words of its steps need; "!x": a target with the feature x cannot have the value
	Absent bool              // it is the absence of something, and so no event shows it
	// Met reports whether the value had an effect, for example whether a kill met a call that was under way. nums are the events that show
	// the value. The value counts as reached only if Met is nil or returns true.
	Met func(h *history.History, nums []int32) bool
}

// Never says that some pairs of values cannot go together, and why. A and B are "dimension=value", with patterns of path.Match.
type Never struct{ A, B, Why string }

// Row is one value for each dimension, by the dimension's name.
type Row map[string]Value

// With returns what Cross.Story makes of a row's value; the zero T if that is something else.
func With[T any](r Row, dimension string) T {
	x, _ := r[dimension].With.(T)
	return x
}

// Part is some steps of a story, and the dimensions whose values they show.
type Part struct {
	Of    []string
	Steps []Step
}

// Scene returns steps that show no value by themselves.
func Scene(steps ...Step) Part { return Part{Steps: steps} }

// Shows returns steps that show the value of a dimension.
func Shows(dimension string, steps ...Step) Part { return Part{[]string{dimension}, steps} }

// Cross sets what the kind combines. It panics if two values have one name, or a row has no steps. It returns v.
func (v *Vocabulary[W]) Cross(x Cross) *Vocabulary[W] {
	seen := map[string]bool{}
	for _, d := range x.Dimensions {
		for _, value := range d.Values {
			if name := d.Name + "=" + value.Name; seen[name] {
				panic("two values are called " + name)
			} else {
				seen[name] = true
			}
		}
	}
	v.cross = &x
	return v
}

// names returns the values of a row as "dimension=value", in the order of the dimensions. A dimension may have none: -1.
func (x *Cross) names(row []int) (all []string) {
	for i, d := range x.Dimensions {
		if row[i] >= 0 {
			all = append(all, d.Name+"="+d.Values[row[i]].Name)
		}
	}
	return all
}

// steps makes the steps of a row, each with the values that it shows.
func (x *Cross) steps(row []int) (all []Step) {
	values, rest := Row{}, map[string]string{}
	for i, d := range x.Dimensions {
		if values[d.Name] = d.Values[max(row[i], 0)]; row[i] >= 0 {
			rest[d.Name] = d.Name + "=" + d.Values[row[i]].Name
		}
	}
	shown := map[string]bool{}
	for _, p := range x.Story(values) {
		for _, s := range p.Steps {
			s.Of = nil
			for _, d := range p.Of {
				if rest[d] != "" {
					s.Of, shown[d] = append(s.Of, rest[d]), true
				}
			}
			all = append(all, s)
		}
	}
	for _, d := range x.Dimensions {
		if !shown[d.Name] && rest[d.Name] != "" && len(all) > 0 {
			all[0].Of = append(all[0].Of, rest[d.Name])
		}
	}
	return all
}

// never returns why two values cannot go together, or "".
func (x *Cross) never(a, b string) string {
	is := func(pattern, name string) bool { ok, err := path.Match(pattern, name); return ok && err == nil }
	for _, n := range x.Never {
		if is(n.A, a) && is(n.B, b) || is(n.A, b) && is(n.B, a) {
			return n.Why
		}
	}
	return ""
}

// And stands between the two values of a pair.
const And = " × "

// PairOf names a pair of values; the order of the two does not matter.
func PairOf(a, b string) string {
	if b < a {
		a, b = b, a
	}
	return a + And + b
}

// Pairs implements harness.Language.
func (v *Vocabulary[W]) Pairs(has []harness.Feature) (all []harness.Pair) {
	if v.cross == nil {
		return nil
	}
	lacks := v.lacking(has)
	for i, d := range v.cross.Dimensions {
		for j := range v.cross.Dimensions[:i] {
			for _, a := range v.cross.Dimensions[j].Values {
				for _, b := range d.Values {
					a, b := v.cross.Dimensions[j].Name+"="+a.Name, d.Name+"="+b.Name
					why := v.cross.never(a, b)
					for _, one := range []string{a, b} {
						if f := lacks[one]; why == "" && f != "" {
							why = one + " " + wants(f)
						}
					}
					all = append(all, harness.Pair{A: a, B: b, Never: why})
				}
			}
		}
	}
	return all
}

// wants says that a value needs a feature, or a target without it.
func wants(f harness.Feature) string {
	if name, without := strings.CutPrefix(string(f), "!"); without {
		return "needs a target without the feature " + name
	}
	return "needs the feature " + string(f)
}

// lacking returns, for each value that a target cannot have, a feature that it lacks, or with "!" one that it has.
func (v *Vocabulary[W]) lacking(has []harness.Feature) map[string]harness.Feature {
	out := map[string]harness.Feature{}
	for i, d := range v.cross.Dimensions {
		for j := range d.Values {
			row := make([]int, len(v.cross.Dimensions))
			row[i] = j
			name, needs := d.Name+"="+d.Values[j].Name, slices.Clone(d.Values[j].Needs)
			for _, s := range v.cross.steps(row) {
				if slices.Contains(s.Of, name) && s.Op != joinWord && len(s.When) == 0 { // one with a condition may be left out
					needs = append(needs, v.words[s.Op].needs(s)...)
				}
			}
			for _, f := range needs {
				feature, without := strings.CutPrefix(string(f), "!")
				if slices.Contains(has, harness.Feature(feature)) == without {
					out[name] = f
					break
				}
			}
		}
	}
	return out
}

// crossed are the rows that were planned, by what they were planned for.
type crossed struct {
	mu   sync.Mutex
	rows map[string][][]int
}

// Crossed implements harness.Language.
func (v *Vocabulary[W]) Crossed(has []harness.Feature, strength int, seed int64) (int, func(i int) harness.Script) {
	if v.cross == nil {
		return 0, nil
	}
	v.crossed.mu.Lock()
	defer v.crossed.mu.Unlock()
	key := fmt.Sprint(has, strength, seed)
	rows, ok := v.crossed.rows[key]
	if !ok {
		rows = v.rows(has, strength, seed)
		v.crossed.rows[key] = rows
	}
	return len(rows), func(i int) harness.Script {
		return v.Script(Story{Kind: v.kind, About: strings.Join(v.cross.names(rows[i]), ", "), Steps: v.cross.steps(rows[i])})
	}
}

func (v *Vocabulary[W]) rows(has []harness.Feature, strength int, seed int64) [][]int {
	x, lacks := v.cross, v.lacking(has)
	var sizes []int
	var names [][]string
	for _, d := range x.Dimensions {
		var all []string
		for _, value := range d.Values {
			all = append(all, d.Name+"="+value.Name)
		}
		sizes, names = append(sizes, len(all)), append(names, all)
	}
	never := map[[4]int]bool{}
	for d1 := range sizes {
		for d2 := range sizes {
			for v1, a := range names[d1] {
				for v2, b := range names[d2] {
					if lacks[a] != "" || lacks[b] != "" || d1 != d2 && x.never(a, b) != "" {
						never[[4]int{d1, v1, d2, v2}] = true
					}
				}
			}
		}
	}
	return cover(sizes, min(strength, len(sizes)), func(d1, v1, d2, v2 int) bool { return never[[4]int{d1, v1, d2, v2}] }, rand.New(rand.NewPCG(uint64(seed), 0)))
}

// cover returns rows, each with one value for each dimension, so that every combination of the values of strength dimensions that
// can go together is in one of them at least. never reports whether two values cannot; of one value of one dimension, whether it
// must not be used at all. Where no value of a dimension goes with the others of a row, the row has -1 for it. Equal choices make
// equal rows.
func cover(sizes []int, strength int, never func(d1, v1, d2, v2 int) bool, c harness.Choices) (rows [][]int) {
	k := &covering{sizes: sizes, never: never, choices: c}
	k.combine(nil, 0, strength)
	for i := range k.combos {
		set := &k.combos[i]
		for n := range set.open {
			if !set.open[n] {
				continue
			}
			row := k.row(set.dims, n)
			rows = append(rows, row)
			for j := range k.combos {
				k.combos[j].close(row, sizes)
			}
		}
	}
	return rows
}

// covering is the work of cover.
type covering struct {
	sizes   []int
	never   func(d1, v1, d2, v2 int) bool
	choices harness.Choices
	combos  []combo
	of      [][]int // for each dimension, the combos that it is in
}

// combo is some dimensions, and which combinations of their values no row has yet.
type combo struct {
	dims []int
	open []bool // by the number of the combination
}

// number returns the number of a row's combination; false: the row lacks one of the dimensions.
func (s *combo) number(row, sizes []int) (n int, ok bool) {
	for _, d := range s.dims {
		if row[d] < 0 {
			return 0, false
		}
		n = n*sizes[d] + row[d]
	}
	return n, true
}

func (s *combo) close(row, sizes []int) {
	if n, ok := s.number(row, sizes); ok {
		s.open[n] = false
	}
}

// set writes the nth combination into a row.
func (s *combo) set(row []int, n int, sizes []int) {
	for _, d := range slices.Backward(s.dims) {
		row[d], n = n%sizes[d], n/sizes[d]
	}
}

// combine makes the combos of so many more dimensions, from one on.
func (k *covering) combine(dims []int, from, more int) {
	if k.of == nil {
		k.of = make([][]int, len(k.sizes))
	}
	if more == 0 {
		k.add(slices.Clone(dims))
		return
	}
	for d := from; d < len(k.sizes); d++ {
		k.combine(append(dims, d), d+1, more-1)
	}
}

func (k *covering) add(dims []int) {
	s := combo{dims: dims}
	n := 1
	for _, d := range dims {
		n *= k.sizes[d]
		k.of[d] = append(k.of[d], len(k.combos))
	}
	row := k.empty()
	for i := range n {
		s.set(row, i, k.sizes)
		s.open = append(s.open, k.fits(row, dims))
	}
	k.combos = append(k.combos, s)
}

func (k *covering) empty() []int { return slices.Repeat([]int{-1}, len(k.sizes)) }

// fits reports whether the values of some dimensions of a row go together.
func (k *covering) fits(row, dims []int) bool {
	for i, a := range dims {
		for _, b := range dims[:i+1] {
			if k.never(a, row[a], b, row[b]) {
				return false
			}
		}
	}
	return true
}

// row makes a row that has a combination, and as many others that no row has as it can find greedily.
func (k *covering) row(dims []int, n int) []int {
	row := k.empty()
	k.at(dims, n, row)
	for d := range k.sizes {
		if row[d] >= 0 {
			continue
		}
		best, from := -1, k.choices.IntN(k.sizes[d])
		for i := range k.sizes[d] {
			v := (from + i) % k.sizes[d]
			if gain := k.gain(row, d, v); gain > best {
				best, row[d] = gain, v
			}
		}
	}
	return row
}

func (k *covering) at(dims []int, n int, row []int) {
	s := combo{dims: dims}
	s.set(row, n, k.sizes)
}

// gain returns how many combinations that no row has a value would add to a row; -1: it does not go with the row.
func (k *covering) gain(was []int, d, v int) (gain int) {
	row := slices.Clone(was)
	row[d] = v
	for e := range row {
		if row[e] >= 0 && k.never(d, v, e, row[e]) {
			return -1
		}
	}
	for _, i := range k.of[d] {
		if n, ok := k.combos[i].number(row, k.sizes); ok && k.combos[i].open[n] {
			gain++
		}
	}
	return gain
}
