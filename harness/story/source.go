package story

import (
	"math/rand"

	"github.com/lwtest/lwtest/harness"
)

// Source returns a source of random numbers that takes them from c, for packages such as gofuzz. Its seed cannot be set.
func Source(c harness.Choices) rand.Source { return source{c} }

type source struct{ harness.Choices }

// Seed implements rand.Source. It does nothing.
func (source) Seed(int64) {}

// Int63 implements rand.Source. It makes two choices: packages use the high bits of a number, or its middle.
func (s source) Int63() int64 {
	return int64(s.IntN(1<<15))<<48 | int64(s.IntN(1<<16))<<32 | int64(s.IntN(1<<8))
}
