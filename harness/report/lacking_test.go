package report

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/harness"
)

// The text says what declaring a feature would add.
func TestLacking(t *testing.T) {
	in := anInput()
	in.Header.Plan, in.Header.Known, in.Results = in.Header.Plan[:5], nil, nil
	for i, why := range []string{"needs the feature y, which is not declared", "needs the feature x, which is not declared", "needs the features x and y, which are not declared",
		"needs the feature x or z, which is not declared", "does not apply to a plugin with the feature y, which is declared"} {
		in.Results = append(in.Results, harness.Result{Check: in.Header.Plan[i].Check, Target: "t:1", Verdict: harness.Skip, Reason: why})
	}
	const line = "skipped    5 checks of k on t:1; declared, each of these features alone adds some: x (2), y (1), z (1)\n"
	assert.Contains(t, text(t, New(in), TextOptions{}), line)
	in.Results = in.Results[4:]
	assert.NotContains(t, text(t, New(in), TextOptions{}), "skipped    ")
}
