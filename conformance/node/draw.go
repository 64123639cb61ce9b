package node

import (
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// draws says how random stories use the words.
var draws = map[string]story.Drawing{}

func drawBegin(harness.Choices) []story.Step { return nil }
func drawEnd(harness.Choices) []story.Step   { return nil }
