package runner

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/lwtest/lwtest/harness"
)

// phase is a set of items that run side by side.
type phase struct {
	items   []Item
	size    int
	virtual bool
}

// schedule is what runs when: first what is in virtual time, where each has a
// server of its own; then live, and beside its last quiet ones what forgets;
// then what must be alone.
type schedule struct{ virtual, live, forgets, alone phase }

func (r Runner) schedule(items []Item) schedule {
	size := r.Parallel
	if size == 0 {
		size = runtime.NumCPU()
	}
	s := schedule{virtual: phase{size: size, virtual: true}, live: phase{size: size}, forgets: phase{size: 1}, alone: phase{size: 1}}
	for _, it := range items {
		p := &s.live
		switch {
		case r.options(it).Virtual(it.Case):
			p = &s.virtual
		case it.Case.Isolation == harness.Forgets:
			p = &s.forgets
		case it.Case.Isolation == harness.Alone:
			p = &s.alone
		}
		p.items = append(p.items, it)
	}
	slices.SortStableFunc(s.live.items, r.longestFirst)
	return s
}

// longestFirst: the run takes as long as what ends last. Quiet ones come before
// all others, so that their watches are open when those have ended.
func (r Runner) longestFirst(a, b Item) int {
	if a.quiet() != b.quiet() {
		if a.quiet() {
			return -1
		}
		return 1
	}
	return cmp.Compare(r.options(b).Limit(b.Case), r.options(a).Limit(a.Case))
}

func (i Item) quiet() bool { return i.Case.Isolation == harness.Quiet }

// beside runs what is live and what forgets: this as soon as only quiet checks
// are left of those.
func (r Runner) beside(ctx context.Context, cancel context.CancelCauseFunc, s schedule, done func(Item, harness.Result)) error {
	others := 0
	for _, it := range s.live.items {
		if !it.quiet() {
			others++
		}
	}
	begin := make(chan struct{})
	now := sync.OnceFunc(func() { close(begin) })
	var wg sync.WaitGroup
	var late error
	wg.Go(func() {
		<-begin
		late = r.phase(ctx, cancel, s.forgets, done)
	})
	err := r.phase(ctx, cancel, s.live, func(it Item, res harness.Result) {
		done(it, res)
		if it.quiet() {
			return
		}
		if others--; others == 0 {
			now()
		}
	})
	now() // there were only quiet ones, or the run has ended early
	wg.Wait()
	return cmp.Or(err, late)
}
