package listerwatcher

import (
	"context"
	"time"

	"github.com/lwtest/lwtest/harness"
)

// calling is a call under way.
type calling struct {
	d      *driver
	actor  string
	call   int32
	cancel context.CancelFunc
	done   chan struct{} // closed when it has returned
}

// begin makes a call beside what follows, and returns when it has begun.
func (d *driver) begin(ctx context.Context, c harness.Call, do func(context.Context, *calling) harness.Answer) *calling {
	x := &calling{d: d, actor: c.Actor, done: make(chan struct{})}
	ctx, x.cancel = context.WithCancel(ctx)
	begun := make(chan struct{})
	d.t.Go(func() {
		defer close(x.done)
		x.call = d.t.Begin(c)
		close(begun)
		d.t.Try(c.Actor, x.call, func() { d.t.End(x.call, c.Actor, c.Kind, do(ctx, x)) })
	})
	<-begun
	return x
}

// leave cancels its context.
func (w *calling) leave() {
	w.d.t.Do(harness.Call{Actor: w.actor, Kind: cancelKind, Args: endArgs{w.call}}, func(context.Context) harness.Answer {
		w.cancel()
		return harness.Answer{}
	})
}

// returnLimit is how long a wait may take in real time to return; of one that takes longer nothing is known.
const returnLimit = 5 * time.Second

// over waits until the call has returned, or in real time for so long; in virtual time it records that it had all
// the time it needs.
func (w *calling) over() {
	if w.d.t.Virtual() {
		w.d.t.Idle()
		w.d.t.Settled(w.actor, w.call, "")
		return
	}
	select {
	case <-w.done:
	case <-time.After(returnLimit):
	}
}

// end cancels a call that has not returned, before the faults that it meets are cleared.
func (w *calling) end() {
	select {
	case <-w.done:
		return
	default:
	}
	w.leave()
	w.over()
}
