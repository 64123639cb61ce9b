package story

import (
	"slices"

	"github.com/lwtest/lwtest/harness"
)

// Drawing says how random stories use a word.
type Drawing struct {
	Weight int // how often, beside the other words
	// Draw chooses all fields of a step but Op. Nil: it has none.
	Draw func(harness.Choices) Step
}

// Random sets how random stories use the words: those that all does not name are never used. begin and end make what such
// a story begins and ends with, and may be nil. Random returns v; it panics if there is no such word.
func (v *Vocabulary[W]) Random(all map[string]Drawing, begin, end func(harness.Choices) []Step) *Vocabulary[W] {
	v.random, v.begin, v.end = all, begin, end
	for name, d := range all {
		if _, ok := v.words[name]; !ok {
			panic(v.unknown(name))
		}
		v.weights += d.Weight
	}
	return v
}

// Pick returns one of all.
func Pick[T any](c harness.Choices, all ...T) T { return all[c.IntN(len(all))] }

// Chance reports true once in n times on average.
func Chance(c harness.Choices, n int) bool { return c.IntN(n) == 0 }

// Draw implements harness.Language.
func (v *Vocabulary[W]) Draw(c harness.Choices, steps int) harness.Script {
	next, records := c.(interface{ Next() })
	var between []Step
	for range steps {
		if records {
			next.Next()
		}
		between = append(between, v.drawStep(c))
	}
	all := between
	if v.begin != nil {
		all = slices.Concat(v.begin(c), all)
	}
	if v.end != nil {
		all = slices.Concat(all, v.end(c))
	}
	return v.Script(Story{Kind: v.kind, Steps: all})
}

func (v *Vocabulary[W]) drawStep(c harness.Choices) (s Step) {
	n := c.IntN(v.weights)
	for _, name := range v.order {
		d := v.random[name]
		if n -= d.Weight; n >= 0 {
			continue
		}
		if d.Draw != nil {
			s = d.Draw(c)
		}
		s.Op = name
		return s
	}
	panic("unreachable: the weights are fewer than their sum")
}

// Bytes makes choices from bytes: those of a fuzzing engine, which changes them to reach other code. Each step of a story
// gets a record of its own, so that a change of one step leaves the others alone. Where no bytes are left, each choice is
// the first.
type Bytes struct {
	data []byte
	at   int // in the record
}

const record = 12 // bytes

// NewBytes makes choices from data.
func NewBytes(data []byte) *Bytes { return &Bytes{data: data} }

// Next begins the next record.
func (b *Bytes) Next() {
	if b.at > 0 || len(b.data) > 0 {
		b.data = b.data[min(record, len(b.data)):]
	}
	b.at = 0
}

// IntN implements harness.Choices.
func (b *Bytes) IntN(n int) int {
	width := 1
	if n > 1<<8 {
		width = 2
	}
	v := 0
	for range width {
		v <<= 8
		if b.at < min(record, len(b.data)) {
			v |= int(b.data[b.at])
		}
		b.at++
	}
	return v % n
}
