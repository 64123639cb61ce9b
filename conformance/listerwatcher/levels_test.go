package listerwatcher

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/harness"
)

// A MUST that client-go's own documentation alone supports binds only who is to behave as client-go does.
func TestLevels(t *testing.T) {
	for _, r := range Suite.Rules {
		own := true
		for _, s := range r.Clause.Sources {
			own = own && strings.HasPrefix(s.Name, "k8s.io/client-go@")
		}
		if r.Clause.Level == harness.Must {
			assert.Equal(t, own, r.Clause.MustWith == ClientGoSemantics, "%s", r.Address())
		}
	}
}
