package fuzz

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/mutants/store"
)

// A story that is drawn anew depends on its number and on the seed, and not on what others have reached: how many stories a batch has
// depends on the time that earlier ones took, and so does what is known to be reached when it begins.
func TestBlindStoriesDependOnNothingElse(t *testing.T) {
	target := store.Correct()[0].Open()
	w := &worker{open: func(context.Context, string) (harness.Target, error) { return target, nil }, targets: map[string]subject{}}
	kind, has := target.Cases[0].Kind, target.Cases[0].Has
	all := newPairs(kind.Language.Pairs(has))
	all.mark(all.open(possible), judged)
	drawn := func(blind bool, covered *Pairs) (texts []string) {
		body, err := json.Marshal(batch{Target: "x", Seed: 1, Count: 60, Steps: 20, Blind: blind, Covered: covered, Draw: true})
		require.NoError(t, err)
		out, _ := w.handle(t, body)
		for _, f := range out.(outcome).Found {
			texts = append(texts, f.Text)
		}
		return texts
	}
	assert.Len(t, drawn(true, nil), 60)
	assert.Equal(t, drawn(true, nil), drawn(true, all))
	assert.NotEqual(t, drawn(false, nil), drawn(false, all), "others prefer pairs that no story has reached")
}

// What was found when the time was over is shown, though nobody could play it again.
func TestFoundAtTheLastMoment(t *testing.T) {
	f := Failure{Rule: "basic/list", Level: harness.Must, Stories: 1, Shapes: []Shape{{found: found{Rule: "basic/list", Steps: 7, Text: "1. add"}}}}
	var text bytes.Buffer
	require.NoError(t, (&Report{Kind: "store", Failed: []Failure{f}}).Text(&text))
	assert.Contains(t, text.String(), "7 steps when the time was over")
}

// An unsure story has a next step where there is one.
func TestNext(t *testing.T) {
	for _, s := range nextSteps {
		assert.Equal(t, " ("+s.step+")", next("informer", "because "+s.reason+" it"))
	}
	assert.Equal(t, " (`lwtest show informer/watch/stop` says what it needs; the rules that were decided count)", next("informer", "watch/stop is undecided"))
	assert.Empty(t, next("informer", "something else"))
}
