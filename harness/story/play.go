package story

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
)

// notApplicable is the error of a step that does not apply.
type notApplicable string

func (e notApplicable) Error() string { return string(e) }

// SkipStep is what Word.Do returns for a step that does not apply. why completes "the step does not apply: …".
func SkipStep(format string, args ...any) error { return notApplicable(fmt.Sprintf(format, args...)) }

// Skipped reports whether an error of Word.Do says that the step does not apply.
func Skipped(err error) bool {
	var skipped notApplicable
	return errors.As(err, &skipped)
}

// ErrEnd is what Word.Do returns to end the story early: what follows would prove nothing.
var ErrEnd = errors.New("the story ends here")

// Play plays a story that Validate accepts. It records each step beside the events of the history, and returns when all
// steps, asynchronous ones too, have ended, or when the case has no time left.
func (v *Vocabulary[W]) Play(t *harness.T, world W, s Story) {
	p := player[W]{v: v, t: t, world: world, queues: map[string]*queue{}}
	defer p.join("")
	for i, step := range s.Steps {
		if t.Context().Err() != nil || p.step(i+1, step) {
			return
		}
	}
}

// Do does one step of a story that Validate accepts, in a world without a history. The step's conditions are not looked at.
func (v *Vocabulary[W]) Do(world W, s Step) error { return v.words[s.Op].do(world, s) }

// Applies reports whether the target has what a step needs, and its conditions hold.
func (v *Vocabulary[W]) Applies(t *harness.T, s Step) bool {
	return missing(t, v.words[s.Op].needs(s), s.When) == ""
}

// player is one story that is being played.
type player[W any] struct {
	v      *Vocabulary[W]
	t      *harness.T
	world  W
	queues map[string]*queue // of asynchronous steps, by actor
}

// queue runs the asynchronous steps of one actor, one after the other.
type queue struct {
	last chan struct{} // closed when the last of them has ended
}

// step does one step, and reports whether the story ends with it.
func (p *player[W]) step(num int, s Step) (end bool) {
	text := p.v.Say(s)
	if s.Op == joinWord {
		p.t.Step(num, text, "")
		p.join(s.Actor)
		return false
	}
	w := p.v.words[s.Op]
	if why := missing(p.t, w.needs(s), s.When); why != "" {
		p.t.Step(num, text, why)
		return false
	}
	p.t.Step(num, text, "")
	if s.Async {
		p.later(num, s, text)
		return false
	}
	return p.do(num, s, text)
}

func (p *player[W]) do(num int, s Step, text string) (end bool) {
	err := p.v.words[s.Op].do(p.world, s)
	var skipped notApplicable
	switch {
	case err == nil:
		return false
	case errors.As(err, &skipped):
		p.t.Step(num, text, string(skipped))
		return false
	case !errors.Is(err, ErrEnd):
		p.t.GiveUp("step %d (%s): %v", num, text, err)
	}
	return true
}

// later does a step beside the following ones, after the earlier asynchronous steps of its actor.
func (p *player[W]) later(num int, s Step, text string) {
	before := p.queues[s.Actor]
	mine := &queue{last: make(chan struct{})}
	p.queues[s.Actor] = mine
	p.t.Go(func() {
		defer close(mine.last)
		if before != nil {
			<-before.last
		}
		if p.t.Context().Err() == nil {
			p.do(num, s, text)
		}
	})
}

// join waits for the asynchronous steps of an actor, or of all ("").
func (p *player[W]) join(actor string) {
	for name, q := range p.queues {
		if actor == "" || name == actor {
			select {
			case <-q.last:
			case <-p.t.Context().Done():
				return
			}
		}
	}
}

// Refs are what the steps of a story have made, by name. The zero value is ready. It is not safe for concurrent use.
type Refs[T any] struct {
	names []string
	all   map[string]T
}

// Set gives a name to a value; a second value takes the name over.
func (r *Refs[T]) Set(name string, value T) {
	if r.all == nil {
		r.all = map[string]T{}
	}
	if _, there := r.all[name]; !there {
		r.names = append(r.names, name)
	}
	r.all[name] = value
}

// Get returns the value with a name. The error, if there is none, makes the step not apply.
func (r *Refs[T]) Get(name string) (T, error) {
	v, ok := r.all[name]
	if !ok {
		return v, SkipStep("nothing has the name %q", name)
	}
	return v, nil
}

// Delete forgets a name.
func (r *Refs[T]) Delete(name string) {
	delete(r.all, name)
	r.names = slices.DeleteFunc(r.names, func(n string) bool { return n == name })
}

// Names returns the names that a pattern of path.Match matches, in the order in which they were first set.
func (r *Refs[T]) Names(pattern string) (out []string) {
	for _, n := range r.names {
		if ok, err := path.Match(pattern, n); n == pattern || err == nil && ok {
			out = append(out, n)
		}
	}
	return out
}

// Say describes a step in one plain sentence, without a full stop.
func (v *Vocabulary[W]) Say(s Step) string {
	text := ""
	switch w, ok := v.words[s.Op]; {
	case s.Op == joinWord && s.Actor == "":
		text = "wait until all asynchronous steps have ended"
	case s.Op == joinWord:
		text = fmt.Sprintf("wait until the asynchronous steps of %s have ended", s.Actor)
	case ok:
		text = w.say(s)
	default:
		text = s.Op
	}
	if s.Async {
		text += ", and go on at once"
	}
	return text
}

// Text returns a story as numbered plain sentences, a line each. Equal conditions of steps in a row are said once.
func (v *Vocabulary[W]) Text(s Story) string {
	var b strings.Builder
	var before []harness.Feature
	for i, step := range s.Steps {
		if !slices.Equal(step.When, before) && len(step.When) > 0 {
			fmt.Fprintf(&b, "     %s:\n", conditions(step.When))
		}
		indent := ""
		if len(step.When) > 0 {
			indent = "  "
		}
		before = step.When
		fmt.Fprintf(&b, "%3d. %s%s\n", i+1, indent, v.Say(step))
	}
	return b.String()
}

// conditions says when steps apply.
func conditions(when []harness.Feature) string {
	var all []string
	for _, f := range when {
		switch name, not := strings.CutPrefix(string(f), "!"); {
		case name == string(harness.VirtualTime) && not:
			all = append(all, "in real time")
		case name == string(harness.VirtualTime):
			all = append(all, "in virtual time")
		case not:
			all = append(all, "without the feature "+name)
		default:
			all = append(all, "with the feature "+name)
		}
	}
	return strings.Join(all, " and ")
}
