package store

import (
	"math/rand"
	"slices"
	"sync"
	"time"
)

// pushRows are maps that push wrongly, with one fault each.
var pushRows = []row{
	{"push-before", "undelta/push", "what is pushed is the content before the change", undelta, pushes(func(_ *memory, _, last []object) ([]object, bool) { return last, true })},
	{"push-not-empty", "undelta/push", "an empty content is not pushed", undelta, pushes(func(_ *memory, now, _ []object) ([]object, bool) { return now, len(now) > 0 })},
	{"push-nothing-in-a-crowd", "undelta/push", "an empty content is pushed while another change is under way", undelta, crowdedPushes(func(_, _ []object) []object { return nil })},
	{"push-before-in-a-crowd", "undelta/push", "the content before the change is pushed while another is under way", undelta, crowdedPushes(func(_, last []object) []object { return last })},
	{"push-last-late-in-a-crowd", "undelta/push", "a goroutine pushes, while another change is under way the last object alone", undelta, inMemory(func(m *memory) {
		m.pushingLate(10 * time.Millisecond)
		m.pushingWrong(false, func(now, _ []object) []object { return now[max(0, len(now)-1):] })
	})},
	{"push-changed-only", "undelta/push", "a change that leaves everything as it was is not pushed", undelta, pushes(same(func(a, b object) bool { return a.Key() == b.Key() && a.Body == b.Body }))},
	{"push-of-new-versions", "undelta/push", "a change that leaves every resourceVersion as it was is not pushed", undelta, pushes(same(func(a, b object) bool {
		return a.Key() == b.Key() && a.ResourceVersion == b.ResourceVersion
	}))},
	{"push-on-resync", "undelta/no-push", "a resync is pushed", undelta, inFuncs(func(f *funcs) { f.resync = f.pushed })},
	{"push-on-failure", "undelta/no-push", "a change that fails is pushed", undelta, applies(func(f *funcs, c change, apply func(change) error) error {
		err := apply(c)
		if err != nil {
			_ = f.pushed()
		}
		return err
	})},
	{"push-deleted-in-a-crowd", "undelta/push", "what is deleted while another change is under way stays in pushes until a change comes alone", undelta, inMemory(func(m *memory) { m.pushingWrong(false, together) })},
	{"push-deleted-after-a-crowd", "undelta/push", "a goroutine pushes, and once two changes have overlapped what is deleted stays in each push", undelta, afterCrowds(together)},
	{"push-frozen-after-a-crowd", "undelta/push", "a goroutine pushes, and once two changes have overlapped it pushes the same for good", undelta, afterCrowds(func(_, last []object) []object { return last })},
	{"push-first-states-after-a-crowd", "undelta/push", "a goroutine pushes, and once two changes have overlapped it pushes no new state of what it has pushed", undelta, afterCrowds(func(now, last []object) (out []object) {
		for _, o := range now {
			if i := slices.IndexFunc(last, func(l object) bool { return l.Key() == o.Key() }); i >= 0 {
				o = last[i]
			}
			out = append(out, o)
		}
		return out
	})},
	{"push-last-first-after-a-crowd", "undelta/push", "a goroutine pushes, and once two changes have overlapped the last of what waits comes first", undelta, inMemory(func(m *memory) {
		push, waiting, crowded := m.o.Push, [][]object{}, false
		var mu sync.Mutex
		m.waits, m.o.Push = true, func(now []object) {
			mu.Lock()
			waiting, crowded = append(waiting, now), crowded || m.under.Load() > 1
			mu.Unlock()
			go func() {
				time.Sleep(10 * time.Millisecond)
				mu.Lock()
				i := 0
				if crowded {
					i = len(waiting) - 1
				}
				now := waiting[i]
				waiting = slices.Delete(waiting, i, i+1)
				mu.Unlock()
				push(now)
			}()
		}
	})},
	{"push-mixes-list-in-a-crowd", "undelta/push", "with a list comes what it leaves out, where that is more than one and another change is under way", undelta, crowdedPushes(func(now, was []object) []object {
		if all := together(now, was); len(all) >= len(now)+2 {
			return all
		}
		return now
	})},
	{"push-once-before-in-a-crowd", "undelta/push", "of several changes at once what there was after the last such is pushed, while another is under way", batches, inMemory(func(m *memory) {
		push, last := m.o.Push, []object{}
		m.once, m.waits, m.asOne = true, true, func() {
			now := m.all(func(entry) bool { return true })
			if m.under.Load() == 0 {
				last = now
			}
			push(last)
			last = now
		}
	})},
	{"push-once-none-in-a-crowd", "undelta/push", "several changes at once are not pushed while another is under way", batches, inMemory(func(m *memory) {
		m.once, m.waits, m.asOne = true, true, func() {
			if m.under.Load() == 0 {
				m.push()
			}
		}
	})},
}

