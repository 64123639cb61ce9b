package report

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
)

// History is the file of a check's history, relative to the run directory.
func History(target, check string) string {
	return filepath.Join(histories, Safe(target), Safe(check)+".jsonl.gz")
}

// IsRunFile reports whether a file is, by its name, one that tells of a run.
func IsRunFile(file string) bool {
	name := filepath.Base(file)
	return name == resultsFile || name == reportFile
}

// nameMax is the longest name that is kept as it is; file systems end at 255.
const nameMax = 150

// Safe makes a file name of an address or a connect string, different ones of
// different texts: slashes become dots, colons plus signs, and whatever a
// shell or a file system might take amiss an underscore and its code.
func Safe(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '=':
			b.WriteByte(c)
		case c == '/':
			b.WriteByte('.')
		case c == ':':
			b.WriteByte('+')
		default:
			fmt.Fprintf(&b, "_%02x", c)
		}
	}
	name := b.String()
	if strings.HasPrefix(name, ".") {
		name = "_2f" + name[1:] // no hidden files, no way up
	}
	if len(name) > nameMax {
		name = fmt.Sprintf("%s_%x", name[:nameMax-20], sha256.Sum256([]byte(s)))[:nameMax]
	}
	return name
}
