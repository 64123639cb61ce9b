package listerwatcher

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

// judged is a history by hand, and what a rule says of it: what it wants and got, or how often it was tested.
type judged struct {
	name, history string
	tested        int
	want, got     string // of the first finding; empty: there must be none
}

func judge(t *testing.T, address string, cases []judged) {
	t.Helper()
	var rule *harness.Rule
	for i := range Suite.Rules {
		if Suite.Rules[i].Address() == address {
			rule = &Suite.Rules[i]
		}
	}
	require.NotNil(t, rule, address)
	cases = slices.Concat(cases, further[address], random[address])
	good, bad, untested := 0, 0, 0
	for _, c := range cases {
		t.Run(address+"/"+c.name, func(t *testing.T) {
			j := rule.Judge(historyOf(t, c.history))
			assert.Empty(t, j.Undecided)
			assert.Equal(t, c.tested, j.Tested)
			if c.want == "" {
				assert.Empty(t, j.Bad)
				return
			}
			require.NotEmpty(t, j.Bad)
			assert.Equal(t, c.want, j.Bad[0].Want)
			assert.Equal(t, c.got, j.Bad[0].Got)
		})
		switch {
		case c.want != "":
			bad++
		case c.tested == 0:
			untested++
		default:
			good++
		}
	}
	assert.Positive(t, good, "%s has no good history", address)
	assert.Positive(t, bad, "%s has no bad history", address)
	assert.Positive(t, untested, "%s has none that says nothing", address)
}
