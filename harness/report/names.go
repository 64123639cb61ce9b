package report

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
)

// History returns the path of a check's history file, relative to the run directory.
func History(target, check string) string {
	return filepath.Join(histories, Safe(target), Safe(check)+".jsonl.gz")
}

// IsRunFile reports whether a file's name is that of a run's results or report.
func IsRunFile(file string) bool {
	name := filepath.Base(file)
	return name == resultsFile || name == reportFile
}

// nameMax is the length above which Safe shortens a name. File systems allow 255 bytes.
const nameMax = 150

// Safe returns a file name for an address or a connect string, different for different texts. Slashes become dots,
// colons become plus signs, and bytes that could upset a shell or a file system become an underscore and their code.
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
		name = "_2f" + name[1:] // no hidden file, no parent directory
	}
	if len(name) > nameMax {
		name = fmt.Sprintf("%s_%x", name[:nameMax-20], sha256.Sum256([]byte(s)))[:nameMax]
	}
	return name
}
