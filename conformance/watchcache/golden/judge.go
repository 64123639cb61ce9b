package golden

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/lwtest/lwtest/conformance/golden"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness/history"
)

// What is done with goldens of any kind.
type (
	Excuse       = golden.Excuse
	Line         = golden.Line
	Perturbation = golden.Perturbation
	Sample       = golden.Sample
)

const (
	Some  = golden.Some
	First = golden.First
	Every = golden.Every
)

// Table perturbs the histories of all recordings, judges each perturbation, and
// gives a line for each way and class. used counts what each excuse was needed
// for. Unless every one is asked for only the reference's are taken; see
// Perturb.
func Table(all map[string]map[string]*history.History, excuses []Excuse, sample Sample) (lines []Line, used []int) {
	kind := watchcache.Suite.Describe()
	t := golden.NewTable(excuses)
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for from, hs := range all {
		for name, h := range hs {
			large := slices.Contains(Large, name)
			if (large || sample != Every) && from != Reference || Unknown[name] != "" {
				continue
			}
			name = from + ", " + name
			slots <- struct{}{}
			wg.Go(func() {
				defer func() { <-slots }()
				deviates := golden.Flagged(kind, h) // as it is: these say nothing of what is changed
				for p := range Perturb(h, sampleOf(large, sample)) {
					rules := besides(deviates, golden.Flagged(kind, p.History))
					alone := rules == nil
					if alone {
						rules = besides(deviates, golden.Flagged(kind, nobodyElse(p.History)))
					}
					t.Add(name, p, rules, alone)
				}
			})
		}
	}
	wg.Wait()
	return t.Lines()
}

// sampleOf is how many perturbations of a recording are taken where so many are of others.
func sampleOf(large bool, of Sample) Sample {
	switch {
	case !large:
		return of
	case of == Every:
		return Some
	}
	return First
}

// nobodyElse is a history as of a run in virtual time, in which nobody else can
// write: what rules let pass of a real server because another client may have
// done it, none may pass of that.
func nobodyElse(h *history.History) *history.History {
	head := h.Header
	head.Time = history.VirtualTime
	out, err := history.New(head, slices.Clone(h.Events))
	if err != nil {
		panic(fmt.Sprintf("golden: a history is none with another header: %v", err)) // only the header is another
	}
	return out
}

// besides are the rules that are not among those.
func besides(those, rules []string) (out []string) {
	for _, r := range rules {
		if !slices.Contains(those, r) {
			out = append(out, r)
		}
	}
	return out
}
