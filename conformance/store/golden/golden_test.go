package golden_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	goldens "github.com/lwtest/lwtest/conformance/golden"
	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/conformance/store/golden"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/clientgo"
)

func load(t *testing.T) map[string]map[string]*history.History {
	t.Helper()
	all, err := golden.Load()
	require.NoError(t, err)
	require.NotEmpty(t, all, "no goldens: make goldens-store")
	return all
}

// All rules pass on what client-go did, but for what is known, and each check's own rules were put to
// the test by it. Each of its stores has a recording of each check.
func TestGoldensPass(t *testing.T) {
	kind := store.Suite.Describe()
	all := load(t)
	for _, target := range clientgo.Targets() {
		from := strings.TrimPrefix(target.Name, "go:client-go/")
		opened, err := target.Open(t.Context(), "")
		require.NoError(t, err)
		for _, c := range opened.Cases {
			h := all[from][c.Name]
			if skips(c) {
				assert.Nil(t, h, "%s has a golden of %s, which it skips", from, c.Name)
				continue
			}
			if !assert.NotNil(t, h, "%s has no golden of %s", from, c.Name) {
				continue
			}
			one := []harness.Result{kind.Judge(c.Info, h)}
			_ = harness.Cover(opened.Known, one) // stale lines are found elsewhere
			if one[0].Known == "" {
				assert.Equal(t, harness.Pass, one[0].Verdict, "%s, %s: %s", from, c.Name, one[0].Reason)
			}
		}
	}
}

// The same client-go, driven the same way, gives the same history.
func TestGoldensAreCurrent(t *testing.T) {
	all := load(t)
	for _, target := range clientgo.Targets() {
		opened, err := target.Open(t.Context(), "")
		require.NoError(t, err)
		for _, c := range opened.Cases {
			want := all[strings.TrimPrefix(target.Name, "go:client-go/")][c.Name]
			if want == nil || slices.Contains(golden.Concurrent, c.Name) {
				continue
			}
			_, h := harness.Run(c, harness.Options{TB: t, Seed: want.Header.Seed})
			assert.Equal(t, lines(want), lines(h), "%s of %s: make goldens-store", c.Name, target.Name)
		}
	}
}

func lines(h *history.History) []string {
	var out []string
	for i := range h.Events {
		out = append(out, h.Events[i].Actor+" "+h.Describe(&h.Events[i]))
	}
	return out
}

// Each perturbation of what client-go delivered is flagged by a rule, or
// excused by a line; each line excuses something, which shows only in full.
func TestPerturbations(t *testing.T) {
	all, sample := goldens.Choose(load(t), 8, full.Wanted(), full.Every())
	lines, used := golden.Table(all, golden.Excuses, sample)
	var text bytes.Buffer
	require.NoError(t, goldens.Print(&text, lines))
	t.Log("\n" + text.String() + goldens.Sum(lines))
	for i, x := range golden.Excuses {
		assert.True(t, !full.Wanted() || used[i] > 0, "this line excuses nothing: delete it: %+v", x)
	}
	assert.LessOrEqual(t, len(golden.Excuses), 20)
	for _, l := range lines {
		assert.Empty(t, l.Example, "%s of %s: neither flagged nor excused", l.How, l.Class)
	}
}

func skips(c harness.Case) bool {
	has := func(f harness.Feature) bool { return slices.Contains(c.Has, f) }
	return slices.ContainsFunc(c.Unless, has) || slices.ContainsFunc(c.Needs, func(f harness.Feature) bool { return !has(f) })
}
