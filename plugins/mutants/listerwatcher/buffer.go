package listerwatcher

import (
	"context"
	"sync"
	"time"
)

// keeper puts an event where the consumer reads it; stopped is closed when the watch is.
type keeper func(read chan<- event, e event, stopped <-chan struct{})

// buffered reads a watch ahead of its consumer, with room for so many events; keep puts each there.
func buffered(w watching, room int, keep keeper) watching {
	read, stopped := make(chan event, room), make(chan struct{})
	go func() {
		defer close(read)
		for {
			e, ok := w.Next(context.Background()) // until the watch ends, or is stopped
			if !ok {
				return
			}
			keep(read, e, stopped)
		}
	}()
	stops := stopping{w, sync.OnceFunc(func() { close(stopped) })}
	return next{stops, func(ctx context.Context, _ coming) (event, bool) {
		select {
		case e, ok := <-read:
			return e, ok
		case <-ctx.Done():
			return event{}, false
		}
	}}
}

// stopping is a watch that does something more when it is stopped.
type stopping struct {
	watching
	also func()
}

// Stop implements listerwatcher.Watch.
func (s stopping) Stop() {
	s.also()
	s.watching.Stop()
}

// waiting keeps what there is room for, and waits for the consumer to take the rest, or to stop.
func waiting(read chan<- event, e event, stopped <-chan struct{}) {
	select {
	case read <- e:
	case <-stopped:
	}
}

// unheard waits for the consumer alone.
func unheard(read chan<- event, e event, _ <-chan struct{}) { read <- e }

// impatient drops an event that its consumer does not take at once.
func impatient(_ context.Context, w watching) watching {
	return buffered(w, 0, func(read chan<- event, e event, _ <-chan struct{}) {
		select {
		case read <- e:
		case <-time.After(10 * time.Millisecond):
		}
	})
}

// overflowing drops an event for which there is no room.
func overflowing(_ context.Context, w watching) watching {
	return buffered(w, 100, func(read chan<- event, e event, _ <-chan struct{}) {
		select {
		case read <- e:
		default:
		}
	})
}

// hasty gives nothing more when the watch has ended, whatever its consumer has not taken by then.
func hasty(_ context.Context, w watching) watching {
	ended := make(chan struct{})
	right := buffered(unending{w, ended}, 10, waiting)
	return next{right, func(ctx context.Context, come coming) (event, bool) {
		select {
		case <-ended:
			return event{}, false
		default:
			return come(ctx)
		}
	}}
}

// unending is a watch that tells of its end a moment later.
type unending struct {
	watching
	ended chan struct{}
}

// Next implements listerwatcher.Watch.
func (u unending) Next(ctx context.Context) (event, bool) {
	e, ok := u.watching.Next(ctx)
	if !ok {
		time.Sleep(time.Millisecond) // who reads at once has all of it by then
		close(u.ended)
	}
	return e, ok
}
