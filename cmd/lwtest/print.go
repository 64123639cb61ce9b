package main

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/term"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/harness/report/html"
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
		text := report.TextOptions{Color: colored(a.stdout, f.color), Width: width(a.stdout), Verbose: f.verbose, Show: report.Show(f.show), Family: a.targets.Family}
		if f.format != "github" {
			err = r.Text(a.stdout, text)
			break
		}
		// The text holds what subjects said: to the runner nothing of it may be a command.
		token := rand.Text()
		fmt.Fprintf(a.stdout, "::stop-commands::%s\n", token)
		err = r.Text(a.stdout, text)
		fmt.Fprintf(a.stdout, "::%s::\n", token)
		err = errors.Join(err, r.GitHub(a.stdout), stepSummary(r))
	}
	if f.html != "" {
		err = errors.Join(err, a.page(r, f))
	}
	if err != nil {
		return err
	}
	if r.Status == report.OK {
		return nil
	}
	return status(r.Status)
}

// stepSummary adds the report to the summary of a GitHub workflow's step, whose file the environment names.
func stepSummary(r *report.Report) error {
	name := os.Getenv("GITHUB_STEP_SUMMARY")
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("the summary of the step was not written, to the file that GITHUB_STEP_SUMMARY names: %w", err)
	}
	return errors.Join(r.StepSummary(f), f.Close())
}

// page writes the page of a report to a file, in one go: a page that is cut off would show nothing.
func (a app) page(r *report.Report, f *flags) error {
	o := html.Options{Since: f.since, History: func(res *harness.Result) *history.History {
		h, err := historyOf(r, res)
		if err != nil {
			fmt.Fprintf(a.stderr, "lwtest: the page has no picture of %s: %s\n", report.Line(res.Check), report.Plain(err.Error()))
		}
		return h
	}}
	for _, k := range a.kinds() {
		o.Kinds = append(o.Kinds, k.about)
	}
	var b bytes.Buffer
	if err := html.Write(&b, r, o); err != nil {
		return err
	}
	if err := os.WriteFile(f.html, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("the page was not written: %w; `lwtest report RUN --html FILE` writes it from the run directory", err)
	}
	fmt.Fprintf(a.stderr, "lwtest: the report is in %s\n", f.html)
	return nil
}

// historyOf returns the history of a result, or nil if it was not kept.
func historyOf(r *report.Report, res *harness.Result) (*history.History, error) {
	file := res.Judged
	if file == "" && res.History != "" {
		file = filepath.Join(r.Dir, res.History)
	}
	if file == "" {
		return nil, nil
	}
	return history.ReadFile(file)
}

// proving is how long a report may look for the evidence of all its causes on a target.
const proving = 5 * time.Second

// proven returns the report with the evidence of each cause whose history can be read.
func proven(r *report.Report) *report.Report {
	r.Prove(proving, func(res *harness.Result) *history.History {
		h, _ := historyOf(r, res)
		return h
	})
	return r
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
	f := fileOf(w)
	return f != nil && os.Getenv("TERM") != "dumb" && obeys(f)
}

// width returns how many columns w has, or 0 if it is no terminal, or the log of a CI job.
func width(w io.Writer) int {
	if ci := os.Getenv("CI"); !terminal(w) || ci != "" && ci != "false" {
		return 0
	}
	width, _, err := term.GetSize(int(fileOf(w).Fd()))
	if err != nil {
		return 0
	}
	return width
}

// fileOf returns the file behind what app writes to, or nil.
func fileOf(w io.Writer) *os.File {
	if c, ok := w.(*checked); ok {
		w = c.Writer
	}
	if s, ok := w.(*screen); ok {
		w = s.file
	}
	f, _ := w.(*os.File)
	return f
}
