package adapter

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// The statuses with which a process ends.
const (
	statusEnded   = 0
	statusMisused = 2 // what came in is not the protocol
	statusCrash   = 7 // it was asked to
)

// Serve is Main on any reader and writer; it gives the status with which the process is to end, at once: what is still
// under way then has not been waited for.
func Serve(a Adapter, in io.Reader, out io.Writer) int {
	s := &session{adapter: a, ops: a.ops(), out: out, running: map[int64]context.CancelFunc{}, now: newCase()}
	defer func() { s.now.cancel() }()
	for r := bufio.NewReader(in); ; {
		line, err := r.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if status, ends := s.take(line); ends {
				return status
			}
		}
		switch {
		case err == io.EOF:
			return statusEnded
		case err != nil:
			return misused("stdin cannot be read: %v", err)
		}
	}
}

func misused(format string, args ...any) int {
	fmt.Fprintf(os.Stderr, "adapter: "+format+"\n", args...)
	return statusMisused
}

// session is the talk with lwtest. Lines are taken one after the other; what answers them is not waited for.
type session struct {
	adapter Adapter
	ops     map[string]op
	now     *life // of the case; changed where lines are taken

	writing sync.Mutex
	out     io.Writer

	mu      sync.Mutex
	running map[int64]context.CancelFunc // requests whose context has not ended
}

// request is what all requests have.
type request struct {
	ID *int64 `json:"id"`
	Op string `json:"op"`
}

// take takes a line. The order in which cases begin and end, and in which requests begin and are called off, is
// that of the lines.
func (s *session) take(line []byte) (status int, ends bool) {
	var r request
	if err := json.Unmarshal(line, &r); err != nil || r.ID == nil || r.Op == "" {
		return misused("this line is not a request with an id and an op: %s", line), true
	}
	op, ok := s.ops[r.Op]
	if !ok {
		s.answer(*r.ID, nil, absent("there is no "+r.Op))
		return 0, false
	}
	args, err := op.read(line)
	if err != nil {
		return misused("the request %s cannot be read (%v): %s", r.Op, err, line), true
	}
	switch r.Op {
	case "crash":
		return statusCrash, true
	case "shutdown":
		s.answer(*r.ID, nothing{}, nil)
		return statusEnded, true
	case "cancel":
		s.callOff(args.(cancel).Of)
		s.answer(*r.ID, nothing{}, nil)
	case "case.end":
		old := s.now
		s.now = newCase()
		go s.end(old, *r.ID)
	default:
		s.begin(*r.ID, op, args)
	}
	return 0, false
}

// begin has a request answered.
func (s *session) begin(id int64, op op, args any) {
	c := &call{session: s, life: s.now, id: id}
	ctx, cancel := context.WithCancel(c.life.ctx)
	c.Context = ctx
	s.mu.Lock()
	s.running[id] = cancel
	s.mu.Unlock()
	c.life.calls.Add(1)
	go func() {
		defer c.life.calls.Done()
		got, err := op.do(c, args)
		if !c.stays || err != nil {
			s.callOff(id)
		}
		s.answer(id, got, err)
	}()
}

// callOff ends the context of a request.
func (s *session) callOff(id int64) {
	s.mu.Lock()
	cancel := s.running[id]
	delete(s.running, id)
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// end ends a case, and answers when nothing of it is left: after that no event of it is written.
func (s *session) end(l *life, id int64) {
	l.end()
	s.writing.Lock()
	l.over = true
	s.writing.Unlock()
	s.answer(id, nothing{}, nil)
}

// answer answers a request.
func (s *session) answer(id int64, ok any, err error) {
	var a struct {
		ID   int64    `json:"id"`
		OK   any      `json:"ok,omitempty"`
		Err  *failure `json:"err,omitempty"`
		Skip string   `json:"skip,omitempty"`
	}
	a.ID = id
	var no absent
	switch {
	case errors.As(err, &no):
		a.Skip = no.Error()
	case err != nil:
		a.Err = failed(err)
	default:
		a.OK = ok
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	s.write(a)
}

// tell writes an event, unless its case is over.
func (s *session) tell(l *life, ev any) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if !l.over {
		s.write(ev)
	}
}

// write writes a line, whole.
func (s *session) write(v any) {
	line, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("adapter: a value of the implementation cannot be written as JSON: %v", err))
	}
	_, _ = s.out.Write(append(line, '\n')) // if nobody reads any more, stdin ends too
}
