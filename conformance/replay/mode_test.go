package replay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What tells that a history has no resourceVersions of the store may come late:
// what was read before that must not stay.
func TestModeIsFoundOnTheWay(t *testing.T) {
	for _, c := range []struct {
		name, history string
		byOrder       bool
		versions      int
	}{
		{"of the store", `
			c1 -> CREATE a/x v=1
			c1 <- ok @5
			c1 -> CREATE a/y v=1
			c1 <- ok @6`, false, 2},
		{"each object's own", `
			c1 -> CREATE a/x v=1
			c1 <- ok @1
			c1 -> UPDATE a/x v=2
			c1 <- ok @2
			c1 -> CREATE a/y v=1
			c1 <- ok @1`, true, 3},
		{"the last create has none", `
			c1 -> CREATE a/x v=1
			c1 <- ok @5
			c1 -> CREATE a/y v=1
			c1 <- ok`, true, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := of(t, c.history)
			assert.Equal(t, c.byOrder, r.ByOrder)
			assert.Len(t, r.Versions, c.versions)
			assert.Empty(t, r.Phantoms)
			assert.Empty(t, r.Unordered)
			assert.Len(t, r.Writes, c.versions)
		})
	}
}
