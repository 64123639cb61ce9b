package watchcache_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade/model"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness/history"
)

// TestBegunLateIsNeverBad: what a correct server does is not wrong for those, either, who begin to write it down in the
// midst: there are objects that no write here has made, and writes that others have under way. Where some have, or
// where an answer was lost, or an object is being deleted, somebody else writes to the server. Without comparable
// resourceVersions nothing tells what is of before; such traces are not looked at here.
func TestBegunLateIsNeverBad(t *testing.T) {
	eachModel(t, func(t *testing.T, o model.Options) {
		if o.ByOrder || o.Features != nil && !slices.Contains(o.Features, model.Comparable) {
			return
		}
		all := model.Events(o)
		at := rand.New(rand.NewPCG(o.Seed, 7)).IntN(len(all))
		events, others := begunAt(all, int32(at))
		if others == deletions {
			return // a deletion by somebody else belongs in the trace
		}
		for _, header := range servers(o) {
			shared := header.Time == history.RealTime && !slices.Contains(header.Features, replay.SoleWriter)
			if (others == changes || slices.Contains(o.Features, string(watchcache.Grace))) && !shared {
				continue
			}
			h, err := history.New(header, events)
			require.NoError(t, err)
			neverBad(t, h, fmt.Sprintf("seed %d from %d", o.Seed, at))
		}
	})
}

// What those may still do whose writes were under way, or got no answer.
const (
	nothing = iota
	changes
	deletions
)

// begunAt are the events after the first n, but for those of calls before, and what these may still do.
func begunAt(all []history.Event, n int32) (events []history.Event, others int) {
	open, num := map[int32]int{}, map[int32]int32{}
	for i := range all {
		e, was := all[i], int32(i+1)
		begun := e.Call
		if e.Phase == history.Call {
			begun = was
		}
		switch {
		case e.Phase == history.Call && was <= n:
			open[was] = doing[e.Kind]
		case e.Phase == history.Return && was <= n && (e.Err() == nil || e.Err().Definite):
			delete(open, e.Call)
		}
		if begun <= n || was <= n {
			continue
		}
		e.Call = num[e.Call]
		events = append(events, e)
		num[was] = int32(len(events))
	}
	for _, does := range open {
		others = max(others, does)
	}
	return events, others
}

var doing = map[string]int{
	replay.Create: changes, replay.Update: changes, replay.Patch: changes, replay.Delete: deletions, replay.DeleteCollection: deletions,
}
