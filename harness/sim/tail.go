package sim

import (
	"bytes"
	"fmt"
	"sync"
)

// tail keeps the last max bytes written to it; a crash says what matters at
// its beginning, so the first half of max is kept as well.
type tail struct {
	mu   sync.Mutex
	max  int
	head []byte
	rest []byte
	lost int
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if room := t.max/2 - len(t.head); room > 0 {
		k := min(room, len(p))
		t.head = append(t.head, p[:k]...)
		p = p[k:]
	}
	t.rest = append(t.rest, p...)
	if over := len(t.rest) - t.max/2; over > 0 {
		t.rest = append(t.rest[:0], t.rest[over:]...)
		t.lost += over
	}
	return n, nil
}

func (t *tail) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.head, t.rest, t.lost = nil, nil, 0
}

func (t *tail) String() string {
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
