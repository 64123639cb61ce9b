package store

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

// judged is a history by hand, and what a rule says of it: good (tested, and
// nothing bad), untested, undecided, or what was got where it is bad.
type judged struct {
	name    string
	says    string
	history string
}

const (
	good      = "good"
	untested  = "untested"
	undecided = "undecided"
)

func ruleAt(t *testing.T, address string) harness.Rule {
	t.Helper()
	kind := Suite.Describe()
	r, ok := kind.Rule(address)
	require.True(t, ok, "there is no rule "+address)
	return r
}

func judge(t *testing.T, address, features string, cases []judged) {
	t.Helper()
	r := ruleAt(t, address)
	said := map[string]bool{}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			j := r.Judge(historyOf(t, "has "+features+"\n"+c.history))
			switch c.says {
			case good, untested, undecided:
				said[c.says] = true
				assert.Empty(t, j.Bad)
				assert.Equal(t, c.says == good, j.Tested > 0)
				assert.Equal(t, c.says == undecided, j.Undecided != "", j.Undecided)
			default:
				said["bad"] = true
				require.NotEmpty(t, j.Bad)
				assert.Equal(t, c.says, j.Bad[0].Got, "want was %s", j.Bad[0].Want)
				assert.NotEmpty(t, j.Bad[0].At)
				assert.Positive(t, j.Tested)
			}
		})
	}
	for _, must := range []string{good, "bad", untested} {
		assert.True(t, said[must], "%s: there is no %s history", address, must)
	}
}

// Every rule has histories by hand.
func TestEveryRuleIsJudgedByHand(t *testing.T) {
	for _, r := range Suite.Rules {
		assert.True(t, byHand[r.Address()], "%s has no histories by hand", r.Address())
	}
}

var byHand = map[string]bool{ruleAdd: true, ruleUpdate: true, ruleDelete: true, ruleGet: true, ruleList: true, ruleKeys: true, ruleKeyError: true,
	ruleAtomic: true, ruleExact: true, ruleVersion: true, ruleFunction: true, ruleQuery: true, ruleLate: true, ruleLinear: true,
	ruleOrder: true, ruleDedup: true, ruleUnknown: true, ruleReplace: true, ruleGhost: true, ruleSynced: true, ruleInitial: true,
	ruleResync: true, ruleBookmark: true, ruleBatch: true, ruleClose: true, rulePush: true, ruleNoPush: true, ruleTTL: true}
