package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/harness/report/html"
)

func (a app) resultsVerb() *cobra.Command {
	var format, site string
	cmd := &cobra.Command{
		Use:   "results REPORT...",
		Short: "Make one table of the results of many implementations",
		Long: "Put reports of many implementations into one table, with a row for each and a column for each section of the\n" +
			"contract. Each REPORT is a run directory, its report.json, or a table from `lwtest results --format json`. If two\n" +
			"have the same implementation and kind, the later argument counts. The row of a run of selected checks says so,\n" +
			"and cannot replace the row of a full run.\n\n" +
			"Exit status: 0 the table was written, 3 a report could not be read or added.",
		Example: `  lwtest results runs/20260101T120000Z-1 runs/20260102T120000Z-1
  lwtest results docs/results.json runs/last --format json > new.json
  lwtest results docs/results.json --site public    # pages for a browser, with the versions of each implementation`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("results makes a table of reports: `lwtest results REPORT...`, each a run directory, its report.json, or an earlier table")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			var t report.Table
			for _, path := range args {
				rows, err := a.rows(path)
				if err != nil {
					return err
				}
				if len(rows) == 0 {
					fmt.Fprintf(a.stderr, "lwtest: all checks of %s were skipped\n", path)
				}
				if err := t.Put(rows...); err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
			}
			if site != "" {
				return html.Site(site, &t)
			}
			switch format {
			case "json":
				return t.JSON(a.stdout)
			case "markdown":
				return t.Markdown(a.stdout)
			}
			return usagef("--format is %q: say markdown or json", format)
		},
	}
	cmd.Flags().StringVar(&site, "site", "", "instead of stdout, write static pages to this `DIR`")
	cmd.Flags().StringVar(&format, "format", "markdown", "print this `FORMAT`: markdown or json")
	return cmd
}

// rows returns the rows of a report or of a table.
func (a app) rows(path string) ([]report.Row, error) {
	if i, err := os.Stat(path); err == nil && !i.IsDir() {
		if t, err := report.ReadTable(path); err == nil {
			return t.Rows, nil
		}
	}
	r, err := a.loadReport(path)
	if err != nil {
		return nil, err
	}
	return r.Rows(), nil
}
