package informers_test

import (
	"fmt"
	"os"
	"sort"
	"testing"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/clientgo/informers"
	"github.com/lwtest/lwtest/plugins/fake"
)

func TestScores(t *testing.T) {
	if os.Getenv("SCORE") == "" {
		t.Skip()
	}
	all := map[string]int{}
	for _, w := range []string{"shared-informer", "factory-typed", "shared-informer-lists", "reflector-undelta", "reflector-pages"} {
		target, _ := informers.Target(w, fake.Server, fake.ServerFeatures...)
		for _, c := range target.Cases {
			r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1})
			for k, n := range r.Score {
				all[k] += n
			}
		}
	}
	var names []string
	for k := range all {
		names = append(names, k)
	}
	sort.Strings(names)
	for _, k := range names {
		fmt.Println(k, all[k])
	}
}
