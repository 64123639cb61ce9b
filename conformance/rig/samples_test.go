package rig

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLeapToDigit(t *testing.T) {
	for rv, by := range map[string]uint64{"5": 2, "7": 0, "8": 89, "137": 860, "999": 8998, "none": 0} {
		assert.Equal(t, by, LeapToDigit(rv), rv)
	}
}
