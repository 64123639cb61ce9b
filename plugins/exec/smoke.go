package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Step is one thing that an adapter must do, whatever the implementation makes of it.
type Step struct {
	Name string
	Want string
	do   func(ctx context.Context, s *smoke) error
	ends bool // it ends the process
	uses bool // the implementation is at work in it
}

// Unsure is what looks wrong, and may be the implementation's affair as well: nothing that an adapter answers tells one
// from the other.
type Unsure struct{ msg string }

// Error implements error.
func (u *Unsure) Error() string { return u.msg }

func unsuref(format string, args ...any) error { return &Unsure{fmt.Sprintf(format, args...)} }

// smoke is a process that is looked at.
type smoke struct {
	*conn
	offers []Offer
	last   string // the step that was done last; before the first hello
	told   bool   // somebody has been told why the talk has ended
	alone  bool   // its barriers are wrong, and no others are blamed for that

	proposals *[]Proposal
}

// Proposal is a feature that an adapter seems to have and does not declare.
type Proposal struct {
	Kind, Feature string
	Seen          string // what shows it
}

// propose adds a proposal, once.
func (s *smoke) propose(kind, feature, seen string) {
	p := Proposal{kind, feature, seen}
	declared := slices.ContainsFunc(s.offers, func(o Offer) bool { return o.Kind == kind && slices.Contains(o.Features, feature) })
	if !declared && !slices.Contains(*s.proposals, p) {
		*s.proposals = append(*s.proposals, p)
	}
}

// endLimit is what a process may take to end with its input.
const endLimit = 5 * time.Second

// stepLimit is what an adapter may take for a step.
const stepLimit = controlLimit

// Smoke puts an adapter through the steps that do not depend on the implementation, and has told hear of each as it ends,
// once; an error says what was wrong, and is Unsure where that may be the implementation's affair. All are asked of one process, until one ends the talk: the next has a process of its
// own then. It gives what the adapter says of itself, and which features it seems to have and does not declare; the error says why
// nobody can talk with it.
func Smoke(ctx context.Context, command string, told func(Step, error)) (hello HelloReply, proposals []Proposal, err error) {
	a := &adapter{command: command}
	c, hello, err := a.live()
	if err != nil {
		return hello, nil, err
	}
	s, alone := &smoke{conn: c, offers: hello.Offers, last: "hello", proposals: &proposals}, false
	for _, step := range steps {
		if s == nil {
			c, again, err := a.live()
			if err != nil {
				told(step, err)
				continue
			}
			s = &smoke{conn: c, offers: again.Offers, last: "hello", proposals: &proposals}
		}
		s.alone = alone
		err := s.run(ctx, step)
		alone = alone || err != nil && step.Name == barrier
		told(step, err)
		if step.ends || s.told {
			s.p.Kill()
			s = nil
		}
	}
	return hello, proposals, nil
}

// run does a step within its limit. What has ended the talk meanwhile is the step's, whoever was waiting then. What the
// adapter has written to its log stands beside what was wrong.
func (s *smoke) run(ctx context.Context, step Step) error {
	err := s.ended()
	if err != nil { // since the step before was told
		err = fmt.Errorf("after %s: %w", s.last, err)
	} else {
		limited, cancel := context.WithTimeout(ctx, stepLimit)
		defer cancel()
		err = step.do(limited, s)
		if errors.Is(err, errUnanswered) || errors.As(err, new(*Unsure)) { // it may be stuck, and the next step has a process of its own
			s.close(err)
		}
		if late := s.settle(step); late != nil && !errors.Is(err, late) {
			late = fmt.Errorf("after its answer: %w", late)
			if err != nil {
				late = fmt.Errorf("%v\n%w", err, late) // of which this is sure
			}
			err = late
		}
	}
	end := s.ended()
	s.last, s.told = step.Name, end != nil && errors.Is(err, end)
	if step.uses && errors.As(err, new(*Gone)) { // an exception that nobody caught may be either's
		err = unsuref("%v", err)
	}
	if err != nil {
		err = fmt.Errorf("%w%s", err, logged(s.p.Log()))
	}
	return err
}

// What an adapter may write behind its last answer, at once or a little later, is waited for. That only makes sure that the
// right step is named: what comes later is found by the next, and by the last at the end of the output.
const (
	settleFor   = 20 * time.Millisecond
	settleLimit = 2 * time.Second // of a barrier
)

// settle waits until what came behind a step's last answer has been looked at: it stands before the answer to a barrier. It
// gives what has ended the talk.
func (s *smoke) settle(step Step) error {
	if step.ends { // and has looked itself
		return nil
	}
	select {
	case <-s.over:
		return s.ended()
	case <-time.After(settleFor):
	}
	if s.alone {
		return s.ended()
	}
	p, err := s.ask("barrier", Nothing{})
	if err != nil {
		return err
	}
	select {
	case <-p.answer:
	case <-s.over:
	case <-time.After(settleLimit):
	}
	return s.ended()
}

func (s *smoke) ok(ctx context.Context, op string, args any) error {
	err := s.call(ctx, awhile, op, args, nil)
	if err != nil && !strings.Contains(err.Error(), op) {
		err = fmt.Errorf("%s: %w", op, err)
	}
	return err
}

// ends waits for the end of the process, and of its output.
func (s *smoke) ends(ctx context.Context, want string) error {
	select {
	case <-s.p.Gone():
	case <-ctx.Done():
		return fmt.Errorf("it still runs after %s", stepLimit)
	}
	<-s.over
	var bad *ProtocolError
	if errors.As(s.ended(), &bad) { // for which it was killed
		return bad
	}
	switch how := s.p.How(); how {
	case want:
	case "signal: killed":
		return fmt.Errorf("it still runs after %s", endLimit)
	default:
		return fmt.Errorf("it ended with %s", how)
	}
	return nil
}

func wording(err error) string {
	if err == nil {
		return "ok"
	}
	return err.Error()
}
