// Package story describes what a check does as data: a flat list of steps.
//
// Each kind of implementation has a vocabulary: the words that its steps may use. A golden check is a story that
// somebody wrote, and a story can be written by hand in JSON and played by `lwtest play`. The package knows no kind.
package story

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
)

// Step is one thing that a story does. Steps are total: one that does not apply does nothing, and the history says so.
// So every part of a story is a story.
type Step struct {
	Op    string   `json:"op"`              // the word
	Actor string   `json:"actor,omitempty"` // which client, watch or handler
	Obj   string   `json:"obj,omitempty"`   // which object
	As    string   `json:"as,omitempty"`    // the name by which later steps refer to what this one makes
	N     int      `json:"n,omitempty"`     // how many; nothing else
	For   Duration `json:"for,omitempty"`
	With  any      `json:"with,omitempty"`  // the word's own arguments; in JSON an object that the word decodes
	Async bool     `json:"async,omitempty"` // the next step does not wait until this one ends
	// When lists conditions that must all hold, or the step does not apply: features, and "virtual-time" for a run in
	// virtual time. "!x" demands that x does not hold.
	When []harness.Feature `json:"when,omitempty"`
	// Of lists the values of Cross that the step shows, each "dimension=value". It changes nothing in what the step does.
	Of []string `json:"of,omitempty"`
}

// Fill replaces {actor}, {obj}, {as}, {n} and {for} in a sentence by the step's fields. It runs for each step of each random
// story, and so makes no strings.Replacer.
func (s Step) Fill(text string) string {
	out := ""
	for {
		before, rest, some := strings.Cut(text, "{")
		name, after, closed := strings.Cut(rest, "}")
		if !some || !closed {
			return out + text
		}
		out, text = out+before+s.field(name), after
	}
}

func (s Step) field(name string) string {
	switch name {
	case "actor":
		return s.Actor
	case "obj":
		return s.Obj
	case "as":
		return s.As
	case "n":
		return strconv.Itoa(s.N)
	case "for":
		return s.For.String()
	}
	return "{" + name + "}"
}

// Story is a drive as data. Its JSON is versioned (Format).
type Story struct {
	Kind  string            // of the vocabulary: "informer"
	About string            // what it does, in a sentence; may be empty
	Needs []harness.Feature // without them it is not played; "!x": with x it is not
	Rules []string          // addresses of rules that it must test, unless the target lacks what they need; none: any
	Steps []Step
}

// Format is the version of a story's JSON.
const Format = "story/v1"

// file is the JSON form of a Story.
type file struct {
	Format string            `json:"lwtest"`
	Kind   string            `json:"kind"`
	About  string            `json:"about,omitempty"`
	Needs  []harness.Feature `json:"needs,omitempty"`
	Rules  []string          `json:"rules,omitempty"`
	Steps  []Step            `json:"steps"`
}

// MarshalJSON implements json.Marshaler.
func (s Story) MarshalJSON() ([]byte, error) {
	return json.Marshal(file{Format, s.Kind, s.About, s.Needs, s.Rules, s.Steps})
}

// Duration is a time.Duration whose JSON is text, such as "1m30s".
type Duration time.Duration

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil {
		return fmt.Errorf("%q is not a duration: write one such as \"30s\" or \"2m\"", b)
	}
	*d = Duration(v)
	return nil
}

func (d Duration) String() string { return time.Duration(d).String() }

// Concat joins lists of steps.
func Concat(parts ...[]Step) []Step { return slices.Concat(parts...) }

// When returns the steps with one more condition on each.
func When(condition harness.Feature, steps ...Step) []Step {
	out := make([]Step, len(steps))
	for i, s := range steps {
		s.When = append([]harness.Feature{condition}, s.When...)
		out[i] = s
	}
	return out
}

// Each concatenates what f returns for each element of all.
func Each[T any](all []T, f func(i int, x T) []Step) (out []Step) {
	for i, x := range all {
		out = append(out, f(i, x)...)
	}
	return out
}

// Repeat concatenates what f returns for 0 to n-1.
func Repeat(n int, f func(i int) []Step) (out []Step) {
	for i := range n {
		out = append(out, f(i)...)
	}
	return out
}

// Async returns the steps as ones that the next step does not wait for.
func Async(steps ...Step) []Step {
	out := make([]Step, len(steps))
	for i, s := range steps {
		s.Async = true
		out[i] = s
	}
	return out
}

// Join waits until the asynchronous steps of these actors have ended; of all actors, if none is named.
func Join(actors ...string) []Step {
	if len(actors) == 0 {
		return []Step{{Op: joinWord}}
	}
	return Each(actors, func(_ int, a string) []Step { return []Step{{Op: joinWord, Actor: a}} })
}

// Script returns a story as a check has it.
func (v *Vocabulary[W]) Script(s Story) harness.Script { return script{s, v.Text} }

// Of returns the story of a script that a vocabulary made. It panics if another made it.
func Of(s harness.Script) Story { return s.(script).Story }

// script implements harness.Script.
type script struct {
	Story
	text func(Story) string
}

func (s script) JSON() ([]byte, error) { return s.MarshalJSON() }
func (s script) Text() string          { return s.text(s.Story) }
func (s script) Len() int              { return len(s.Steps) }

func (s script) Words() (all []string) {
	for _, step := range s.Steps {
		all = append(all, step.Op)
	}
	return all
}

func (s script) About() string   { return s.Story.About }
func (s script) Rules() []string { return s.Story.Rules }

func (s script) Needs() []harness.Feature { return s.Story.Needs }

func (s script) Conditions() []harness.Feature {
	all := slices.Clone(s.Story.Needs)
	for _, step := range s.Steps {
		all = append(all, step.When...)
	}
	return all
}

// Span is the time that its steps let pass, and ten seconds for each step.
func (s script) Span() (span time.Duration) {
	for _, step := range s.Steps {
		span += time.Duration(step.For)*time.Duration(max(step.N, 1)) + 10*time.Second
	}
	return span
}
