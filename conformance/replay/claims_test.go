package replay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/replay"
)

// filling is a server that gives each object a status, and keyed to one that adds nothing.
const (
	filling = `
		c1 -> CREATE a/x v=1
		c1 <- @2 body=spec=1+status=new`
	keyed = `
		c1 -> CREATE a/x v=1
		c1 <- @2`
)

func TestClaims(t *testing.T) {
	for _, c := range []struct{ name, history, claimed, stored, shown, by string }{
		{"just that", keyed, "spec=2", "", "spec=2", "7"},
		{"another", keyed, "spec=2", "", "spec=3", ""},
		{"more, of a server that adds nothing", keyed, "spec=2", "", "spec=2 status=new", ""},
		{"filled in", filling, "spec=2", "", "spec=2 status=new", "7"},
		{"with a status that was sent", filling, "spec=2 status=old", "", "spec=2 status=old", "7"},
		{"with another status", filling, "spec=2 status=old", "", "spec=2 status=new", ""},
		{"with more than what it adds", filling, "spec=2", "", "spec=2 status=new annotation:a=1", ""},
		{"nothing but what it adds", filling, "status=old", "", "spec=2 status=old", ""},
		{"stored by another", keyed, "spec=2", "spec=2", "spec=2", ""},
		{"stored by another, filled in", filling, "spec=2", "spec=2 status=new", "spec=2 status=new", ""},
		{"being deleted", filling, "spec=2", "", "spec=2 status=new deleting", ""},
	} {
		r := of(t, c.history)
		k, _ := r.H.KeyOf("a/x")
		claims := replay.NewClaims(r)
		claims.Put(k, c.claimed, 7)
		claims.Put(k, c.claimed, 9)
		if c.stored != "" {
			claims.Forget(k, c.stored)
		}
		want := int32(0)
		if c.by != "" {
			want = 7
		}
		assert.Equal(t, want, claims.Find(k, c.shown), c.name)
		assert.Zero(t, claims.Find(0, c.shown), "of no key: %s", c.name)
	}
}
