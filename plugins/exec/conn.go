package exec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/lwtest/lwtest/harness/proc"
)

// conn is the talk with one adapter. What the adapter says is taken as it comes; the first thing that is no answer, or that
// breaks a limit, ends it.
type conn struct {
	p *proc.Process

	sending sync.Mutex
	handles atomic.Int64 // that were given

	mu      sync.Mutex
	last    int64
	waiting map[int64]pending
	hear    map[string]func(event) // by handle
	opened  map[string]bool        // the handles, also of cases that are over, of which there may be events
	flow    *flow                  // of the case
	end     error                  // ProtocolError, or Gone
	told    func(error)            // is to be told of it
	missed  error                  // it ended when nobody was to be told
	over    chan struct{}          // closed with it

	stopped   map[string]time.Time // when a watch was asked to stop, by its handle
	cancelled map[int64]time.Time  // when a request was cancelled, by its id

	wire *wire // nil: the messages are not logged
}

// answer is a line that answers a request.
type answer struct {
	ID   *int64          `json:"id"`
	OK   json.RawMessage `json:"ok"`
	Err  json.RawMessage `json:"err"` // a Failure
	Skip *string         `json:"skip"`
}

// event is a line that nobody asked for.
type event struct {
	Ev   string `json:"ev"`
	H    string `json:"h"`
	line []byte
}

// ProtocolError says how an adapter broke the protocol. It is never the fault of the implementation under test.
type ProtocolError struct {
	What string // that was wrong
	Line string // the line, where it was one
	Log  string // its stderr
}

func (e *ProtocolError) Error() string {
	if e.Line == "" {
		return e.What
	}
	return e.What + ": " + e.Line
}

// Gone says that the adapter's process ended unasked, and how.
type Gone struct{ How, Log string }

func (e *Gone) Error() string { return "the process has ended: " + e.How }

// Skipped says that the adapter does not support an op.
type Skipped struct{ Op, Why string }

func (e *Skipped) Error() string { return e.Op + " is not supported: " + e.Why }

// Error is what the implementation says.
func (e *Failure) Error() string { return e.Msg }

// talk begins with a process that has just been started.
func talk(p *proc.Process, w *wire) *conn {
	c := &conn{p: p, waiting: map[int64]pending{}, hear: map[string]func(event){}, opened: map[string]bool{}, flow: &flow{}, over: make(chan struct{}),
		stopped: map[string]time.Time{}, cancelled: map[int64]time.Time{}, wire: w}
	go c.read()
	return c
}

func (c *conn) read() {
	for {
		line, err := c.p.Line(nil)
		if err == nil {
			c.wire.log(fromAdapter, line)
			err = c.take(line)
		}
		if err == nil {
			continue
		}
		if c.p.Unended() && !json.Valid(line) { // what is killed, or crashes, does so in the midst of a line, too
			err = io.EOF
		}
		var much *proc.TooMuch
		switch {
		case errors.As(err, &much):
			err = c.protocolError(much.What, nil)
		case errors.Is(err, io.EOF):
			err = c.gone()
		}
		c.close(err)
		c.wire.close()
		return
	}
}

// patience is what a process that has closed its stdout may take to end.
const patience = 2 * time.Second

func (c *conn) gone() error {
	select {
	case <-c.p.Gone():
		return &Gone{c.p.How(), c.p.Log()}
	case <-time.After(patience):
		return c.protocolError("it closed its stdout, but it still runs", nil)
	}
}

func (c *conn) protocolError(what string, line []byte) *ProtocolError {
	const most = 300
	if len(line) > most {
		line = append(bytes.Clone(line[:most]), "…"...)
	}
	return &ProtocolError{what, string(line), c.p.Log()}
}

// close ends the talk: all that wait get the reason, and the process is killed.
func (c *conn) close(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end != nil {
		return
	}
	if c.end = why; c.told != nil {
		c.told(why) // before anybody goes on
	} else {
		c.missed = why
	}
	close(c.over)
	go c.p.Kill()
}

// onEnd has f told once when the talk ends unasked; nil: nobody is.
func (c *conn) onEnd(f func(error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = f
}

// ended is why the talk has ended; nil: it goes on.
func (c *conn) ended() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.end
}

// between is why the talk has ended while no case was under way; nil: it goes on, or a case was.
func (c *conn) between() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e := c.missed.(type) {
	case *Gone:
		return &Gone{e.How + ", after its case had ended", e.Log}
	case *ProtocolError:
		return &ProtocolError{"after its case had ended: " + e.What, e.Line, e.Log}
	}
	return nil
}

