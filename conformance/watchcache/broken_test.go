package watchcache_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade/model"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/internal/full"
)

// breaks are single faults of what was delivered; least is the share of them
// that some rule must find. What is left cannot be seen, or is no fault: the
// last event of a watch that nothing follows; two neighbours of one revision;
// what a lost answer may explain; objects that are taken for foreign ones.
var breaks = []struct {
	name  string
	least float64
	at    func(*history.Event) bool
	do    func(events []history.Event, i int, rnd *rand.Rand) []history.Event
}{
	{"an event is dropped", 0.85, isObject, func(e []history.Event, i int, _ *rand.Rand) []history.Event { return splice(e, i, 0) }},
	{"an event is doubled", 1, isObject, func(e []history.Event, i int, _ *rand.Rand) []history.Event { return splice(e, i, 2) }},
	{"an event has another type", 0.75, isObject, func(e []history.Event, i int, _ *rand.Rand) []history.Event {
		e[i].Kind = map[string]string{replay.Added: replay.Modified, replay.Modified: replay.Added, replay.Deleted: replay.Modified}[e[i].Kind]
		return e
	}},
	{"an event comes after the next of its watch", 0.75, isObject, func(e []history.Event, i int, _ *rand.Rand) []history.Event {
		for j := i + 1; j < len(e); j++ {
			if e[j].Call == e[i].Call && isObject(&e[j]) {
				e[i].Kind, e[j].Kind = e[j].Kind, e[i].Kind
				e[i].Obj, e[j].Obj = e[j].Obj, e[i].Obj
				break
			}
		}
		return e
	}},
	{"an item is missing", 0.85, isList, func(e []history.Event, i int, rnd *rand.Rand) []history.Event {
		return items(e, i, func(all []history.Ref) []history.Ref {
			n := rnd.IntN(len(all))
			return append(all[:n], all[n+1:]...)
		})
	}},
	{"an item comes twice", 0.95, isList, func(e []history.Event, i int, rnd *rand.Rand) []history.Event {
		return items(e, i, func(all []history.Ref) []history.Ref { return append(all, all[rnd.IntN(len(all))]) })
	}},
	{"an item has an old content", 0.85, isList, func(e []history.Event, i int, rnd *rand.Rand) []history.Event {
		return items(e, i, func(all []history.Ref) []history.Ref {
			all[rnd.IntN(len(all))].Body = "spec=old"
			return all
		})
	}},
	{"an item has no uid", 0.85, isList, func(e []history.Event, i int, rnd *rand.Rand) []history.Event {
		return items(e, i, func(all []history.Ref) []history.Ref {
			all[rnd.IntN(len(all))].UID = ""
			return all
		})
	}},
	{"an event has an old content", 0.85, isPresent, func(e []history.Event, i int, _ *rand.Rand) []history.Event {
		e[i].Obj.Body = "spec=old"
		return e
	}},
}

func isPresent(e *history.Event) bool { return isObject(e) && e.Kind != replay.Deleted }

func isObject(e *history.Event) bool {
	return e.Phase == history.Notice && (e.Kind == replay.Added || e.Kind == replay.Modified || e.Kind == replay.Deleted)
}

func isList(e *history.Event) bool {
	return e.Phase == history.Return && e.Kind == replay.List && e.X != nil && len(e.X.Items) > 0
}

func items(e []history.Event, i int, f func([]history.Ref) []history.Ref) []history.Event {
	x := *e[i].X
	x.Items = f(append([]history.Ref(nil), x.Items...))
	e[i].X = &x
	return e
}

// splice puts an event there n times, and tells the others where their calls are now.
func splice(events []history.Event, i, n int) []history.Event {
	var out []history.Event
	for j, e := range events {
		if int(e.Call) > i+1 {
			e.Call += int32(n - 1)
		}
		times := 1
		if j == i {
			times = n
		}
		for range times {
			out = append(out, e)
		}
	}
	return out
}

// TestBrokenIsFound breaks correct histories, each in one way.
func TestBrokenIsFound(t *testing.T) {
	if full.Race {
		t.Skip("TestCorrectIsNeverBad has the same judges beside each other")
	}
	for _, b := range breaks {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			all, bad, seeds := 0, 0, 40
			if full.Wanted() {
				seeds = max(modelRuns(), 120)
			}
			for seed := range uint64(seeds) {
				o := model.Options{Seed: seed, Ops: 80, Writers: 3, Watchers: 5, Listers: 2, Names: 2, Lost: 0.05}
				events := model.Events(o)
				rnd := rand.New(rand.NewPCG(seed, 2))
				var at []int
				for i := range events {
					if b.at(&events[i]) {
						at = append(at, i)
					}
				}
				h, err := history.New(history.Header{Kind: "watchcache", Time: history.VirtualTime}, b.do(events, at[rnd.IntN(len(at))], rnd))
				require.NoError(t, err)
				all++
				for _, r := range watchcache.Suite.Rules {
					if len(r.Judge(h).Bad) > 0 {
						bad++
						break
					}
				}
			}
			t.Logf("%d of %d found", bad, all)
			assert.GreaterOrEqual(t, float64(bad)/float64(all), b.least, "%d of %d found", bad, all)
		})
	}
}
