package exec

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/proc"
)

// The time that an adapter has for what does not depend on the implementation.
const (
	helloLimit   = time.Minute // a JVM, or a script that is compiled, takes its time to start
	controlLimit = 20 * time.Second
)

// adapter is a command, and its process while it lives: one case after the other.
type adapter struct {
	command string
	limit   time.Duration // for an answer that depends on it alone

	mu sync.Mutex
	c  *conn // nil: none is running
}

// live starts a process, and gives the talk with it, and what it says of itself: nothing that cannot be put to a suite.
func (a *adapter) live() (*conn, HelloReply, error) {
	var hello HelloReply
	p, err := proc.Start(a.command, proc.Limits{})
	if err != nil {
		return nil, hello, err
	}
	w, err := newWire(p.PID())
	if err != nil {
		p.Kill()
		return nil, hello, err
	}
	c := talk(p, w)
	ctx, cancel := context.WithTimeout(context.Background(), helloLimit)
	defer cancel()
	if err := c.call(ctx, awhile, "hello", Hello{Version}, &hello); err != nil {
		c.close(err)
		return nil, hello, fmt.Errorf("the adapter %q does not answer hello: %w%s", a.command, err, logged(p.Log()))
	}
	if err := hello.check(); err != nil {
		err = fmt.Errorf("the adapter %q: %w", a.command, err)
		c.close(err)
		return nil, hello, err
	}
	return c, hello, nil
}

func logged(log string) string {
	if log == "" {
		return ""
	}
	return "\nits stderr: " + log
}

// session is a case's use of an adapter.
type session struct {
	*conn
	limit time.Duration
	t     *harness.T
	stuck atomic.Bool // a request was never answered
}

// begin begins a case. What ends the talk with the adapter before the case is over is recorded, and ends the case.
func (a *adapter) begin(t *harness.T) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.c != nil && a.c.ended() != nil {
		before := a.c.between()
		if a.c = nil; before != nil {
			(&session{t: t}).record(before)
			return nil, before
		}
	}
	if a.c == nil {
		c, _, err := a.live()
		if err != nil {
			return nil, err
		}
		a.c = c
	}
	s := &session{conn: a.c, limit: a.limit, t: t}
	s.flowsAnew()
	s.onEnd(s.record)
	if err := s.control("case.begin", CaseBegin{t.ID()}); err != nil {
		return nil, err
	}
	t.Cleanup(s.finish)
	s.explainDeadline()
	return s, nil
}

// explainDeadline has the check's reason name the requests that are unanswered when its time is up.
func (s *session) explainDeadline() {
	var late string
	looked := make(chan struct{})
	context.AfterFunc(s.t.Context(), func() {
		late = s.unanswered()
		close(looked)
	})
	s.t.OnDeadline(func() string {
		if <-looked; late == "" {
			return ""
		}
		return "the adapter has not answered " + late
	})
}

// record records why the talk has ended.
func (s *session) record(why error) {
	switch e := why.(type) {
	case *Gone:
		s.t.Exited(e.How, e.Log)
	case *ProtocolError:
		s.t.ProtocolError(e.Error(), e.Log)
	}
}

// call is that of the talk. When the case has ended, what is not answered soon is given up, and with it the process.
func (s *session) call(ctx context.Context, op string, args, into any) error {
	p, err := s.ask(op, args)
	if err != nil {
		return err
	}
	return s.wait(ctx, p, into)
}

func (s *session) wait(ctx context.Context, p pending, into any) error {
	if s.stuck.Load() {
		return errUnanswered
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.t.Context(), cancel)()
	late := func() <-chan time.Time {
		out := make(chan time.Time, 1)
		context.AfterFunc(s.t.Context(), func() { time.AfterFunc(calledOff, func() { out <- time.Time{} }) })
		return out
	}
	err := s.conn.wait(ctx, late, p, into)
	var lacks *Skipped
	switch {
	case errors.Is(err, errUnanswered):
		s.stuck.Store(true)
		s.t.Abandon("the adapter has not answered %s (sent %s), though it was cancelled and the check's time is up", p.describe(), ago(p.sent))
	case errors.As(err, &lacks): // nothing is asked for but what its features have
		err = s.protocolError(fmt.Sprintf("it declares a feature that needs %s, but answers that op with skip: %s", lacks.Op, lacks.Why), nil)
		s.close(err)
	}
	return err
}

// finish ends the case: after its answer nothing of it is left. What comes with that answer, or right after it, is of the
// case, too: one answer more is waited for.
func (s *session) finish() {
	if s.stuck.Load() {
		s.onEnd(nil)
		s.close(errors.New("a request was never answered"))
		return
	}
	if err := s.control("case.end", Nothing{}); err == nil { // what ends the talk is recorded
		ctx, cancel := context.WithTimeout(context.Background(), s.limit)
		defer cancel()
		_ = s.conn.call(ctx, awhile, "barrier", Nothing{}, nil)
	}
	s.onEnd(nil)
	s.forget()
}

// control is a request whose answer depends on the adapter alone: without one in time, or with an error, it is nonsense.
func (s *session) control(op string, args any) error {
	ctx, cancel := context.WithTimeout(context.Background(), s.limit)
	defer cancel()
	err := s.conn.call(ctx, awhile, op, args, nil)
	switch {
	case err == nil || s.ended() != nil:
	case errors.Is(err, errUnanswered):
		err = s.protocolError(fmt.Sprintf("it does not answer %s within %s", op, s.limit), nil)
		s.close(err)
	default:
		err = s.protocolError(fmt.Sprintf("it refuses %s: %v", op, err), nil)
		s.close(err)
	}
	return err
}

// handle is one that this process has never had: what a drive still does when its case is over must not meet the next.
func (s *session) handle(of string) string { return fmt.Sprint(of, s.handles.Add(1)) }

// serverOf is what an adapter is told of a server.
func serverOf(e rig.Endpoint) Server { return Server{URL: e.URL, CA: string(e.CA), Token: e.Token} }
