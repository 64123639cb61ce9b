package cri

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// logFile is a container's log in the format of the CRI: each line has the time, the stream, F or P, and the text. P means that the
// line goes on. A nil logFile is none.
type logFile struct {
	path string
	zone string

	mu   sync.Mutex
	file *os.File
	rest map[string][]byte // by stream: the beginning of a line
}

// lineLimit is how many bytes of a line stand in one entry.
const lineLimit = 16 * 1024

// file returns where a file of the runtime is; empty stays empty.
func (r *Runtime) file(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Join(r.o.Root, path)
}

// openLog opens a log; nil if there is no path. A log that cannot be opened takes nothing, and does not keep the container from
// running.
func openLog(path string, numericZone bool) *logFile {
	if path == "" {
		return nil
	}
	l := &logFile{path: path, zone: "Z", rest: map[string][]byte{}}
	if numericZone {
		l.zone = "+00:00"
	}
	_ = os.MkdirAll(filepath.Dir(path), 0o755)
	l.file, _ = openAppend(path)
	return l
}

func openAppend(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
}

// reopen goes on in a new file of the same name.
func (l *logFile) reopen() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	file, err := openAppend(l.path)
	if err != nil {
		return err
	}
	if l.file != nil {
		l.file.Close()
	}
	l.file = file
	return nil
}

// close writes what has no end of line yet, and closes the file.
func (l *logFile) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, stream := range []string{"stdout", "stderr"} {
		if rest := l.rest[stream]; len(rest) > 0 {
			l.entry(stream, "P", rest)
		}
	}
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
}

// entry writes one entry under the lock.
func (l *logFile) entry(stream, tag string, text []byte) {
	if l.file == nil {
		return
	}
	b := time.Now().UTC().AppendFormat(nil, "2006-01-02T15:04:05.000000000")
	b = append(b, l.zone+" "+stream+" "+tag+" "...)
	b = append(append(b, text...), '\n')
	_, _ = l.file.Write(b) // a full disk loses lines, and nothing else
}

// stream returns a writer for the output of a stream; nil if there is no log.
func (l *logFile) stream(name string) io.Writer {
	if l == nil {
		return nil
	}
	return logStream{l, name}
}

type logStream struct {
	log  *logFile
	name string
}

func (s logStream) Write(b []byte) (int, error) {
	l := s.log
	l.mu.Lock()
	defer l.mu.Unlock()
	text := append(l.rest[s.name], b...)
	for {
		end := bytes.IndexByte(text, '\n')
		switch {
		case end >= 0 && end <= lineLimit:
			l.entry(s.name, "F", text[:end])
			text = text[end+1:]
		case len(text) > lineLimit:
			l.entry(s.name, "P", text[:lineLimit])
			text = text[lineLimit:]
		default:
			l.rest[s.name] = bytes.Clone(text)
			return len(b), nil
		}
	}
}
