// Package proc runs a program that others wrote, which speaks lines on its stdin and stdout: within limits, and with an
// end for all that it has started, whichever way out is taken.
package proc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// Limits are what a program may use; 0: as the constants below say.
type Limits struct {
	Line   int   // bytes of one line of its stdout
	Unread int   // bytes of lines that have not been taken
	Log    int   // bytes of its stderr that are kept, half of them of the beginning
	Memory int64 // bytes that it and all it has started have resident (Linux)
}

// The limits where nothing else is said.
const (
	MaxLine   = 16 << 20
	MaxUnread = 64 << 20
	MaxLog    = 64 << 10
	MaxMemory = 4 << 30
)

// Process is a program that runs, or has run. All methods may be called concurrently.
type Process struct {
	cmd   *exec.Cmd
	in    *os.File
	lines *lines
	log   *Tail
	guard *guard
	out   *os.File      // its stdout, as we read it
	gone  chan struct{} // closed when it has ended, and been collected
	over  atomic.Bool   // it was killed for its memory
	once  sync.Once
}

// Start runs a command line, which a shell reads, in a process group of its own. What it is told by SIGINT at a terminal
// reaches its parent alone; when that is gone, however it went, the whole group is killed. What leaves the group, as a
// daemon does, is not found; that it holds the output open keeps nobody waiting for longer than two seconds.
func Start(command string, l Limits) (*Process, error) {
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, inR.Close(), inW.Close())
	}
	p := &Process{in: inW, out: outR, log: &Tail{Max: or(l.Log, MaxLog)}, gone: make(chan struct{}),
		lines: &lines{max: or(l.Line, MaxLine), unread: or(l.Unread, MaxUnread), more: make(chan struct{}, 1)}}
	p.cmd = exec.Command("sh", "-c", command)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = inR, outW, p.log
	p.cmd.WaitDelay = held // for its stderr
	group(p.cmd)
	err = p.cmd.Start()
	inR.Close()
	outW.Close()
	if err != nil {
		return nil, errors.Join(err, inW.Close(), outR.Close())
	}
	if p.guard, err = newGuard(p.cmd.Process.Pid); err != nil {
		kill(p.cmd)
		return nil, errors.Join(fmt.Errorf("nobody would end it with its parent: %w", err), inW.Close(), outR.Close(), p.cmd.Wait())
	}
	go p.collect()
	go func() { defer outR.Close(); p.lines.read(rest{outR}) }()
	if l.Memory >= 0 {
		go p.weigh(or(l.Memory, MaxMemory))
	}
	return p, nil
}

// held is how long what it has started, and that has left its group, may hold its output open behind its end.
const held = 500 * time.Millisecond

// collect waits for its end.
func (p *Process) collect() {
	_ = p.cmd.Wait()                                // how it ended is in ProcessState
	kill(p.cmd)                                     // what it leaves behind in its group
	_ = p.out.SetReadDeadline(time.Now().Add(held)) // it fails where all was read
	p.guard.release()
	close(p.gone)
}

// rest reads what is there to be read, also when its deadline has passed: on a busy machine that may be before anybody looks.
type rest struct{ *os.File }

// Read implements io.Reader.
func (r rest) Read(b []byte) (int, error) {
	n, err := r.File.Read(b)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	if err := r.SetReadDeadline(time.Now().Add(2 * held)); err != nil {
		return 0, err
	}
	return r.File.Read(b)
}

// PID is its process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Send writes a line; it fails when the program has not taken it by then, or has ended.
func (p *Process) Send(line []byte, by time.Time) error {
	if err := p.in.SetWriteDeadline(by); err != nil {
		return err
	}
	_, err := p.in.Write(append(line, '\n'))
	return err
}

// Line gives the next line of its stdout. The error is io.EOF when it has closed that, a TooMuch where
// it broke a limit, and ErrLate when none was there by then.
func (p *Process) Line(by <-chan time.Time) ([]byte, error) { return p.lines.next(by) }

// Unended says that the last line that Line gave has no end, and that none comes after it.
func (p *Process) Unended() bool { return p.lines.broken() }

// Log is what it has written to stderr.
func (p *Process) Log() string { return p.log.String() }

// Gone is closed when it has ended.
func (p *Process) Gone() <-chan struct{} { return p.gone }

// How says how it ended: "exit status 0", "signal: killed".
func (p *Process) How() string {
	<-p.gone
	if p.over.Load() {
		return "killed: it had more memory than it may"
	}
	return p.cmd.ProcessState.String()
}

// Stop closes its input, which asks it to end, and kills it with all that it has started if it is still there after
// that time. It returns when it has ended, and says whether it did so by itself.
func (p *Process) Stop(patience time.Duration) bool {
	p.once.Do(func() { p.in.Close() })
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-p.gone:
		return true
	case <-timer.C:
		p.Kill()
		return false
	}
}

// Crashed says of what has ended that a signal ended it, or, where a shell ran it, that this says so.
func (p *Process) Crashed() bool {
	<-p.gone
	return p.cmd.ProcessState.ExitCode() < 0 || p.cmd.ProcessState.ExitCode() > 128
}

// Kill ends it at once, with all that it has started.
func (p *Process) Kill() {
	select {
	case <-p.gone: // its number may be another's by now
	default:
		kill(p.cmd)
	}
	p.once.Do(func() { p.in.Close() })
	<-p.gone
}

func or[N int | int64](n, otherwise N) N {
	if n == 0 {
		return otherwise
	}
	return n
}

// ErrLate says that nothing came in time.
var ErrLate = errors.New("nothing came in time")

// TooMuch says which limit a program broke.
type TooMuch struct{ What string }

func (e *TooMuch) Error() string { return e.What }

// lines are those of a program that nobody has taken yet. They are read as they come, so that it never waits for us.
type lines struct {
	max, unread int
	more        chan struct{} // has one where there may be something new

	mu    sync.Mutex
	have  [][]byte
	bytes int
	rest  bool // the last that was read has no end
	err   error
}

func (l *lines) read(r io.Reader) {
	b := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := l.line(b)
		l.mu.Lock()
		switch {
		case err != nil:
			l.err = err
		case l.bytes+len(line) > l.unread:
			l.err = &TooMuch{fmt.Sprintf("a flood: it has written more than %d bytes that nobody has read yet", l.unread)}
		default:
			l.have, l.bytes = append(l.have, line), l.bytes+len(line)
		}
		err = l.err
		l.mu.Unlock()
		select {
		case l.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// line reads one; the last needs no end.
func (l *lines) line(b *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := b.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > l.max+1:
			return nil, &TooMuch{fmt.Sprintf("it has written a line of more than %d bytes", l.max)}
		case err == nil:
			return line[:len(line)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
		case len(line) > 0:
			l.mu.Lock()
			l.rest = true
			l.mu.Unlock()
			return line, nil
		default:
			return nil, io.EOF
		}
	}
}

func (l *lines) broken() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rest && len(l.have) == 0
}

func (l *lines) next(by <-chan time.Time) ([]byte, error) {
	for {
		l.mu.Lock()
		if len(l.have) > 0 {
			line := l.have[0]
			l.have, l.bytes = l.have[1:], l.bytes-len(line)
			l.mu.Unlock()
			return line, nil
		}
		err := l.err
		l.mu.Unlock()
		if err != nil {
			return nil, err
		}
		select {
		case <-l.more:
		case <-by:
			return nil, ErrLate
		}
	}
}
