package golden

import (
	"fmt"
	"testing"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/plugins/fake"
)

func TestTry(t *testing.T) {
	target, _ := fake.Open(t.Context(), "")
	hs := map[string]*history.History{}
	for _, c := range target.Cases {
		_, h := harness.Run(c, harness.Options{TB: t, Seed: 1})
		hs[c.Name] = h
	}
	lines, _ := Table(hs, nil)
	n, u := 0, 0
	for _, l := range lines {
		n += l.Count
		u += l.Unflagged
		if l.Unflagged > 0 {
			fmt.Printf("%-14s %-24s %6d unflagged %6d  %s\n", l.How, l.Class, l.Count, l.Unflagged, l.Example)
		}
	}
	fmt.Println(n, u)
}
