package harness

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// In real time a case has its span, and more where its calls take longer than usual: a busy machine makes nobody late.
const (
	usualCall  = 50 * time.Millisecond // a server that is not busy takes no longer, on the average
	checkEvery = 100 * time.Millisecond
)

// pace is how long the calls of a case take.
type pace struct {
	most  time.Duration // that it adds to a limit
	mu    sync.Mutex
	calls int
	took  time.Duration
}

func (p *pace) add(took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls, p.took = p.calls+1, p.took+took
}

// stretch returns a limit made longer by the pace so far.
func (p *pace) stretch(limit time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls == 0 {
		return limit
	}
	by := float64(p.took) / float64(p.calls) / float64(usualCall)
	return min(time.Duration(float64(limit)*max(by, 1)), limit+p.most)
}

// paced is a context whose deadline follows a pace. Err is context.DeadlineExceeded after it.
type paced struct {
	context.Context
	late atomic.Bool
}

func (c *paced) Err() error {
	if c.late.Load() {
		return context.DeadlineExceeded
	}
	return c.Context.Err()
}

// withPace returns a context that ends when a limit, as the pace stretches it, has passed.
func withPace(p *pace, limit time.Duration) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancel(context.Background())
	c := &paced{Context: inner}
	began := time.Now()
	var timer *time.Timer
	timer = time.AfterFunc(limit, func() {
		if rest := p.stretch(limit) - time.Since(began); rest > 0 && inner.Err() == nil {
			timer.Reset(max(rest, checkEvery))
			return
		}
		c.late.Store(inner.Err() == nil)
		cancel()
	})
	return c, func() {
		timer.Stop()
		cancel()
	}
}
