package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// result is what the tests of a package did: names of Go tests and of specs.
type result struct {
	passed, skipped, failed []string
	took                    time.Duration // as go test says: without the compiler
	out                     bytes.Buffer
	why                     map[string]string // by the name of what failed: the end of its output, or the message of a spec
}

// read reads the output of go test -json.
func (r *result) read(out []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, len(out)+1)
	r.why = map[string]string{}
	said := map[string]string{}
	for lines.Scan() {
		var e struct {
			Action, Test, Output string
			Elapsed              float64
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			r.out.Write(append(lines.Bytes(), '\n')) // of the compiler
			continue
		}
		r.out.WriteString(e.Output)
		said[e.Test] += e.Output
		switch {
		case e.Test == "":
			r.took = max(r.took, time.Duration(e.Elapsed*float64(time.Second)))
		case e.Action == "pass":
			r.passed = append(r.passed, e.Test)
		case e.Action == "skip":
			r.skipped = append(r.skipped, e.Test)
		case e.Action == "fail":
			r.failed = append(r.failed, e.Test)
			r.why[e.Test] = tail(said[e.Test])
		}
	}
	return lines.Err()
}

// tail returns the last lines of an output.
func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-30):], "\n")
}

// readSpecs reads a report of Ginkgo.
func (r *result) readSpecs(report string) error {
	b, err := os.ReadFile(report)
	if err != nil {
		return err
	}
	var suites []struct {
		SpecReports []struct {
			ContainerHierarchyTexts           []string
			LeafNodeText, LeafNodeType, State string
			Failure                           struct {
				Message  string
				Location struct {
					FileName   string
					LineNumber int
				}
			}
		}
	}
	if err := json.Unmarshal(b, &suites); err != nil {
		return err
	}
	for _, s := range suites {
		for _, spec := range s.SpecReports {
			name := strings.Join(append(spec.ContainerHierarchyTexts, spec.LeafNodeText), " ")
			switch {
			case spec.State == "passed" && spec.LeafNodeType == "It":
				r.passed = append(r.passed, name)
			case spec.State == "pending" || spec.State == "skipped":
				r.skipped = append(r.skipped, name)
			case spec.State != "passed":
				r.failed = append(r.failed, spec.LeafNodeType+" "+name)
				f := spec.Failure
				r.why[spec.LeafNodeType+" "+name] = fmt.Sprintf("%s:%d: %s", f.Location.FileName, f.Location.LineNumber, tail(f.Message))
			}
		}
	}
	return nil
}

// compare prints a line, and returns what failed and is not known, or is known and did not fail.
func (r *result) compare(pkg string, all []known, file string) error {
	var news, olds []string
	struck := map[string]bool{}
	for _, name := range r.failed {
		i := slices.IndexFunc(all, func(k known) bool {
			// a test fails with its subtests
			return k.Package == pkg && (name == k.Test || strings.HasPrefix(name, k.Test+"/") || strings.HasPrefix(k.Test, name+"/"))
		})
		if i < 0 {
			news = append(news, name)
			continue
		}
		struck[all[i].Test] = true
		olds = append(olds, name)
	}
	fmt.Printf("%s: %d passed, %d known failures, %d new failures, %d skipped, %.1f s\n", pkg, len(r.passed), len(olds), len(news), len(r.skipped), r.took.Seconds())
	var errs []error
	for _, name := range news {
		errs = append(errs, fmt.Errorf("%s: new failure: %s\n%s", pkg, name, r.why[name]))
	}
	for _, k := range all {
		if k.Package == pkg && !struck[k.Test] && !k.Network {
			errs = append(errs, fmt.Errorf("%s: %s is known to fail, and passed: take it off hack/envtests/%s", pkg, k.Test, file))
		}
	}
	return errors.Join(errs...)
}

// beside prints what the same tests did on other programs, and which of them passed on one alone.
func (r *result) beside(other *result) {
	fmt.Printf("  beside: %d passed, %d failed, %d skipped, %.1f s\n", len(other.passed), len(other.failed), len(other.skipped), other.took.Seconds())
	for _, name := range r.failed {
		if !slices.Contains(other.failed, name) {
			fmt.Println("  fails only here:", name)
		}
	}
	for _, name := range other.failed {
		if !slices.Contains(r.failed, name) {
			fmt.Println("  fails only beside:", name)
		}
	}
}
