package watchcache_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judged is a history by hand, and what a rule must say of it.
type judged struct {
	name      string
	history   string
	says      string // good: tested, nothing bad; odd: nothing bad; untested; undecided; bad
	bad       []harness.Finding
	undecided string
}

const (
	good      = "good"
	odd       = "odd"
	untested  = "untested"
	undecided = "undecided"
	bad       = "bad"
)

// found is a finding: numbers of events, the cause first, the violation last.
func found(want, got string, at ...int32) []harness.Finding {
	return []harness.Finding{{At: at, Want: want, Got: got}}
}

// ofCheck makes a history one that a check has recorded, not a trace of anybody.
const ofCheck = "... of a check\n"

// ofSole is a history of a check, of a server that nobody else writes to.
const ofSole = ofCheck + inRealTime + "... has comparable-rv sole-writer\n"

func ruleAt(t *testing.T, address string) harness.Rule {
	t.Helper()
	for _, r := range watchcache.Suite.Rules {
		if r.Address() == address {
			return r
		}
	}
	require.Fail(t, "there is no rule "+address)
	return harness.Rule{}
}

// judge puts each history to a rule.
func judge(t *testing.T, address string, cases []judged) {
	t.Helper()
	r := ruleAt(t, address)
	has := map[string]bool{}
	for _, c := range cases {
		has[c.says] = true
		t.Run(c.says+"/"+c.name, func(t *testing.T) {
			j := r.Judge(handmade.History(t, c.history))
			if strings.HasPrefix(c.history, inRealTime) && !strings.Contains(c.name, "be late") { // of time nobody else is to blame
				asSoleWriter(t, r.Judge, c.history)
			}
			if c.says == bad {
				assert.Equal(t, c.bad, j.Bad)
			} else {
				assert.Empty(t, j.Bad)
			}
			assert.Equal(t, c.says == undecided, j.Undecided != "", j.Undecided)
			assert.Contains(t, j.Undecided, c.undecided)
			switch c.says {
			case good:
				assert.Positive(t, j.Tested)
			case untested, undecided:
				assert.Zero(t, j.Tested)
			}
		})
	}
	for _, must := range []string{good, bad, untested} {
		assert.True(t, has[must], "%s: there is no %s history", address, must)
	}
}

// overlap is the start of a history in which nobody can tell the order of writes.
const overlap = `
	c1 -> CREATE a/x v=1
	c2 -> CREATE a/y v=1
	c1 <- ok
	c2 <- ok
`

// asSoleWriter: where nobody else writes to the server, a history of real time
// is judged as one of virtual time.
func asSoleWriter(t *testing.T, judge func(*history.History) harness.Judgement, text string) {
	t.Helper()
	virtual, declared := handmade.History(t, text), handmade.History(t, text)
	virtual.Header.Time = history.VirtualTime
	declared.Header.Features = []string{replay.SoleWriter}
	if !replay.Of(virtual).ByOrder {
		declared.Header.Features = append(declared.Header.Features, string(watchcache.ComparableRV))
	}
	assert.Equal(t, judge(virtual), judge(declared))
}

// inRealTime is the start of a history of a server that other clients may reach.
const inRealTime = "... real time\n"
