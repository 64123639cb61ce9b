package store

import (
	"testing"

	"github.com/lwtest/lwtest/conformance/pins"
)

func TestPinsOfRules(t *testing.T) { pins.Rules(t, Suite.Rules) }

func TestPinsOfSources(t *testing.T) { pins.Table(t, sources) }
