package golden

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// Print writes the table of perturbations: what was changed, how many were
// flagged, how many more where nobody else can have written, by which rules, and
// what excuses the rest.
func Print(out io.Writer, lines []Line) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "HOW\tWHAT\tALL\tFLAGGED\tALONE\tBY, OR WHY NOT")
	for _, l := range lines {
		by := slices.Sorted(maps.Keys(l.Flagged))
		if l.Unflagged > 0 {
			by = append([]string{fmt.Sprintf("%d %s;", l.Unflagged, l.because())}, by...)
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%s\n", l.How, l.Class, l.Count, l.Count-l.Unflagged-l.Alone, l.Alone, strings.Join(by, " "))
	}
	return w.Flush()
}

func (l Line) because() string {
	if l.Example != "" {
		return "UNEXPLAINED, such as the " + l.Example
	}
	return fmt.Sprintf("legal: %s (%s)", l.Excuse.Why, l.Excuse.Clause)
}

// Sum is the table in a line.
func Sum(lines []Line) string {
	all, flagged, alone, legal, unexplained := 0, 0, 0, 0, 0
	for _, l := range lines {
		all += l.Count
		flagged += l.Count - l.Unflagged - l.Alone
		alone += l.Alone
		switch {
		case l.Unflagged == 0:
		case l.Example != "":
			unexplained += l.Unflagged
		default:
			legal += l.Unflagged
		}
	}
	return fmt.Sprintf("%d perturbations: %d flagged, %d where nobody else can have written, %d legal, %d unexplained", all, flagged, alone, legal, unexplained)
}
