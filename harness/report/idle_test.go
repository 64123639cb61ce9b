package report

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/harness"
)

// A note of several checks that passed stands once in the text. Those of other checks stand beside these checks.
func TestIdle(t *testing.T) {
	in := anInput()
	in.Header.Plan, in.Header.Known, in.Results = in.Header.Plan[:3], nil, nil
	for i, v := range []harness.Verdict{harness.Pass, harness.Pass, harness.Skip} {
		in.Results = append(in.Results, harness.Result{Check: in.Header.Plan[i].Check, Target: "t:1", Verdict: v, Idle: []string{"step 2 did nothing: there is no pod"}})
	}
	assert.Contains(t, text(t, New(in), TextOptions{}), "note       step 2 did nothing: there is no pod on t:1 (2 checks that passed)\n")
	in.Results = in.Results[2:]
	assert.NotContains(t, text(t, New(in), TextOptions{}), "note       ")
}
