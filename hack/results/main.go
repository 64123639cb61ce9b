// Command results makes a table of reports: what each rule says on each
// configuration of a server, and how often it was tested.
//
//	go run ./hack/results NAME=report.json ... > docs/kube-apiserver.md
//
// It ends with status 1 if a rule of level MUST passed nowhere, or failed
// anywhere; -exempt names rules that no configuration can put to the test.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

// column is one report.
type column struct {
	name string
	*report.Report
}

func main() {
	exempt := flag.String("exempt", "", "rules that nothing need test, separated by commas")
	flag.Parse()
	cols, err := read(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "results:", err)
		os.Exit(3)
	}
	open := table(os.Stdout, cols, strings.Split(*exempt, ","))
	for _, o := range open {
		fmt.Fprintln(os.Stderr, "results:", o)
	}
	if len(open) > 0 {
		os.Exit(1)
	}
}

func read(args []string) ([]column, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("say which reports: NAME=report.json")
	}
	var out []column
	for _, a := range args {
		name, file, ok := strings.Cut(a, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not NAME=report.json", a)
		}
		r, err := report.ReadJSON(file)
		if err != nil {
			return nil, err
		}
		out = append(out, column{name, r})
	}
	return out, nil
}

// table writes the page, and says which rules are open.
func table(w io.Writer, cols []column, exempt []string) (open []string) {
	fmt.Fprintf(w, "# The watchcache suite on kube-apiserver\n\nGenerated from reports by `go run ./hack/results`: do not edit. A cell has the verdict and how often the rule was tested.\n\n")
	for _, c := range cols {
		n := c.Counts
		fmt.Fprintf(w, "- **%s**: %s; %d checks: %d passed, %d failed, %d inconclusive, %d skipped; %s, in %s\n", c.name, plugin(c.Report), len(c.Results),
			n.Pass, n.Fail, n.Inconclusive, n.Skip, c.Started.UTC().Format("2006-01-02 15:04"), c.Elapsed.Round(time.Second))
	}
	fmt.Fprintf(w, "\n| rule | level |")
	for _, c := range cols {
		fmt.Fprintf(w, " %s |", c.name)
	}
	fmt.Fprintf(w, "\n|---|---|%s\n", strings.Repeat("---|", len(cols)))
	for _, k := range cols[0].Kinds {
		for _, u := range k.Rules {
			if o := row(w, k.Name, u, cols, slices.Contains(exempt, u.Rule)); o != "" {
				open = append(open, o)
			}
		}
	}
	unreached(w, cols)
	return open
}

// unreached says which classes of request and event, of those that clauses name, none of the runs reached.
func unreached(w io.Writer, cols []column) {
	fmt.Fprintf(w, "\nClasses of request and event that a clause names, and that none of these runs reached:\n\n")
	none := true
	for _, k := range cols[0].Kinds {
		for _, class := range k.Classes {
			if !slices.ContainsFunc(cols, func(c column) bool { return reached(c.Report, k.Name, class.Class) }) {
				none = false
				fmt.Fprintf(w, "- %s (%s)\n", class.Class, strings.Join(class.Clauses, ", "))
			}
		}
	}
	if none {
		fmt.Fprintln(w, "none.")
	}
}

func reached(r *report.Report, kind, class string) bool {
	for _, k := range r.Kinds {
		if k.Name == kind && slices.ContainsFunc(k.Classes, func(c report.Class) bool { return c.Class == class && c.Reached > 0 }) {
			return true
		}
	}
	return false
}

// row is one rule on all columns; it says what is open about it.
func row(w io.Writer, kind string, u report.Rule, cols []column, exempt bool) string {
	fmt.Fprintf(w, "| %s | %s |", u.Rule, u.Level)
	passed, failed := false, ""
	for _, c := range cols {
		v, tested := verdict(c.Report, kind, u.Rule)
		passed = passed || v == harness.Pass && tested > 0
		if v == harness.Fail && u.Level == harness.Must {
			failed = c.name
		}
		switch {
		case v == harness.Pass || v == harness.Fail:
			fmt.Fprintf(w, " %s %d |", v, tested)
		case tested == 0 && v == harness.Inconclusive:
			fmt.Fprint(w, " not tested |")
		default:
			fmt.Fprintf(w, " %s |", v)
		}
	}
	fmt.Fprintln(w)
	switch {
	case failed != "":
		return fmt.Sprintf("%s fails on %s", u.Rule, failed)
	case u.Level == harness.Must && !passed && !exempt && u.Rule != harness.Survives.Address():
		return u.Rule + " passed nowhere"
	}
	return ""
}

func verdict(r *report.Report, kind, rule string) (harness.Verdict, int) {
	for _, k := range r.Kinds {
		for i := range k.Rules {
			if k.Name == kind && k.Rules[i].Rule == rule {
				return k.Rules[i].Verdict(), k.Rules[i].Tested
			}
		}
	}
	return harness.Skip, 0
}

// plugin is what the report ran on.
func plugin(r *report.Report) string {
	for i := range r.Results {
		if p := r.Results[i].Plugin; p != "" {
			return p
		}
	}
	return "unknown"
}
