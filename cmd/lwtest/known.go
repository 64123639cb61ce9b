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

// aimed returns an error for a line of --known about no check of any kind or of the plan: it would never be stale. A
// file may serve runs on other targets, so a line about none of these only gets a note.
func (a app) aimed(lines []harness.Known, plan []report.Planned, targets []string) (notes []string, err error) {
	checks, names := a.checks(), []string(nil)
	for _, p := range plan { // a trace may name a check of its own
		checks = append(checks, p.Check)
	}
	called := report.Names(targets)
	for _, t := range targets {
		names = append(names, called[t])
	}
	for i := range lines {
		k := &lines[i]
		switch {
		case !slices.ContainsFunc(checks, func(c string) bool { return harness.Match(k.Check, c) }):
			return nil, usagef("%s: no check matches %q, so it would cover nothing%s: `lwtest list` shows them all", k.Where(), k.Check, harness.SuggestAddress(k.Check, checks))
		case !a.hasRule(k):
			return nil, usagef("%s: no rule of these checks matches %q, so it would cover nothing%s: `lwtest list --rules` shows them all", k.Where(), k.Rule, harness.SuggestAddress(k.Rule, a.rules()))
		case !slices.ContainsFunc(targets, k.OnTarget):
			notes = append(notes, fmt.Sprintf("%s: it is about %q, and covers nothing here: the targets are %s", k.Where(), k.Target, strings.Join(names, ", ")))
		}
	}
	return notes, nil
}

// hasRule reports whether a line names a rule of a kind whose checks it is about. A kind that lwtest does not know,
// such as that of a trace, may have any rule.
func (a app) hasRule(k *harness.Known) bool {
	known := false
	for _, kind := range a.kinds {
		if first, _, _ := strings.Cut(k.Check, "/"); !harness.Match(first, kind.about.Name) {
			continue
		}
		known = true
		if slices.ContainsFunc(kind.about.Rules, func(r harness.Rule) bool { return k.Names(kind.about.Name, r.Address()) }) {
			return true
		}
	}
	return !known
}

// rules returns the addresses of all rules of all kinds.
func (a app) rules() []string {
	var out []string
	for _, k := range a.kinds {
		for _, r := range k.about.Rules {
			out = append(out, k.about.Name+"/"+r.Address())
		}
	}
	return out
}

// checks returns the addresses of all checks of all kinds.
func (a app) checks() []string {
	var out []string
	for _, k := range a.kinds {
		out = append(out, k.about.Addresses()...)
	}
	return out
}

const knownLine = `{"check","rule","verdict","got","reason"}`

func isDir(path string) bool {
	i, err := os.Stat(path)
	return err == nil && i.IsDir()
}
