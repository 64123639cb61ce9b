package replay_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMoments(t *testing.T) {
	for _, c := range []struct{ name, history, want string }{ // of the last write
		{"alone", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x v=2
			c1 <- @3
			c2 -> UPDATE a/x @2 v=3
			c2 <- 409 Conflict`, "@3"},
		{"between two", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x v=2
			c2 -> UPDATE a/x @2 v=3
			c2 <- 409 Conflict
			c1 <- @3`, "@2 @3 rv"},
		{"accepted: what it followed is known", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x v=2
			c2 -> UPDATE a/x @2 v=3
			c1 <- @3
			c2 <- @4`, "@3"},
		{"while it is deleted", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> DELETE a/x
			c2 -> UPDATE a/x @2 v=3
			c1 <- ok
			c2 <- 404 NotFound`, "@2 - absent rv"},
		{"before there was anything", `
			c2 -> UPDATE a/x @2 v=3
			c2 <- 404 NotFound`, "absent"},
		{"a lost write", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x v=2
			c1 <- lost
			c2 -> UPDATE a/x @3 v=3
			c2 <- 409 Conflict`, "@2 doubt rv"},
		{"a lost write that follows another version", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> UPDATE a/x @2 v=2
			c1 <- lost
			c1 -> UPDATE a/x @2 v=4
			c1 <- @4
			c1 -> UPDATE a/x v=5
			c1 <- @5
			c2 -> UPDATE a/x @3 v=3
			c2 <- 409 Conflict`, "@5"},
		{"a lost write that was called later", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c2 -> UPDATE a/x @3 v=3
			c2 <- 409 Conflict
			c1 -> GET a/x`, "@2"},
		{"no answer", `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c2 -> UPDATE a/x @3 v=3`, "@2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := of(t, c.history)
			w := &r.Writes[len(r.Writes)-1]
			m := r.Moments(w)
			var got []string
			for _, i := range m.Versions {
				if v := &r.Versions[i]; v.Gone {
					got = append(got, "-")
				} else {
					got = append(got, "@"+v.Obj.RV)
				}
			}
			if m.Absent {
				got = append(got, "absent")
			}
			if m.Doubt {
				got = append(got, "doubt")
			}
			if rv, _ := r.Holds(m, w); rv {
				got = append(got, "rv")
			}
			assert.Equal(t, c.want, strings.Join(got, " "))
		})
	}
}

func TestHoldsUID(t *testing.T) {
	r := of(t, `
		c1 -> CREATE a/x v=1
		c1 <- @2
		c2 -> DELETE a/x uid=u2
		c2 <- 409 Conflict
		c2 -> DELETE a/x uid=u1
		c2 <- 409 Conflict
		c2 -> DELETE a/x
		c2 <- ok`)
	for i, want := range []bool{true, false, true} {
		_, uid := r.Holds(r.Moments(&r.Writes[i+1]), &r.Writes[i+1])
		assert.Equal(t, want, uid, "write %d", i+1)
	}
}
