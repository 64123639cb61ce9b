package apiserver

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/watch"
)

// Relay is a watch that passes on what another brings, or something else: whoever wraps an API stands
// between a watch and its client with it.
type Relay struct {
	ctx    context.Context
	in     watch.Interface
	out    chan watch.Event
	stop   chan struct{}
	once   sync.Once
	done   chan struct{}
	broken bool // written before out is closed
}

// NewRelay starts a relay of in, which it stops in the end. run is called once, on a goroutine of its own;
// when it returns the watch is over. It should return when In is closed or Send says no.
func NewRelay(ctx context.Context, in watch.Interface, run func(*Relay)) *Relay {
	r := &Relay{ctx: ctx, in: in, out: make(chan watch.Event), stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(r.done)
		defer close(r.out)
		run(r)
		in.Stop()
		if b, ok := in.(interface{ Broken() bool }); ok && b.Broken() {
			r.broken = true
		}
	}()
	return r
}

// In is what the other watch brings.
func (r *Relay) In() <-chan watch.Event { return r.in.ResultChan() }

// Send waits for the reader; false: there is none any more.
func (r *Relay) Send(e watch.Event) bool {
	select {
	case r.out <- e:
		return true
	case <-r.stop:
	case <-r.ctx.Done():
	}
	return false
}

// Stopped is closed when the client has stopped the watch.
func (r *Relay) Stopped() <-chan struct{} { return r.stop }

// Left says that the client has stopped the watch, or its context has ended.
func (r *Relay) Left() bool { return isClosed(r.stop) || r.ctx.Err() != nil }

// Break makes the end of this watch a broken stream. Only run may call it.
func (r *Relay) Break() { r.broken = true }

// ResultChan implements watch.Interface.
func (r *Relay) ResultChan() <-chan watch.Event { return r.out }

// Stop implements watch.Interface. It returns when the channel is closed: nothing comes after it.
func (r *Relay) Stop() {
	r.once.Do(func() { close(r.stop) })
	r.in.Stop()
	<-r.done
}

// Broken says, once the channel is closed, whether a wire would show the end as a broken stream.
func (r *Relay) Broken() bool { return r.broken }
