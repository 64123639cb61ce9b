package listerwatcher

import (
	"context"
	"time"

	conformance "github.com/lwtest/lwtest/conformance/listerwatcher"
)

// buffered reads a watch ahead of its consumer, with room for so many events; keep puts each there.
func buffered(w conformance.Watch, room int, keep func(chan<- conformance.Event, conformance.Event)) conformance.Watch {
	read := make(chan conformance.Event, room)
	go func() {
		defer close(read)
		for {
			e, ok := w.Next(context.Background()) // until the watch ends, or is stopped
			if !ok {
				return
			}
			keep(read, e)
		}
	}()
	return next{w, func(ctx context.Context, _ func(context.Context) (conformance.Event, bool)) (conformance.Event, bool) {
		select {
		case e, ok := <-read:
			return e, ok
		case <-ctx.Done():
			return conformance.Event{}, false
		}
	}}
}

// impatient drops an event that its consumer does not take at once.
func impatient(_ context.Context, w conformance.Watch) conformance.Watch {
	return buffered(w, 0, func(read chan<- conformance.Event, e conformance.Event) {
		select {
		case read <- e:
		case <-time.After(10 * time.Millisecond):
		}
	})
}

// overflowing drops an event for which there is no room.
func overflowing(_ context.Context, w conformance.Watch) conformance.Watch {
	return buffered(w, 100, func(read chan<- conformance.Event, e conformance.Event) {
		select {
		case read <- e:
		default:
		}
	})
}
