package story

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
)

// Word is one word of a vocabulary. W is the world in which its steps act: the subject and everything around it. A is
// the type of Step.With; a step without With gets its zero value.
type Word[W, A any] struct {
	Name string
	Help string // what a step with this word does, for docs/stories.md
	// Do does it. SkipStep says that the step does not apply, ErrEnd ends the story; any other error is the drive's
	// own failure: the check ends as inconclusive.
	Do func(W, Step, A) error
	// Text describes the step in one plain sentence, without a full stop. {actor}, {obj}, {as}, {n} and {for} stand for the
	// step's fields. Say, if not nil, describes it instead.
	Text string
	Say  func(Step, A) string
	// Needs returns the features without which the step does not apply. Nil: none.
	Needs func(Step, A) []harness.Feature
	// GoldenOnly says why no fuzzer can draw the word: it hides a loop, or a race. Empty: it can.
	GoldenOnly string
}

// Says returns a word whose sentence, and perhaps needed features, depend on its arguments.
func Says[W, A any](name, help string, say func(Step, A) string, do func(W, Step, A) error, needs func(A) []harness.Feature) Entry[W] {
	w := Word[W, A]{Name: name, Help: help, Say: say, Do: do}
	if needs != nil {
		w.Needs = func(_ Step, a A) []harness.Feature { return needs(a) }
	}
	return w
}

// Plain returns a word without arguments. Without the features in needs it does not apply.
func Plain[W any](name, help, text string, do func(W, Step) error, needs ...harness.Feature) Entry[W] {
	return Word[W, struct{}]{Name: name, Help: help, Text: text,
		Do:    func(w W, s Step, _ struct{}) error { return do(w, s) },
		Needs: func(Step, struct{}) []harness.Feature { return needs }}
}

// Entry is a Word without the type of its arguments.
type Entry[W any] interface {
	about() WordInfo
	do(W, Step) error
	say(Step) string
	needs(Step) []harness.Feature
	decode(json.RawMessage) (any, error)
	check(Step) error
	wants() []string
}

// Wanting returns a word whose steps must set some fields, by their names in JSON. Those that Word.Text has in braces, but n, are
// wanted anyway.
func Wanting[W any](w Entry[W], fields ...string) Entry[W] { return wanting[W]{w, fields} }

type wanting[W any] struct {
	Entry[W]
	fields []string
}

func (w wanting[W]) wants() []string { return w.fields }

// WordInfo describes a word.
type WordInfo = harness.Word

func (w Word[W, A]) args(s Step) A {
	a, _ := s.With.(A)
	return a
}

func (w Word[W, A]) about() WordInfo {
	t := reflect.TypeFor[A]()
	if t.Kind() == reflect.Struct && t.NumField() == 0 {
		t = nil
	}
	return WordInfo{Name: w.Name, Help: w.Help, Args: t, GoldenOnly: w.GoldenOnly}
}

func (w Word[W, A]) do(world W, s Step) error { return w.Do(world, s, w.args(s)) }

func (w Word[W, A]) say(s Step) string {
	if w.Say != nil {
		return w.Say(s, w.args(s))
	}
	return s.Fill(w.Text)
}

func (w Word[W, A]) needs(s Step) []harness.Feature {
	if w.Needs == nil {
		return nil
	}
	return w.Needs(s, w.args(s))
}

// decode reads With; a field that the word does not have is an error.
func (w Word[W, A]) decode(b json.RawMessage) (any, error) {
	var a A
	if w.about().Args == nil {
		return nil, errors.New("the word takes no \"with\"")
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		return nil, fmt.Errorf("with: %w", harness.JSONError(err))
	}
	return a, nil
}

// check reports whether With has the type that the word wants, and is valid if that type has a method Validate.
func (w Word[W, A]) check(s Step) error {
	if _, ok := s.With.(A); s.With != nil && !ok {
		return fmt.Errorf("with is a %T: the word wants a %v", s.With, reflect.TypeFor[A]())
	}
	if v, ok := s.With.(interface{ Validate() error }); ok {
		return v.Validate()
	}
	return nil
}

// wants returns the fields that a sentence of the word has.
func (w Word[W, A]) wants() (out []string) {
	for _, field := range []string{"obj", "as", "for"} {
		if w.Say == nil && strings.Contains(w.Text, "{"+field+"}") {
			out = append(out, field)
		}
	}
	return out
}

// Vocabulary is the words of one kind. It implements harness.Language.
type Vocabulary[W any] struct {
	kind       string
	order      []string
	words      map[string]Entry[W]
	random     map[string]Drawing // how random stories use words
	weights    int                // the sum of theirs
	begin, end func(harness.Choices) []Step
	faults     [][]Step
	cross      *Cross
	crossed    *crossed
}

// joinWord is a word of every vocabulary: it waits for asynchronous steps.
const joinWord = "join"

// NewVocabulary makes the vocabulary of a kind. It panics if two words have the same name.
func NewVocabulary[W any](kind string, words ...Entry[W]) *Vocabulary[W] {
	v := &Vocabulary[W]{kind: kind, words: map[string]Entry[W]{}, crossed: &crossed{rows: map[string][][]int{}}}
	for _, w := range words {
		name := w.about().Name
		if _, twice := v.words[name]; twice || name == joinWord || name == "" {
			panic(fmt.Sprintf("vocabulary %s: the word %q is there already", kind, name))
		}
		v.words[name] = w
		v.order = append(v.order, name)
	}
	return v
}

