package runner

import (
	"cmp"
	"os"
	"path/filepath"
)

// logFile is the file of a history.Log. It is created with the first write, so that a skipped check leaves none. Each
// event is written at once and unbuffered, so that a crash loses none, and without Go's scheduler noticing (see
// write).
type logFile struct {
	path string
	f    *os.File
	err  error // the first error
}

func (l *logFile) Write(p []byte) (int, error) {
	n, err := l.write(p)
	l.err = cmp.Or(l.err, err)
	return n, err
}

func (l *logFile) write(p []byte) (int, error) {
	if l.f == nil {
		if err := os.MkdirAll(filepath.Dir(l.path), 0o777); err != nil {
			return 0, err
		}
		f, err := os.Create(l.path)
		if err != nil {
			return 0, err
		}
		l.f = f
	}
	return write(l.f, p)
}

// Close returns the first error. After one the file does not hold the whole history.
func (l *logFile) Close() error {
	if l.f == nil {
		return l.err
	}
	return cmp.Or(l.err, l.f.Close())
}
