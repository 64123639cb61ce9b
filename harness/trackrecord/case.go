// Package trackrecord reads and judges the track record: releases with many users that broke the contract, each with a
// release that keeps it. A case says what to run on both and what to expect.
//
// A case is a folder below interop/trackrecord with a case.json. Beside it, result.json holds the last reproduction.
package trackrecord

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/lwtest/lwtest/harness/release"
)

// Folder is the folder of the cases in the tree.
const Folder = "interop/trackrecord"

// Case is a release with a known bug, and a control without it.
type Case struct {
	Dir  string `json:"-"` // its folder
	Name string `json:"-"` // name of the folder
	// Wrong says why the file cannot be read. Then only Dir, Name and the number in Name are known.
	Wrong error `json:"-"`

	Number int    `json:"number"` // several folders may share one
	Title  string `json:"title"`
	Module string `json:"module"` // a module that an adapter of this tree adapts
	Buggy  string `json:"buggy"`  // version
	// Bug is the bug that is brought into Buggy, of those of the adapter; "": the release has it.
	Bug     string `json:"bug,omitempty"`
	Control string `json:"control"` // version; empty: there is none, and NoControl says why
	Args    string `json:"args"`    // arguments of the adapter: which part of the module to test; where lwtest is a client, flags of lwtest run

	Clause string   `json:"clause"`         // address, kind/clause; covers all its aspects
	Checks []string `json:"checks"`         // addresses
	Span   string   `json:"span,omitempty"` // longest check to run in real time, if that is longer than usual

	NoControl string `json:"noControl,omitempty"`
	// Left says what the control still does wrong, if it fixed the bug only in part.
	Left     *Left    `json:"left,omitempty"`
	Upstream []string `json:"upstream"` // links
}

// Left describes the rest of a bug in a release that fixed it in part.
type Left struct {
	// Got is a pattern. Failures of the clause whose got matches are known. If it is empty, the rest breaks another
	// clause.
	Got  string `json:"got,omitempty"`
	Why  string `json:"why"`
	Link string `json:"link"`

	got *regexp.Regexp
}

// Known reports whether a failure belongs to the rest of the bug.
func (l *Left) Known(got string) bool { return l != nil && l.Got != "" && l.got.MatchString(got) }

// Of holds everything in a case that its numbers depend on. It is stored with the numbers, because the case may
// change.
type Of struct {
	Module  string   `json:"module"`
	Buggy   string   `json:"buggy"`
	Bug     string   `json:"bug,omitempty"`
	Control string   `json:"control,omitempty"`
	Args    string   `json:"args,omitempty"`
	Clause  string   `json:"clause"`
	Checks  []string `json:"checks"`
	Span    string   `json:"span,omitempty"`
	Left    string   `json:"left,omitempty"` // pattern of failures that did not count
}

func (o Of) same(p Of) bool { return reflect.DeepEqual(o, p) }

// Of returns what the case asks for now.
func (c Case) Of() Of {
	o := Of{c.Module, c.Buggy, c.Bug, c.Control, c.Args, c.Clause, c.Checks, c.Span, ""}
	if c.Left != nil {
		o.Left = c.Left.Got
	}
	return o
}

// Adapter returns the adapter that runs the case.
func (c Case) Adapter(all []release.Adapter) (release.Adapter, error) {
	if c.Bug != "" {
		return release.FindEdited(all, c.Module)
	}
	return release.Find(all, c.Module)
}

// faulty names what has the bug.
func (c Case) faulty() string {
	if c.Bug == "" {
		return c.Buggy
	}
	return c.Buggy + " with the bug " + c.Bug
}

// Load reads the cases of a tree in order. A faulty case does not keep the others from being read.
func Load(root string) ([]Case, error) {
	files, err := filepath.Glob(filepath.Join(root, Folder, "*", "case.json"))
	if err != nil {
		return nil, err
	}
	var out []Case
	for _, file := range files {
		out = append(out, read(file))
	}
	return out, nil
}

func read(file string) Case {
	named := Case{Dir: filepath.Dir(file), Name: filepath.Base(filepath.Dir(file))}
	c := named
	err := release.ReadFile(file, &c)
	if err == nil {
		if err = c.check(); err != nil {
			err = fmt.Errorf("%s: %w", file, err)
		}
	}
	if err == nil {
		return c
	}
	number, _, _ := strings.Cut(named.Name, "-")
	named.Number, _ = strconv.Atoi(number) // without a number, the case is chosen by its folder
	named.Wrong = err
	return named
}

// Wrong returns an error that joins the faults of all cases, or nil.
func Wrong(cases []Case) error {
	var all []error
	for _, c := range cases {
		all = append(all, c.Wrong)
	}
	return errors.Join(all...)
}

func (c *Case) check() (err error) {
	if c.Left != nil {
		if c.Left.got, err = regexp.Compile(c.Left.Got); err != nil {
			return fmt.Errorf("left.got: %w", err)
		}
	}
	for what, missing := range map[string]bool{
		"number": c.Number == 0, "title": c.Title == "", "module": c.Module == "", "buggy": c.Buggy == "", "clause": !strings.Contains(c.Clause, "/"),
		"checks": len(c.Checks) == 0, "upstream": len(c.Upstream) == 0, "one of control and noControl": (c.Control == "") == (c.NoControl == ""),
		"control, of which left says something": c.Control == "" && c.Left != nil,
	} {
		if missing {
			return fmt.Errorf("missing: %s", what)
		}
	}
	if !strings.HasPrefix(c.Name, fmt.Sprintf("%02d-", c.Number)) {
		return fmt.Errorf("the folder of case %d begins with %02d-", c.Number, c.Number)
	}
	return nil
}

// Choose returns the cases with these numbers or folders, or all if asked is empty.
func Choose(all []Case, asked []string) ([]Case, error) {
	if len(asked) == 0 {
		return all, nil
	}
	var out []Case
	for _, a := range asked {
		n := len(out)
		for _, c := range all {
			if a == c.Name || a == fmt.Sprint(c.Number) {
				out = append(out, c)
			}
		}
		if n == len(out) {
			var names []string
			for _, c := range all {
				names = append(names, c.Name)
			}
			return nil, fmt.Errorf("there is no case %q: there are %s", a, strings.Join(names, ", "))
		}
	}
	return out, nil
}

// Result reads the last reproduction of a case. ok is false if there is none.
func (c Case) Result() (r Result, ok bool, err error) {
	file := filepath.Join(c.Dir, resultFile)
	if _, err := os.Stat(file); os.IsNotExist(err) {
		return r, false, nil
	}
	err = release.ReadFile(file, &r)
	return r, err == nil, err
}

const resultFile = "result.json"

// schemaFile describes the messages of the protocol.
const schemaFile = "plugins/exec/schema.json"

// Inputs returns a digest of what a case depends on besides lwtest's suites: its file, its adapter and the messages of
// the protocol. A result with another digest is out of date.
func (c Case) Inputs(a release.Adapter) (string, error) {
	adapter, err := a.Digest()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintln(h, adapter)
	for _, file := range []string{filepath.Join(c.Dir, "case.json"), filepath.Join(a.Root, schemaFile)} {
		b, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil))[:12], nil
}

// Changed reports whether what a case depends on has changed since it was last reproduced, or it was never reproduced.
func (c Case) Changed(a release.Adapter) (bool, error) {
	r, ok, err := c.Result()
	if err != nil || !ok {
		return true, err
	}
	inputs, err := c.Inputs(a)
	return inputs != r.Inputs, err
}