// Words describes all words, in the order in which NewVocabulary got them.
func (v *Vocabulary[W]) Words() []WordInfo {
	var out []WordInfo
	for _, name := range v.order {
		w := v.words[name].about()
		w.Weight = v.random[name].Weight
		out = append(out, w)
	}
	return append(out, WordInfo{Name: joinWord, Help: "waits until the asynchronous steps of an actor have ended; without an actor, those of all"})
}

// Validate returns everything that is wrong with a story, each error with its step; nil if nothing is.
func (v *Vocabulary[W]) Validate(s Story) error {
	var errs []error
	if s.Kind != v.kind {
		errs = append(errs, fmt.Errorf("this is a story for the kind %q, not for %q", s.Kind, v.kind))
	}
	for i, step := range s.Steps {
		if err := v.validate(step); err != nil {
			errs = append(errs, fmt.Errorf("step %d: %w", i+1, err))
		}
	}
	return errors.Join(errs...)
}

func (v *Vocabulary[W]) validate(s Step) error {
	if s.N < 0 || s.For < 0 {
		return fmt.Errorf("%s: n and for must not be negative", s.Op)
	}
	if slices.Contains(s.When, "") || slices.Contains(s.When, "!") {
		return fmt.Errorf("%s: a condition in \"when\" is empty", s.Op)
	}
	if s.Op == joinWord {
		if s.With != nil || s.Async {
			return errors.New("join takes neither \"with\" nor \"async\"")
		}
		return nil
	}
	w, ok := v.words[s.Op]
	if !ok {
		return v.unknown(s.Op)
	}
	set := map[string]bool{"actor": s.Actor != "", "obj": s.Obj != "", "as": s.As != "", "n": s.N != 0, "for": s.For != 0}
	for _, field := range w.wants() {
		if !set[field] {
			return fmt.Errorf("%s: it needs %q", s.Op, field)
		}
	}
	if err := w.check(s); err != nil {
		return fmt.Errorf("%s: %w", s.Op, err)
	}
	return nil
}

func (v *Vocabulary[W]) unknown(op string) error {
	return fmt.Errorf("there is no word %q%s: docs/stories.md has all words of the kind %s", op, harness.Suggest(op, v.order), v.kind)
}

// Parse implements harness.Language.
func (v *Vocabulary[W]) Parse(b []byte) (harness.Script, error) {
	s, err := v.Read(b)
	return v.Script(s), err
}

// Read reads a story from JSON. Errors name the step; an unknown field, word or argument is an error.
func (v *Vocabulary[W]) Read(b []byte) (Story, error) {
	var f struct {
		file
		Steps []json.RawMessage `json:"steps"`
	}
	if err := strict(b, &f); err != nil {
		return Story{}, fmt.Errorf("this is no story: %w; `lwtest show --json CHECK` prints one", err)
	}
	if f.Format != Format {
		return Story{}, fmt.Errorf("the field \"lwtest\" is %q: this lwtest plays stories of the format %q", f.Format, Format)
	}
	s := Story{Kind: f.Kind, About: f.About, Needs: f.Needs, Rules: f.Rules}
	if len(f.Steps) == 0 {
		return Story{}, errors.New("the story has no steps")
	}
	if s.Kind != v.kind {
		return Story{}, v.Validate(s)
	}
	var errs []error
	for i, raw := range f.Steps {
		step, err := v.step(raw)
		if err != nil {
			errs = append(errs, fmt.Errorf("step %d: %w", i+1, err))
		}
		s.Steps = append(s.Steps, step)
	}
	return s, errors.Join(errs...)
}

func (v *Vocabulary[W]) step(raw json.RawMessage) (Step, error) {
	var s struct {
		Step
		With json.RawMessage `json:"with"`
	}
	if err := strict(raw, &s); err != nil {
		return Step{}, err
	}
	if w, ok := v.words[s.Op]; ok && s.With != nil {
		var err error
		if s.Step.With, err = w.decode(s.With); err != nil {
			return s.Step, fmt.Errorf("%s: %w", s.Op, err)
		}
	}
	return s.Step, v.validate(s.Step)
}

// OneOf returns an error for the first of some texts that is not one of those that may be. what says what they are.
func OneOf[T ~string](what string, all []T, may ...T) error {
	for _, x := range all {
		if !slices.Contains(may, x) {
			return fmt.Errorf("the %s is %q: say one of %q", what, x, may)
		}
	}
	return nil
}

// KindOf returns the kind that the JSON of a story is for.
func KindOf(b []byte) (string, error) {
	var f file
	if err := json.Unmarshal(b, &f); err != nil {
		return "", fmt.Errorf("this is no story: %w; `lwtest show --json CHECK` prints one", harness.JSONError(err))
	}
	if f.Kind == "" {
		return "", errors.New(`this is no story: it has no field "kind"; ` + "`lwtest show --json CHECK` prints one")
	}
	return f.Kind, nil
}

func strict(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return harness.JSONError(err)
	}
	if d.More() {
		return errors.New("something follows the end of the JSON value")
	}
	return nil
}

// missing returns why a step does not apply for want of a condition; empty: it applies.
func missing(t *harness.T, needs, when []harness.Feature) string {
	for _, f := range needs {
		if !t.Has(f) {
			return fmt.Sprintf("needs the feature %s", f)
		}
	}
	holds := func(f harness.Feature) bool {
		if f == harness.VirtualTime {
			return t.Virtual()
		}
		return t.Has(f)
	}
	i := slices.IndexFunc(when, func(f harness.Feature) bool {
		if f[0] == '!' {
			return holds(f[1:])
		}
		return !holds(f)
	})
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("only when %s", when[i])
}
