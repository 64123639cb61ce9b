package store

import (
	"math/rand"
	"slices"
	"sync"
	"time"
)

// pushMutants push rightly while changes come one after the other, at least until two have overlapped.
var pushMutants = []variant{
	{"push-deleted-in-a-crowd", "undelta/push", "what is deleted while another change is under way stays in pushes until a change comes alone", undelta, inMemory(func(m *memory) {
		pushingWrong(m, false, together)
	})},
	{"push-deleted-after-a-crowd", "undelta/push", "a goroutine pushes, and once two changes have overlapped what is deleted stays in each push", undelta, inMemory(func(m *memory) {
		pushingLate(3 * time.Millisecond)(m)
		pushingWrong(m, true, together)
	})},
	{"push-frozen-after-a-crowd", "undelta/push", "a goroutine pushes, and once two changes have overlapped it pushes the same for good", undelta, inMemory(func(m *memory) {
		pushingLate(3 * time.Millisecond)(m)
		pushingWrong(m, true, func(_, last []object) []object { return last })
	})},
	{"push-first-states-after-a-crowd", "undelta/push", "a goroutine pushes, and once two changes have overlapped it pushes no new state of what it has pushed", undelta, inMemory(func(m *memory) {
		pushingLate(3 * time.Millisecond)(m)
		pushingWrong(m, true, func(now, last []object) (out []object) {
			for _, o := range now {
				if i := slices.IndexFunc(last, func(l object) bool { return l.Key() == o.Key() }); i >= 0 {
					o = last[i]
				}
				out = append(out, o)
			}
			return out
		})
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
	{"push-mixes-list-in-a-crowd", "undelta/push", "with a list comes what it leaves out, where that is more than one and another change is under way", undelta, inMemory(func(m *memory) {
		push, was := m.o.Push, []object(nil)
		m.waits, m.o.Push = true, func(now []object) {
			all := together(now, was)
			if was = now; len(all) < len(now)+2 || m.under.Load() <= 1 {
				all = now
			}
			push(all)
		}
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

// pushingWrong pushes something else while another change is under way, or from then on for good.
func pushingWrong(m *memory, forGood bool, wrong func(now, last []object) []object) {
	push, last, crowded := m.o.Push, []object{}, false
	m.waits, m.o.Push = true, func(now []object) {
		if crowded = crowded && forGood || m.under.Load() > 1; crowded {
			now = wrong(now, last)
		}
		last = now
		push(now)
	}
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

// pushingOutOfOrder pushes what there was at a change when others may already have pushed what there was later.
func pushingOutOfOrder(m *memory) {
	if push := m.o.Push; push != nil {
		m.waits, m.o.Push = true, func(now []object) {
			m.mu.Unlock()
			defer m.mu.Lock()
			time.Sleep(time.Duration(rand.Intn(3)) * time.Millisecond)
			push(now)
		}
	}
}
