package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/harness/runner"
)

// Intervals of progress output on a terminal and in a log.
const (
	redrawEvery = 200 * time.Millisecond
	logEvery    = 10 * time.Second
)

// progress shows on stderr how far a run is: a bar on a terminal, elsewhere a line every ten seconds.
type progress struct {
	w     io.Writer
	live  bool // w is a terminal
	color bool
	began time.Time
	total int
	names map[string]string // of targets

	mu      sync.Mutex
	ended   int // includes those of earlier sessions
	before  int // in earlier sessions
	bad     int
	running []string

	stop chan struct{}
	over sync.WaitGroup
}

// newProgress shows progress until it is closed. before holds the results of earlier sessions.
func newProgress(w io.Writer, color string, total int, before []harness.Result, s report.Settings) *progress {
	p := &progress{w: w, live: terminal(w), color: colored(w, color), began: time.Now(), total: total, ended: len(before), before: len(before),
		names: report.Names(s.Targets), stop: make(chan struct{})}
	if len(before) > 0 {
		fmt.Fprintf(w, "%d of %d checks have a result already\n", len(before), total)
	}
	every := logEvery
	if p.live {
		every = redrawEvery
	}
	p.over.Go(func() {
		t := time.NewTicker(every)
		defer t.Stop()
		for {
			select {
			case <-p.stop:
				return
			case now := <-t.C:
				p.show(now)
			}
		}
	})
	return p
}

func (p *progress) started(it runner.Item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = append(p.running, p.names[it.Target]+" "+it.Case.Address())
}

func (p *progress) done(r *harness.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended++
	if r.Known == "" && (r.Verdict == harness.Fail || r.Verdict == harness.Inconclusive) {
		p.bad++
	}
	if i := slices.Index(p.running, p.names[r.Target]+" "+r.Check); i >= 0 {
		p.running = slices.Delete(p.running, i, i+1)
	}
}

// show redraws the bar, or writes a line to the log.
func (p *progress) show(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live {
		fmt.Fprintf(p.w, "\r\x1b[K%s", p.bar(now))
		return
	}
	line := p.counts()
	if left := p.left(now); left != "" {
		line += ", " + left
	}
	if len(p.running) > 0 {
		line += ", running " + p.running[0]
	}
	fmt.Fprintln(p.w, report.Line(line))
}

// counts returns how many checks have ended, and how many of them did not pass.
func (p *progress) counts() string {
	out := fmt.Sprintf("%d of %d checks", p.ended, p.total)
	if p.bad > 0 {
		out += fmt.Sprintf(", %d did not pass", p.bad)
	}
	return out
}

// left returns an estimate of the remaining time, or "" if there is no basis for one yet.
func (p *progress) left(now time.Time) string {
	took, done := now.Sub(p.began), p.ended-p.before
	if took < 2*time.Second || done == 0 || p.ended == p.total {
		return ""
	}
	rest := time.Duration(float64(took) / float64(done) * float64(p.total-p.ended))
	return fmt.Sprintf("about %s left", rest.Round(time.Second))
}

const (
	barWidth  = 24
	lineWidth = 79
)

// bar returns the line for a terminal: the bar, counts, remaining time and a running check, cut to the width.
func (p *progress) bar(now time.Time) string {
	full := barWidth * p.ended / max(p.total, 1)
	bar := "[" + strings.Repeat("#", full) + strings.Repeat("-", barWidth-full) + "] "
	rest := p.counts()
	if left := p.left(now); left != "" {
		rest += ", " + left
	}
	switch {
	case len(p.running) > 0:
		rest += "  " + p.running[0]
	case p.ended == p.total:
		rest += ", closing the targets"
	}
	text := []rune(report.Line(rest))
	if room := lineWidth - len(bar); len(text) > room {
		text = append(text[:room-1], '…')
	}
	if p.color && p.bad > 0 {
		return bar + "\x1b[31m" + string(text) + "\x1b[0m"
	}
	return bar + string(text)
}

// close ends the output and clears the bar.
func (p *progress) close() {
	close(p.stop)
	p.over.Wait()
	if p.live {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
