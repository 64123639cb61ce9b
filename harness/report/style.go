package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/lwtest/lwtest/harness"
)

// style adds colours to text if color is set.
type style struct{ color bool }

func (s style) paint(code int, text string) string {
	if !s.color {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", code, text)
}

func (s style) bold(t string) string   { return s.paint(1, t) }
func (s style) red(t string) string    { return s.paint(31, t) }
func (s style) green(t string) string  { return s.paint(32, t) }
func (s style) yellow(t string) string { return s.paint(33, t) }
func (s style) cyan(t string) string   { return s.paint(36, t) }

// mark returns the verdict of a check, padded to the width of a column.
func (s style) mark(r *harness.Result, level harness.Level) string {
	text := func(t string) string { return fmt.Sprintf("%-12s", t) }
	switch {
	case r.Verdict == harness.Pass:
		return s.green(text("pass"))
	case r.Verdict == harness.Skip:
		return s.cyan(text("skip"))
	case r.Known != "":
		return s.yellow(text("known"))
	case r.Verdict == harness.Fail && ending(r, level) != Failed && slices.ContainsFunc(r.Rules, func(rr harness.RuleResult) bool { return counts(rr, harness.Should) }):
		return s.yellow(text("should"))
	case r.Verdict == harness.Fail && ending(r, level) != Failed: // what it broke is known, and it does not prove the rest
		return s.yellow(text(string(harness.Inconclusive)))
	case r.Verdict == harness.Fail:
		return s.red(text("FAIL"))
	}
	return s.yellow(text(string(r.Verdict)))
}

// Plain returns text from a subject, a server or a trace with every character replaced that a terminal would obey or
// that would change the order in which the text is shown.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// Line does what Plain does and returns one line, so that foreign text cannot begin a line of a report.
func Line(s string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(Plain(s))
}
