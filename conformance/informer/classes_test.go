package informer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/plugins/clientgo/informers"
	"github.com/lwtest/lwtest/plugins/fake"
)

// ways are those of client-go that reach all there is to reach.
var ways = []string{"shared-informer", "shared-informer-lists", "factory-typed", "reflector-undelta"}

// everything is what they, and informers of our own, did in all checks.
func everything(t *testing.T) (all []harness.Result) {
	run := func(target harness.Target) {
		for _, c := range target.Cases {
			r, h := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: target.Name})
			if h != nil { // it was not skipped
				assert.NoError(t, informer.Readable(h), "%s of %s", r.Check, target.Name)
			}
			all = append(all, r)
		}
	}
	for _, name := range ways {
		target, err := informers.Target(name, fake.Server, append(fake.ServerFeatures, harness.VirtualTime)...)
		require.NoError(t, err)
		run(target)
	}
	for _, m := range ours.Correct() {
		run(m.Target)
	}
	return all
}

// Every clause names the classes that a run must reach for it, and each of them is reached, and each rule tested.
func TestClasses(t *testing.T) {
	if raceEnabled {
		t.Skip("it takes a minute with the race detector; the rest runs all drives with it")
	}
	kind := informer.Suite.Describe()
	require.NoError(t, kind.Validate())
	in := report.Input{Results: everything(t), Kinds: []*harness.Kind{kind}}
	tested := map[string]bool{}
	for _, r := range in.Results {
		in.Header.Plan = append(in.Header.Plan, report.Planned{Target: r.Target, Check: r.Check})
		for _, rr := range r.Rules {
			tested[rr.Rule] = tested[rr.Rule] || rr.Tested > 0
		}
	}
	for _, r := range informer.Suite.Rules {
		assert.NotEmpty(t, r.Clause.Classes, "%s names no class", r.Address())
		assert.True(t, tested[r.Address()], "%s was never put to the test", r.Address())
	}
	for _, c := range report.New(in).Kinds[0].Classes {
		assert.Positive(t, c.Reached, "%s of %v was never reached", c.Class, c.Clauses)
	}
	reached := map[string]int{}
	for _, r := range in.Results {
		for class, n := range r.Score {
			reached[class] += n
		}
	}
	for _, c := range cells {
		for _, class := range strings.Split(c.reached, "|") {
			assert.Positive(t, reached[class], "%s: %s", c.what, class)
		}
	}
}

// cells are the pairs of what a client was about and what the server did to it that are known to lead a reflector each
// another way (shared/real-clients.md, section 3), and the classes that show that they were reached; each of several.
var cells = []struct{ what, reached string }{
	{"a list is refused", "asks=list got=401|asks=list got=403|asks=list got=404|asks=list got=429|asks=list got=500|asks=list got=503|asks=list got=504"},
	{"a later list is refused", "asks=relist got=401|asks=relist got=403|asks=relist got=404|asks=relist got=429|asks=relist got=500|asks=relist got=503|asks=relist got=504"},
	{"no connection", "no connection while=it starts|no connection while=it watches|no connection while=it waits for a list|no connection while=it waits for a watch"},
	{"a list is cut, reset, no JSON", "asks=list got=reset|asks=list got=cut|asks=list got=unreadable|asks=relist got=reset|asks=relist got=cut|asks=relist got=unreadable|asks=relist got=proxy"},
	{"a list has expired, or is too large", "asks=list got=410|asks=relist got=410|asks=list got=too-large|asks=relist got=too-large|asks=page got=410"},
	{"a watch is refused for now", "asks=watch got=429|asks=restream got=429|asks=stream got=429"},
	{"a watch has expired, or is too large", "asks=watch got=410|asks=watch got=too-large|asks=stream got=410|asks=restream got=410|asks=restream got=too-large"},
	{"a watch is refused for another reason", "asks=watch got=401|asks=watch got=403|asks=watch got=404|asks=watch got=500|asks=watch got=503|asks=watch got=504|asks=stream got=400|" +
		"asks=restream got=403|asks=restream got=404|asks=restream got=422|asks=restream got=500|asks=restream got=503|asks=restream got=504"},
	{"a connection breaks before its headers", "asks=watch got=reset|asks=restream got=reset"},
	{"an ERROR 429", "asks=watch got=ERROR-429|asks=restream got=ERROR-429"},
	{"an ERROR", "asks=watch got=ERROR-410|asks=watch got=ERROR-500|asks=watch got=ERROR-504|asks=watch got=ERROR-403|asks=watch got=ERROR-too-large|" +
		"asks=restream got=ERROR-410|asks=restream got=ERROR-500|asks=restream got=ERROR-504|asks=restream got=ERROR-403|asks=restream got=ERROR-too-large"},
	{"a frame that cannot be read", "asks=watch got=unreadable|asks=restream got=unreadable"},
	{"a frame that is cut", "asks=watch got=cut|asks=restream got=cut"},
	{"an end after an event, or a second", "asks=watch got=clean-event|asks=watch got=broken-event|asks=watch got=clean-idle|asks=watch got=broken-idle|asks=watch got=clean-bookmark|" +
		"asks=restream got=ends|asks=restream got=clean-bookmark|asks=restream got=clean-event|asks=stream got=ends"},
	{"an end at once", "asks=watch got=clean-at-once|asks=watch got=broken-at-once|asks=restream got=ends-at-once"},
	{"no end bookmark", "asks=stream got=drop-BOOKMARK"},
	{"an event of an unknown type", "asks=watch got=replace-unknown"},
	{"an object of another type", "asks=watch got=replace-other"},
	{"a list that is older than what was seen", "asks=relist got=stale"},
	{"events doubled, swapped, an old bookmark", "asks=watch got=double-MODIFIED|asks=watch got=swap-MODIFIED|asks=watch got=lie-ADDED|asks=watch got=drop-ADDED"},
	{"odd initial events: twice, a bookmark before the end, the end mark twice, MODIFIED, DELETED",
		"asks=restream got=double-ADDED|asks=restream got=early-ADDED|asks=restream got=double-BOOKMARK|asks=restream got=replace-modified|asks=restream got=replace-deleted"},
}
