package oddities

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// watching are oddities of how watches begin, go on and end.
func watching() []Oddity {
	return []Oddity{
		{
			Name: "expired-as-status", Clause: "watchcache/watch/expired",
			About: "a watch from before the window is refused with 410 as a status: there is no stream, and no ERROR in it",
			Open: opening(func(w watch.Interface, _ metav1.ListOptions) (watch.Interface, error) {
				select {
				case e, ok := <-w.ResultChan():
					if err := apierrors.FromObject(e.Object); ok && e.Type == watch.Error && apierrors.IsResourceExpired(err) {
						w.Stop()
						return nil, err
					}
					return relay(w, !ok, e), nil
				case <-time.After(time.Nanosecond): // fake time: it has nothing to say
					return w, nil
				}
			}),
		},
		{
			Name: "future-refused", Clause: "watchcache/watch/future",
			About: "a watch from a resourceVersion that is not there yet does not wait: it is refused with 504",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				s := apiserver.New(o)
				return watches{s, func(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
					asked, ok := new(big.Int).SetString(o.ResourceVersion, 10)
					if now, _ := new(big.Int).SetString(s.Revision(), 10); ok && o.SendInitialEvents == nil && now.Cmp(asked) < 0 {
						return nil, apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %s, current: %s", asked, now), 1)
					}
					return s.Watch(ctx, r, o)
				}}, s
			},
		},
		{
			Name: "waits-long", Clause: "watchcache/watchlist/future",
			About: "who asks for what is not there yet waits a minute before it hears of that",
			Open:  with(func(o *apiserver.Options) { o.TooLargeWait = time.Minute }),
		},
		{
			Name: "slow-ended", Clause: "watchcache/watch/slow",
			About: "a watch of which more than forty events have not been read ends cleanly behind them, and can be resumed",
			Open: opening(func(w watch.Interface, _ metav1.ListOptions) (watch.Interface, error) {
				return impatient(w, 40), nil
			}),
		},
		{
			Name: "bookmark-at-start", Clause: "watchcache/bookmark/monotonic",
			About: "a watch from N that allows bookmarks begins with one at N",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				s := apiserver.New(o)
				return watches{s, func(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
					now := s.Revision()
					w, err := s.Watch(ctx, r, o)
					if err != nil || !o.AllowWatchBookmarks || o.ResourceVersion == "" || o.ResourceVersion == "0" || o.SendInitialEvents != nil {
						return w, err
					}
					if c, err := resourceversion.CompareResourceVersion(o.ResourceVersion, now); err != nil || c > 0 {
						return w, nil // nobody has seen what comes before it
					}
					return relay(w, false, watch.Event{Type: watch.Bookmark, Object: &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ResourceVersion: o.ResourceVersion}}}), nil
				}}, s
			},
		},
		{
			Name: "bookmarks-by-the-clock", Clause: "watchcache/bookmark/complete",
			About: "bookmarks come each minute, and none because the timeout of a watch is near",
			Open: opening(func(w watch.Interface, o metav1.ListOptions) (watch.Interface, error) {
				if o.TimeoutSeconds == nil || *o.TimeoutSeconds > 10 {
					return w, nil
				}
				return watch.Filter(w, func(e watch.Event) (watch.Event, bool) {
					m, ok := e.Object.(metav1.Object)
					return e, e.Type != watch.Bookmark || ok && m.GetAnnotations()[metav1.InitialEventsAnnotationKey] != ""
				}), nil
			}),
		},
		{
			Name: "opens-slowly", Clause: "watchcache/watch/timeout",
			About: "each watch ends cleanly after three changes, and the next takes two seconds in opening: for as long there is none",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				o.Quirks.EndAfter = 3
				s := apiserver.New(o)
				return watches{s, func(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
					time.Sleep(2 * time.Second)
					return s.Watch(ctx, r, o)
				}}, s
			},
		},
		{
			Name: "starts-stale", Clause: "watchcache/watch/unset",
			About: "changes reach the cache a second late, there are no streaming lists, and a watch with resourceVersion unset begins with what the cache has",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				o.CacheLag = time.Second
				s := apiserver.New(o)
				return watches{s, func(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
					if o.SendInitialEvents == nil && o.ResourceVersion == "" {
						o.ResourceVersion = "0"
					}
					return s.Watch(ctx, r, o)
				}}, s
			},
		},
		{
			Name: "behind-at-times", Clause: "watchcache/list/future",
			About: "the cache is now and then more than three seconds behind: some lists not older than what is there are refused with 504, and some watches end with it",
			Open:  openBehind,
		},
		{
			Name: "progress-slow", Clause: "watchcache/cache/progress",
			About: "the cache hears of changes five seconds after somebody has asked for them: the first list not older than N is refused with 504, and later ones wait",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				s := apiserver.New(o)
				return &hearing{Server: s}, s
			},
		},
		{
			Name: "named-watches-short", Clause: "watchcache/watch/cluster-scoped",
			About: "a watch of one namespace ends cleanly after three seconds, and is to be opened again",
			Open: with(func(o *apiserver.Options) {
				o.OnWatch = func(r *apiserver.Request, l *metav1.ListOptions) apiserver.Tap {
					if r.Resource == corev1.SchemeGroupVersion.WithResource("namespaces") && strings.Contains(l.FieldSelector, "metadata.name=") {
						l.TimeoutSeconds = new(int64(3))
					}
					return nil
				}
			}),
		},
		{
			Name: "cold", Clause: "watchcache/cache/starting",
			About: "the first list or watch of each kind is refused with 429, as it is for a custom resource that is new",
			Open:  with(each(func(r *apiserver.Resource) { r.Cold = true })),
		},
		{
			Name: "cache-behind", Clause: "watchcache/list/any",
			About: "changes reach the cache a second late: most-recent answers wait, and what is asked for at \"0\" is old",
			Open:  with(func(o *apiserver.Options) { o.CacheLag = time.Second }),
		},
	}
}

