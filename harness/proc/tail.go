package proc

import (
	"bytes"
	"fmt"
	"sync"
)

// Tail keeps the first and the last Max/2 bytes written to it. The beginning matters because a crash names its cause
// there. Its methods may be called concurrently.
type Tail struct {
	Max int

	mu   sync.Mutex
	head []byte
	rest []byte
	lost int
}

// Write implements io.Writer. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if room := t.Max/2 - len(t.head); room > 0 {
		k := min(room, len(p))
		t.head = append(t.head, p[:k]...)
		p = p[k:]
	}
	t.rest = append(t.rest, p...)
	if over := len(t.rest) - t.Max/2; over > 0 {
		t.rest = append(t.rest[:0], t.rest[over:]...)
		t.lost += over
	}
	return n, nil
}

// Reset discards everything.
func (t *Tail) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.head, t.rest, t.lost = nil, nil, 0
}

// String returns what is kept, with the number of bytes that are not.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b bytes.Buffer
	b.Write(t.head)
	if t.lost > 0 {
		fmt.Fprintf(&b, "\n… %d bytes left out …\n", t.lost)
	}
	b.Write(t.rest)
	return b.String()
}
