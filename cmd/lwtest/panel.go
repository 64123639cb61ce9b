package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

// Intervals of progress output on a terminal and in a log.
const (
	redrawEvery = 200 * time.Millisecond
	logEvery    = 10 * time.Second
)

// figures is what a panel shows.
type figures struct {
	what    string    // what is counted: "checks" or "stories"
	done    int       // includes before
	before  int       // in earlier sessions
	total   int       // 0: as many as there are until end
	end     time.Time // zero: none
	bad     int
	badly   string // what bad of them did
	more    string // further counts
	running []string
	failed  string // the last failure
}

// panel shows on stderr how far a run is: some lines that are redrawn on a terminal, elsewhere a line every ten seconds.
type panel struct {
	w     io.Writer
	live  *screen // nil: w is no terminal, or belongs to a CI job
	color bool
	began time.Time

	mu sync.Mutex
	figures

	stop chan struct{}
	over sync.WaitGroup
}

// newPanel shows figures until it is closed.
func newPanel(w io.Writer, color string, f figures) *panel {
	p := &panel{w: w, color: colored(w, cmp.Or(color, "auto")), began: time.Now(), figures: f, stop: make(chan struct{})}
	every := logEvery
	if ci := os.Getenv("CI"); terminal(w) && (ci == "" || ci == "false") {
		p.live, every = w.(*screen), redrawEvery
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

func (p *panel) update(change func(*figures)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.figures)
}

// started notes a check that runs.
func (p *panel) started(check string) {
	p.update(func(f *figures) { f.running = append(f.running, check) })
}

// ended notes the result of a check.
func (p *panel) ended(check string, r *harness.Result) {
	p.update(func(f *figures) {
		f.done++
		if i := slices.Index(f.running, check); i >= 0 {
			f.running = slices.Delete(f.running, i, i+1)
		}
		if r.Known == "" && (r.Verdict == harness.Fail || r.Verdict == harness.Inconclusive) {
			f.bad++
			f.failed = check
			if i := slices.IndexFunc(r.Rules, func(r harness.RuleResult) bool { return r.Known == "" && len(r.Bad) > 0 }); i >= 0 {
				f.failed += ": " + short(r.Rules[i].Bad[0].Got)
			}
		}
	})
}

// mostShort bounds the characters of a subject's text in a line of progress.
const mostShort = 60

// short returns the beginning of a text.
func short(text string) string {
	if r := []rune(text); len(r) > mostShort {
		return string(r[:mostShort]) + "…"
	}
	return text
}

func (p *panel) show(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live == nil {
		fmt.Fprintln(p.w, p.line(now))
		return
	}
	width, height := p.live.size()
	p.live.draw(p.lines(now, width-1, height-1))
}

// close ends the output and clears the panel.
func (p *panel) close() {
	close(p.stop)
	p.over.Wait()
	if p.live != nil {
		p.live.draw(nil)
	}
}

// line returns the line of a log.
func (p *panel) line(now time.Time) string {
	out := p.counts() + ", " + p.rate(now)
	if left := p.left(now); left != "" {
		out += ", " + left
	}
	if len(p.running) > 0 {
		out += ", running " + p.running[0]
	}
	if p.failed != "" {
		out += ", failed last: " + p.failed
	}
	return report.Line(out)
}

// lines returns at most height lines of at most width columns. What matters more stands first, on each line and above others.
func (p *panel) lines(now time.Time, width, height int) []row {
	rest := fmt.Sprintf(" %3.0f%%  %s", 100*p.part(now), p.rate(now))
	if left := p.left(now); left != "" {
		rest += "  " + left
	}
	wide := min(max(width-len(rest)-2, 10), 40)
	full := int(p.part(now) * float64(wide))
	out := []row{{text: "[" + strings.Repeat("#", full) + strings.Repeat("-", wide-full) + "]" + rest}, {text: p.counts()}}
	switch {
	case len(p.running) > 0:
		out = append(out, row{text: "running  " + p.running[0]})
	case p.total > 0 && p.done >= p.total:
		out = append(out, row{text: "closing the targets"})
	}
	if p.failed != "" {
		out = append(out, row{text: "failed   " + p.failed, red: p.color})
	}
	for i := range out {
		out[i].text = fit(out[i].text, width)
	}
	return out[:max(min(len(out), height), 0)]
}

func (p *panel) counts() string {
	out := fmt.Sprintf("%d %s", p.done, p.what)
	if p.total > 0 {
		out = fmt.Sprintf("%d of %d %s", p.done, p.total, p.what)
	}
	if p.bad > 0 {
		out += fmt.Sprintf(", %d %s", p.bad, p.badly)
	}
	return out + p.more
}

// part returns how much of the work is done, from 0 to 1.
func (p *panel) part(now time.Time) float64 {
	part := 0.0
	if p.total > 0 {
		part = float64(p.done) / float64(p.total)
	}
	if !p.end.IsZero() {
		part = max(part, float64(now.Sub(p.began))/float64(p.end.Sub(p.began)))
	}
	return min(part, 1)
}

func (p *panel) rate(now time.Time) string {
	seconds := max(now.Sub(p.began).Seconds(), 0.001)
	switch r := float64(p.done-p.before) / seconds; {
	case r >= 10:
		return fmt.Sprintf("%.0f/s", r)
	case r >= 1:
		return fmt.Sprintf("%.1f/s", r)
	default:
		return fmt.Sprintf("%.0f/min", r*60)
	}
}

// left returns an estimate of the remaining time, or "" if there is no basis for one yet.
func (p *panel) left(now time.Time) string {
	rest, known := p.end.Sub(now), !p.end.IsZero()
	if took, done := now.Sub(p.began), p.done-p.before; p.total > 0 && took >= 2*time.Second && done > 0 {
		byCount := time.Duration(float64(took) / float64(done) * float64(p.total-p.done))
		if !known || byCount < rest {
			rest, known = byCount, true
		}
	}
	if !known || rest <= 0 {
		return ""
	}
	return rest.Round(time.Second).String() + " left"
}

// fit returns text that cannot upset a terminal, cut to a number of columns.
func fit(text string, width int) string { return report.Cut(report.Line(text), width) }

// row is a line of a panel.
type row struct {
	text string
	red  bool
}

// screen is a terminal with a panel below what else is written to it.
type screen struct {
	file   *os.File
	mu     sync.Mutex
	panel  []row // what is on the terminal of it
	closed bool
}

func (s *screen) size() (width, height int) {
	width, height, err := term.GetSize(int(s.file.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// Write writes in the place of the panel, which is gone until it is drawn again.
func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.file.WriteString(s.erase()) // if that fails, so does what follows
	return s.file.Write(b)
}

// draw replaces the panel. Errors do not matter: nobody sees a terminal that is gone.
func (s *screen) draw(rows []row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	out := s.erase()
	for _, r := range rows {
		if r.red {
			out += "\x1b[31m" + r.text + "\x1b[0m\n"
		} else {
			out += r.text + "\n"
		}
	}
	s.panel = rows
	_, _ = s.file.WriteString(out)
}

// close removes the panel for good.
func (s *screen) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.file.WriteString(s.erase())
	s.closed = true
}

// erase returns what removes the panel. A terminal that has become narrower shows a long line as several.
func (s *screen) erase() string {
	if len(s.panel) == 0 {
		return ""
	}
	lines := 0
	width, _ := s.size()
	for _, r := range s.panel {
		lines += 1 + max(report.Columns(r.text)-1, 0)/width
	}
	s.panel = nil
	return fmt.Sprintf("\x1b[%dA\r\x1b[J", lines)
}
