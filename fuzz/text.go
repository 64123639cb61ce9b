package fuzz

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

// maxShapes is how many shrunk stories of a failure the text shows in full.
const maxShapes = 2

// maxUnsure is how many reasons of stories that proved nothing it shows.
const maxUnsure = 5

// Text writes a report for people: failures that are not known in full, the others in a line each, then the figures.
func (r *Report) Text(w io.Writer) error {
	var b strings.Builder
	for _, f := range r.Failed {
		if f.Known == "" {
			f.text(&b, r.Kind)
		}
	}
	for _, f := range r.Failed {
		if f.Known != "" {
			fmt.Fprintf(&b, "known  %s/%s in %s: %s\n", r.Kind, f.Rule, stories(f.Stories), f.Known)
		}
	}
	unsure := slices.SortedFunc(maps.Keys(r.Unsure), func(a, b string) int { return cmp.Or(r.Unsure[b]-r.Unsure[a], strings.Compare(a, b)) })
	for _, why := range unsure[:min(len(unsure), maxUnsure)] {
		fmt.Fprintf(&b, "unsure %s: %s%s\n", stories(r.Unsure[why]), why, next(r.Kind, why))
	}
	if more := len(unsure) - maxUnsure; more > 0 {
		fmt.Fprintf(&b, "unsure for %d more reasons: see the report\n", more)
	}
	if r.Idle > 0 {
		fmt.Fprintf(&b, "idle   %d of %d stories tested no rule\n", r.Idle, r.Stories)
	}
	if r.Idle == r.Stories && r.Stories > 0 {
		fmt.Fprintln(&b, "unsure no story tested a rule, so that nothing is proven: see whether the target declares what it can (`lwtest list --features`)")
	}
	if left := r.Planned - r.Stories; left > 0 {
		fmt.Fprintf(&b, "left   %d of %d planned stories were not played: give more time with --for, or a part to each of several runs with --shard\n", left, r.Planned)
	}
	r.Covered.text(&b, r.Cross > 0)
	fmt.Fprintln(&b, r.Line())
	_, err := io.WriteString(w, b.String())
	return err
}

// stories counts stories.
func stories(n int) string {
	if n == 1 {
		return "1 story"
	}
	return fmt.Sprintf("%d stories", n)
}

// nextSteps say what to do about stories that proved nothing, by what is in the reason.
var nextSteps = []struct{ reason, step string }{
	{"no rule was tested", "no fault: other stories test rules"},
	{"the time was over", "give more time with --for"},
	{"no progress within", "the subject was busy or waits for ever: play it again on an idle machine, with --parallel 1"},
	{"the drive was not finished", "a story may take longer with --timeout"},
	{"adapter", "`lwtest smoke --target` says what is wrong with the adapter"},
	{"could not be opened", "`lwtest run` with this target shows why in full"},
	{"the drive's own", "the server that the subject is given refused it: see whether it is overloaded"},
}

// next returns what to do about a reason in a story of a kind, in brackets, or "".
func next(kind, why string) string {
	for _, s := range nextSteps {
		if strings.Contains(why, s.reason) {
			return " (" + s.step + ")"
		}
	}
	if rule, ok := strings.CutSuffix(why, " is undecided"); ok {
		return " (`lwtest show " + kind + "/" + rule + "` says what it needs; the rules that were decided count)"
	}
	return ""
}

// Line says in a line how far it is.
func (r *Report) Line() string {
	triples := "" // nobody counts them where nothing is steered
	if r.Triples > 0 {
		triples = fmt.Sprintf(" and %d triples", r.Triples)
	}
	return fmt.Sprintf("%s on %s: %s in %s, %s, %d classes%s of events, %d rules tested, %d broken, %d known failures (seed %d)",
		r.Kind, r.Target, stories(r.Stories), r.Took.Round(time.Millisecond), r.speed(), len(r.Reached), triples, len(r.Tested), r.New(), len(r.Failed)-r.New(), r.Seed)
}

// speed says how many stories were played a second, or a minute if those are few.
func (r *Report) speed() string {
	if a := float64(r.Stories) / max(r.Took.Seconds(), 1e-9); a >= 2 {
		return fmt.Sprintf("%.0f a second", a)
	}
	return fmt.Sprintf("%.0f a minute", float64(r.Stories)/max(r.Took.Minutes(), 1e-9))
}

// New counts the rules that were broken in a way that is not known.
func (r *Report) New() (n int) {
	for _, f := range r.Failed {
		if f.Known == "" {
			n++
		}
	}
	return n
}

func (f Failure) text(b *strings.Builder, kind string) {
	mark := "FAIL  "
	if f.Level == harness.Should { // it does not fail the run
		mark = ""
	}
	fmt.Fprintf(b, "%s%s %s/%s in %s, shrunk to %s\n", mark, f.Level, kind, f.Rule, stories(f.Stories), report.Many(len(f.Shapes), "shape"))
	for _, s := range f.Shapes[:min(len(f.Shapes), maxShapes)] {
		how := fmt.Sprintf("shrunk to %d steps, failed again %d of %d times", s.Steps, s.Again, s.Tried)
		switch {
		case f.Level == Stopped:
			how = "which did not end as stories do, and so was not shrunk"
		case s.Tried == 0 && f.Rule == harness.Survives.Address():
			how = "which ended its process, and so was not shrunk"
		case s.Tried == 0:
			how = fmt.Sprintf("shrunk to %d steps when the time was over, and not played again", s.Steps)
		}
		fmt.Fprintf(b, "  story %d, %s: %s\n%s", s.Story, how, s.File, indent(s.Text))
		fmt.Fprintf(b, "  want    %s\n  got     %s\n%s\n", s.Want, s.Got, indent(s.Seen))
	}
	if more := len(f.Shapes) - maxShapes; more > 0 {
		fmt.Fprintf(b, "  and %d more: see the report\n\n", more)
	}
}

func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("    " + line)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
