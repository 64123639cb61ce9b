package history

import (
	"encoding/json"
	"sync"
)

// Content returns a Ref's JSON Body decoded as a T, or nil if the body is empty or no T. The caller must not change it. It decodes each
// body once for each T, and may be called concurrently. To compare contents, compare bodies: a T lacks unknown fields.
func Content[T any](h *History, body string) *T {
	if body == "" {
		return nil
	}
	c := Derive(h, newContents[T])
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.decoded[body]
	if !ok {
		if v = new(T); json.Unmarshal([]byte(body), v) != nil {
			v = nil
		}
		c.decoded[body] = v
	}
	return v
}

type contents[T any] struct {
	mu      sync.Mutex
	decoded map[string]*T
}

func newContents[T any](*History) *contents[T] { return &contents[T]{decoded: map[string]*T{}} }
