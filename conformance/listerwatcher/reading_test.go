package listerwatcher

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The object of an ERROR is a Status if it says so, or if it has a code.
func TestErrorEvent(t *testing.T) {
	for object, want := range map[string]string{
		`{"status":"Failure","code":410,"reason":"Expired","message":"old"}`: "410 Expired old",
		`{"code":410,"message":"old"}`:                                       "410 old",
		`{"status":"Failure","message":"old"}`:                               "old",
	} {
		a := new(reading).event(Event{Type: errorType, Object: []byte(object)})
		if assert.NotNil(t, a.Err, object) {
			assert.Equal(t, want, a.Err.String(), object)
		}
	}
}
