//go:build linux

package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain is also the parents that are killed: one starts a command and prints the process group, one wants a file deleted at its end.
func TestMain(m *testing.M) {
	if command := os.Getenv("PROC_TEST_PARENT"); command != "" {
		p, err := Start(command, Limits{})
		if err != nil {
			panic(err)
		}
		fmt.Println(p.cmd.Process.Pid)
		select {}
	}
	if file := os.Getenv("PROC_TEST_ATEND"); file != "" {
		err := os.WriteFile(file, nil, 0o600)
		if err == nil {
			_, err = AtEnd(`rm -- "$1"`, file)
		}
		if err != nil {
			panic(err)
		}
		fmt.Println("ready")
		select {}
	}
	os.Exit(m.Run())
}

func start(t *testing.T, command string, l Limits) *Process {
	t.Helper()
	p, err := Start(command, l)
	require.NoError(t, err)
	t.Cleanup(p.Kill)
	return p
}

func soon() time.Time        { return time.Now().Add(5 * time.Minute) }
func late() <-chan time.Time { return time.After(5 * time.Minute) }
func line(t *testing.T, p *Process) string {
	t.Helper()
	b, err := p.Line(late())
	require.NoError(t, err)
	return string(b)
}

func TestLines(t *testing.T) {
	p := start(t, "echo first; read -r x; echo \"$x\"; echo log >&2; printf last; exit 3", Limits{})
	assert.Equal(t, "first", line(t, p))
	_, err := p.Line(time.After(time.Millisecond))
	assert.ErrorIs(t, err, ErrLate)
	require.NoError(t, p.Send([]byte("said"), soon()))
	assert.Equal(t, "said", line(t, p))
	assert.Equal(t, "last", line(t, p))
	_, err = p.Line(late())
	assert.ErrorIs(t, err, io.EOF)
	assert.Equal(t, "exit status 3", p.How())
	assert.Equal(t, "log\n", p.Log())
	assert.Error(t, p.Send([]byte("x"), soon()))
}

func TestItEndsWithItsInput(t *testing.T) {
	p := start(t, "cat >/dev/null; exit 4", Limits{})
	p.Stop(5 * time.Minute)
	assert.Equal(t, "exit status 4", p.How())
}

// A program that ignores the end of its input, and has children that hold its pipes, is killed with them.
func TestItIsKilledWithWhatItStarted(t *testing.T) {
	p := start(t, "sleep 1000 & sleep 1000 & echo up; wait; sleep 1000", Limits{})
	assert.Equal(t, "up", line(t, p))
	p.Stop(10 * time.Millisecond)
	assert.Equal(t, "signal: killed", p.How())
	assertEmpty(t, p.cmd.Process.Pid)
}

// Its children are also killed when it ends by itself.
func TestWhatItLeavesIsKilled(t *testing.T) {
	p := start(t, "sleep 1000 & exit 0", Limits{})
	assert.Equal(t, "exit status 0", p.How())
	assertEmpty(t, p.cmd.Process.Pid)
}

// A process that left the group may hold the output. The end is still reported, after the output.
func TestWhatHoldsItsOutput(t *testing.T) {
	p := start(t, "setsid sleep 1000 & echo $!; exit 3", Limits{})
	daemon := line(t, p)
	t.Cleanup(func() { _ = exec.Command("kill", "-9", daemon).Run() })
	_, err := p.Line(late())
	assert.ErrorIs(t, err, io.EOF)
	assert.Equal(t, "exit status 3", p.How())
}

// The group is also killed when its parent is killed and can do nothing more.
func TestItIsKilledWithItsParent(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), "PROC_TEST_PARENT=trap '' TERM HUP; sleep 1000 & sleep 1000; sleep 1000")
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	var pgid int
	_, err = fmt.Fscan(out, &pgid)
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(-pgid, 0), "it runs")
	require.NoError(t, parent.Process.Kill())
	_ = parent.Wait()
	assertEmpty(t, pgid)
}

