package exec

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/cri"
)

// startLimit is how long rt.start may take before the first case. In a case the limit is the time of the case.
const startLimit = time.Minute

// at returns where the runtime is. kill and restart are its rt.kill and rt.restart; nil if nothing asks for them.
func (r RTStarted) at(kill, restart func(context.Context) error) cri.Started {
	return cri.Started{Socket: r.Socket, Image: r.Image, Logs: r.Logs, Parent: r.Parent, Beside: r.Beside, Kill: kill, Restart: restart}
}

// usable returns an error for an answer to rt.start with which nobody can connect.
func (r RTStarted) usable() error {
	switch {
	case !filepath.IsAbs(r.Socket):
		return fmt.Errorf("its socket is %q: it must be an absolute path", r.Socket)
	case r.Logs != "" && !filepath.IsAbs(r.Logs):
		return fmt.Errorf("its logs are %q: they must be an absolute path", r.Logs)
	}
	return nil
}

// startRuntime has the adapter start a runtime for a case, and connects to it. What is wrong with either is the adapter's fault.
func (s *session) startRuntime() (runtime.Subject, error) {
	h := RTRuntime{s.handle("r")}
	var at RTStarted
	switch err := s.call(s.t.Context(), "rt.start", h, &at); {
	case errors.As(err, new(*Failure)):
		return nil, s.fails("rt.start failed: " + err.Error())
	case err != nil:
		return nil, err
	}
	ask := func(op string) func(context.Context) error {
		return func(ctx context.Context) error { return s.admin(ctx, op, h) }
	}
	err := at.usable()
	var rt cri.Subject
	if err == nil {
		rt, err = at.at(ask("rt.kill"), ask("rt.restart")).Connect(s.t.Context())
	}
	if err != nil {
		return nil, s.fails("rt.start named a runtime that cannot be tested: " + err.Error())
	}
	s.t.Cleanup(func() {
		if err := s.survived(rt); err != nil && s.ended() == nil {
			s.t.Exited("the runtime at "+at.Socket+" does not answer at the end of the case: "+err.Error(), s.p.Log())
			s.onEnd(nil)
			s.close(err) // the next case has another
		}
		_ = rt.Close()
	})
	return rt, nil
}

// admin asks for rt.kill or rt.restart, also when the time of the case is over.
func (s *session) admin(ctx context.Context, op string, h RTRuntime) error {
	err := s.conn.call(ctx, awhile, op, h, nil)
	var lacks *Skipped
	switch {
	case errors.As(err, &lacks):
		return s.fails(fmt.Sprintf("it declares the feature %s, but answers %s with skip: %s", runtime.Restart, op, lacks.Why))
	case err != nil:
		return fmt.Errorf("%s: %w", op, err)
	}
	return nil
}

// fails ends the talk for something that is the adapter's fault.
func (s *session) fails(what string) error {
	err := s.protocolError(what, nil)
	s.close(err)
	return err
}

// survivedLimit is how long a runtime may take to answer at the end of a case.
const survivedLimit = 10 * time.Second

// survived returns an error if a runtime does not answer at the end of a case. A story that has killed it has started it again.
func (s *session) survived(rt cri.Subject) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.t.Context()), survivedLimit)
	defer cancel()
	return rt.Answers(ctx)
}

// probeRuntime starts the runtime that an adapter offers, in a case of its own, and compares its features with those of the offer. The
// note names features that the runtime shows and the adapter does not offer. An error is the adapter's fault.
func (c *conn) probeRuntime(o Offer) (note string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	if err := c.call(ctx, awhile, "case.begin", CaseBegin{"probe"}, nil); err != nil {
		return "", fmt.Errorf("case.begin: %w", err)
	}
	var at RTStarted
	if err := c.call(ctx, awhile, "rt.start", RTRuntime{"probe"}, &at); err != nil {
		return "", fmt.Errorf("rt.start failed: %w", err)
	}
	if err = at.usable(); err == nil {
		var shows []harness.Feature
		if shows, err = at.at(nil, nil).Probe(ctx); err == nil {
			note, err = o.compare(shows)
		}
	}
	if err != nil {
		return "", fmt.Errorf("rt.start named a runtime that cannot be tested: %w", err)
	}
	if err := c.call(ctx, awhile, "case.end", Nothing{}, nil); err != nil {
		return "", fmt.Errorf("case.end: %w", err)
	}
	return note, nil
}

// compare compares the features of an offer with those that a runtime shows. Only the adapter knows whether it can restart the
// runtime, and whether the image can be pulled.
func (o Offer) compare(shows []harness.Feature) (note string, err error) {
	var lacks, more []string
	for _, f := range o.Features {
		if !slices.Contains(append(shows, runtime.Restart, runtime.ImagePull), harness.Feature(f)) {
			lacks = append(lacks, f)
		}
	}
	for _, f := range shows {
		if !slices.Contains(o.Features, string(f)) {
			more = append(more, string(f))
		}
	}
	if len(lacks) > 0 {
		return "", fmt.Errorf("the adapter declares %s, but the runtime does not have that: its calls are Unimplemented, or its status says so", strings.Join(lacks, ", "))
	}
	if len(more) > 0 {
		note = fmt.Sprintf("the runtime seems to have %s, which the adapter does not declare: nothing that needs them is tested", strings.Join(more, ", "))
	}
	return note, nil
}

// answers returns an error if the runtime that rt.start named does not answer.
func (r RTStarted) answers(ctx context.Context) error {
	err := r.usable()
	if err == nil {
		var rt cri.Subject
		if rt, err = r.at(nil, nil).Connect(ctx); err == nil {
			err = rt.Close()
		}
	}
	if err != nil {
		return fmt.Errorf("rt.start: %w", err)
	}
	return nil
}
