package report

import (
	"regexp"
	"strings"
)

var (
	colors = regexp.MustCompile("\x1b\\[[0-9;]*m")
	// events matches an event of a timeline: it is cut, because the page and report.json have all of it.
	events = regexp.MustCompile(`^ *(x *)?#\d+ `)
	// beginnings matches what stands before the text of a line: spaces, a field's name or a step's number.
	beginnings = regexp.MustCompile(`^ *([a-z]+ {2,}|[a-z]{7} |\d+\. )?`)
)

// Fold fits a text to a terminal of so many columns; 0: it is left as it is. Long lines are wrapped between words, below the
// beginning of their text. Words longer than a line, such as links, stay whole.
func Fold(text string, width int) string {
	if width <= 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		switch {
		case Columns(line) <= width:
		case events.MatchString(line):
			lines[i] = Cut(line, width)
		default:
			lines[i] = wrap(line, width)
		}
	}
	return strings.Join(lines, "\n")
}

func wrap(line string, width int) string {
	begin := beginnings.FindString(line)
	indent := "\n" + strings.Repeat(" ", min(max(len(begin), 2), width/3))
	var b strings.Builder
	b.WriteString(begin)
	at, first := len(begin), true
	for word := range strings.SplitSeq(line[len(begin):], " ") {
		wide := Columns(word)
		switch {
		case first:
		case at+1+wide > width:
			b.WriteString(indent)
			at = len(indent) - 1
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at, first = at+wide, false
	}
	return b.String()
}

// Cut cuts a text without colors to a number of columns.
func Cut(text string, width int) string {
	if Columns(text) <= width {
		return text
	}
	out := []rune(text)
	for len(out) > 0 && Columns(string(out))+1 > width {
		out = out[:len(out)-1]
	}
	return string(out) + "…"
}

// Columns returns how many columns of a terminal a text takes at most: from Hangul on a character may take two, and colors take none.
func Columns(text string) (n int) {
	for _, r := range colors.ReplaceAllString(text, "") {
		n++
		if r >= 0x1100 && r != '…' {
			n++
		}
	}
	return n
}
