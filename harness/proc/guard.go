package proc

import (
	"io"
	"os/exec"
	"strconv"
)

// guard is a process that waits for the end of ours, and then kills a group. Ours may be killed by SIGKILL, which no
// code of its own survives.
type guard struct {
	cmd  *exec.Cmd
	hold io.WriteCloser // while it is open, ours is there
}

// newGuard guards a group. It reads its stdin: a line says that there is nothing left to guard, the end that we are gone.
func newGuard(pgid int) (*guard, error) {
	cmd := exec.Command("sh", "-c", `read -r done || kill -s KILL -- "-$1"`, "sh", strconv.Itoa(pgid))
	group(cmd) // apart from ours, and from what it guards
	hold, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &guard{cmd, hold}, nil
}

// release ends it.
func (g *guard) release() {
	_, _ = io.WriteString(g.hold, "done\n")
	_ = g.hold.Close()
	_ = g.cmd.Wait()
}
