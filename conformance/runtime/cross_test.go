package runtime

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A failure of the covering set is reached only if it met a call that was under way.
func TestMet(t *testing.T) {
	for _, c := range []struct {
		name, history           string
		killed, givenUp, atOnce bool
	}{
		{name: "the call had ended", history: oneRuns + `
			c1 ContainerStatus a/c -> RUNNING
			c2 ContainerStatus a/c -> RUNNING
			KILL`},
		{name: "it was killed in a call", killed: true, history: oneRuns + `
			c1 ContainerStatus a/c ...
			KILL
			c1 <- ! Unavailable connection lost`},
		{name: "the call ended all the same", history: oneRuns + `
			c1 ContainerStatus a/c ...
			KILL
			c1 <- RUNNING`},
		{name: "it was given up", givenUp: true, history: oneRuns + `
			c1 ContainerStatus a/c took=10ms ! DeadlineExceeded ` + caller + ` 10ms`},
		{name: "two at once", atOnce: true, history: oneRuns + `
			c1 ContainerStatus a/c ...
			c2 ContainerStatus a/c -> RUNNING
			c1 <- RUNNING`},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, _ := historyOf(t, c.history)
			var all []int32
			for i := range h.Events {
				all = append(all, int32(i+1))
			}
			assert.Equal(t, c.killed, meetsKill(h, all), "killed")
			assert.Equal(t, c.givenUp, meets((*exchange).unanswered)(h, all), "given up")
			assert.Equal(t, c.atOnce, overlaps(h, all), "at once")
		})
	}
}
