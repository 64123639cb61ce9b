package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/harness/runner"
)

// progress tells on stderr how far a run is: one line that is rewritten on a
// terminal, one line per check elsewhere. The runner calls it one at a time.
type progress struct {
	w       io.Writer
	live    bool
	level   harness.Level
	total   int
	ended   int
	bad     int
	running []string
	names   map[string]string // of targets
}

func newProgress(w io.Writer, total int, before []harness.Result, s report.Settings) *progress {
	p := &progress{w: w, live: terminal(w), total: total, ended: len(before), level: s.Level, names: report.Names(s.Targets)}
	if len(before) > 0 {
		fmt.Fprintf(w, "%d of %d checks have a result already\n", len(before), total)
	}
	return p
}

func (p *progress) started(it runner.Item) {
	p.running = append(p.running, p.names[it.Target]+" "+it.Case.Address())
	p.show()
}

func (p *progress) done(r *harness.Result) {
	p.ended++
	if r.Known == "" && (r.Verdict == harness.Fail || r.Verdict == harness.Inconclusive) {
		p.bad++
	}
	called := p.names[r.Target] + " " + r.Check
	for i, name := range p.running {
		if name == called {
			p.running = append(p.running[:i], p.running[i+1:]...)
			break
		}
	}
	if !p.live {
		why, _, _ := strings.Cut(r.Reason, "\n")
		fmt.Fprintf(p.w, "%*d/%d %s %s  %s  %s\n", len(fmt.Sprint(p.total)), p.ended, p.total,
			report.Mark(r, p.level, false), called, r.Elapsed.Round(100*time.Microsecond), report.Line(why))
	}
	p.show()
}

// show rewrites the line.
func (p *progress) show() {
	if !p.live {
		return
	}
	line := fmt.Sprintf("%d/%d", p.ended, p.total)
	if p.bad > 0 {
		line += fmt.Sprintf("  %d did not pass", p.bad)
	}
	switch {
	case len(p.running) > 0:
		line += "  " + strings.Join(p.running, "  ")
	case p.ended == p.total:
		line += "  letting go of the targets"
	}
	if r := []rune(line); len(r) > 79 {
		line = string(r[:78]) + "…"
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", line)
}

// close leaves the terminal as it was.
func (p *progress) close() {
	if p.live {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
