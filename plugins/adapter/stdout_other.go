//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd)

package adapter

import "os"

// takeStdout gives what stdout was, and has all who print on os.Stdout print on stderr.
func takeStdout() (*os.File, error) {
	out := os.Stdout
	os.Stdout = os.Stderr
	return out, nil
}
