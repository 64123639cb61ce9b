package golden

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"sync"
	"runtime"
	"github.com/lwtest/lwtest/harness/history"

	"github.com/lwtest/lwtest/conformance/watchcache"
)

func TestZZDev(t *testing.T) {
	out := os.Getenv("ZZ")
	if out == "" {
		t.Skip()
	}
	all, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	kind := watchcache.Suite.Describe()
	var mu sync.Mutex
	var lines []string
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	n := 0
	for from, hs := range all {
		for name, h := range hs {
			if len(h.Events) > tooLong {
				continue
			}
			slots <- struct{}{}
			wg.Go(func() {
				defer func() { <-slots }()
				b, _ := history.New(h.Header, slices.Clone(h.Events))
				b.Header.Time = history.VirtualTime
				base := flagged(kind, b)
				if len(base) > 0 {
					fmt.Println(from, name, base)
				}
				for p := range Perturb(h, os.Getenv("LWTEST_PERTURB") == "every") {
					f := flagged(kind, p.History)
					mu.Lock()
					n++
					if len(f) == 0 {
						ex := "-"
						v, err := history.New(p.History.Header, slices.Clone(p.History.Events))
						if err != nil {
							panic(err)
						}
						v.Header.Time = history.VirtualTime
						var fl []string
						for _, r := range flagged(kind, v) {
							if !slices.Contains(base, r) {
								fl = append(fl, r)
							}
						}
						if len(fl) > 0 {
							ex = "alone"
						}
						if ex == "-" {
						for _, x := range Excuses {
							if x.covers(p) {
								ex = "legal"
								break
							}
						}
						}
						lines = append(lines, fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%d/%d", ex, p.How, p.Class, from, name, p.At, p.Item))
					}
					mu.Unlock()
				}
			})
		}
	}
	wg.Wait()
	slices.Sort(lines)
	f, _ := os.Create(out)
	for _, l := range lines {
		fmt.Fprintln(f, l)
	}
	f.Close()
	t.Log(n)
}
