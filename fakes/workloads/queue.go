package workloads

import (
	"context"
	"sync"
	"time"
)

// item is a piece of work: an object, for a controller or (nil) the collector.
type item struct {
	controller *controller
	place
}

// queue has each item once at most, in the order of arrival.
type queue struct {
	mu     sync.Mutex
	items  []item
	has    map[item]bool
	fails  map[item]int
	timers map[item]timer
	wake   chan struct{}
	closed bool
}

type timer struct {
	*time.Timer
	at time.Time
}

func newQueue() *queue {
	return &queue{has: map[item]bool{}, fails: map[item]int{}, timers: map[item]timer{}, wake: make(chan struct{}, 1)}
}

func (q *queue) add(it item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.has[it] || q.closed {
		return
	}
	q.has[it], q.items = true, append(q.items, it)
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// addAfter adds an item after d, unless a timer does so earlier.
func (q *queue) addAfter(it item, d time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := time.Now().Add(d)
	if t, ok := q.timers[it]; q.closed || ok && !t.at.After(at) {
		return
	} else if ok {
		t.Stop()
	}
	q.timers[it] = timer{at: at, Timer: time.AfterFunc(d, func() {
		q.mu.Lock()
		if q.timers[it].at.Equal(at) {
			delete(q.timers, it)
		}
		q.mu.Unlock()
		q.add(it)
	})}
}

// retry adds an item that has failed after a time that doubles, from 5 ms to 30 s.
func (q *queue) retry(it item) {
	q.mu.Lock()
	q.fails[it]++
	d := min(5*time.Millisecond<<min(q.fails[it]-1, 20), 30*time.Second)
	q.mu.Unlock()
	q.addAfter(it, d)
}

func (q *queue) forget(it item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.fails, it)
}

// next waits for an item; false: ctx has ended.
func (q *queue) next(ctx context.Context) (item, bool) {
	for {
		q.mu.Lock()
		if len(q.items) > 0 {
			it := q.items[0]
			q.items = q.items[1:]
			delete(q.has, it)
			q.mu.Unlock()
			return it, true
		}
		q.mu.Unlock()
		select {
		case <-ctx.Done():
			return item{}, false
		case <-q.wake:
		}
	}
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	for _, t := range q.timers {
		t.Stop()
	}
}
