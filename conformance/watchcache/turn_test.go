package watchcache_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// In virtual time no two actors are seen at one instant; what the drive notes
// of several watches has one for all. A burst is the exception: its contenders
// begin at one instant on purpose, since a server that yields in the midst of a
// request would otherwise never be given the next.
func TestTurns(t *testing.T) {
	actors, all := 0, openFake(t, "").Cases
	for f, arg := range lacking {
		all = append(all, casesOf(t, arg, f)...)
	}
	for _, c := range all {
		_, h := harness.Run(c, harness.Options{TB: t, Seed: 1})
		if h == nil {
			continue // skipped: another resource has what it needs
		}
		at := map[int64]string{}
		for i := range h.Events {
			e := &h.Events[i]
			if slices.Contains([]string{history.Settled, history.Stopped, replay.Paused, replay.Resumed}, e.Kind) {
				continue
			}
			if was, ok := at[e.At]; ok && !(bursts[c.Name] && contends(was) && contends(e.Actor)) {
				assert.Equal(t, was, e.Actor, "%s: #%d", c.Name, e.Num)
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
	"write/response/contended/json-patch": true, "write/response/contended/strategic-merge-patch": true, "write/response/contended/apply": true, "write/finalizers/contended": true}

func contends(actor string) bool {
	return slices.Contains([]string{"c1", "c2", "c3", "c4", "c5", "c6"}, actor)
}
