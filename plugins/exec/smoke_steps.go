package exec

import (
	"context"
	"errors"
	"fmt"
)

// Steps are all that Smoke puts an adapter through.
func Steps() []Step { return steps }

// barrier is the step behind which barriers are relied on.
const barrier = "barrier"

// steps are all, in their order: those that end the process stand behind the others, and the first of them ends the one
// that the others were asked of.
var steps = []Step{
	{barrier, "barrier is answered", func(ctx context.Context, s *smoke) error { return s.ok(ctx, "barrier", Nothing{}) }, false, false},
	{"case", "case.begin and case.end are answered, three times over", func(ctx context.Context, s *smoke) error {
		for range 3 {
			if err := s.ok(ctx, "case.begin", CaseBegin{"smoke/case"}); err != nil {
				return err
			}
			if err := s.ok(ctx, "case.end", Nothing{}); err != nil {
				return err
			}
		}
		return nil
	}, false, false},
	{"unknown-op", "an unknown op is answered with skip", func(ctx context.Context, s *smoke) error {
		err := s.ok(ctx, "smoke.unknown", Nothing{})
		var skipped *Skipped
		if errors.As(err, &skipped) {
			return nil
		}
		return fmt.Errorf("it is answered with %s", wording(err))
	}, false, false},
	{"unknown-field", "an unknown field is ignored", func(ctx context.Context, s *smoke) error {
		return s.ok(ctx, "barrier", struct {
			Smoke []string `json:"smoke"`
		}{[]string{"of", "a later version"}})
	}, false, false},
	{"unknown-request", "cancel of an unknown or answered request is answered with ok", func(ctx context.Context, s *smoke) error {
		return s.ok(ctx, "cancel", Cancel{1})
	}, false, false},
	{"together", "fifty requests at once are all answered", func(ctx context.Context, s *smoke) error {
		var all []pending
		for range 50 {
			p, err := s.ask("barrier", Nothing{})
			if err != nil {
				return err
			}
			all = append(all, p)
		}
		for _, p := range all {
			if err := s.wait(ctx, awhile, p, nil); err != nil {
				return err
			}
		}
		return nil
	}, false, false},
	{"open", "what it offers can be opened, with and without its server, and ends with case.end", opensAll, false, true},
	{"answers", "answers have the fields that docs/protocol.md lists", answersAll, false, true},
	{"waits", "a waiting request holds up no other, and ends when it should", waitsAll, false, true},
	{"notices", "notices have their handler's name, and count 1, 2, 3", noticesAll, false, true},
	{"unknown-handle", "an unknown handle is answered with err", func(ctx context.Context, s *smoke) error {
		for _, o := range s.offers {
			if err := s.refuses(ctx, o, "nobody"); err != nil {
				return err
			}
		}
		return nil
	}, false, false},
	{"end-of-input", "at the end of its input the process ends with status 0", func(ctx context.Context, s *smoke) error {
		go s.p.Stop(endLimit)
		return s.ends(ctx, "exit status 0")
	}, true, false},
	{"shutdown", "shutdown is answered, and the process ends with status 0", func(ctx context.Context, s *smoke) error {
		p, err := s.ask("shutdown", Nothing{})
		if err == nil {
			err = s.wait(ctx, awhile, p, nil)
		}
		if err != nil {
			return err
		}
		return s.ends(ctx, "exit status 0")
	}, true, false},
	{"crash", "crash ends the process with status 7, without an answer", func(ctx context.Context, s *smoke) error {
		err := s.ok(ctx, "crash", Nothing{})
		if gone := (*Gone)(nil); !errors.As(err, &gone) {
			return fmt.Errorf("it is answered with %s", wording(err))
		}
		return s.ends(ctx, "exit status 7")
	}, true, false},
}