// The group is also killed when the whole group of its parent is, as a shell or a CI does. The guard is not part of
// that group.
func TestItIsKilledWithTheGroupOfItsParent(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), "PROC_TEST_PARENT=trap '' TERM HUP; sleep 1000 & sleep 1000; sleep 1000")
	parent.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	var pgid int
	_, err = fmt.Fscan(out, &pgid)
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Kill(-pgid, syscall.SIGKILL) }) // where the test fails
	require.NotEqual(t, parent.Process.Pid, pgid)
	require.NoError(t, syscall.Kill(-parent.Process.Pid, syscall.SIGKILL))
	_ = parent.Wait()
	assertEmpty(t, pgid)
}

// assertEmpty waits until a group has no process that is not a zombie.
func assertEmpty(t *testing.T, pgid int) {
	t.Helper()
	var alive []string
	for by := time.Now().Add(time.Minute); time.Now().Before(by); time.Sleep(time.Millisecond) {
		if alive = living(t, pgid); alive == nil {
			return
		}
	}
	assert.Empty(t, alive, "of group %d", pgid)
}

func living(t *testing.T, pgid int) (out []string) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	for _, s := range stats {
		b, err := os.ReadFile(s)
		if err != nil {
			continue
		}
		f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
		if f[2] == strconv.Itoa(pgid) && f[0] != "Z" {
			out = append(out, s)
		}
	}
	return out
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name, command, want string
		limits              Limits
	}{
		{"a long line", "head -c 101 /dev/zero | tr '\\0' x; echo; sleep 1000", "it has written a line of more than 100 bytes", Limits{Line: 100}},
		{"a long line without end", "cat /dev/zero", "it has written a line of more than 100 bytes", Limits{Line: 100}},
		{"a flood", "yes", "a flood: it wrote more than 1000 bytes that are still unread", Limits{Unread: 1000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, c.command, c.limits)
			var over *TooMuch
			var err error
			for err == nil {
				if c.limits.Unread > 0 {
					for !p.lines.over() {
						time.Sleep(time.Millisecond)
					}
				}
				_, err = p.Line(late())
			}
			require.True(t, errors.As(err, &over), "%v", err)
			assert.Equal(t, c.want, over.What)
		})
	}
	t.Run("a line of that length", func(t *testing.T) {
		p := start(t, "head -c 100 /dev/zero | tr '\\0' x; echo; echo y", Limits{Line: 100})
		assert.Len(t, line(t, p), 100)
		assert.Equal(t, "y", line(t, p))
	})
	t.Run("memory", func(t *testing.T) {
		p := start(t, "(head -c 100000000 /dev/zero; sleep 1000) | tail -n 1", Limits{Memory: 20 << 20})
		assert.Equal(t, "killed: it exceeded the memory limit", p.How())
	})
}

// over reports whether the reader has stopped.
func (l *lines) over() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err != nil
}

// A program whose output nobody reads does not block for ever.
func TestItDoesNotRead(t *testing.T) {
	p := start(t, "exec sleep 1000", Limits{})
	assert.ErrorIs(t, p.Send(make([]byte, 1<<20), time.Now().Add(10*time.Millisecond)), os.ErrDeadlineExceeded)
}

func TestItDoesNotStart(t *testing.T) {
	p := start(t, "no-such-program", Limits{})
	assert.Equal(t, "exit status 127", p.How())
	assert.Contains(t, p.Log(), "no-such-program")
}

func TestTail(t *testing.T) {
	l := &Tail{Max: 20}
	for i := range 100 {
		fmt.Fprintf(l, "%02d", i)
	}
	assert.Equal(t, "0001020304\n… 180 bytes left out …\n9596979899", l.String())
	l.Reset()
	fmt.Fprint(l, "short")
	assert.Equal(t, "short", l.String())
}

func TestAtEnd(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	now, err := AtEnd(`rm -- "$1"`, file)
	require.NoError(t, err)
	assert.FileExists(t, file, "it waits")
	now()
	assert.NoFileExists(t, file)
	now()
}

// What a killed process wanted at its end is done.
func TestAtEndOfAKilledProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), "PROC_TEST_ATEND="+file)
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	_, err = out.Read(make([]byte, 1))
	require.NoError(t, err)
	require.FileExists(t, file)
	require.NoError(t, parent.Process.Kill())
	_ = parent.Wait()
	require.Eventually(t, func() bool {
		_, err := os.Stat(file)
		return os.IsNotExist(err)
	}, time.Minute, time.Millisecond)
}
