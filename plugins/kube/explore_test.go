package kube

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

func TestExplore(t *testing.T) {
	o := Options{Kubeconfig: os.Getenv("LWTEST_KUBECONFIG"), Resource: os.Getenv("LWTEST_RESOURCE")}
	target, err := Open(t.Context(), o)
	require.NoError(t, err)
	begun := time.Now()
	for _, c := range target.Cases {
		if f := os.Getenv("ONLY"); f != "" && !strings.Contains(c.Name, f) {
			continue
		}
		ho := harness.Options{TB: t, Seed: 1, RunID: "explore", Target: "kubeconfig"}
		dir := os.Getenv("RAW")
		if dir != "" {
			os.MkdirAll(dir, 0o777)
			f, err := os.Create(filepath.Join(dir, strings.ReplaceAll(c.Name, "/", "__")+".jsonl"))
			require.NoError(t, err)
			defer f.Close()
			ho.Sink = f
		}
		r, _ := harness.Run(c, ho)
		fmt.Println("==", r.Check, r.Verdict, r.Reason, r.Events, r.Elapsed)
		for _, rr := range r.Rules {
			if rr.Verdict == harness.Fail || rr.Required || os.Getenv("ALL") != "" {
				fmt.Println("    ", rr.Rule, rr.Verdict, "tested", rr.Tested, "failures", rr.Failures, rr.Reason)
			}
			for _, b := range rr.Bad {
				fmt.Println("         want:", b.Want, "| got:", b.Got)
				fmt.Println(b.Timeline)
			}
		}
		if r.Stack != "" { fmt.Println(r.Stack) }
	}
	fmt.Println("cases took", time.Since(begun))
	begun = time.Now()
	fmt.Println("close", target.Close(), time.Since(begun))
}
