package runner

import (
	"os"
	"path/filepath"
)

// sink is the file of a history, made with the first write: a check that is
// skipped leaves none. Each event is written at once and unbuffered, so that a
// crash loses none; and without telling Go's scheduler (see write).
type sink struct {
	path string
	f    *os.File
}

func (s *sink) Write(p []byte) (int, error) {
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

func (s *sink) Close() error {
	if s.f == nil {
		return nil
	}
	return s.f.Close()
}
