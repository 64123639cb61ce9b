package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

// knownLines reads the file of --known.
func (f *flags) knownLines() ([]harness.Known, error) {
	if f.known == "" {
		return nil, nil
	}
	lines, err := harness.ReadKnown(f.known)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return lines, nil
	case isDir(f.known):
		err = fmt.Errorf("--known %s is a directory: name a file in it", f.known)
	case errors.Is(err, io.EOF):
		err = fmt.Errorf("--known %s is empty: write [] if nothing is known to fail", f.known)
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("--known %s ends in the middle: was it cut off?", f.known)
	case errors.As(err, &wrong) && wrong.Field == "":
		err = fmt.Errorf("--known %s holds a JSON %s instead of a list of known failures: want an array of %s", f.known, wrong.Value, knownLine)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		err = fmt.Errorf("--known cannot be read: %w", err)
	}
	return nil, usagef("%w", err)
}

// aimed returns an error for a line of --known that names no check of any kind or of the plan, or no rule. A file may serve runs on other
// targets, so a line about none of these only gets a note.
func (a app) aimed(lines []harness.Known, plan []report.Planned, targets []string) (notes []string, err error) {
	checks, names := a.checks(), []string(nil)
	for _, p := range plan { // a trace may name a check of its own
		checks = append(checks, p.Check)
	}
	var kinds []*harness.Kind
	for _, k := range a.kinds() {
		kinds = append(kinds, k.about)
	}
	called := report.Names(targets)
	for _, t := range targets {
		names = append(names, called[t])
	}
	for i := range lines {
		k := &lines[i]
		if err := k.Aim(checks, kinds); err != nil {
			return nil, usagef("%w", err)
		}
		if !slices.ContainsFunc(targets, k.OnTarget) {
			notes = append(notes, fmt.Sprintf("%s: it is about %q, and covers nothing here: the targets are %s", k.Where(), k.Target, strings.Join(names, ", ")))
		}
	}
	return notes, nil
}

// rules returns the addresses of all rules of all kinds.
func (a app) rules() []string {
	var out []string
	for _, k := range a.kinds() {
		for _, r := range k.about.Rules {
			out = append(out, k.about.Name+"/"+r.Address())
		}
	}
	return out
}

// checks returns the addresses of all checks of all kinds.
func (a app) checks() []string {
	var out []string
	for _, k := range a.kinds() {
		out = append(out, k.about.Addresses()...)
	}
	return out
}

const knownLine = `{"check","rule","verdict","got","reason"}`

func isDir(path string) bool {
	i, err := os.Stat(path)
	return err == nil && i.IsDir()
}
