package proc

import "os/exec"

// AtEnd runs a shell script once this process has ended, however it ends, so that nothing is left of it on the machine.
// The script gets the arguments as $1 and so on, and must tolerate that what it deletes is gone. now runs it at once and returns when it has
// ended; further calls do nothing. AtEnd returns an error where there is no shell.
func AtEnd(script string, args ...string) (now func(), err error) {
	cmd := exec.Command("sh", append([]string{"-c", "read -r _\n" + script, "sh"}, args...)...)
	group(cmd) // Ctrl-C at a terminal does not reach it
	hold, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() {
		_ = hold.Close()
		_ = cmd.Wait() // its status says nothing that anyone could do something about
	}, nil
}
