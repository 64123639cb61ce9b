package fake_test

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/mutants"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/fake"
)

func TestMut(t *testing.T) {
	for _, m := range mutants.All() {
		cs := fake.Cases(m.Name, func(seed uint64) apiserver.API { a, _ := m.Open(apiserver.Options{Seed: seed}); return a })
		hit := map[string]int{}
		for _, c := range cs {
			r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1})
			for _, rr := range r.Rules {
				if rr.Verdict == harness.Fail {
					hit["watchcache/"+rr.Rule] += rr.Failures
				}
			}
			if r.Verdict == harness.Inconclusive {
				fmt.Println("   inconclusive", m.Name, r.Check, r.Reason)
			}
		}
		var l []string
		for k, v := range hit {
			l = append(l, fmt.Sprint(strings.TrimPrefix(k, "watchcache/"), ":", v))
		}
		sort.Strings(l)
		mark := "ok  "
		if hit[m.Rule] == 0 {
			mark = "MISS"
		}
		fmt.Println(mark, m.Name, m.Rule, "|", strings.Join(l, " "))
	}
}
