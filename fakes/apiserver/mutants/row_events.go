package mutants

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// which makes a test of the events of one watch.
type which func() func(watch.Event, apiserver.Cause) bool

// event picks events by what they are.
func event(f func(watch.Event, apiserver.Cause) bool) which {
	return func() func(watch.Event, apiserver.Cause) bool { return f }
}

// cause picks events by their causes, typed by their types.
func cause(any ...apiserver.Cause) which {
	return event(func(_ watch.Event, c apiserver.Cause) bool {
		for _, a := range any {
			if a == c {
				return true
			}
		}
		return false
	})
}

func typed(t watch.EventType) which {
	return event(func(e watch.Event, _ apiserver.Cause) bool { return e.Type == t })
}

// changes are writes after the watch began.
var changes = cause(apiserver.Created, apiserver.Updated, apiserver.Deleted)

// every picks the nth, the 2nth, and so on, of the events that w picks. only picks just the nth.
func every(n int, w which) which { return counted(w, func(i int) bool { return i%n == 0 }) }
func only(n int, w which) which  { return counted(w, func(i int) bool { return i == n }) }

func counted(w which, f func(int) bool) which {
	return func() func(watch.Event, apiserver.Cause) bool {
		such, i := w(), 0
		return func(e watch.Event, c apiserver.Cause) bool {
			if !such(e, c) {
				return false
			}
			i++
			return f(i)
		}
	}
}

// drop leaves events out.
func drop(w which) func(*call) apiserver.Tap {
	return each(w, func(watch.Event) []watch.Event { return nil })
}

// drops leaves out events that depend on the watch.
func drops(of func(*call) which) func(*call) apiserver.Tap {
	return func(c *call) apiserver.Tap { return drop(of(c))(c) }
}

// double sends events twice.
func double(w which) func(*call) apiserver.Tap {
	return each(w, func(e watch.Event) []watch.Event { return []watch.Event{e, copyOf(e)} })
}

// as sends events as another type.
func as(t watch.EventType, w which) func(*call) apiserver.Tap {
	return each(w, func(e watch.Event) []watch.Event { e.Type = t; return []watch.Event{e} })
}

// shown changes the objects of events.
func shown(w which, f func(metav1.Object)) func(*call) apiserver.Tap {
	return each(w, func(e watch.Event) []watch.Event { f(of(e.Object)); return []watch.Event{e} })
}

// each replaces events.
func each(w which, f func(watch.Event) []watch.Event) func(*call) apiserver.Tap {
	return func(*call) apiserver.Tap {
		such := w()
		return func(e watch.Event, c apiserver.Cause) []watch.Event {
			switch {
			case c == apiserver.End:
				return nil
			case such(e, c):
				return f(e)
			}
			return []watch.Event{e}
		}
	}
}

// tap is a tap that needs to know nothing of its watch.
func tap(f func() apiserver.Tap) func(*call) apiserver.Tap {
	return func(*call) apiserver.Tap { return f() }
}

// swap sends events after the ones that follow them.
func swap(w which) func(*call) apiserver.Tap {
	return tap(func() apiserver.Tap {
		such, held := w(), []watch.Event(nil)
		return func(e watch.Event, c apiserver.Cause) []watch.Event {
			if c != apiserver.End && such(e, c) {
				held = []watch.Event{e}
				return nil
			}
			late := held
			held = nil
			if !change(c) {
				return append(late, pass(e, c)...)
			}
			return append([]watch.Event{e}, late...)
		}
	})
}
