package exec

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// wireVar names the log file for the workers of a run, which are processes of their own.
const wireVar = "LWTEST_WIRE"

// LogWire logs, from now on, every message between lwtest and its adapters to file, which it creates or empties.
// Worker processes that are started later log there, too.
func LogWire(file string) error {
	path, err := filepath.Abs(file)
	if err != nil {
		return fmt.Errorf("--wire: %w", err)
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("--wire: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("--wire: %w", err)
	}
	return os.Setenv(wireVar, path)
}

// wire logs the messages of one adapter process. A nil wire logs nothing. It may be used concurrently.
type wire struct {
	mu   sync.Mutex
	file *os.File
	pid  int
}

// newWire returns the log that LogWire asked for, or nil.
func newWire(pid int) (*wire, error) {
	path := os.Getenv(wireVar)
	if path == "" {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("--wire: %w", err)
	}
	return &wire{file: f, pid: pid}, nil
}

// The directions of a message.
const (
	toAdapter   = "→"
	fromAdapter = "←"
)

// log writes one message: its time, the adapter's process id, its direction and its text. A line is one write, so that
// the lines of several workers do not mix. A log that cannot be written does not stop the run.
func (w *wire) log(direction string, message []byte) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = fmt.Fprintf(w.file, "%s %d %s %s\n", time.Now().UTC().Format("15:04:05.000000"), w.pid, direction, message)
}

func (w *wire) close() {
	if w != nil {
		_ = w.file.Close() // nothing is buffered
	}
}
