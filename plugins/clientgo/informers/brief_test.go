package informers_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/clientgo/informers"
	"github.com/lwtest/lwtest/plugins/fake"
)

func TestBrief(t *testing.T) {
	way, want := os.Getenv("BRIEF"), os.Getenv("ONLY")
	if way == "" {
		t.Skip()
	}
	target, _ := informers.Target(way, fake.Server, fake.ServerFeatures...)
	for _, c := range target.Cases {
		if !strings.Contains(c.Name, want) {
			continue
		}
		start := time.Now()
		r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1})
		fmt.Printf("%-40s %s %s %.2fs %d events\n", c.Name, r.Verdict, r.Reason, time.Since(start).Seconds(), r.Events)
		for _, x := range r.Rules {
			if len(x.Bad) > 0 {
				fmt.Printf("    %s %s tested %d failures %d: want %.100s, got %.150s %v\n", x.Level, x.Rule, x.Tested, x.Failures, x.Bad[0].Want, x.Bad[0].Got, x.Bad[0].At)
			}
		}
	}
}
