package informers_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/clientgo/informers"
	"github.com/lwtest/lwtest/plugins/fake"
)

func TestDump(t *testing.T) {
	want, way := os.Getenv("CHECK"), os.Getenv("WAY")
	if want == "" {
		t.Skip()
	}
	target, _ := informers.Target(way, fake.Server, fake.ServerFeatures...)
	for _, c := range target.Cases {
		if c.Name != want {
			continue
		}
		r, h := harness.Run(c, harness.Options{TB: t, Seed: 1})
		for _, e := range h.Events {
			s := ""
			if e.X != nil {
				s = fmt.Sprintf(" %v %.200s %.200s %d", e.X.Err, e.X.Args, e.X.Body, len(e.X.Items))
			}
			fmt.Printf("%d %s %s %s c%d %.3fs %s@%s%s\n", e.Num, e.Actor, e.Phase, e.Kind, e.Call, float64(e.At)/1e9, e.Obj.Key, e.Obj.RV, s)
		}
		fmt.Println(r.Verdict, r.Reason)
		for _, x := range r.Rules {
			fmt.Println(x.Rule, x.Verdict, x.Tested, x.Failures, x.Reason)
		}
	}
}
