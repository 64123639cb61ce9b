package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/plugins/resources"
	"github.com/lwtest/lwtest/plugins/targets"
)

func (a app) diffVerb() *cobra.Command {
	var format, color string
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Show what changed between two reports",
		Long: "Compare two reports, each a run directory or its report.json: what no longer passes, what is fixed, what is\n" +
			"new or gone. Checks are matched by target and address. If each report has one target, they are matched by\n" +
			"address only, so that two releases of a server can be compared. If the reports are about different resources or\n" +
			"kinds of target, diff says so, and a check that only the new one skips for a missing feature is not worse.\n\n" +
			"Exit status: 0 nothing is worse, 1 something is, 3 a report could not be read.",
		Example: `  lwtest diff runs/v1.36.3 runs/v1.37.1
  lwtest diff last/report.json runs/20260101T120000Z-1 --format json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("diff compares two reports: `lwtest diff OLD NEW`, each a run directory or its report.json")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			f := &flags{format: format, color: color}
			if format != "text" && format != "json" {
				return usagef("--format is %q: say text or json", format)
			}
			if err := f.checkPrinting(); err != nil {
				return err
			}
			return a.diff(f, args[0], args[1])
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "print this `FORMAT`: text or json")
	cmd.Flags().StringVar(&color, "color", "auto", "use colors: `WHEN` is auto, always or never")
	return cmd
}

func (a app) diff(f *flags, from, to string) error {
	o, err := a.loadReport(from)
	if err != nil {
		return err
	}
	n, err := a.loadReport(to)
	if err != nil {
		return err
	}
	d := a.compare(from, to, o, n)
	if f.format == "json" {
		e := json.NewEncoder(a.stdout)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		err = e.Encode(d)
	} else {
		err = d.Text(a.stdout, colored(a.stdout, f.color))
	}
	if err == nil && d.Worse() {
		return status(report.Failed)
	}
	return err
}

// compare returns what changed from one report to another, of these names. It warns of one that was cut off.
func (a app) compare(from, to string, o, n *report.Report) *report.Diff {
	for _, side := range []report.Side{{Name: from, Report: o}, {Name: to, Report: n}} {
		if side.Truncated || side.Counts.Missing > 0 {
			fmt.Fprintf(a.stderr, "lwtest: %s is truncated: %d checks of its run have no result\n", side.Name, side.Counts.Missing)
		}
	}
	return report.Compare(report.Side{Name: from, Of: a.tested(o), Report: o}, report.Side{Name: to, Of: a.tested(n), Report: n})
}

// tested returns what a report of one target is about: for a cluster the resource, whichever cluster it was, and for a
// client on a cluster its name.
func (a app) tested(r *report.Report) string {
	if len(r.Settings.Targets) != 1 {
		return ""
	}
	connect := r.Settings.Targets[0]
	s, arg, err := a.targets.Find(connect)
	switch {
	case err == nil && s.Server && arg != "":
		return s.Name + " on a cluster"
	case err != nil || s.Options == nil:
		return connect
	}
	_, options, err := targets.Split(arg)
	if err != nil {
		return connect
	}
	resource, err := resources.Find(options.Get("resource"))
	if err != nil {
		return connect
	}
	return "a cluster with " + resource.Name
}

// loadReport reads a run directory or its report.json.
func (a app) loadReport(path string) (*report.Report, error) {
	if path == "" {
		return nil, usagef("the name of a report is empty: is a variable not set?")
	}
	if i, err := os.Stat(path); err == nil && !i.IsDir() {
		return report.ReadJSON(path)
	}
	in, err := report.Load(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usagef("%s holds no report: give a run directory (such as `lwtest run --out` writes) or its report.json", path)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, k := range a.kinds() {
		if _, ok := in.Header.Contract[k.about.Name]; !ok {
			continue // the run was not about it
		}
		in.Kinds = append(in.Kinds, k.about)
	}
	return proven(report.New(in)), nil
}
