package runner

import (
	"cmp"
	"os"
	"path/filepath"
)

// sink is the file of a history, made with the first write: a check that is
// skipped leaves none. Each event is written at once and unbuffered, so that a
// crash loses none; and without telling Go's scheduler (see write).
type sink struct {
	path string
	f    *os.File
	err  error // the first
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.write(p)
	s.err = cmp.Or(s.err, err)
	return n, err
}

func (s *sink) write(p []byte) (int, error) {
	if s.f == nil {
		if err := os.MkdirAll(filepath.Dir(s.path), 0o777); err != nil {
			return 0, err
		}
		f, err := os.Create(s.path)
		if err != nil {
			return 0, err
		}
		s.f = f
	}
	return write(s.f, p)
}

// Close gives the first error of all: what is in the file then is not the history.
func (s *sink) Close() error {
	if s.f == nil {
		return s.err
	}
	return cmp.Or(s.err, s.f.Close())
}
