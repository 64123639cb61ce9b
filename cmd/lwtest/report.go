package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func (a app) reportVerb() *cobra.Command {
	f := &flags{}
	var since string
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Print the report of a run again, or write it as a page for a browser",
		Long: "Print the report of a run as it was judged then. RUN is a run directory or its report.json. The page that --html\n" +
			"writes needs nothing from a network: checks by targets, and for each failure the clause, what was wanted and seen,\n" +
			"and a timeline of its events, from the histories that the run kept. With --since it also shows what changed since\n" +
			"another report, as `lwtest diff` finds it.\n\n" +
			"Exit status: 0 the report was written, whatever it says; 3 it could not be read or written.",
		Example: `  lwtest report runs/20260101T120000Z-1
  lwtest report runs/20260101T120000Z-1 --html report.html
  lwtest report runs/last --html report.html --since runs/v1.36.3    # with what changed
  lwtest report report.json --format junit > junit.xml`,
		Args: oneFile("which run"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.checkPrinting(); err != nil {
				return err
			}
			r, err := a.loadReport(args[0])
			if err != nil {
				return err
			}
			if since != "" {
				if f.html == "" {
					return usagef("--since adds a section to the page of --html FILE: name the file, or compare in the terminal with `lwtest diff OLD NEW`")
				}
				old, err := a.loadReport(since)
				if err != nil {
					return err
				}
				f.since = a.compare(since, args[0], old, r)
			}
			var s status
			if err := a.print(r, f); !errors.As(err, &s) {
				return err
			}
			return nil
		},
	}
	f.set = cmd.Flags()
	f.printing(cmd)
	cmd.Flags().StringVar(&since, "since", "", "add to the page what changed since this `REPORT`, a run directory or its report.json")
	return cmd
}
