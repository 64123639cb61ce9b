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
// server of its own; then live, and after it what disturbs, both beside what is
// quiet; then what must be alone. Quiet ones do next to nothing for minutes:
// they come on top of the size that was asked for.
type schedule struct{ virtual, quiet, live, disturbs, alone phase }

func (r Runner) schedule(items []Item) schedule {
	size := r.Parallel
	if size == 0 {
		size = runtime.NumCPU()
	}
	s := schedule{virtual: phase{size: size, virtual: true}, live: phase{size: size}, disturbs: phase{size: 1}, alone: phase{size: 1}}
	for _, it := range items {
		p := &s.virtual
		if !r.options(it).Virtual(it.Case) {
			p = []*phase{harness.Shared: &s.live, harness.Quiet: &s.quiet, harness.Disturbs: &s.disturbs, harness.Alone: &s.alone}[it.Case.Isolation]
		}
		p.items = append(p.items, it)
	}
	s.quiet.size = len(s.quiet.items)
	slices.SortStableFunc(s.live.items, func(a, b Item) int { // the run takes as long as what ends last
		return cmp.Compare(r.options(b).Limit(b.Case), r.options(a).Limit(a.Case))
	})
	return s
}

// beside runs what is live and then what disturbs, both beside what is quiet.
func (r Runner) beside(ctx context.Context, cancel context.CancelCauseFunc, s schedule, done func(Item, harness.Result)) error {
	var wg sync.WaitGroup
	var quiet error
	wg.Go(func() { quiet = r.phase(ctx, cancel, s.quiet, done) })
	err := r.phase(ctx, cancel, s.live, done)
	if len(s.live.items) == 0 {
		wg.Wait() // nothing says that their watches are open
	}
	if err == nil {
		err = r.phase(ctx, cancel, s.disturbs, done)
	}
	wg.Wait()
	return cmp.Or(err, quiet)
}
