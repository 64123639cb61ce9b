package informers_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/clientgo/informers"
	"github.com/lwtest/lwtest/plugins/fake"
)

func TestLoop(t *testing.T) {
	way, want := os.Getenv("LOOP"), os.Getenv("ONLY")
	if way == "" {
		t.Skip()
	}
	n, _ := strconv.Atoi(os.Getenv("TIMES"))
	rule := os.Getenv("RULE")
	shown := false
	target, _ := informers.Target(way, fake.Server, fake.ServerFeatures...)
	count := map[string]int{}
	for i := range n {
		for _, c := range target.Cases {
			if !strings.HasPrefix(c.Name, want) {
				continue
			}
			r, h := harness.Run(c, harness.Options{TB: t, Seed: int64(i + 1)})
			count[c.Name+" "+fmt.Sprint(r.Verdict)+" "+r.Reason]++
			for _, x := range r.Rules {
				if len(x.Bad) == 0 {
					continue
				}
				count["    "+c.Name+" "+string(x.Level)+" "+x.Rule]++
				if shown || x.Rule != rule {
					continue
				}
				shown = true
				fmt.Println(x.Bad[0].At, x.Bad[0].Want, "|", x.Bad[0].Got)
				lo, hi := x.Bad[0].At[0]-60, x.Bad[0].At[len(x.Bad[0].At)-1]+3
				for _, e := range h.Events {
					if e.Num < lo || e.Num > hi {
						continue
					}
					s := ""
					if e.X != nil {
						s = fmt.Sprintf(" %v %.200s %.200s %d", e.X.Err, e.X.Args, e.X.Body, len(e.X.Items))
					}
					fmt.Printf("%d %s %s %s c%d %.3fs %s@%s%s\n", e.Num, e.Actor, e.Phase, e.Kind, e.Call, float64(e.At)/1e9, e.Obj.Key, e.Obj.RV, s)
				}
			}
		}
	}
	for k, v := range count {
		fmt.Println(v, k)
	}
}
