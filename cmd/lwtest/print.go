package main

import (
	"cmp"
	"io"
	"os"

	"github.com/lwtest/lwtest/harness/report"
)

// print writes a report to stdout and returns its status as the error.
func (a app) print(r *report.Report, f *flags) error {
	var err error
	switch f.format {
	case "json":
		err = r.JSON(a.stdout)
	case "junit":
		err = r.JUnit(a.stdout)
	case "markdown":
		err = r.Markdown(a.stdout)
	default:
		err = r.Text(a.stdout, report.TextOptions{Color: colored(a.stdout, f.color), Verbose: f.verbose, Show: report.Show(f.show), Family: a.family})
	}
	if err != nil {
		return err
	}
	if r.Status == report.OK {
		return nil
	}
	return status(r.Status)
}

func colored(w io.Writer, when string) bool {
	return when == "always" || when == "auto" && terminal(w) && os.Getenv("NO_COLOR") == ""
}

// checked keeps the first error of a writer, because most callers do not check theirs.
type checked struct {
	io.Writer
	err error
}

func (c *checked) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.err = cmp.Or(c.err, err)
	return n, err
}

// terminal reports whether a person probably reads w.
func terminal(w io.Writer) bool {
	if c, ok := w.(*checked); ok {
		w = c.Writer
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	i, err := f.Stat()
	return err == nil && i.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb" && f.Name() != os.DevNull
}
