package controller_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/controller"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/internal/storytest"
	faulty "github.com/lwtest/lwtest/plugins/mutants/controller"
)

func TestStoriesRoundTrip(t *testing.T) { storytest.RoundTrip(t, controller.Suite.Describe(), 200) }

// Random stories come to an end, and break no MUST.
func TestRandomStories(t *testing.T) {
	target, err := faulty.Open("oddity/plain")
	require.NoError(t, err)
	storytest.Applied(t, target.Cases[:1], 20, func(c harness.Case, r harness.Result, _ *history.History) {
		for _, rr := range r.Rules {
			if rr.Level == harness.Must {
				assert.NotEqual(t, harness.Fail, rr.Verdict, "%s: %v\n%v", rr.Rule, rr.Bad, c.Script.Text())
			}
		}
	})
}
