package runner

import (
	"context"
	"slices"
	"sync"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// retries holds back results that were inconclusive beside other checks. A check that runs alone may get an answer
// from a server that the others kept busy, or that met a client of another check.
type retries struct {
	r    Runner
	done func(Item, harness.Result)
	all  int

	mu    sync.Mutex
	items []Item
	first []harness.Result
}

// maxRetries bounds how many checks run again. If more are inconclusive, the other checks are not the reason.
const maxRetries = 16

// take takes the result of a check that ran beside others in real time. It passes it to done or keeps the check for
// run.
func (a *retries) take(it Item, res harness.Result) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if res.Verdict != harness.Inconclusive || it.Case.Isolation.Exclusive() || a.all == 1 || len(a.items) == maxRetries || !gaveUp(a.r.file(it)) {
		a.done(it, res)
		return
	}
	a.items, a.first = append(a.items, it), append(a.first, res)
}

// gaveUp reports whether the drive of a history did not finish. A check that only tested nothing would do so alone,
// too.
func gaveUp(file string) bool {
	h, err := history.ReadFile(file)
	return err == nil && slices.ContainsFunc(h.Events, func(e history.Event) bool { return e.Kind == history.GaveUp })
}

// run drives the kept checks again, one at a time. A run that is killed before that has no result for them, and
// --resume drives them.
func (a *retries) run(ctx context.Context, cancel context.CancelCauseFunc) error {
	if a.items == nil {
		return nil
	}
	return a.r.phase(ctx, cancel, phase{items: a.items, size: 1}, func(it Item, res harness.Result) {
		res.First = a.reason(it)
		a.done(it, res)
	})
}

// reason returns why a check was inconclusive at first.
func (a *retries) reason(it Item) string {
	for i := range a.items {
		if a.items[i].Target == it.Target && a.items[i].Case.Address() == it.Case.Address() {
			return a.first[i].Reason
		}
	}
	return ""
}
