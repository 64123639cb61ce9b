package controller_test

import (
	"encoding/json"
	"strings"
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

// played plays steps on a correct controller.
func played(t *testing.T, steps string) (harness.Script, *history.History) {
	t.Helper()
	target, err := faulty.Open("oddity/plain")
	require.NoError(t, err)
	c := target.Cases[0]
	s, err := c.Kind.Story([]byte(`{"lwtest":"story/v1","kind":"controller","steps":[` + steps + `]}`))
	require.NoError(t, err)
	one, err := c.Play(s)
	require.NoError(t, err)
	r, h := harness.Run(one, harness.Options{TB: t, Seed: 1})
	assert.Equal(t, harness.Pass, r.Verdict, "%s %v", r.Reason, r.Broken())
	return s, h
}

// came returns what came about in the runs of a history.
func came(t *testing.T, h *history.History) (all []string) {
	t.Helper()
	for i := range h.Events {
		if e := &h.Events[i]; e.Kind == "FINAL" {
			var end struct{ Came []string }
			require.NoError(t, json.Unmarshal(e.X.Body, &end))
			all = append(all, end.Came...)
		}
	}
	return all
}

// Of several disturbances that would decide what becomes of a write the first does. What did not come about is not in the record, and the
// fuzzer does not count it.
func TestOneDecides(t *testing.T) {
	s, h := played(t, `{"op":"refuse","with":{"write":3,"code":409},"of":["first=409"]},{"op":"kill","with":{"write":3,"after":true,"behind":3},"of":["second=killed, and behind"]},{"op":"scenario"},{"op":"restart"}`)
	assert.Equal(t, []string{"refuse write 3 with 409", "restart the controller"}, came(t, h))
	reached := controller.Suite.Describe().Language.Cover(s, h)
	assert.NotEmpty(t, reached["first=409"])
	assert.NotContains(t, reached, "second=killed, and behind")
}

// Where a second life follows a kill, no later one begins behind.
func TestFollowedLife(t *testing.T) {
	_, h := played(t, `{"op":"overlap","for":"20s","with":{"write":3}},{"op":"kill","with":{"write":4,"behind":2}},{"op":"scenario"},{"op":"restart"}`)
	require.Len(t, came(t, h), 3)
	starts := []bool{}
	for i := range h.Events {
		if e := &h.Events[i]; e.Kind == "START" {
			starts = append(starts, strings.Contains(string(e.X.Body), `"Behind":true`))
		}
	}
	assert.NotContains(t, starts[len(starts)-1:], true)
}

// Where a second life is to begin while there is one, nothing happens: the run comes to its end.
func TestThirdLife(t *testing.T) {
	_, h := played(t, `{"op":"overlap","for":"1m","with":{"write":3}},{"op":"overlap","for":"1m","with":{"write":4}},{"op":"overlap","for":"20s","with":{"write":6}},{"op":"scenario"}`)
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
