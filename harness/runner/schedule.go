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

// schedule holds the phases of a run. Virtual checks run first; each has its own server. Then come the live ones, and
// after them those that disturb others, both beside the quiet ones. Those that must be alone come last. Quiet checks
// do next to nothing for minutes, so they run in addition to the requested number of workers.
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
	if r.Parallel == 0 {
		s.live.size *= perCore(s.live.items)
	}
	slices.SortStableFunc(s.live.items, func(a, b Item) int { // long checks first: the run takes as long as the one that ends last
		return cmp.Compare(r.options(b).Limit(b.Case), r.options(a).Limit(a.Case))
	})
	return s
}

// perCore returns how many of some checks share a core.
func perCore(items []Item) int {
	least := 0
	for _, it := range items {
		if n := max(1, it.Case.Kind.PerCore); least == 0 || n < least {
			least = n
		}
	}
	return max(1, least)
}

// beside runs the live checks and then those that disturb others, both beside the quiet ones.
func (r Runner) beside(ctx context.Context, cancel context.CancelCauseFunc, s schedule, done func(Item, harness.Result)) error {
	var wg sync.WaitGroup
	var quiet error
	wg.Go(func() { quiet = r.phase(ctx, cancel, s.quiet, done) })
	err := r.phase(ctx, cancel, s.live, done)
	if len(s.live.items) == 0 {
		wg.Wait() // nothing shows that the watches of the quiet checks are open
	}
	if err == nil {
		err = r.phase(ctx, cancel, s.disturbs, done)
	}
	wg.Wait()
	return cmp.Or(err, quiet)
}
