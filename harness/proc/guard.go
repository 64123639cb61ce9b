package proc

import (
	"io"
	"os/exec"
	"strconv"
)

// guard is a process that waits for the end of this process and then kills a group. It also works when SIGKILL ends
// this process.
type guard struct {
	cmd  *exec.Cmd
	hold io.WriteCloser // open as long as this process lives
}

// newGuard starts a guard of a group. The guard reads its stdin: a line means that there is nothing left to guard, the
// end means that this process has ended.
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

// release ends the guard without killing the group.
func (g *guard) release() {
	_, _ = io.WriteString(g.hold, "done\n")
	_ = g.hold.Close()
	_ = g.cmd.Wait()
}