// take is given each line.
func (c *conn) take(line []byte) error {
	var l struct {
		answer
		event
	}
	if !utf8.Valid(line) {
		return c.protocolError("the line is not UTF-8", bytes.ToValidUTF8(line, []byte("�")))
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return c.protocolError("the line is not a JSON object of the protocol ("+err.Error()+")", line)
	}
	if much := c.flowing().came(l.ID == nil, len(line)); much != "" {
		return c.protocolError(much, line)
	}
	switch {
	case l.ID != nil && l.Ev == "":
		return c.answered(l.answer, line)
	case l.ID == nil && l.Ev != "":
		return c.heard(event{l.Ev, l.H, line})
	}
	return c.protocolError("a line needs an id or an ev, and not both", line)
}

func (c *conn) answered(a answer, line []byte) error {
	if string(a.Err) == "null" {
		a.Err = nil
	}
	if string(a.OK) == "null" && (a.Err != nil || a.Skip != nil) {
		a.OK = nil
	}
	given := 0
	for _, has := range []bool{a.OK != nil, a.Err != nil, a.Skip != nil} {
		if has {
			given++
		}
	}
	if given != 1 {
		return c.protocolError("an answer needs exactly one of ok, err and skip", line)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.waiting[*a.ID]
	if !ok {
		return c.protocolError("this answers a request that was never sent, or that was answered already", line)
	}
	if how := unlike(p.op, a); how != "" {
		return c.protocolError(fmt.Sprintf("the answer to %s does not match docs/protocol.md (%s)", p.op, how), line)
	}
	delete(c.waiting, *a.ID)
	p.answer <- a
	return nil
}

// heard hands on an event. One of what has ended with its case is late, and no more than that; one of what nobody has opened is
// nonsense, as is one that does not say of what it is.
func (c *conn) heard(e event) error {
	if !known(e.Ev) {
		return nil // of a later version
	}
	c.mu.Lock()
	f, opened := c.hear[e.H], c.opened[e.H]
	c.mu.Unlock()
	if !opened {
		return c.protocolError(fmt.Sprintf("an event %s for the handle %q, which was never opened", e.Ev, e.H), e.line)
	}
	if f != nil {
		f(e)
	}
	return nil
}

func known(ev string) bool {
	for _, e := range Evs() {
		if e.Name == ev {
			return true
		}
	}
	return false
}

// listen has f told of the events of a handle, one at a time, in the order in which they come. It must not wait.
func (c *conn) listen(h string, f func(event)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hear[h] = f
}

// forget ends all listening.
func (c *conn) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.hear)
}

// call makes a request and waits for its answer; into gets what stands under ok. When ctx ends the request is called off,
// and what it is answered then counts, as long as patient lets it. The error is a Failure, Skipped, ProtocolError, Gone, or
// errUnanswered.
func (c *conn) call(ctx context.Context, patient func() <-chan time.Time, op string, args, into any) error {
	p, err := c.ask(op, args)
	if err != nil {
		return err
	}
	return c.wait(ctx, patient, p, into)
}

// wait waits for the answer to a request.
func (c *conn) wait(ctx context.Context, patient func() <-chan time.Time, p pending, into any) error {
	select {
	case a := <-p.answer:
		return c.decode(p.op, a, into)
	case <-c.over:
		return c.lastly(p, into)
	case <-ctx.Done():
	}
	if _, err := c.ask("cancel", Cancel{p.id}); err != nil {
		return err
	}
	select {
	case a := <-p.answer:
		return c.decode(p.op, a, into)
	case <-c.over:
		return c.lastly(p, into)
	case <-patient():
		return errUnanswered
	}
}

// lastly is how a request ends when the talk has: it may have been answered before.
func (c *conn) lastly(p pending, into any) error {
	select {
	case a := <-p.answer:
		return c.decode(p.op, a, into)
	default:
		return c.end
	}
}

// errUnanswered says that a request was called off, and not answered then either.
var errUnanswered = errors.New("no answer, not even after cancel")

// calledOff is what a request may take to be answered that was called off.
const calledOff = 5 * time.Second

func awhile() <-chan time.Time { return time.After(calledOff) }

// decode reads an answer.
func (c *conn) decode(op string, a answer, into any) error {
	switch {
	case a.Err != nil:
		f := &Failure{}
		if err := json.Unmarshal(a.Err, f); err != nil {
			return c.misread("the err of "+op, err, a.Err)
		}
		return f
	case a.Skip != nil:
		return &Skipped{op, *a.Skip}
	case into == nil:
		return nil
	}
	if err := json.Unmarshal(a.OK, into); err != nil {
		return c.misread("the answer to "+op, err, a.OK)
	}
	leaveOut(into)
	return nil
}

// misread ends the talk for what cannot be read.
func (c *conn) misread(what string, err error, line []byte) error {
	n := c.protocolError(fmt.Sprintf("%s cannot be read (%v)", what, err), line)
	c.close(n)
	return n
}
