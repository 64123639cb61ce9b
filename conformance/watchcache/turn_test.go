package watchcache_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// takeTurns: in virtual time no two actors are seen at one instant; what the drive notes
// of several watches has one for all. A burst is the exception: its contenders
// begin at one instant on purpose, since a server that yields in the midst of a
// request would otherwise never be given the next.
func takeTurns(t *testing.T, histories map[string]*history.History) {
	t.Helper()
	actors := 0
	for name, h := range histories {
		at := map[int64]string{}
		for i := range h.Events {
			e := &h.Events[i]
			if slices.Contains([]string{history.Settled, history.Stopped, replay.Paused, replay.Resumed}, e.Kind) {
				continue
			}
			if was, ok := at[e.At]; ok && !(bursts[name] && contends(was) && contends(e.Actor)) {
				assert.Equal(t, was, e.Actor, "%s: #%d", name, e.Num)
			}
			at[e.At] = e.Actor
		}
		actors = max(actors, len(h.Actors()))
	}
	assert.Greater(t, actors, 8)
	assert.Less(t, actors, 256, "there are no more turns than that")
}

// bursts are the checks whose contenders begin at one instant.
var bursts = map[string]bool{"write/conflict/contended": true, "write/response/contended": true, "write/exists/contended": true,
	"write/response/contended/json-patch": true, "write/response/contended/strategic-merge-patch": true, "write/response/contended/apply": true, "write/finalizers/contended": true, "write/contended": true}

func contends(actor string) bool {
	return slices.Contains([]string{"c1", "c2", "c3", "c4", "c5", "c6"}, actor)
}
