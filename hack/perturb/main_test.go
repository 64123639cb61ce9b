package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	goldens "github.com/lwtest/lwtest/conformance/golden"
)

func TestExplained(t *testing.T) {
	fine := goldens.Line{How: "drop", Class: "ADDED", Count: 2}
	open := fine
	open.Unflagged, open.Example = 1, "event 3"
	assert.True(t, explained([]goldens.Line{fine}))
	assert.False(t, explained([]goldens.Line{fine, open}))
}
