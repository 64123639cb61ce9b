package informer

import (
	"slices"

	"github.com/lwtest/lwtest/harness"
)

// Suite is the contract of this kind, in its order.
var Suite = harness.Suite[Rig]{
	Kind:     "informer",
	Version:  "1",
	Features: features,
	Rules:    slices.Concat(convergeRules),
	Checks:   slices.Concat(convergeChecks),
}
