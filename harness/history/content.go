package history

import (
	"encoding/json"
	"sync"
)

// Content returns a Ref's Body, which is JSON, as a T that the caller must not change; nil if the body is empty or no T. It decodes a
// body once for each T. Compare bodies, not these: fields that T lacks are content too.
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
