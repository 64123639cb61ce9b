package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/lwtest/lwtest/harness"
)

// log is the content of results.jsonl.
type log struct {
	header  Header
	results []harness.Result
	ended   bool
	elapsed time.Duration
	whole   int64 // length of the file up to the last complete line
}

// Load reads a run directory and returns the input for New, without kinds. The run may still be going on or may have
// been cut short: then Truncated is set.
func Load(path string) (Input, error) {
	l, err := readLog(filepath.Join(path, resultsFile))
	if err != nil {
		return Input{}, err
	}
	return Input{Header: l.header, Results: l.results, Elapsed: l.elapsed, Truncated: !l.ended, Dir: path}, nil
}

// ReadJSON reads a report.json. The report's renderers know only as much of the contract as the file says.
func ReadJSON(file string) (*Report, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := &Report{about: map[string]*harness.Kind{}}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("%s is not a report.json of lwtest: %w", file, err)
	}
	if r.Format != Format {
		return nil, fmt.Errorf("%s: format is %q, this lwtest reads %q (field \"lwtest\")", file, r.Format, Format)
	}
	for i := range r.Results {
		if err := verdictsOf(&r.Results[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	r.Dir = filepath.Dir(file)
	return r, nil
}

// readLog reads results.jsonl and ignores a last line that was cut off. Any other fault is an error that names the
// line.
func readLog(file string) (*log, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	l := &log{}
	for n := 1; ; n++ {
		end := bytes.IndexByte(b[l.whole:], '\n')
		if end < 0 {
			break
		}
		line := b[l.whole : l.whole+int64(end)]
		if err := l.line(n, line); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", file, n, err)
		}
		l.whole += int64(end) + 1
	}
	if l.header.Format == "" {
		return nil, fmt.Errorf("%s: line 1: no header: this is not a run of lwtest", file)
	}
	return l, nil
}

func (l *log) line(n int, b []byte) error {
	if n == 1 {
		return l.head(b)
	}
	var r struct {
		harness.Result
		End bool `json:"end"`
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return fmt.Errorf("not a result: %w", err)
	}
	switch {
	case l.ended:
		return errors.New("unexpected line after the footer")
	case r.End:
		l.ended, l.elapsed = true, r.Elapsed
	case r.Check == "" || r.Target == "":
		return errors.New("a result without check or target")
	default:
		if err := verdictsOf(&r.Result); err != nil {
			return err
		}
		l.results = append(l.results, r.Result)
		l.elapsed += r.Elapsed
	}
	return nil
}

// verdictsOf returns an error for an unknown verdict, which no exit status would count.
func verdictsOf(r *harness.Result) error {
	wrong := func(what string, v harness.Verdict) error {
		return fmt.Errorf("the verdict of %s is %q: want %s, %s, %s or %s", what, v, harness.Pass, harness.Fail, harness.Inconclusive, harness.Skip)
	}
	if !r.Verdict.Valid() {
		return wrong(r.Check, r.Verdict)
	}
	for _, rr := range r.Rules {
		if !rr.Verdict.Valid() {
			return wrong(rr.Rule+" in "+r.Check, rr.Verdict)
		}
	}
	return nil
}

func (l *log) head(b []byte) error {
	if err := json.Unmarshal(b, &l.header); err != nil {
		return fmt.Errorf("not a header: %w", err)
	}
	if l.header.Format != Format {
		return fmt.Errorf("format is %q, this lwtest reads %q (field \"lwtest\")", l.header.Format, Format)
	}
	known, err := compile(l.header.Known)
	l.header.Known = known
	return err
}
