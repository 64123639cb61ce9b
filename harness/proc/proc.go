// Package proc runs a foreign program that speaks lines on stdin and stdout. It enforces limits and ends everything
// that the program started.
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

// Limits bound what a program may use. 0 selects the default below.
type Limits struct {
	Line   int   // bytes in a line of its stdout
	Unread int   // bytes in lines that Line has not returned yet
	Log    int   // bytes of its stderr to keep, half of them from the beginning
	Memory int64 // resident bytes of its process group (Linux only); negative: no limit
}

// Default limits.
const (
	MaxLine   = 16 << 20
	MaxUnread = 64 << 20
	MaxLog    = 64 << 10
	MaxMemory = 4 << 30
)

// Process is a program that runs or has run. Its methods may be called concurrently.
type Process struct {
	cmd   *exec.Cmd
	in    *os.File
	lines *lines
	log   *Tail
	guard *guard
	out   *os.File      // our end of its stdout
	gone  chan struct{} // closed when it has ended and been waited for
	over  atomic.Bool   // it was killed for its memory
	once  sync.Once
}

// Start runs a command line with a shell, in a process group of its own. Ctrl-C at a terminal therefore reaches only
// this process. When this process ends, however it ends, the whole group is killed. A process that leaves the group,
// as a daemon does, is not killed; if it holds the output open, Line and Gone wait at most two seconds for it.
func Start(command string, l Limits) (*Process, error) {
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, inR.Close(), inW.Close())
	}
	p := &Process{in: inW, out: outR, lines: &lines{max: or(l.Line, MaxLine), unread: or(l.Unread, MaxUnread), more: make(chan struct{}, 1)}}
	p.cmd = exec.Command("sh", "-c", command)
	p.cmd.Stdin, p.cmd.Stdout = inR, outW
	err = p.start(l)
	inR.Close()
	outW.Close()
	if err != nil {
		return nil, errors.Join(err, inW.Close(), outR.Close())
	}
	go func() { defer outR.Close(); p.lines.read(rest{outR}) }()
	return p, nil
}

// StartSilent starts a program that reads nothing and whose output nobody waits for: Log returns both its stdout and its stderr. It is
// otherwise as with Start, but there is no shell, and Send, Line and Stop have no use. cmd is not started yet.
func StartSilent(cmd *exec.Cmd, l Limits) (*Process, error) {
	p := &Process{cmd: cmd}
	if err := p.start(l); err != nil {
		return nil, err
	}
	return p, nil
}

// start starts the command, whose stdin and stdout may be set.
func (p *Process) start(l Limits) (err error) {
	p.log, p.gone = &Tail{Max: or(l.Log, MaxLog)}, make(chan struct{})
	if p.cmd.Stderr = p.log; p.cmd.Stdout == nil {
		p.cmd.Stdout = p.log
	}
	p.cmd.WaitDelay = held // applies to what the log gets
	group(p.cmd)
	if err := p.cmd.Start(); err != nil {
		return err
	}
	if p.guard, err = newGuard(p.cmd.Process.Pid); err != nil {
		kill(p.cmd)
		return errors.Join(fmt.Errorf("its guard process did not start: %w", err), p.cmd.Wait())
	}
	go p.collect()
	if l.Memory >= 0 {
		go p.weigh(or(l.Memory, MaxMemory))
	}
	return nil
}

// held is how long a process that left the group may hold the output open after the program's end.
const held = 500 * time.Millisecond

// collect waits for the program to end.
func (p *Process) collect() {
	_ = p.cmd.Wait() // ProcessState says how it ended
	kill(p.cmd)      // processes that it left behind in its group
	if p.out != nil {
		_ = p.out.SetReadDeadline(time.Now().Add(held)) // returns an error if everything was read
	}
	p.guard.release()
	close(p.gone)
}

// rest reads what is left after the deadline too: on a busy machine the deadline may pass before the first read.
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

// PID returns the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Send writes a line. It returns an error if the program has ended or has not read the line by then.
func (p *Process) Send(line []byte, by time.Time) error {
	if err := p.in.SetWriteDeadline(by); err != nil {
		return err
	}
	_, err := p.in.Write(append(line, '\n'))
	return err
}

// Line returns the next line of the program's stdout. The error is io.EOF after the end of stdout, a *TooMuch if the
// program broke a limit, and ErrLate if no line came by then.
func (p *Process) Line(by <-chan time.Time) ([]byte, error) { return p.lines.next(by) }

// Unended reports whether the last line that Line returned was the last one and had no newline.
func (p *Process) Unended() bool { return p.lines.broken() }

// Log returns what the program wrote to stderr, without what is too much of it.
func (p *Process) Log() string { return p.log.String() }

// Gone returns a channel that is closed when the program has ended.
func (p *Process) Gone() <-chan struct{} { return p.gone }

// How waits until the program has ended and says how: "exit status 0", "signal: killed".
func (p *Process) How() string {
	<-p.gone
	if p.over.Load() {
		return "killed: it exceeded the memory limit"
	}
	return p.cmd.ProcessState.String()
}

// Stop closes the program's input, which asks it to end, and kills its group if it still runs after patience. It
// returns when the program has ended, and reports whether it ended by itself.
func (p *Process) Stop(patience time.Duration) bool {
	p.once.Do(p.closeInput)
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

// Crashed waits until the program has ended and reports whether a signal ended it, directly or according to its shell.
func (p *Process) Crashed() bool {
	<-p.gone
	return p.cmd.ProcessState.ExitCode() < 0 || p.cmd.ProcessState.ExitCode() > 128
}

// Kill kills the program and its group at once, and waits for the end.
func (p *Process) Kill() {
	select {
	case <-p.gone: // its number may belong to another process by now
	default:
		kill(p.cmd)
	}
	p.once.Do(p.closeInput)
	<-p.gone
}

// Terminate asks the program to end, as SIGTERM does. Where there are no signals it kills it.
func (p *Process) Terminate() {
	select {
	case <-p.gone:
	default:
		terminate(p.cmd)
	}
}

func (p *Process) closeInput() {
	if p.in != nil {
		p.in.Close()
	}
}

func or[N int | int64](n, otherwise N) N {
	if n == 0 {
		return otherwise
	}
	return n
}

// ErrLate says that no line came in time.
var ErrLate = errors.New("nothing came in time")

// TooMuch is the error of a program that broke a limit.
type TooMuch struct{ What string }

func (e *TooMuch) Error() string { return e.What }

// lines holds lines that nobody has taken yet. It reads them at once, so that the program never waits.
type lines struct {
	max, unread int
	more        chan struct{} // holds a value if there may be something new

	mu    sync.Mutex
	have  [][]byte
	bytes int
	rest  bool // the last line has no newline
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
			l.err = &TooMuch{fmt.Sprintf("a flood: it wrote more than %d bytes that are still unread", l.unread)}
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

// line reads a line. The last one needs no newline.
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
