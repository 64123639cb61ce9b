package story

import (
	"github.com/lwtest/lwtest/harness"
)

// Drawing says how random stories use a word.
type Drawing struct {
	Weight int // how often, beside the other words
	// Draw chooses all fields of a step but Op. Nil: it has none.
	Draw func(harness.Choices) Step
	Slow bool // it takes long in real time, and so is not played there
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
	var all []Step
	part := func(record int, draw func(harness.Choices) []Step) {
		if draw == nil {
			return
		}
		if records, ok := c.(*Bytes); ok {
			records.next(record)
		}
		all = append(all, draw(c)...)
	}
	salt := uint64(0) // 0: the story is not narrow
	narrowly := func(draw func(harness.Choices) []Step) func(harness.Choices) []Step {
		if draw == nil || salt == 0 {
			return draw
		}
		return func(c harness.Choices) []Step { return draw(narrowed{c, salt}) }
	}
	part(saltLen, func(c harness.Choices) []Step {
		if !Chance(c, 2) {
			salt = uint64(1 + c.IntN(1<<16-1))
		}
		return nil
	})
	part(endLen, narrowly(v.begin))
	for range steps {
		part(recordLen, narrowly(v.drawStep))
	}
	part(endLen, v.end)
	return v.Script(Story{Kind: v.kind, Steps: all})
}

func (v *Vocabulary[W]) drawStep(c harness.Choices) []Step {
	out := func(int) bool { return false }
	if narrow, ok := c.(narrowed); ok {
		out = narrow.out
	}
	weights := v.weights
	for i, name := range v.order {
		if out(i) {
			weights -= v.random[name].Weight
		}
	}
	if weights == 0 {
		weights, out = v.weights, func(int) bool { return false }
	}
	n := c.IntN(weights)
	for i, name := range v.order {
		d := v.random[name]
		if out(i) {
			continue
		}
		if n -= d.Weight; n >= 0 {
			continue
		}
		var s Step
		if d.Draw != nil {
			s = d.Draw(c)
		}
		s.Op = name
		return []Step{s}
	}
	panic("unreachable: the weights are fewer than their sum")
}

// narrowed makes the choices of a narrow story, which has about half of the words, objects and arguments that there are, and so
// repeats and combines those that it has. Every second story is one.
type narrowed struct {
	harness.Choices
	salt uint64 // says which
}

// few is up to how many ways a choice is narrowed.
const few = 32

// IntN implements harness.Choices. Of two choices among as many, the same are left out.
func (c narrowed) IntN(n int) int {
	v := c.Choices.IntN(n)
	for i := 0; n <= few && i < n; i++ {
		if w := (v + i) % n; !c.out(n<<8 | w) {
			return w
		}
	}
	return v
}

// out reports whether the story does without something.
func (c narrowed) out(what int) bool {
	h := (c.salt<<32 | uint64(what)) * 0x9e3779b97f4a7c15 // SplitMix64, shortened
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	return (h^h>>27)>>63 == 0
}

// Bytes makes choices from bytes: those of a fuzzing engine, which changes them to reach other code. Each step of a story
// gets a record of its own, so that a change of one step leaves the others alone. Where no bytes are left, each choice is
// the first.
type Bytes struct {
	record, rest []byte
}

const (
	saltLen   = 4  // bytes that say whether a story is narrow, and how
	recordLen = 12 // bytes of a step
	endLen    = 48 // of what a story begins with, and of what it ends with: several steps
)

// NewBytes makes choices from data.
func NewBytes(data []byte) *Bytes { return &Bytes{rest: data} }

// next begins the next record, of n bytes.
func (b *Bytes) next(n int) {
	n = min(n, len(b.rest))
	b.record, b.rest = b.rest[:n], b.rest[n:]
}

// IntN implements harness.Choices. It takes a byte, or two if n is more than 256.
func (b *Bytes) IntN(n int) int {
	v := 0
	for range 1 + min((n-1)>>8, 1) {
		v <<= 8
		if len(b.record) > 0 {
			v |= int(b.record[0])
			b.record = b.record[1:]
		}
	}
	return v % n
}
