package harness

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNeeds(t *testing.T) {
	c := realToy(func(*T, *toy) { panic("driven") })
	c.Needs, c.Has = []Feature{"wings", "wheels"}, []Feature{"wheels"}
	r, h := Run(c, Options{Log: &full{0}})
	assert.Equal(t, Skip, r.Verdict)
	assert.Equal(t, "needs the feature wings, which is not declared", r.Reason)
	assert.Nil(t, h)
	c.Has = nil
	r, _ = Run(c, Options{})
	assert.Equal(t, "needs the features wings and wheels, which are not declared", r.Reason)
}

// A check that has nothing to test with a feature is skipped.
func TestUnless(t *testing.T) {
	driven := 0
	c := realToy(func(*T, *toy) { driven++ })
	c.Unless, c.Has = []Feature{"wings", "fins"}, []Feature{"wheels"}
	r, _ := Run(c, Options{})
	assert.NotEqual(t, Skip, r.Verdict)
	assert.Equal(t, 1, driven)
	c.Has = []Feature{"wheels", "fins"}
	r, _ = Run(c, Options{})
	assert.Equal(t, Skip, r.Verdict)
	assert.Equal(t, "does not apply to a plugin with the feature fins, which is declared", r.Reason)
	assert.True(t, NotDeclared(r.Reason))
	assert.Equal(t, 1, driven)
}

// A check may need only one of several features.
func TestEither(t *testing.T) {
	driven := 0
	c := realToy(func(*T, *toy) { driven++ })
	c.Either = []Feature{"wings", "wheels"}
	for _, has := range [][]Feature{{"wings"}, {"wheels"}, {"wheels", "wings"}} {
		c.Has = has
		r, _ := Run(c, Options{})
		assert.NotEqual(t, Skip, r.Verdict, has)
	}
	assert.Equal(t, 3, driven)
	c.Has = []Feature{"fins"}
	r, _ := Run(c, Options{})
	assert.Equal(t, Skip, r.Verdict)
	assert.Equal(t, "needs the feature wings or wheels, which is not declared", r.Reason)
	assert.True(t, NotDeclared(r.Reason))
	assert.Equal(t, 3, driven)
}
