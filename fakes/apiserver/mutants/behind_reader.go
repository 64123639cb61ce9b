package mutants

import (
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// behindMost is how much a watch with a fault of slow readers keeps at all: more than any watch of a check begins with.
const behindMost = 4000

// behindReader puts f between a watch and its reader. It is given the revision at which the watch was opened.
func behindReader(f func(w *apiserver.Relay, state string)) func(*call) {
	return func(c *call) {
		state := c.store.Revision()
		c.watched = apiserver.NewRelay(c.ctx, c.watched, func(w *apiserver.Relay) { f(w, state) })
	}
}

// sendFrom sends the reader what a channel brings.
func sendFrom(w *apiserver.Relay, all <-chan watch.Event) {
	for e := range all {
		if !w.Send(e) {
			return
		}
	}
}

// merging sends one event, or none, in place of two of these types in a row for one name, once 500 wait for the reader.
func merging(first, second watch.EventType, into ...watch.EventType) func(w *apiserver.Relay, state string) {
	merge := func(queue []watch.Event, e watch.Event) []watch.Event {
		last := len(queue) - 1
		if last < 500 || queue[last].Type != first || e.Type != second || of(queue[last].Object).GetName() != of(e.Object).GetName() {
			return append(queue, e)
		}
		queue = queue[:last]
		for _, t := range into {
			queue = append(queue, watch.Event{Type: t, Object: e.Object})
		}
		return queue
	}
	return func(w *apiserver.Relay, _ string) {
		var queue []watch.Event
		in, out := w.In(), make(chan watch.Event)
		go func() {
			defer close(out)
			for in != nil || len(queue) > 0 {
				var to chan watch.Event
				var next watch.Event
				if len(queue) > 0 {
					to, next = out, queue[0]
				}
				select {
				case e, open := <-in:
					if !open {
						in = nil
						continue
					}
					queue = merge(queue, e)
				case to <- next:
					queue = queue[1:]
				case <-w.Stopped():
					return
				}
			}
		}()
		sendFrom(w, out)
	}
}

// losingLate keeps so many changes after the state that a watch began with, and all of that.
func losingLate(most int) func(w *apiserver.Relay, state string) {
	return func(w *apiserver.Relay, state string) {
		kept := make(chan watch.Event, behindMost)
		go func() {
			defer close(kept)
			for e := range w.In() {
				if len(kept) < most || e.Type == watch.Error || !older(state, of(e.Object).GetResourceVersion()) {
					kept <- e
				}
			}
		}()
		sendFrom(w, kept)
	}
}

// overtaking sends the bookmarks that wait before all else.
func overtaking(w *apiserver.Relay, _ string) {
	marks, others := make(chan watch.Event, behindMost), make(chan watch.Event, behindMost)
	go func() {
		defer close(others)
		for e := range w.In() {
			if e.Type == watch.Bookmark && len(of(e.Object).GetAnnotations()) == 0 {
				marks <- e
			} else {
				others <- e
			}
		}
	}()
	for {
		e, ok := marksFirst(marks, others)
		if !ok || !w.Send(e) {
			return
		}
	}
}

// marksFirst is what waits, a bookmark before all else; ok is false where others is closed.
func marksFirst(marks, others <-chan watch.Event) (e watch.Event, ok bool) {
	select {
	case e = <-marks:
		return e, true
	default:
	}
	select {
	case e = <-marks:
		return e, true
	case e, ok = <-others:
		return e, ok
	}
}
