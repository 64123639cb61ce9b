//go:build !unix

package report

import "os"

// lock does nothing on this system: the user must keep two runs out of one directory.
func lock(*os.File) error { return nil }