// pushed has the content pushed, as it is.
func (f *funcs) pushed() error {
	l, _ := f.list()
	rv, _ := f.version()
	return f.replace(l, rv)
}

// afterCrowds has a goroutine push, something else from the moment on in which two changes overlap.
func afterCrowds(wrong func(now, last []object) []object) fault {
	return inMemory(func(m *memory) {
		m.pushingLate(3 * time.Millisecond)
		m.pushingWrong(true, wrong)
	})
}

// together are some objects, and of others those that they lack.
func together(now, others []object) []object {
	out := slices.Clone(now)
	for _, o := range others {
		if !slices.ContainsFunc(now, func(n object) bool { return n.Key() == o.Key() }) {
			out = append(out, o)
		}
	}
	return out
}

// oddPushes push from a goroutine of their own, in the order of the changes, or without the lock, or several changes at once as one.
var oddPushes = []row{
	{"push-beside", "undelta/push", "a goroutine of its own pushes, what there was at each change", undelta, pushesLate(0)},
	{"push-late", "undelta/push", "it does so ten milliseconds later", undelta, pushesLate(10 * time.Millisecond)},
	{"push-of-then", "undelta/push", "and it pushes what there is by then", undelta, inMemory((*memory).pushingOfThen)},
	{"push-each-beside", "undelta/push", "of several changes at once each is pushed, by a goroutine", batches, pushesLate(0)},
	{"push-each-late", "undelta/push", "it does so ten milliseconds later", batches, pushesLate(10 * time.Millisecond)},
	{"push-each-of-then", "undelta/push", "and it pushes what there is by then", batches, inMemory((*memory).pushingOfThen)},
	{"push-out-of-order", "undelta/push", "with several writers what there was at a change is pushed after what there was later", batches, inMemory(func(m *memory) {
		m.waits = true
		m.pushing(func(m *memory, now, _ []object) ([]object, bool) {
			m.mu.Unlock()
			defer m.mu.Lock()
			time.Sleep(time.Duration(rand.Intn(3)) * time.Millisecond)
			return now, true
		})
	})},
	{"push-once", "undelta/push", "several changes at once are pushed as one", batches, inMemory(func(m *memory) { m.once = true })},
	{"push-once-late", "undelta/push", "they are, ten milliseconds later", batches, inMemory(func(m *memory) {
		m.once = true
		m.pushingLate(10 * time.Millisecond)
	})},
	{"push-outside", "undelta/push", "with several writers two pushes may be equal, and the last may not be the last content", undelta, inMemory(func(m *memory) { m.outside = true })},
}

func pushesLate(pause time.Duration) fault { return inMemory(func(m *memory) { m.pushingLate(pause) }) }

// pushingLate is a goroutine while there is something to push. Of nil it pushes what there is then.
func (m *memory) pushingLate(pause time.Duration) {
	push := m.o.Push
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

// pushingOfThen pushes late what there is by then.
func (m *memory) pushingOfThen() {
	m.outside = true
	m.pushingLate(10 * time.Millisecond)
	push := m.o.Push
	m.o.Push = func([]object) { push(nil) }
}
