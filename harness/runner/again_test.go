package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/report"
)

// gaveUpItem returns an item of a run whose drive gave up.
func gaveUpItem(t *testing.T, r Runner, target, name string, i harness.Isolation) Item {
	t.Helper()
	it := Item{Target: target, Case: suite("k", name).Bind(plugin())[0]}
	it.Case.Isolation = i
	h, err := history.New(history.Header{Format: history.Format, Kind: "k", Time: history.RealTime}, []history.Event{{Actor: history.Engine, Kind: history.GaveUp, X: &history.Ext{Err: &history.Error{Msg: "late"}}}})
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(r.file(it)), 0o777))
	f, err := os.Create(r.file(it))
	require.NoError(t, err)
	require.NoError(t, h.Write(f))
	require.NoError(t, f.Close())
	_, err = history.ReadFile(r.file(it))
	require.NoError(t, err)
	return it
}

// A check that ran alone, or one of too many inconclusive ones, does not run again.
func TestWhatIsDrivenAgain(t *testing.T) {
	r := Runner{Dir: t.TempDir()}
	open := harness.Result{Verdict: harness.Inconclusive, Reason: "gave up"}
	held := func(all int, its ...Item) (int, []Item) {
		var done []Item
		a := retries{r: r, all: all, done: func(it Item, _ harness.Result) { done = append(done, it) }}
		for _, it := range its {
			a.take(it, open)
		}
		return len(a.items), done
	}
	x := gaveUpItem(t, r, "t", "x/a", harness.Shared)
	count := func(want int, all int, its ...Item) {
		t.Helper()
		n, done := held(all, its...)
		assert.Equal(t, want, n)
		assert.Len(t, done, len(its)-want)
	}
	count(1, 2, x)
	count(0, 1, x)
	count(0, 2, gaveUpItem(t, r, "t", "x/alone", harness.Alone), gaveUpItem(t, r, "t", "x/disturbs", harness.Disturbs))
	var many []Item
	for i := range maxRetries + 3 {
		many = append(many, gaveUpItem(t, r, "t", fmt.Sprint("x/m", i), harness.Shared))
	}
	count(maxRetries, len(many), many...)
}

// Two targets may have a check of the same name.
func TestReasonIsThatOfTheTarget(t *testing.T) {
	r := Runner{Dir: t.TempDir()}
	a := retries{r: r, all: 2, done: func(Item, harness.Result) { t.Error("done") }}
	one, two := gaveUpItem(t, r, "one", "x/a", harness.Shared), gaveUpItem(t, r, "two", "x/a", harness.Shared)
	a.take(one, harness.Result{Verdict: harness.Inconclusive, Reason: "first"})
	a.take(two, harness.Result{Verdict: harness.Inconclusive, Reason: "second"})
	assert.Equal(t, []string{"first", "second", ""}, []string{a.reason(one), a.reason(two), a.reason(Item{Target: "three", Case: one.Case})})
	assert.NotEqual(t, report.History("one", one.Case.Address()), report.History("two", two.Case.Address()))
}
