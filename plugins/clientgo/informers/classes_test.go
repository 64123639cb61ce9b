package informers_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/plugins/fake"
	own "github.com/lwtest/lwtest/plugins/mutants/informer"
)

// notClientGo are the classes that client-go does not reach, with the reason; informers of our own do.
var notClientGo = map[string]string{
	"READ object": "it promises nobody that a read reflects a write of one's own",
}

// ours are the results of informers of our own in the checks that no way of client-go has.
func ours(t *testing.T) (all []harness.Result) {
	for _, m := range (own.Servers{Open: fake.Server, Has: fake.ServerFeatures}).Correct() {
		for _, c := range m.Cases() {
			if slices.Contains(c.Needs, informer.ReadYourWrites) {
				r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: m.Target.Name})
				all = append(all, r)
			}
		}
	}
	return all
}

// scored is how often the checks have reached each class.
func scored(all []harness.Result) map[string]int {
	out := map[string]int{}
	for _, r := range all {
		for class, n := range r.Score {
			out[class] += n
		}
	}
	return out
}

// reachesEveryClass: every clause names the classes that a run must reach for it, and each of them is reached, and each rule tested: by
// client-go, or where it cannot, by informers of our own.
func reachesEveryClass(t *testing.T, theirs []harness.Result) {
	t.Helper()
	kind := informer.Suite.Describe()
	require.NoError(t, kind.Validate())
	in := report.Input{Results: slices.Concat(theirs, ours(t)), Kinds: []*harness.Kind{kind}}
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
	reached := scored(theirs)
	for _, c := range report.New(in).Kinds[0].Classes {
		assert.Positive(t, c.Reached, "%s of %v was never reached", c.Class, c.Clauses)
		if notClientGo[c.Class] == "" {
			assert.Positive(t, reached[c.Class], "%s of %v was never reached by client-go", c.Class, c.Clauses)
		}
	}
	for class := range notClientGo {
		assert.Zero(t, reached[class], "client-go does reach %s", class)
	}
	named := report.New(in).Kinds[0].Classes
	for _, c := range cells {
		for _, class := range strings.Split(c.reached, "|") {
			assert.True(t, slices.ContainsFunc(named, func(n report.Class) bool { return n.Class == class }), "%s: no clause names %s, so the scorecard does not", c.what, class)
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
	{"a further page is refused", "asks=page got=429|asks=page got=500|asks=page got=504"},
	{"a further page is cut, no JSON", "asks=page got=cut|asks=page got=unreadable"},
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
	{"an event of an unknown type", "asks=watch got=replace-unknown|asks=restream got=replace-unknown"},
	{"an object of another type", "asks=watch got=replace-other|asks=restream got=replace-other"},
	{"a list that is older than what was seen", "asks=relist got=stale|asks=restream got=stale"},
	{"events doubled, swapped, an old bookmark", "asks=watch got=double-MODIFIED|asks=watch got=swap-MODIFIED|asks=watch got=lie-ADDED|asks=watch got=drop-ADDED|asks=watch got=lie-BOOKMARK|asks=restream got=swap-ADDED|asks=restream got=double-ADDED"},
	{"odd initial events: twice, a bookmark before the end, the end mark twice, MODIFIED, DELETED",
		"asks=restream got=double-ADDED|asks=restream got=early-ADDED|asks=restream got=double-BOOKMARK|asks=restream got=replace-modified|asks=restream got=replace-deleted"},
}
