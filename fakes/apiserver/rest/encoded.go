package rest

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// encoding says what bytes are of: an event of an object of the store, which is the same for all watches and
// never changes, in a form.
type encoding struct {
	obj   runtime.Object
	event watch.EventType
	media *media
	as    schema.GroupVersionKind
}

// encoded keeps the bytes of the last events, so that each is encoded once, however many watch.
type encoded struct {
	mu    sync.Mutex
	last  map[encoding]*bytesOnce
	order [mostEncoded]encoding // a ring, oldest at next
	next  int
}

// mostEncoded is how many events are kept: watches that are further apart than that encode for themselves.
const mostEncoded = 512

// mostKept is how many bytes an event may have to be kept: those who are at it together still share it.
const mostKept = 32 << 10

// bytesOnce are made by the first who needs them.
type bytesOnce struct {
	once  sync.Once
	bytes []byte
	err   error
}

func newEncoded() *encoded { return &encoded{last: map[encoding]*bytesOnce{}} }

// bytes gives those of an encoding; make makes them where they are not known. They must not be changed.
func (c *encoded) bytes(e encoding, make func() ([]byte, error)) ([]byte, error) {
	c.mu.Lock()
	b := c.last[e]
	if b == nil {
		b = &bytesOnce{}
		delete(c.last, c.order[c.next])
		c.last[e], c.order[c.next] = b, e
		c.next = (c.next + 1) % mostEncoded
	}
	c.mu.Unlock()
	b.once.Do(func() {
		b.bytes, b.err = make()
		if len(b.bytes) > mostKept {
			c.mu.Lock()
			defer c.mu.Unlock()
			delete(c.last, e)
		}
	})
	return b.bytes, b.err
}
