package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/lwtest/lwtest/harness"
)

type suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Skipped  int      `xml:"skipped,attr"`
	Time     string   `xml:"time,attr"`
	Suites   []suite  `xml:"testsuite"`
}

type suite struct {
	Name      string     `xml:"name,attr"`
	Tests     int        `xml:"tests,attr"`
	Failures  int        `xml:"failures,attr"`
	Errors    int        `xml:"errors,attr"`
	Skipped   int        `xml:"skipped,attr"`
	Timestamp string     `xml:"timestamp,attr"`
	Cases     []testcase `xml:"testcase"`
}

type testcase struct {
	Class   string  `xml:"classname,attr"`
	Name    string  `xml:"name,attr"`
	Time    string  `xml:"time,attr"`
	Failure *detail `xml:"failure"`
	Error   *detail `xml:"error"`
	Skipped *detail `xml:"skipped"`
	Out     string  `xml:"system-out,omitempty"`
}

type detail struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// JUnit writes the report as JUnit XML with a test suite for each target. Inconclusive checks are errors. Known
// failures, and failures that do not count, are skipped with their reason. Problems of the run itself are errors in a
// suite of their own.
func (r *Report) JUnit(w io.Writer) error {
	out := suites{Name: "lwtest", Time: seconds(r.Elapsed.Seconds())}
	for _, t := range r.Settings.Targets {
		s := suite{Name: t, Timestamp: r.Started.UTC().Format("2006-01-02T15:04:05")}
		for i := range r.Results {
			if r.Results[i].Target == t {
				s.add(r.testcase(&r.Results[i]))
			}
		}
		for _, p := range r.Missing {
			if p.Target == t {
				s.add(testcase{Class: t, Name: p.Check, Time: "0", Error: &detail{Message: "no result: the run is truncated", Type: "truncated"}})
			}
		}
		out.add(s)
	}
	run := suite{Name: "run", Timestamp: r.Started.UTC().Format("2006-01-02T15:04:05")}
	for i, p := range r.Problems {
		run.add(testcase{Class: "run", Name: fmt.Sprintf("problem %d", i+1), Time: "0", Error: &detail{Message: firstLine(p), Type: "run", Text: p}})
	}
	for i, p := range r.Stale {
		run.add(testcase{Class: "run", Name: fmt.Sprintf("stale known failure %d", i+1), Time: "0", Failure: &detail{Message: p, Type: "stale"}})
	}
	if len(run.Cases) > 0 {
		out.add(run)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (r *Report) testcase(res *harness.Result) testcase {
	c := testcase{Class: res.Target, Name: res.Check, Time: seconds(res.Elapsed.Seconds())}
	text := func() string {
		var b strings.Builder
		r.failure(&b, res, style{}, map[string]bool{})
		return "\n" + b.String()
	}
	switch {
	case res.Verdict == harness.Pass:
	case res.Verdict == harness.Skip:
		c.Skipped = &detail{Message: res.Reason}
	case res.Known != "":
		c.Skipped = &detail{Message: "known failure: " + res.Known}
		c.Out = text()
	default:
		switch ending(res, r.Settings.Level) {
		case Failed:
			c.Failure = &detail{Message: headline(res), Type: "fail", Text: text()}
		case OK:
			c.Skipped = &detail{Message: "does not count: " + headline(res)}
			c.Out = text()
		default:
			c.Error = &detail{Message: headline(res), Type: string(res.Verdict), Text: text()}
		}
	}
	return c
}

func (s *suite) add(c testcase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
}

func (o *suites) add(s suite) {
	o.Suites = append(o.Suites, s)
	o.Tests, o.Failures, o.Errors, o.Skipped = o.Tests+s.Tests, o.Failures+s.Failures, o.Errors+s.Errors, o.Skipped+s.Skipped
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }

// headline says in one line why a check did not pass.
func headline(res *harness.Result) string {
	if broken := res.Broken(); res.Verdict == harness.Fail && len(broken) > 0 {
		text := "broke " + broken[0].Rule + aside(got(broken[0]))
		for i, rr := range broken[1:] {
			text += map[bool]string{true: "; and ", false: ", "}[i == 0] + rr.Rule
		}
		return text
	}
	return firstLine(res.Reason)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
