package runner

import (
	"context"
	"slices"
	"sync"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// again holds back what was inconclusive beside other checks: of a server that these keep busy, or that another
// client of its own meets now and then, a check that runs alone may tell more.
type again struct {
	r    Runner
	done func(Item, harness.Result)
	all  int

	mu    sync.Mutex
	items []Item
	first []harness.Result
}

// mostAgain is how many checks are tried once more: where more are inconclusive, it is not for the company.
const mostAgain = 16

// take is told of the result of a check that ran beside others, in real time.
func (a *again) take(it Item, res harness.Result) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if res.Verdict != harness.Inconclusive || it.Case.Isolation.Exclusive() || a.all == 1 || len(a.items) == mostAgain || !gaveUp(a.r.file(it)) {
		a.done(it, res)
		return
	}
	a.items, a.first = append(a.items, it), append(a.first, res)
}

// gaveUp says that a drive did not come to its end: what just tests nothing does so alone, too.
func gaveUp(file string) bool {
	h, err := history.ReadFile(file)
	return err == nil && slices.ContainsFunc(h.Events, func(e history.Event) bool { return e.Kind == history.GaveUp })
}

// run drives them once more, one at a time. A run that is killed before that has no result of them: --resume drives them.
func (a *again) run(ctx context.Context, cancel context.CancelCauseFunc) error {
	if a.items == nil {
		return nil
	}
	return a.r.phase(ctx, cancel, phase{items: a.items, size: 1}, func(it Item, res harness.Result) {
		res.First = a.reason(it)
		a.done(it, res)
	})
}

// reason is why a check was inconclusive at first.
func (a *again) reason(it Item) string {
	for i := range a.items {
		if a.items[i].Target == it.Target && a.items[i].Case.Address() == it.Case.Address() {
			return a.first[i].Reason
		}
	}
	return ""
}
