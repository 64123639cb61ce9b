package runtime

import (
	"testing"

	"github.com/lwtest/lwtest/conformance/pins"
)

func TestPinsOfRules(t *testing.T) { pins.Rules(t, Suite.Rules) }
