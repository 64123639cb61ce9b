package controller

import (
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// drawUpTo draws a number from 1. Nobody knows how many writes or steps there will be: some controllers have five, and others a hundred. So the
// last one that it may be is drawn, too.
func drawUpTo(c harness.Choices, most ...int) int { return 1 + c.IntN(story.Pick(c, most...)) }

// drawNth draws a step of the scenario.
func drawNth(c harness.Choices) int { return drawUpTo(c, 4, 8, 16) }

// mostChoice bounds the choice of a change. Schemas of large resources have a few hundred.
const mostChoice = 1000

// unseenFor is how long nobody can watch then. Clients try for some seconds to open a watch before they wait longer.
const unseenFor = 5 * time.Second

// draws says how random stories use the words.
var draws = map[string]story.Drawing{
	"kill": {Weight: 6, Draw: func(c harness.Choices) story.Step {
		return story.Step{With: Kill{At: drawWrite(c), After: story.Chance(c, 2), Behind: story.Pick(c, 0, 0, 1, 2, 3, 6), Before: story.Pick(c, "", "", "", "user")}}
	}},
	"lose":      {Weight: 4, Draw: drawAt},
	"refuse":    {Weight: 4, Draw: drawRefuse},
	"interfere": {Weight: 3, Draw: drawAt},
	"cut":       {Weight: 4, Draw: drawCut},
	"overlap": {Weight: 2, Draw: func(c harness.Choices) story.Step {
		return last("overlap", story.Pick(c, time.Second, 20*time.Second, time.Minute), drawWrite(c))
	}},
	"late": {Weight: 1, Draw: func(c harness.Choices) story.Step {
		return last("late", story.Pick(c, time.Second, time.Minute, 6*time.Minute), Late{})
	}},
	"unseen": {Weight: 2, Draw: func(c harness.Choices) story.Step {
		return last("unseen", unseenFor, Unseen{Step: drawNth(c)})
	}},
	"vary": {Weight: 3, Draw: func(c harness.Choices) story.Step {
		return story.Step{With: Vary{Choice: c.IntN(mostChoice), After: drawNth(c)}}
	}},
	"restart":  {Weight: 2},
	"rest":     {Weight: 2},
	"scenario": {Weight: 1},
	"advance": {Weight: 1, Draw: func(c harness.Choices) story.Step {
		return last("advance", story.Pick(c, time.Second, time.Minute), nil)
	}},
}

func drawWrite(c harness.Choices) At { return At{Write: drawUpTo(c, 8, 16, 32, 64, 128)} }

func drawAt(c harness.Choices) story.Step { return story.Step{With: drawWrite(c)} }

func drawRefuse(c harness.Choices) story.Step {
	return last("refuse", story.Pick(c, 0, 0, time.Second, 10*time.Second), Refuse{At: drawWrite(c), Code: story.Pick(c, refusals...)})
}

func drawCut(c harness.Choices) story.Step {
	return last("cut", story.Pick(c, 5*time.Second, time.Minute, 5*time.Minute), Cut{At: drawWrite(c), How: story.Pick(c, "", "expire", "hang", "deaf")})
}

// drawEnd plays the scenario after what disturbs it.
func drawEnd(harness.Choices) []story.Step { return steps{scenario} }
