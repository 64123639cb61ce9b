package mutants

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// endRows are faults of how watches end: after their time, when they are stopped, amid what belongs together.
var endRows = []row{
	{name: "timeout-as-error", rule: "watch/timeout", about: "a watch whose time is over ends with an ERROR of code 504",
		on: "watch", events: tap(func() apiserver.Tap {
			return func(e watch.Event, c apiserver.Cause) []watch.Event {
				if c == apiserver.End {
					s := apierrors.NewTimeoutError("the time of the watch is over", 0).Status()
					return []watch.Event{{Type: watch.Error, Object: &s}}
				}
				return []watch.Event{e}
			}
		})},
	{name: "timeout-ignored", rule: "watch/timeout", about: "a watch does not end after its timeoutSeconds (client-go's fake clientset)",
		on: "watch", ask: func(c *call) { c.list.TimeoutSeconds = nil }},
	{name: "timeout-of-minutes-ignored", rule: "watch/timeout", about: "a watch does not end after its timeoutSeconds where that is more than 30",
		on: "watch", when: func(c *call) bool { return timed(c) && *c.list.TimeoutSeconds > 30 }, ask: func(c *call) { c.list.TimeoutSeconds = nil }},
	{name: "ends-in-between", rule: "watch/atomic", about: "a watch ends cleanly after the first of several deletions of one revision",
		on: "watch", when: timed, answer: relayed(func(e watch.Event) ([]watch.Event, bool) { return []watch.Event{e}, e.Type != watch.Deleted })},

	{name: "stopped-stays-open", rule: "watch/stop", about: "the channel of a watch that is stopped is never closed: who ranges over it waits for ever",
		on: "watch", answer: func(c *call) { c.watched = neverClosed(c.watched) }},
	{name: "stop-ignored", rule: "watch/stop", about: "Stop does nothing: a watch goes on until its context ends",
		on: "watch", answer: func(c *call) { c.watched = stopping{c.watched, func() {}} }},
	{name: "stopped-goes-on", rule: "watch/stop", about: "a watch that is stopped brings what happens in the next second, too",
		on: "watch", ask: func(c *call) { c.ctx = context.WithoutCancel(c.ctx) }, answer: func(c *call) {
			w := c.watched
			c.watched = stopping{w, func() { time.AfterFunc(time.Second, w.Stop) }}
		}},
}

// stopping is a watch with another Stop.
type stopping struct {
	watch.Interface
	stop func()
}

// Stop implements watch.Interface.
func (s stopping) Stop() { s.stop() }

// neverClosed is a watch whose channel is not closed at its end.
func neverClosed(w watch.Interface) watch.Interface {
	out := make(chan watch.Event)
	go func() {
		for e := range w.ResultChan() {
			select {
			case out <- e:
			case <-time.After(time.Hour): // nobody reads any more
				return
			}
		}
	}()
	return readFrom{w, out}
}

// readFrom is a watch that is read from another channel than its own.
type readFrom struct {
	watch.Interface
	out <-chan watch.Event
}

// ResultChan implements watch.Interface.
func (r readFrom) ResultChan() <-chan watch.Event { return r.out }
