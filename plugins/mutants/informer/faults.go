package informer

import (
	"runtime"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// never is a pause that no drive waits for.
const never = 10000 * time.Hour

// asking changes the options of requests of a sort.
func asking(what string, f func(*informer, *metav1.ListOptions)) func(*informer) {
	return func(i *informer) {
		i.asks = func(is string, o *metav1.ListOptions) {
			if is == what {
				f(i, o)
			}
		}
	}
}

// failing has something else come after requests that failed so: f gives what, and the pause, from the right one.
func failing(so func(what string, err error) bool, f func(i *informer, pause time.Duration) time.Duration) func(*informer) {
	return func(i *informer) {
		right := i.next
		i.next = func(what string, err error) time.Duration {
			pause := right(what, err)
			if err != nil && so(what, err) {
				pause = f(i, pause)
			}
			return pause
		}
	}
}

// wedged is what an informer does that has given up.
func wedged(*informer, time.Duration) time.Duration { return never }

// coded says that a request was refused so, or a watch ended with such an ERROR.
func coded(codes ...int32) func(string, error) bool {
	return func(_ string, err error) bool {
		s, ok := status(err)
		return ok && slices.Contains(codes, s.Code)
	}
}

// telling has f decide what becomes of a change that handlers are to be told.
func telling(f func(i *informer, c change, tell func(change))) func(*informer) {
	return func(i *informer) {
		right := i.tell
		i.tell = func(c change) { f(i, c, right) }
	}
}

// untold leaves out some changes.
func untold(which func(change) bool) func(*informer) {
	return telling(func(_ *informer, c change, tell func(change)) {
		if !which(c) {
			tell(c)
		}
	})
}

// retold changes what handlers are told.
func retold(f func(i *informer, c *change)) func(*informer) {
	return telling(func(i *informer, c change, tell func(change)) {
		f(i, &c)
		tell(c)
	})
}

// raw leaves a path out of the transform.
func raw(path string) func(*informer) {
	return func(i *informer) { i.transforms = func(is string) bool { return is != path } }
}

func each(fs ...func(*informer)) func(*informer) {
	return func(i *informer) {
		for _, f := range fs {
			f(i)
		}
	}
}

// lets has all others go on, so often, for an instant that in fake time is none. It is called with the lock, and has it
// again then.
func (i *informer) lets(times int) {
	i.mu.Unlock()
	for range times {
		runtime.Gosched()
	}
	i.mu.Lock()
}