// behindEach is how many requests at a known resourceVersion there are to one that finds the cache behind.
const behindEach = 5

// behind is an API whose cache is behind at times.
type behind struct {
	*apiserver.Server
	asked atomic.Int64
}

func openBehind(o apiserver.Options) (apiserver.API, *apiserver.Server) {
	s := apiserver.New(o)
	return &behind{Server: s}, s
}

// late says that a request finds the cache behind, after all the time that such a request waits.
func (b *behind) late(o *metav1.ListOptions) error {
	known := o.ResourceVersion != "" && o.ResourceVersion != "0" && o.Continue == "" && o.ResourceVersionMatch != metav1.ResourceVersionMatchExact
	if !known || b.asked.Add(1)%behindEach != 0 {
		return nil
	}
	return tooLarge(o)
}

// waits is how long a request waits for a cache that is behind.
const waits = 3 * time.Second

// tooLarge is 504, after all the time that such a request waits.
func tooLarge(o *metav1.ListOptions) error {
	time.Sleep(waits)
	err := apierrors.NewTimeoutError("Too large resource version: "+o.ResourceVersion+", current: 1", 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
	return err
}

// List implements apiserver.API.
func (b *behind) List(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
	if o.Limit == 0 || o.ResourceVersionMatch != "" { // else it asks for just that state
		if err := b.late(&o); err != nil {
			return nil, err
		}
	}
	return b.Server.List(ctx, r, o)
}

// Watch implements apiserver.API. What is wrong with the request is said at once.
func (b *behind) Watch(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
	w, err := b.Server.Watch(ctx, r, o)
	if err != nil || o.SendInitialEvents == nil {
		return w, err
	}
	if late := b.late(&o); late != nil {
		w.Stop()
		status := apierrors.APIStatus(nil)
		if errors.As(late, &status) {
			failed := status.Status()
			return relay(w, false, watch.Event{Type: watch.Error, Object: &failed}), nil
		}
	}
	return w, nil
}

// hearing is an API whose cache hears of nothing by itself: five seconds after somebody has asked for what it does not know, it hears of
// all that there is. A list of the most recent state makes it hear at once.
type hearing struct {
	*apiserver.Server
	mu    sync.Mutex
	heard uint64    // the resourceVersion that it knows
	next  time.Time // when it hears again; zero: nobody has asked
}

// ask returns how long it takes until the cache knows a resourceVersion.
func (s *hearing) ask(rv uint64) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.next.IsZero() && !time.Now().Before(s.next) {
		s.heard, _ = strconv.ParseUint(s.Revision(), 10, 64)
		s.next = time.Time{}
	}
	if rv <= s.heard {
		return 0
	}
	if s.next.IsZero() {
		s.next = time.Now().Add(5 * time.Second)
	}
	return time.Until(s.next)
}

