// Package golden is what is done with recorded histories of any kind: each thing
// in one that the subject delivered is changed, in every way, to see whether a
// rule notices.
package golden

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

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

// Table gathers lines. It is safe for concurrent use.
type Table struct {
	mu      sync.Mutex
	by      map[string]*Line
	excuses []Excuse
	used    []int
}

// Add puts a perturbation of what is called name into its line; rules are those
// that flag it, alone says that they do so only where nobody else can have written.
func (t *Table) Add(name string, p Perturbation, rules []string, alone bool) {
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

// NewTable gathers lines, with these excuses.
func NewTable(excuses []Excuse) *Table {
	return &Table{by: map[string]*Line{}, excuses: excuses, used: make([]int, len(excuses))}
}

// Lines are those for each way and class, and what each excuse was needed for.
func (t *Table) Lines() (lines []Line, used []int) {
	for _, k := range slices.Sorted(maps.Keys(t.by)) {
		lines = append(lines, *t.by[k])
	}
	return lines, t.used
}

// Flagged are the rules that find something in a history.
func Flagged(kind *harness.Kind, h *history.History) []string {
	var out []string
	r := kind.Judge(harness.Info{}, h)
	for _, rr := range r.Rules {
		if rr.Verdict == harness.Fail {
			out = append(out, rr.Rule)
		}
	}
	return out
}
