package harness

import (
	"iter"
	"reflect"
	"time"

	"github.com/lwtest/lwtest/harness/history"
)

// Script is a drive as data: a story of harness/story.
type Script interface {
	// JSON returns the story in the form that `lwtest play` reads.
	JSON() ([]byte, error)
	// Text returns the story as numbered plain sentences, one per line.
	Text() string
	// Len returns the number of its steps.
	Len() int
	// Words returns the word of each step.
	Words() []string
	// About returns what it does, in a sentence, or "".
	About() string
	// Needs returns the features without which it is not played; "!x" is one with which it is not.
	Needs() []Feature
	// Conditions returns all features on which it or a step depends.
	Conditions() []Feature
	// Rules returns the addresses of the rules that it must test; none: any.
	Rules() []string
	// Span returns how long it takes in real time at most.
	Span() time.Duration
}

// Language reads, draws and simplifies the stories of a kind. Each vocabulary of harness/story is one.
type Language interface {
	// Words describes the vocabulary.
	Words() []Word
	// Parse reads a story in JSON. Errors name the step.
	Parse(story []byte) (Script, error)
	// Draw makes a random story of so many steps, and of those that begin and end it. Equal choices make equal stories.
	Draw(c Choices, steps int) Script
	// Vary makes another random story from two that were drawn before: a change of s, which may have parts of other.
	Vary(c Choices, s, other Script) Script
	// Around returns how many stories are s with one fault at one place, of the faults that the kind knows, or with two at
	// two places, and the function that makes the ith of them.
	Around(s Script, pairs bool) (n int, ith func(i int) Script)
	// Pairs returns each two values of different dimensions of the kind, for a target with these features. Nil: it has no dimensions.
	Pairs(has []Feature) []Pair
	// Crossed returns how many stories together have every combination of the values of strength dimensions that can go
	// together, and the function that makes the ith of them. Each seed makes others.
	Crossed(has []Feature, strength int, seed int64) (n int, ith func(i int) Script)
	// Cover returns the values of Crossed that a story reached, and what shows them in its history.
	Cover(s Script, h *history.History) map[string][]int32
	// Hasten returns s for real time: without steps that take long there, and with none that lets more time pass than most.
	Hasten(s Script, most time.Duration) Script
	// Simpler yields stories that are a little simpler than s, the most promising ones first.
	Simpler(s Script) iter.Seq[Script]
}

// Choices makes random choices: a *rand.Rand of math/rand/v2, or bytes from a fuzzing engine.
type Choices interface {
	// IntN returns a number from 0 to n-1. n is positive.
	IntN(n int) int
}

// Word describes a word of a kind's stories.
type Word struct {
	Name, Help string
	Args       reflect.Type // type of a step's arguments; nil: none
	Weight     int          // how often random stories use it, beside the other words; 0: never
	GoldenOnly string       // why random stories never use it; empty: they do
}

// Pair is two values of different dimensions of a kind, each "dimension=value".
type Pair struct {
	A, B  string
	Never string // why the two cannot go together; empty: they can
}