// List implements apiserver.API.
func (s *hearing) List(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
	if o.ResourceVersion == "" && o.Continue == "" { // a list of the most recent state makes the cache catch up
		s.mu.Lock()
		s.heard, _ = strconv.ParseUint(s.Revision(), 10, 64)
		s.mu.Unlock()
	}
	rv, err := strconv.ParseUint(o.ResourceVersion, 10, 64)
	if err != nil || o.ResourceVersionMatch != metav1.ResourceVersionMatchNotOlderThan || o.Continue != "" {
		return s.Server.List(ctx, r, o)
	}
	if l, err := s.Server.List(ctx, r, o); err != nil {
		return l, err
	}
	left := s.ask(rv)
	if left > waits {
		return nil, tooLarge(&o)
	}
	time.Sleep(left)
	return s.Server.List(ctx, r, o)
}

// watches is a server whose watches are opened in another way.
type watches struct {
	*apiserver.Server
	open func(context.Context, apiserver.Request, metav1.ListOptions) (watch.Interface, error)
}

// Watch implements apiserver.API.
func (w watches) Watch(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
	return w.open(ctx, r, o)
}

// opening is a server of whose watches, once they are open, f makes others.
func opening(f func(watch.Interface, metav1.ListOptions) (watch.Interface, error)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
		s := apiserver.New(o)
		return watches{s, func(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
			w, err := s.Watch(ctx, r, o)
			if err != nil {
				return nil, err
			}
			return f(w, o)
		}}, s
	}
}

// other is a watch that is read from another one.
type other struct {
	watch.Interface
	out  chan watch.Event
	stop chan struct{}
	once sync.Once
	done chan struct{}
}

func newOther(w watch.Interface, run func(*other)) *other {
	o := &other{Interface: w, out: make(chan watch.Event), stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(o.done)
		defer close(o.out)
		run(o)
	}()
	return o
}

func (o *other) ResultChan() <-chan watch.Event { return o.out }

// Stop returns when the channel is closed: nothing comes after it.
func (o *other) Stop() {
	o.once.Do(func() { close(o.stop) })
	o.Interface.Stop()
	<-o.done
}

// relay sends first, unless the watch is over, and then what it brings.
func relay(w watch.Interface, over bool, first watch.Event) watch.Interface {
	return newOther(w, func(o *other) {
		if over || !o.send(first) {
			return
		}
		for e := range w.ResultChan() {
			if !o.send(e) {
				return
			}
		}
	})
}

func (o *other) send(e watch.Event) bool {
	select {
	case o.out <- e:
		return true
	case <-o.stop:
		return false
	}
}

// impatient lets no more than so many events wait for the reader.
func impatient(w watch.Interface, most int) watch.Interface {
	return newOther(w, func(o *other) {
		var waiting []watch.Event
		in := w.ResultChan()
		for in != nil || len(waiting) > 0 {
			var out chan watch.Event
			var next watch.Event
			if len(waiting) > 0 {
				out, next = o.out, waiting[0]
			}
			select {
			case e, ok := <-in:
				if waiting = append(waiting, e); !ok || len(waiting) > most {
					waiting, in = waiting[:len(waiting)-1], nil
				}
			case out <- next:
				waiting = waiting[1:]
			case <-o.stop:
				return
			}
		}
		w.Stop()
	})
}
