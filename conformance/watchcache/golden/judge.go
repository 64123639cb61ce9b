package golden

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// Excuse permits perturbations of a class that no rule flags, because the
// contract allows what they make.
type Excuse struct {
	How, Class string // as in Perturbation, or several with | between; * at the end of one takes any ending
	Clause     string // that permits it
	Why        string
}

func (x Excuse) covers(p Perturbation) bool {
	return like(x.How, p.How) && like(x.Class, p.Class)
}

func like(patterns, s string) bool {
	return slices.ContainsFunc(strings.Split(patterns, "|"), func(pattern string) bool {
		if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
			return strings.HasPrefix(s, prefix)
		}
		return pattern == s
	})
}

// Line is a row of the table of perturbations: a way and a class, and what became of them.
type Line struct {
	How, Class string
	Count      int
	Flagged    map[string]int // by rule
	Alone      int            // of Count, flagged only where no other client can have written
	Unflagged  int
	Excuse     *Excuse
	Example    string // of one that neither a rule nor an excuse takes
}

// Table perturbs the histories of all recordings, judges each perturbation, and
// gives a line for each way and class. used counts what each excuse was needed
// for. Unless every one is asked for it takes a sample, of the reference a larger
// one than of the other recordings; see Perturb.
func Table(all map[string]map[string]*history.History, excuses []Excuse, every bool) (lines []Line, used []int) {
	kind := watchcache.Suite.Describe()
	t := table{by: map[string]*Line{}, excuses: excuses, used: make([]int, len(excuses))}
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for from, hs := range all {
		for name, h := range hs {
			sample := sampleOf(from, name, every)
			if slices.Contains(Large, name) && from != Reference || Unknown[name] != "" {
				continue
			}
			name = from + ", " + name
			slots <- struct{}{}
			wg.Go(func() {
				defer func() { <-slots }()
				deviates := flagged(kind, h) // as it is: these say nothing of what is changed
				for p := range Perturb(h, sample) {
					rules := besides(deviates, flagged(kind, p.History))
					alone := rules == nil
					if alone {
						rules = besides(deviates, flagged(kind, nobodyElse(p.History)))
					}
					t.add(name, p, rules, alone)
				}
			})
		}
	}
	wg.Wait()
	for _, k := range slices.Sorted(maps.Keys(t.by)) {
		lines = append(lines, *t.by[k])
	}
	return lines, t.used
}

// sampleOf is how many perturbations of a recording's check are taken.
func sampleOf(from, name string, every bool) Sample {
	switch large := slices.Contains(Large, name); {
	case large && every:
		return Some
	case every:
		return Every
	case large || from != Reference:
		return First
	}
	return Some
}

// table gathers lines.
type table struct {
	mu      sync.Mutex
	by      map[string]*Line
	excuses []Excuse
	used    []int
}

func (t *table) add(name string, p Perturbation, rules []string, alone bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.by[p.How+"|"+p.Class]
	if l == nil {
		l = &Line{How: p.How, Class: p.Class, Flagged: map[string]int{}}
		t.by[p.How+"|"+p.Class] = l
	}
	l.Count++
	for _, r := range rules {
		l.Flagged[r]++
	}
	switch {
	case len(rules) == 0:
		l.Unflagged++
		l.excuse(name, p, t.excuses, t.used)
	case alone:
		l.Alone++
	}
}

func (l *Line) excuse(name string, p Perturbation, excuses []Excuse, used []int) {
	for i := range excuses {
		if excuses[i].covers(p) {
			used[i]++
			l.Excuse = &excuses[i]
			return
		}
	}
	if l.Example == "" {
		l.Example = fmt.Sprintf("%s in %s", p, name)
	}
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

// flagged are the rules that find something in a history.
func flagged(kind *harness.Kind, h *history.History) []string {
	var out []string
	r := kind.Judge(harness.Info{}, h)
	for _, rr := range r.Rules {
		if rr.Verdict == harness.Fail {
			out = append(out, rr.Rule)
		}
	}
	return out
}
