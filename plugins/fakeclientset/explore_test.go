package fakeclientset_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/fakeclientset"
)

func TestExplore(t *testing.T) {
	target, err := fakeclientset.Open(t.Context(), "")
	require.NoError(t, err)
	for _, c := range target.Cases {
		r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1})
		fmt.Println("==", r.Check, r.Verdict, r.Reason, r.Events)
		for _, rr := range r.Rules {
			if rr.Verdict == harness.Fail || rr.Required {
				fmt.Println("    ", rr.Rule, rr.Verdict, "tested", rr.Tested, "failures", rr.Failures, rr.Reason)
			}
			for _, b := range rr.Bad {
				fmt.Println("         want:", b.Want, "| got:", b.Got)
			}
			for _, b := range rr.More {
				fmt.Println("         got:", b)
			}
		}
	}
}
