package informer

import (
	"context"
	"slices"
	"time"

	conformance "github.com/lwtest/lwtest/conformance/informer"
)

// handler is one, with what it has not been told yet. All but its channels is under the informer's lock.
type handler struct {
	i       *informer
	tell    func(conformance.Notice)
	period  time.Duration
	queue   []change
	initial int           // of its first objects, those from which it has not returned
	joined  bool          // all its first objects are known
	late    bool          // it was added when the informer had synced
	works   bool          // it has a goroutine
	some    chan struct{} // has room for one: there is something in the queue
	gone    chan struct{} // closed when it is removed
	done    chan struct{} // closed when its goroutine has ended
}

func (i *informer) handling() {
	i.queues = i.queueOne
	i.joins = i.join
	i.leaves = i.leave
	i.first = func(_ *handler, c change) bool { return c.initial }
	i.delivers = i.deliver
	i.ticks = func(h *handler) time.Duration { return h.period }
	i.resyncs = i.resync
	i.backlog = func(*handler) {}
}

// Handle implements informer.Handled.
func (i *informer) Handle(tell func(conformance.Notice), period time.Duration) (conformance.Registration, error) {
	if period == 0 {
		period = i.config.Resync
	}
	h := &handler{i: i, tell: tell, period: period, some: make(chan struct{}, 1), gone: make(chan struct{}), done: make(chan struct{})}
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := i.refuses(i.state); err != nil {
		return nil, err
	}
	i.joins(h)
	if i.state == running {
		i.work(h)
	}
	return h, nil
}

// join has it among the handlers, and told of what is there.
func (i *informer) join(h *handler) {
	i.handlers = append(i.handlers, h)
	for _, o := range i.all() {
		i.queues(h, change{kind: conformance.Added, key: o.key, now: &o, initial: true})
	}
	h.joined, h.late = i.synced, i.synced
}

// queued are the first objects of which it has not been told.
func (h *handler) queued() (n int) {
	for _, c := range h.queue {
		if c.initial {
			n++
		}
	}
	return n
}

// queueOne has it told of a change when those before have been told.
func (i *informer) queueOne(h *handler, c change) {
	h.queue = append(h.queue, c)
	if c.initial {
		h.initial++
	}
	h.wakes()
}

func (h *handler) wakes() {
	select {
	case h.some <- struct{}{}:
	default:
	}
}

// work gives it a goroutine. It is called with the lock.
func (i *informer) work(h *handler) {
	ctx := i.ctx
	h.works = true
	i.workers.Go(func() {
		defer close(h.done)
		h.serve(ctx)
		i.backlog(h)
	})
}

// serve tells it of one change after the other, and of everything again in between.
func (h *handler) serve(ctx context.Context) {
	again := h.tick()
	for {
		if c, ok := h.pop(ctx); ok {
			h.i.delivers(h, c)
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-h.gone:
			return
		case <-h.some:
		case <-again:
			h.i.mu.Lock()
			h.i.resyncs(h)
			h.i.mu.Unlock()
			again = h.tick()
		}
	}
}

// tick is when it is to be told of everything again; nil: never.
func (h *handler) tick() <-chan time.Time {
	if d := h.i.ticks(h); d > 0 {
		return time.After(d)
	}
	return nil
}

// pop takes the next change, unless the handler is removed or the run has ended.
func (h *handler) pop(ctx context.Context) (change, bool) {
	h.i.mu.Lock()
	defer h.i.mu.Unlock()
	if len(h.queue) == 0 || h.isGone() || ctx.Err() != nil {
		return change{}, false
	}
	c := h.queue[0]
	h.queue = h.queue[1:]
	return c, true
}

// deliver calls it, and takes note that it has returned.
func (i *informer) deliver(h *handler, c change) {
	h.tell(i.notice(h, c))
	if c.initial {
		i.mu.Lock()
		h.initial--
		i.mu.Unlock()
	}
}

// notice is a change as a handler is told it, with what the content is now.
func (i *informer) notice(h *handler, c change) conformance.Notice {
	n := conformance.Notice{Type: c.kind, Initial: i.first(h, c), Unknown: c.unknown}
	if c.old != nil {
		n.Old = c.old.raw
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	n.Held = i.gets(c.key)
	if c.now == nil {
		n.Key = c.key
		return n
	}
	n.Object = c.now.raw
	if i.config.Index != "" {
		for key := range i.index[c.now.app] {
			n.Indexed = append(n.Indexed, key)
		}
		slices.Sort(n.Indexed)
	}
	return n
}

// resync tells of everything again.
func (i *informer) resync(h *handler) {
	for _, o := range i.all() {
		i.queues(h, change{kind: conformance.Updated, key: o.key, old: &o, now: &o, resync: true})
	}
}

// HasSynced implements informer.Registration.
func (h *handler) HasSynced() bool {
	h.i.mu.Lock()
	defer h.i.mu.Unlock()
	return h.i.handled(h)
}

// Remove implements informer.Registration. What it was not told yet it is not told any more.
func (h *handler) Remove(wait bool) error {
	return h.i.removes(h, wait)
}

func (i *informer) remove(h *handler, wait bool) {
	i.mu.Lock()
	if !h.isGone() {
		i.leaves(h)
	}
	works := h.works
	i.mu.Unlock()
	if wait && works {
		<-h.done
	}
}

// leave has it out of the handlers.
func (i *informer) leave(h *handler) {
	i.handlers = slices.DeleteFunc(i.handlers, func(x *handler) bool { return x == h })
	close(h.gone)
}

func (h *handler) isGone() bool {
	select {
	case <-h.gone:
		return true
	default:
		return false
	}
}
