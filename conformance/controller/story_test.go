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

// Where a second life is to begin while there is one, nothing happens: the run comes to its end.
func TestThirdLife(t *testing.T) {
	target, err := faulty.Open("oddity/plain")
	require.NoError(t, err)
	c := target.Cases[0]
	s, err := c.Kind.Story([]byte(`{"lwtest":"story/v1","kind":"controller","steps":[
		{"op":"overlap","for":"1m","with":{"write":3}},{"op":"overlap","for":"1m","with":{"write":4}},{"op":"overlap","for":"20s","with":{"write":6}},{"op":"scenario"}]}`))
	require.NoError(t, err)
	one, err := c.Play(s)
	require.NoError(t, err)
	r, h := harness.Run(one, harness.Options{TB: t, Seed: 1})
	assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
	begun, ended := map[string]int{}, map[string]int{}
	for i := range h.Events {
		switch e := &h.Events[i]; e.Kind {
		case "START":
			begun[e.Actor]++
		case "OVER":
			ended[e.Actor]++
		}
	}
	assert.Equal(t, begun, ended)
}
