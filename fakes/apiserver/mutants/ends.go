package mutants

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// ends are faults of watches that cannot begin where they are asked to, and of how watches end.
func ends() []Mutant {
	return append(expiries(), []Mutant{
		{
			Name: "error-goes-on", Rule: "watchcache/watch/error-ends",
			About: "after an ERROR the watch goes on, with what comes from now on",
			Open: relaying(func(w *relay) func(watch.Event) []watch.Event {
				return func(e watch.Event) []watch.Event {
					if e.Type == watch.Error {
						w.again("")
					}
					return []watch.Event{e}
				}
			}),
		},
		{
			Name: "match-ignored", Rule: "watchcache/watch/combinations",
			About: "a match without sendInitialEvents is not looked at on a watch",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				if o.SendInitialEvents == nil {
					o.ResourceVersionMatch = ""
				}
				return nil
			}),
		},
		{
			Name: "timeout-as-error", Rule: "watchcache/watch/timeout",
			About: "a watch whose time is over ends with an ERROR of code 504",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if c == apiserver.End {
						s := apierrors.NewTimeoutError("the time of the watch is over", 0).Status()
						return []watch.Event{{Type: watch.Error, Object: &s}}
					}
					return []watch.Event{e}
				}
			}),
		},
		{
			Name: "timeout-ignored", Rule: "watchcache/watch/timeout",
			About: "a watch does not end after its timeoutSeconds (client-go's fake clientset)",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				o.TimeoutSeconds = nil
				return nil
			}),
		},
		{
			Name: "timeout-of-minutes-ignored", Rule: "watchcache/watch/timeout",
			About: "a watch does not end after its timeoutSeconds where that is more than 30",
			Open: watchingAs(func(o *metav1.ListOptions) {
				if o.TimeoutSeconds != nil && *o.TimeoutSeconds > 30 {
					o.TimeoutSeconds = nil
				}
			}),
		},
		{
			Name: "stopped-stays-open", Rule: "watchcache/watch/stop",
			About: "the channel of a watch that is stopped is never closed: who ranges over it waits for ever",
			Open: calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
				w, err := api.Watch(ctx, r, o)
				if err != nil {
					return w, err
				}
				return &tail{Interface: w, out: forward(w, make(chan watch.Event))}, nil
			}}),
		},
		{
			Name: "stop-ignored", Rule: "watchcache/watch/stop",
			About: "Stop does nothing: a watch goes on until its context ends",
			Open: calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
				w, err := api.Watch(ctx, r, o)
				if err != nil {
					return nil, err
				}
				return unstoppable{w}, nil
			}}),
		},
		{
			Name: "stopped-goes-on", Rule: "watchcache/watch/stop",
			About: "a watch that is stopped brings what happens in the next second, too",
			Open: calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
				w, err := api.Watch(context.WithoutCancel(ctx), r, o)
				if err != nil {
					return w, err
				}
				return lateStop{w}, nil
			}}),
		},
		{
			Name: "slow-loses", Rule: "watchcache/watch/slow",
			About: "what does not fit into the buffer of a watch that is not read is thrown away (etcd#17529: events lost by a watcher that is slow)",
			Open: calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
				w, err := api.Watch(ctx, r, o)
				if err != nil {
					return w, err
				}
				return &tail{Interface: w, out: throwAway(w, make(chan watch.Event, 60))}, nil
			}}),
		},
	}...)
}

// tail is a watch that is read from another channel than its own.
type tail struct {
	watch.Interface
	out chan watch.Event
}

func (t *tail) ResultChan() <-chan watch.Event { return t.out }

// forward does not close what it sends to.
func forward(w watch.Interface, out chan watch.Event) chan watch.Event {
	go func() {
		for e := range w.ResultChan() {
			select {
			case out <- e:
			case <-time.After(time.Hour): // nobody reads any more
				return
			}
		}
	}()
	return out
}

// throwAway sends what can be sent at once.
func throwAway(w watch.Interface, out chan watch.Event) chan watch.Event {
	go func() {
		defer close(out)
		for e := range w.ResultChan() {
			select {
			case out <- e:
			default:
			}
		}
	}()
	return out
}

// lateStop is a watch that goes on for a second when it is stopped.
type lateStop struct{ watch.Interface }

func (l lateStop) Stop() { time.AfterFunc(time.Second, l.Interface.Stop) }

// unstoppable is a watch whose Stop does nothing.
type unstoppable struct{ watch.Interface }

// Stop implements watch.Interface.
func (unstoppable) Stop() {}
