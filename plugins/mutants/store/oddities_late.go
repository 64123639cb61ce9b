package store

import (
	"time"

	conformance "github.com/lwtest/lwtest/conformance/store"
)

// oddPushes push from a goroutine of their own, in the order of the changes, or without the lock, or several changes at once as one.
var oddPushes = []variant{
	{"push-beside", "undelta/push", "a goroutine of its own pushes, what there was at each change", undelta, inMemory(pushingLate(0))},
	{"push-late", "undelta/push", "it does so ten milliseconds later", undelta, inMemory(pushingLate(10 * time.Millisecond))},
	{"push-of-then", "undelta/push", "and it pushes what there is by then", undelta, inMemory(pushingOfThen)},
	{"push-each-beside", "undelta/push", "of several changes at once each is pushed, by a goroutine", batches, inMemory(pushingLate(0))},
	{"push-each-late", "undelta/push", "it does so ten milliseconds later", batches, inMemory(pushingLate(10 * time.Millisecond))},
	{"push-each-of-then", "undelta/push", "and it pushes what there is by then", batches, inMemory(pushingOfThen)},
	{"push-out-of-order", "undelta/push", "with several writers what there was at a change is pushed after what there was later", batches, inMemory(pushingOutOfOrder)},
	{"push-once", "undelta/push", "several changes at once are pushed as one", batches, inMemory(func(m *memory) { m.once = true })},
	{"push-once-late", "undelta/push", "they are, ten milliseconds later", batches, inMemory(func(m *memory) {
		m.once = true
		pushingLate(10 * time.Millisecond)(m)
	})},
}

// pushingOfThen pushes late what there is by then.
func pushingOfThen(m *memory) {
	m.outside = true
	pushingLate(10 * time.Millisecond)(m)
	if push := m.o.Push; push != nil {
		m.o.Push = func([]object) { push(nil) }
	}
}

// slowPops take their time.
var slowPops = []variant{
	{"slow-pop", "queue/order", "a Pop that has something to give sleeps for two milliseconds", deltas, inFuncs(popsSlowly)},
	{"slow-pop-log", "queue/order", "the same of a log", aLog, inFuncs(popsSlowly)},
	{"slow-pop-atomic", "queue/order", "the same of one that is atomic", atomicLog, inFuncs(popsSlowly)},
}

func popsSlowly(f *funcs) {
	for _, pop := range []*func() (popped, error){&f.pop, &f.popBatch} {
		if take := *pop; take != nil {
			*pop = func() (popped, error) {
				p, err := take()
				time.Sleep(2 * time.Millisecond)
				return p, err
			}
		}
	}
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

// oddVersions tell no version of some changes.
var oddVersions = []variant{
	{"version-of-what-goes", "version/told", "a Delete of what is absent does not move the version", aMap, inFuncs(func(f *funcs) {
		apply := f.apply
		f.apply = func(c change) error {
			rv, _ := f.version()
			if there, _ := f.getByKey(c.Object.Key()); c.Verb == conformance.Delete && !keyless(c.Object) && there == nil {
				defer func() { _ = f.bookmark(rv) }()
			}
			return apply(c)
		}
	})},
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
