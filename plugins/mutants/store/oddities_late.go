package store

import (
	"time"

	conformance "github.com/lwtest/lwtest/conformance/store"
)

// oddPushes push from a goroutine of their own, one push for each change, in their order.
var oddPushes = []variant{
	{"push-beside", "undelta/push", "a goroutine of its own pushes, what there was at each change", undelta, inMemory(pushingLate(0))},
	{"push-late", "undelta/push", "it does so ten milliseconds later", undelta, inMemory(pushingLate(10 * time.Millisecond))},
	{"push-of-then", "undelta/push", "and it pushes what there is by then", undelta, inMemory(func(m *memory) {
		m.outside = true
		pushingLate(10 * time.Millisecond)(m)
		push := m.o.Push
		if push == nil {
			return
		}
		m.o.Push = func([]object) { push(nil) }
	})},
}

// pushingLate is a goroutine while there is something to push. Of nil it pushes what there is then.
func pushingLate(pause time.Duration) func(*memory) {
	return func(m *memory) {
		push := m.o.Push
		if push == nil {
			return
		}
		turn := make(chan struct{}, 1)
		turn <- struct{}{}
		waiting := make(chan []object, 1000)
		m.o.Push = func(l []object) {
			waiting <- l
			go func() {
				<-turn
				defer func() { turn <- struct{}{} }()
				time.Sleep(pause)
				l := <-waiting
				if l == nil {
					l, _ = m.List()
				}
				push(l)
			}()
		}
	}
}

// oddVersions tell no version of what is added and updated.
var oddVersions = []variant{
	{"version-by-lists", "version/told", "the version of an expiring store moves only with Replace, Delete and bookmarks", expiring, inFuncs(func(f *funcs) {
		apply := f.apply
		f.apply = func(c change) error {
			if rv, _ := f.version(); c.Verb != conformance.Delete {
				defer func() { _ = f.bookmark(rv) }()
			}
			return apply(c)
		}
	})},
}
