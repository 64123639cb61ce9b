package rig

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A time may be spelt in many ways; another is another, and what is no time is kept as it is.
func TestTimesAreInstants(t *testing.T) {
	at := func(s string) string {
		return Content(fmt.Appendf(nil, `{"metadata":{"creationTimestamp":%q,"deletionTimestamp":%[1]q,"managedFields":[{"time":%[1]q}]}}`, s))
	}
	for _, same := range []string{"2026-01-01T12:00:00.000Z", "2026-01-01T12:00:00+00:00", "2026-01-01T13:00:00+01:00", "2026-01-01T12:00:00.000000-00:00"} {
		assert.Equal(t, at("2026-01-01T12:00:00Z"), at(same))
	}
	for _, other := range []string{"2026-01-01T12:00:01Z", "2026-01-01T12:00:00.5Z", "2026-01-01T12:00:00", "", "noon"} {
		assert.NotEqual(t, at("2026-01-01T12:00:00Z"), at(other))
	}
}
