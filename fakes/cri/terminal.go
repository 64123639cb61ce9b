package cri

import (
	"bytes"
	"context"
	"io"
	"sync"
)

// terminal is the keyboard of a process with a terminal. It echoes what is typed, and the process reads whole lines. Backspace, Ctrl-C and
// Ctrl-D do what they do in a terminal.
type terminal struct {
	echo      io.Writer
	interrupt func()

	mu    sync.Mutex
	more  *sync.Cond
	line  []byte // which has no end yet
	typed bytes.Buffer
	ended bool
}

func newTerminal(echo io.Writer, interrupt func()) *terminal {
	t := &terminal{echo: echo, interrupt: interrupt}
	t.more = sync.NewCond(&t.mu)
	return t
}

// Write implements io.Writer. It takes keys.
func (t *terminal) Write(keys []byte) (int, error) {
	for i, part := range bytes.Split(keys, []byte{3}) {
		if i > 0 { // the process that reads is to see the end of its context first
			_, _ = io.WriteString(t.echo, "^C")
			t.interrupt()
			t.mu.Lock()
			t.line = nil
			t.mu.Unlock()
			t.take([]byte("\n"))
		}
		t.take(part)
	}
	return len(keys), nil
}

// take takes keys other than Ctrl-C.
func (t *terminal) take(keys []byte) {
	var echo []byte
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range keys {
		switch {
		case key == '\r', key == '\n':
			t.typed.Write(append(t.line, '\n'))
			t.line, echo = nil, append(echo, '\n')
		case key == 4 && len(t.line) == 0:
			t.ended = true
		case key == 4:
			t.typed.Write(t.line)
			t.line = nil
		case key != '\b' && key != 127:
			t.line, echo = append(t.line, key), append(echo, key)
		case len(t.line) > 0:
			t.line, echo = t.line[:len(t.line)-1], append(echo, "\b \b"...)
		}
	}
	_, _ = t.echo.Write(echo) // before the process answers
	t.more.Broadcast()
}

// Read implements io.Reader, for the process.
func (t *terminal) Read(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.typed.Len() == 0 {
		if t.ended {
			return 0, io.EOF
		}
		t.more.Wait()
	}
	return t.typed.Read(b)
}

// Close implements io.Closer.
func (t *terminal) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	t.more.Broadcast()
	return nil
}

// screen writes the ends of lines as a terminal does.
type screen struct{ io.Writer }

// Write implements io.Writer.
func (s screen) Write(b []byte) (int, error) {
	_, err := s.Writer.Write(bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")))
	return len(b), err
}

// until is a reader that has no more once a context has ended.
type until struct {
	ctx context.Context
	io.Reader
}

// Read implements io.Reader.
func (u until) Read(b []byte) (int, error) {
	n, err := u.Reader.Read(b)
	if u.ctx.Err() != nil {
		return 0, io.EOF
	}
	return n, err
}

// interrupted is Ctrl-C: it ends the command that an interactive shell runs, or else the process.
func (p *process) interrupted() {
	p.mu.Lock()
	stop := p.foreground
	p.mu.Unlock()
	if stop != nil {
		stop()
		return
	}
	p.signal("SIGINT")
	if !p.shell {
		p.kill(130)
	}
}

// command returns a copy of the process of an interactive shell for a command that Ctrl-C ends, and what to call when it has ended.
func (p *process) command() (q Process, end func()) {
	q = *p.Process
	ctx, stop := context.WithCancel(p.ctx)
	q.ctx, q.Stdin = ctx, until{ctx, q.Stdin}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.foreground = stop
	return q, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.foreground = nil
		stop()
	}
}
