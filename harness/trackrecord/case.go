// Package trackrecord has the cases in which a release that many used broke the contract, each with a release that keeps
// it: what is run on both, and what must come of it.
//
// A case is a folder below interop/trackrecord with a case.json. What came of it when it was last reproduced stands
// beside it, in result.json.
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

// Folder is where the cases are, in the tree.
const Folder = "interop/trackrecord"

// Case is one release with a known bug, and another without.
type Case struct {
	Dir  string `json:"-"` // its folder
	Name string `json:"-"` // of that
	// Wrong is why its file cannot be understood: then nothing else of it is known but its folder, and the number in its name.
	Wrong error `json:"-"`

	Number  int    `json:"number"` // several folders may have one
	Title   string `json:"title"`
	Module  string `json:"module"`  // one that an adapter of this tree adapts
	Buggy   string `json:"buggy"`   // version
	Control string `json:"control"` // version; "": there is none, and NoControl says why
	Args    string `json:"args"`    // of the adapter: what of the module

	Clause string   `json:"clause"`         // address, kind/clause: all its aspects count
	Checks []string `json:"checks"`         // addresses
	Span   string   `json:"span,omitempty"` // the longest check that is run in real time, if that is more than usual

	NoControl string `json:"noControl,omitempty"`
	// Left is what the control still does wrong, where it is mended in part only.
	Left     *Left    `json:"left,omitempty"`
	Upstream []string `json:"upstream"` // links
}

// Left is what is left of a bug in a release that has mended it in part.
type Left struct {
	// Got is a pattern: failures of the clause that got this are known, and no others are; "": what is left breaks another.
	Got  string `json:"got,omitempty"`
	Why  string `json:"why"`
	Link string `json:"link"`

	got *regexp.Regexp
}

// Known says that a failure is of what is left.
func (l *Left) Known(got string) bool { return l != nil && l.Got != "" && l.got.MatchString(got) }

// Of is all of a case that its numbers depend on. Beside them it says what they are of, whatever becomes of the case.
type Of struct {
	Module  string   `json:"module"`
	Buggy   string   `json:"buggy"`
	Control string   `json:"control,omitempty"`
	Args    string   `json:"args,omitempty"`
	Clause  string   `json:"clause"`
	Checks  []string `json:"checks"`
	Span    string   `json:"span,omitempty"`
	Left    string   `json:"left,omitempty"` // the pattern of failures that did not count
}

func (o Of) same(p Of) bool { return reflect.DeepEqual(o, p) }

// Of is what the case asks for now.
func (c Case) Of() Of {
	o := Of{c.Module, c.Buggy, c.Control, c.Args, c.Clause, c.Checks, c.Span, ""}
	if c.Left != nil {
		o.Left = c.Left.Got
	}
	return o
}

// Load reads the cases of a tree, in their order. One that is wrong does not keep the others from being read.
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
	named.Number, _ = strconv.Atoi(number) // without one it is asked for by its folder
	named.Wrong = err
	return named
}

// Wrong is what is wrong with the files of cases; nil: nothing is.
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
			return fmt.Errorf("it does not say its %s", what)
		}
	}
	if !strings.HasPrefix(c.Name, fmt.Sprintf("%02d-", c.Number)) {
		return fmt.Errorf("the folder of case %d begins with %02d-", c.Number, c.Number)
	}
	return nil
}

// Choose takes the cases that are asked for, by number or by folder; none is all.
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

// Result reads what came of a case when it was last reproduced; ok is false where it never was.
func (c Case) Result() (r Result, ok bool, err error) {
	file := filepath.Join(c.Dir, resultFile)
	if _, err := os.Stat(file); os.IsNotExist(err) {
		return r, false, nil
	}
	err = release.ReadFile(file, &r)
	return r, err == nil, err
}

const resultFile = "result.json"

// schemaFile has the messages of the protocol, in the tree.
const schemaFile = "plugins/exec/schema.json"

// Inputs is a digest of what a case depends on, beside lwtest's suites: its own file, its adapter, and the messages of the
// protocol. A result with another is of before one of them has changed.
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

// Changed reports whether what a case depends on has changed since it was last reproduced, or whether it never was.
func (c Case) Changed(a release.Adapter) (bool, error) {
	r, ok, err := c.Result()
	if err != nil || !ok {
		return true, err
	}
	inputs, err := c.Inputs(a)
	return inputs != r.Inputs, err
}
